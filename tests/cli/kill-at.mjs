/**
 * Loaded before the program (`node --import`): counts the moments at which a kill would leave another disk behind, in
 * the folder ROCELAB_WATCHED. A moment lies before every operation that changes the disk and in the middle of every
 * write and of every removal of a tree.
 * With ROCELAB_PHOTOS the folder is copied at each moment to PHOTOS/NUMBER; with ROCELAB_KILL_AT the process is killed
 * at the moment of that number.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

const { ROCELAB_WATCHED: watched = '', ROCELAB_PHOTOS: photos, ROCELAB_KILL_AT: killAt } = process.env
const real = { ...fs }
/** Descriptors of files in the folder. */
const open = new Set()
let moments = 0
/** Node's own functions call each other. */
let isInside = false

function moment() {
  moments++
  if (killAt !== undefined && moments === Number(killAt)) process.kill(process.pid, 'SIGKILL')
  if (photos !== undefined) {
    real.cpSync(watched, path.join(photos, String(moments)), { recursive: true, verbatimSymlinks: true })
  }
}

const isWatched = (file) => typeof file === 'string' && `${path.resolve(file)}/`.startsWith(`${watched}/`)

/** Has a function of node:fs go through `instead` where its first argument is in the folder. */
function wrap(name, instead, concerns = isWatched) {
  fs[name] = (...args) => {
    if (isInside || !concerns(args[0])) return real[name](...args)
    isInside = true
    try {
      return instead(...args)
    } finally {
      isInside = false
    }
  }
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

if (isMainThread) {
  for (const name of ['renameSync', 'unlinkSync', 'rmdirSync', 'mkdirSync', 'linkSync', 'symlinkSync', 'chmodSync']) {
    wrap(name, (...args) => {
      moment()
      return real[name](...args)
    })
  }
  wrap('rmSync', (file, options) => {
    if (real.lstatSync(file, { throwIfNoEntry: false }) === undefined) return real.rmSync(file, options)
    return removeTree(file)
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
  const isOpen = (descriptor) => open.has(descriptor)
  for (const name of ['ftruncateSync', 'fsyncSync']) {
    wrap(
      name,
      (...args) => {
        moment()
        return real[name](...args)
      },
      isOpen,
    )
  }
  wrap(
    'writeSync',
    (descriptor, buffer, offset, length, position) => {
      moment()
      real.writeSync(descriptor, buffer, offset, length >> 1, position)
      moment()
      return real.writeSync(descriptor, buffer, offset, length, position)
    },
    isOpen,
  )
  // Whatever else writes would go by unseen.
  for (const name of ['appendFileSync', 'copyFileSync', 'cpSync', 'truncateSync', 'writevSync', 'createWriteStream']) {
    wrap(name, () => {
      throw new Error(`kill-at.mjs does not know ${name}`)
    })
  }
  syncBuiltinESMExports()
}
