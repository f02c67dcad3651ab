/**
 * Files as the user names them: written relative to where he stands, with his mistakes told as such.
 */
import { chmodSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { InputError } from '../../base/issue.ts'
import { EXIT_BUG, Failure } from '../failure.ts'
import { codeOf } from './system-error.ts'
import { clearTemporary, temporaryName } from './temporary.ts'

export interface WriteTextOptions {
  /** Replace what is there. */
  readonly force: boolean
  /** Files that were read, absolute: they are never replaced. */
  readonly inputs?: readonly string[]
  /** Whether what is there may be replaced without being asked, from its text. */
  readonly isOurs?: (text: string) => boolean
}

/** Writes a file; one that is there and says something else only if asked to. Throws InputError, Failure. */
export function writeText(directory: string, file: string, text: string, options: WriteTextOptions): void {
  const target = path.resolve(directory, file)
  try {
    const there = statSync(target, { throwIfNoEntry: false })
    if (there?.isFile() === true) {
      const isSame = (name: string): boolean => realpathSync(name) === realpathSync(target)
      if (options.inputs?.some(isSame) === true) throw notReplaced(file, 'a file that is read', 'name another file')
      const mayBe = (old: string): boolean => old === text || options.isOurs?.(old) === true
      if (!options.force && !mayBe(readFileSync(target, 'utf8'))) {
        throw notReplaced(file, 'a file of other content', '--force replaces it')
      }
    }
    if (there === undefined || there.isFile()) writeWhole(target, text)
    else writeFileSync(target, text)
  } catch (error) {
    throw writeFailure(error, file, 'a file that can be written')
  }
}

/**
 * Writes a file whole or not at all: beside the old one, whose place and rights it then takes. A link is followed.
 * Throws what the system says.
 */
export function writeWhole(file: string, data: string | Uint8Array): void {
  const there = statSync(file, { throwIfNoEntry: false })
  const target = there === undefined ? file : realpathSync(file)
  const folder = path.dirname(target)
  const fresh = path.join(folder, temporaryName(path.basename(target)))
  try {
    clearTemporary(folder, path.basename(target))
    writeFileSync(fresh, data)
    if (there !== undefined) chmodSync(fresh, there.mode)
    renameSync(fresh, target)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

function notReplaced(file: string, received: string, hint: string): InputError {
  return new InputError([{ path: '--out', expected: 'a new file', received: `${received}: ${file}`, hint }])
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EISDIR: 'a folder',
  ENOTDIR: 'a path through a file',
  EEXIST: 'something else of that name',
  EACCES: 'one that this user may not open',
  EPERM: 'one that this user may not open',
  EROFS: 'a file system that is read-only',
  ENAMETOOLONG: 'a name that is too long',
  ELOOP: 'links that lead in a circle',
  EIO: 'a file that cannot be read (EIO)',
  ENXIO: 'a device or a socket that nobody serves',
  ENODEV: 'a device that is not there',
  EOPNOTSUPP: 'one that cannot be opened',
  ERR_STRING_TOO_LONG: 'a file too large for one text (half a GB)',
  ERR_FS_FILE_TOO_LARGE: 'a file too large for one text (half a GB)',
}

/** What the system has against a path, in words; undefined when it is not about the path. */
function pathReason(error: unknown): string | undefined {
  return REASONS[codeOf(error) ?? '']
}

/** What the system says of a path that the user gave, as his mistake; other errors stay what they are. */
export function fileMistake(error: unknown, file: string, expected: string): unknown {
  const received = pathReason(error)
  return received === undefined ? error : new InputError([{ path: '', file, expected, received, hint: '' }])
}

/** A full disk as a failure with one message; undefined for anything else. */
export function diskFailure(error: unknown, file: string): Failure | undefined {
  const code = codeOf(error)
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return undefined
  const why = code === 'ENOSPC' ? 'no space left on the disk' : 'the disk quota is used up'
  return new Failure(`${why}: ${file} was not written`, EXIT_BUG)
}

/**
 * Why something was not written: a full disk, a path that is wrong, or else a machine that gave out, which is no bug.
 * Errors that are not the system's stay what they are.
 */
export function writeFailure(error: unknown, file: string, expected: string): unknown {
  const reported = diskFailure(error, file) ?? (codeOf(error) === 'EIO' ? error : fileMistake(error, file, expected))
  const isOfSystem = reported === error && error instanceof Error && 'syscall' in error
  return isOfSystem ? new Failure(`${file} was not written: ${error.message}`, EXIT_BUG) : reported
}
