/**
 * Inside a folder: where a command reads, writes and removes below a folder, which may come from anybody. Links in it are
 * followed only as far as they stay in it, so that nothing outside is read, written or removed.
 */
import { lstatSync, realpathSync, type Stats } from 'node:fs'
import path from 'node:path'
import { fileError, InputError } from '../../core/base/issue.ts'
import { codeOf } from './system-error.ts'

/**
 * Path of a name below the folder; neither has to exist. Throws InputError if a link on the way leads out.
 * @param shown the folder as the user named it @param name with forward slashes
 */
export function inside(folder: string, shown: string, name: string): string {
  const root = realOf(folder)
  const segments = name.split('/')
  let at = folder
  for (const [i, segment] of segments.entries()) {
    at = path.join(at, segment)
    const there = root === undefined ? undefined : entryAt(at)
    if (there === undefined) return path.join(at, ...segments.slice(i + 1))
    if (!there.isSymbolicLink()) continue
    const real = realOf(at)
    if (real?.startsWith(root + path.sep) !== true) throw leadingOut(path.join(shown, ...segments.slice(0, i + 1)))
  }
  return at
}

/** Undefined if there is nothing of that name, or a file in the place of a folder before it. */
function entryAt(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

function realOf(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR' || codeOf(error) === 'ELOOP') return undefined
    throw error
  }
}

function leadingOut(file: string): InputError {
  const expected = 'a file or folder that is in this folder itself'
  const hint = 'put what it leads to in its place'
  return fileError(file, expected, 'a link that leads out of the folder', hint)
}
