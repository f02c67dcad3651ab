/**
 * Folders: tried before anything is run, and made one level at a time.
 * Node's own recursive mkdir never returns where the system answers "no such file" below a folder that is there, as
 * it does in /proc.
 */
import { lstatSync, mkdirSync, rmdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { InputError } from '../../base/issue.ts'
import { writeFailure } from './files.ts'
import { clearTemporary, temporaryName } from './temporary.ts'
import { codeOf } from './system-error.ts'

const EXPECTED = 'a folder that can be written'

/** The first of a folder and those above it that is there, be it a folder or not. */
function nearestOf(folder: string): string {
  let nearest = folder
  while (!isThere(nearest) && path.dirname(nearest) !== nearest) nearest = path.dirname(nearest)
  return nearest
}

/** Whether a path leads to something. Throws what the system has against it, but that nothing is there. */
export function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined
}

/** Whether a path is a link to something that is not there. */
export function isDanglingLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true && !isThere(file)
}

/**
 * Makes sure, before anything is run, that a folder of that name can be made, or written into if it is there: by
 * doing so at the nearest folder that is there. `shown` is the folder as the user knows it. Throws InputError.
 */
export function expectWritable(folder: string, shown: string): void {
  try {
    const nearest = nearestOf(folder)
    const next = nearest === folder ? '' : path.relative(nearest, folder).split(path.sep)[0]
    if (next !== undefined && next !== '' && isDanglingLink(path.join(nearest, next))) {
      throw notWritable(shown, 'a link to something that is not there', `remove it: ${path.join(nearest, next)}`)
    }
    if (!statSync(nearest).isDirectory()) throw blockingFile(folder, shown)
    const probe = path.join(nearest, temporaryName('probe'))
    try {
      clearTemporary(nearest, 'probe')
      mkdirSync(probe)
      rmdirSync(probe)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      throw notWritable(shown, 'a file system that takes no new folders', `name one elsewhere than in ${nearest}`)
    }
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') throw blockingFile(folder, shown)
    throw writeFailure(error, shown, EXPECTED)
  }
}

/** Makes a folder and those above it; one that is there is left alone. Throws what the system says. */
export function makeFolder(folder: string): void {
  const nearest = nearestOf(folder)
  const missing = path.relative(nearest, folder).split(path.sep)
  let at = nearest
  for (const name of missing.filter((part) => part !== '')) {
    at = path.join(at, name)
    try {
      mkdirSync(at)
    } catch (error) {
      // Somebody else has made it in between.
      if (codeOf(error) !== 'EEXIST' || !isThere(at)) throw error
    }
  }
}

/** What a folder cannot be where it, or something on the way to it, is a file. */
export function blockingFile(folder: string, shown: string): InputError {
  let file = folder
  while (!isFound(file) && path.dirname(file) !== file) file = path.dirname(file)
  const received = file === folder ? 'a file of that name' : `a path through the file ${path.basename(file)}`
  return notWritable(shown, received, 'choose another folder name')
}

/** Whether a path leads to something; no, where the system says that it leads through a file. */
function isFound(file: string): boolean {
  try {
    return isThere(file)
  } catch {
    return false
  }
}

function notWritable(file: string, received: string, hint: string): InputError {
  return new InputError([{ path: '', file, expected: EXPECTED, received, hint }])
}
