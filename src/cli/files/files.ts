/**
 * Files named by the user: written relative to the current directory, with errors of the system as mistakes of the input.
 */
import {
  chmodSync,
  closeSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { fileError, InputError, inputError } from '../../core/base/issue.ts'
import { EXIT_BUG, Failure } from '../failure.ts'
import { codeOf } from './system-error.ts'
import { clearTemporary, temporaryName } from './temporary.ts'

export interface WriteTextOptions {
  /** Replace an existing file. */
  readonly force: boolean
  /** Absolute paths of the input files, which are never replaced. */
  readonly inputs?: readonly string[]
  /** Whether an existing file with this text may be replaced without `force`. */
  readonly isOurs?: (text: string) => boolean
}

/** Writes a file; one with other content is replaced only with `force` or `isOurs`. Throws InputError, Failure. */
export function writeText(directory: string, file: string, text: string, options: WriteTextOptions): void {
  const target = path.resolve(directory, file)
  try {
    const there = statSync(target, { throwIfNoEntry: false })
    if (there?.isFile() === true) {
      const isSame = (name: string): boolean => realpathSync(name) === realpathSync(target)
      if (options.inputs?.some(isSame) === true) throw notReplaced(file, 'an input file', 'name another file')
      const mayBe = (old: string): boolean => old === text || options.isOurs?.(old) === true
      if (!options.force && !mayBe(readFileSync(target, 'utf8'))) {
        throw notReplaced(file, 'an existing file with other content', '--force replaces it')
      }
    }
    if (there === undefined || there.isFile()) writeWhole(target, text)
    else writeFileSync(target, text)
  } catch (error) {
    throw writeFailure(error, file, 'a file that can be written')
  }
}

/** Writes a file of bytes; one with other content is not replaced. Throws InputError, Failure. */
export function writeBytes(directory: string, file: string, bytes: Uint8Array): void {
  const target = path.resolve(directory, file)
  try {
    const there = statSync(target, { throwIfNoEntry: false })
    if (there?.isFile() === true && !readFileSync(target).equals(bytes))
      throw notReplaced(file, 'an existing file with other content', 'name another folder')
    writeWhole(target, bytes)
  } catch (error) {
    throw writeFailure(error, file, 'a file that can be written')
  }
}

/** Opens a file that is not there yet, for parts. Throws InputError, Failure. */
export function openNew(directory: string, file: string): number {
  try {
    return openSync(path.resolve(directory, file), 'wx')
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw notReplaced(file, 'an existing file', 'name another folder')
    throw writeFailure(error, file, 'a file that can be written')
  }
}

/**
 * Writes a file atomically: to a temporary file, which then replaces the old one and takes over its permissions. Follows
 * symbolic links. Throws errors of the system.
 */
export function writeWhole(file: string, data: string | Uint8Array | Iterable<Uint8Array>): void {
  const there = statSync(file, { throwIfNoEntry: false })
  const target = there === undefined ? file : realpathSync(file)
  const folder = path.dirname(target)
  const fresh = path.join(folder, temporaryName(path.basename(target)))
  try {
    clearTemporary(folder, path.basename(target))
    writeParts(fresh, typeof data === 'string' || data instanceof Uint8Array ? [data] : data)
    if (there !== undefined) chmodSync(fresh, there.mode)
    renameSync(fresh, target)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

/** Writes a file part by part. Throws errors of the system. */
export function writeParts(file: string, parts: Iterable<string | Uint8Array>): void {
  const descriptor = openSync(file, 'w')
  try {
    for (const part of parts) {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at)
    }
  } finally {
    closeSync(descriptor)
  }
}

function notReplaced(file: string, received: string, hint: string): InputError {
  return inputError('--out', 'a new file', `${received}: ${file}`, hint)
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EISDIR: 'a folder',
  ENOTDIR: 'a path through a file',
  EEXIST: 'something else of that name',
  EACCES: 'one that this user has no permission to open',
  EPERM: 'one that this user has no permission to open',
  EROFS: 'a read-only file system',
  ENAMETOOLONG: 'a name that is too long',
  ELOOP: 'a circle of symbolic links',
  EIO: 'a file that cannot be read (EIO)',
  ENXIO: 'a device or socket without a driver or server',
  ENODEV: 'a device that does not exist',
  EOPNOTSUPP: 'one that cannot be opened',
  ERR_STRING_TOO_LONG: 'a file too large to read as text (half a GB)',
  ERR_FS_FILE_TOO_LARGE: 'a file too large to read as text (half a GB)',
}

/** A system error about a path in words; undefined for other errors. */
function pathReason(error: unknown): string | undefined {
  return REASONS[codeOf(error) ?? '']
}

/** A system error about a path of the user as InputError; other errors unchanged. */
export function fileMistake(error: unknown, file: string, expected: string): unknown {
  const received = pathReason(error)
  return received === undefined ? error : fileError(file, expected, received)
}

/** A full disk or quota as Failure; undefined for other errors. */
export function diskFailure(error: unknown, file: string): Failure | undefined {
  const code = codeOf(error)
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return undefined
  const why = code === 'ENOSPC' ? 'no space left on the disk' : 'the disk quota is used up'
  return new Failure(`${why}: ${file} was not written`, EXIT_BUG)
}

/**
 * Reason why a file was not written: Failure for a full disk, InputError for a bad path, Failure for any other system
 * error, which is not a bug. Errors that are not the system's are returned unchanged.
 */
export function writeFailure(error: unknown, file: string, expected: string): unknown {
  const reported = diskFailure(error, file) ?? (codeOf(error) === 'EIO' ? error : fileMistake(error, file, expected))
  const isOfSystem = reported === error && error instanceof Error && 'syscall' in error
  return isOfSystem ? new Failure(`${file} was not written: ${error.message}`, EXIT_BUG) : reported
}
