/**
 * Moments at which a kill would leave another disk behind, in one folder: before every operation that changes it, and
 * in the middle of every write and of every removal of a tree. node:fs is wrapped, in this process, for all who use it.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'

const real = { ...fs }

/** Calls `onMoment` at each of them, with its number from 1 on; the function that comes back ends that. */
export function watchMoments(watched, onMoment) {
  /** Descriptors of files in the folder. */
  const open = new Set()
  let moments = 0
  /** Node's own functions call each other, and `onMoment` may use them. */
  let isInside = false
  /** Parts of Node keep the functions that they found when they were loaded. */
  let isOver = false

  function moment() {
    moments++
    onMoment(moments)
  }

  const wrapped = new Set()
  const isWatched = (file) => typeof file === 'string' && `${path.resolve(file)}/`.startsWith(`${watched}/`)
  const isOpen = (descriptor) => open.has(descriptor)

  /** Has a function of node:fs go through `instead` where its first argument is in the folder. */
  function wrap(name, instead, concerns = isWatched) {
    wrapped.add(name)
    fs[name] = (...args) => {
      if (isOver || isInside || !concerns(args[0])) return real[name](...args)
      isInside = true
      try {
        return instead(...args)
      } finally {
        isInside = false
      }
    }
  }

  /** A moment, and then what was asked for. */
  function wrapPlainly(name, concerns) {
    const plain = (...args) => {
      moment()
      return real[name](...args)
    }
    wrap(name, plain, concerns)
  }

  function removeTree(file) {
    if (real.lstatSync(file).isDirectory()) {
      for (const name of real.readdirSync(file)) removeTree(path.join(file, name))
      moment()
      real.rmdirSync(file)
    } else {
      moment()
      real.unlinkSync(file)
    }
  }

  for (const name of ['renameSync', 'unlinkSync', 'rmdirSync', 'mkdirSync', 'linkSync', 'symlinkSync', 'chmodSync']) {
    wrapPlainly(name)
  }
  for (const name of ['ftruncateSync', 'fsyncSync']) wrapPlainly(name, isOpen)
  wrap('rmSync', (file, options) => {
    if (real.lstatSync(file, { throwIfNoEntry: false }) === undefined) real.rmSync(file, options)
    else removeTree(file)
  })
  wrap('writeFileSync', (file, data, options) => {
    moment()
    const bytes = Buffer.from(data)
    real.writeFileSync(file, bytes.subarray(0, bytes.length >> 1), options)
    moment()
    // Also where the first half was to make a new file.
    real.writeFileSync(file, bytes)
  })
  wrap('openSync', (file, ...rest) => {
    moment()
    const descriptor = real.openSync(file, ...rest)
    open.add(descriptor)
    return descriptor
  })
  const writeInTwo = (descriptor, buffer, offset, length, position) => {
    moment()
    real.writeSync(descriptor, buffer, offset, length >> 1, position)
    moment()
    return real.writeSync(descriptor, buffer, offset, length, position)
  }
  wrap('writeSync', writeInTwo, isOpen)
  // Whatever else writes would go by unseen.
  for (const name of ['appendFileSync', 'copyFileSync', 'cpSync', 'truncateSync', 'writevSync', 'createWriteStream']) {
    wrap(name, () => {
      throw new Error(`moments.mjs does not know ${name}`)
    })
  }
  syncBuiltinESMExports()
  return () => {
    isOver = true
    for (const name of wrapped) fs[name] = real[name]
    syncBuiltinESMExports()
  }
}
