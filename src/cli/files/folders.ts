/**
 * Folders: checked before anything runs, and created one level at a time.
 * Node's recursive mkdir never returns if the system reports ENOENT below an existing folder, as in /proc.
 */
import { lstatSync, mkdirSync, rmdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileError, InputError } from '../../core/base/issue.ts'
import { fileMistake, writeFailure } from './files.ts'
import { clearTemporary, temporaryName } from './temporary.ts'
import { codeOf } from './system-error.ts'

const EXPECTED = 'a folder that can be written'

/** The folder itself or its nearest existing ancestor, which may be a file. */
export function nearestOf(folder: string): string {
  let nearest = folder
  while (!isThere(nearest) && path.dirname(nearest) !== nearest) nearest = path.dirname(nearest)
  return nearest
}

/** Whether a path exists. Throws system errors other than ENOENT. */
export function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined
}

/** Whether a path of the user is a folder; false for standard input. Throws InputError for one that is not there. */
export function isFolder(directory: string, name: string, expected: string): boolean {
  if (name === '-') return false
  try {
    return statSync(path.resolve(directory, name)).isDirectory()
  } catch (error) {
    throw fileMistake(error, name, expected)
  }
}

/** Whether a path is a symbolic link to something that does not exist. */
export function isDanglingLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true && !isThere(file)
}

/**
 * Checks, before anything runs, that a folder can be created, or written if it exists, by creating a probe in the nearest
 * existing folder. Throws InputError.
 * @param shown the folder as the user named it.
 */
export function expectWritable(folder: string, shown: string): void {
  try {
    const nearest = nearestOf(folder)
    const next = nearest === folder ? '' : path.relative(nearest, folder).split(path.sep)[0]
    if (next !== undefined && next !== '' && isDanglingLink(path.join(nearest, next))) {
      throw notWritable(shown, 'a link to something that does not exist', `remove it: ${path.join(nearest, next)}`)
    }
    if (!statSync(nearest).isDirectory()) throw blockingFile(folder, shown)
    const probe = path.join(nearest, temporaryName('probe'))
    try {
      clearTemporary(nearest, 'probe')
      mkdirSync(probe)
      rmdirSync(probe)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      throw notWritable(shown, 'a file system that accepts no new folders', `name a folder outside ${nearest}`)
    }
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') throw blockingFile(folder, shown)
    throw writeFailure(error, shown, EXPECTED)
  }
}

/** Creates a folder and its missing ancestors. Throws errors of the system. */
export function makeFolder(folder: string): void {
  const nearest = nearestOf(folder)
  const missing = path.relative(nearest, folder).split(path.sep)
  let at = nearest
  for (const name of missing.filter((part) => part !== '')) {
    at = path.join(at, name)
    try {
      mkdirSync(at)
    } catch (error) {
      // Another process may have created it in the meantime.
      if (codeOf(error) !== 'EEXIST' || !isThere(at)) throw error
    }
  }
}

/** Mistake for a folder whose name, or an ancestor's, is that of a file. */
export function blockingFile(folder: string, shown: string): InputError {
  let file = folder
  while (!isFound(file) && path.dirname(file) !== file) file = path.dirname(file)
  const received = file === folder ? 'a file of that name' : `a path through the file ${path.basename(file)}`
  return notWritable(shown, received, 'choose another folder name')
}

/** Whether a path exists; false if it leads through a file. */
function isFound(file: string): boolean {
  try {
    return isThere(file)
  } catch {
    return false
  }
}

function notWritable(file: string, received: string, hint: string): InputError {
  return fileError(file, EXPECTED, received, hint)
}
