/**
 * Moments at which a kill would leave a different state of one folder: before every operation that changes it, and in the
 * middle of every write and of every removal of a tree. Wraps node:fs for the whole process.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'

const real = { ...fs }

/** Calls `onMoment` at each moment with its number, from 1 on. Returns a function that restores node:fs. */
export function watchMoments(watched, onMoment) {
  /** Descriptors of files in the folder. */
  const open = new Set()
  let moments = 0
  /** Calls by Node's own functions, and by `onMoment`, are not moments. */
  let isInside = false
  /** Some modules of Node keep references to the wrapped functions, which then have to do nothing. */
  let isOver = false

  function moment() {
    moments++
    onMoment(moments)
  }

  const wrapped = new Set()
  const isWatched = (file) => typeof file === 'string' && `${path.resolve(file)}/`.startsWith(`${watched}/`)
  const isOpen = (descriptor) => open.has(descriptor)

  /** Replaces a function of node:fs by `instead` if its first argument is in the folder. */
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

  /** Adds a moment before a function. */
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
    // Without the options, since the first half has created the file that flag wx expects to be new.
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
  // Functions that write and are not wrapped would be missed.
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
