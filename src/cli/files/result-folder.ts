/**
 * Result folder: a result on the disk, complete or absent.
 * Files are written into a temporary folder, which is then renamed to the target; if the target exists, its files are
 * exchanged, with the mark of a result last. A result is replaced only on request; anything else is never replaced, and
 * a partial result never replaces a complete one.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { InputError, inputError } from '../../core/base/issue.ts'
import { hasShape, objectOf, oneOf, parsedJson, type Shape } from '../../core/base/shape.ts'
import type { Result, ResultFile, ResultReader } from '../../core/results/index.ts'
import { checkedReader, withChecksums } from './checksums.ts'
import { currentName, exchangeFiles, namesOf, settleFolder, writeFiles } from './exchange.ts'
import { fileMistake, writeFailure, writeWhole } from './files.ts'
import { blockingFile, isDanglingLink, isThere, makeFolder } from './folders.ts'
import { readStored, readStoredText } from './input-file.ts'
import { inside } from './inside.ts'
import { clearTemporary, temporaryName } from './temporary.ts'
import { codeOf } from './system-error.ts'

/** File that marks a folder as a result. */
const MARK = 'digest.txt'

/** File of a result with the causes of its run as they were proved, which `why` adds. */
export const WHY_FILE = 'why.json'

/** "results/NAME-sSEED-DIGEST8", relative. */
export function defaultFolder(result: Result): string {
  return path.join('results', `${fileName(result.name)}-s${result.seed}-${result.digest.slice(0, 8)}`)
}

/** A text as part of a file name: letters, digits, dot, dash and underscore, not beginning with a dot. */
export function fileName(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+|-+$/g, '')
  return plain.slice(0, 80) || 'scenario'
}

/**
 * Checks before a run that its result may be written to the folder. Throws InputError if it may not be replaced.
 * @param shown the folder as the user named it.
 */
export function claimFolder(folder: string, shown: string, force: boolean): void {
  const state = stateOf(folder, shown)
  if (state !== 'free' && !(state === 'result' && force)) throw occupied(shown, state)
}

/** Contents of a folder compared with a result to be written there. */
export type Standing = 'free' | 'same' | 'same without some files' | 'another result' | 'foreign'

/** Results are the same if scenario, summary and digest are equal. */
export function standingOf(folder: string, shown: string, files: readonly ResultFile[]): Standing {
  const state = isTaken(folder) ? 'other' : stateOf(folder, shown)
  if (state !== 'result') return state === 'free' ? 'free' : 'foreign'
  const isSame = (name: string): boolean => {
    const ours = files.find((file) => file.path === name)
    const theirs = readStored(folder, shown, name, 'a file of a result')
    return ours !== undefined && theirs !== undefined && Buffer.from(theirs.buffer).equals(ours.data)
  }
  const lists = files.map(({ path: name }) => name).filter((name) => /^scenario\..*\.list$/.test(name))
  if (!['scenario.yaml', ...lists, 'summary.json', MARK].every(isSame)) return 'another result'
  return files.every((file) => existsSync(path.join(folder, file.path))) ? 'same' : 'same without some files'
}

/** Whether the folder holds a result that is not marked partial. Throws InputError like `claimFolder`. */
export function holdsWhole(folder: string, shown: string): boolean {
  return stateOf(folder, shown) === 'result' && !isPartial(folder, shown)
}

/** Whether a partial result may be written: the folder is free or holds a partial result. */
export function mayHoldPartial(folder: string, shown: string): boolean {
  if (isTaken(folder)) return false
  const state = stateOf(folder, shown)
  return state === 'free' || (state === 'result' && isPartial(folder, shown))
}

const partialShape: Shape<{ readonly partial: true }> = objectOf({ partial: oneOf(true) })

function isPartial(folder: string, shown: string): boolean {
  const text = readStoredText(folder, shown, 'summary.json', 'the summary of a result')
  return text !== undefined && hasShape(partialShape, parsedJson(text))
}

/** Whether the name is taken by something that is not a folder. */
function isTaken(folder: string): boolean {
  return isDanglingLink(folder) || (isThere(folder) && !statSync(folder).isDirectory())
}

/**
 * Writes the files as one folder, in place of its contents only if `replace`. An existing folder itself is kept, since it
 * may be a link or a mount point, or its parent not writable.
 * Throws a Failure for a full disk.
 */
export function writeFolder(folder: string, shown: string, given: readonly ResultFile[], replace: boolean): void {
  const files = withChecksums(given)
  let fresh = ''
  try {
    if (isThere(folder)) {
      if (!replace && namesOf(folder).length > 0) throw occupied(shown, 'other')
      const isMark = (file: ResultFile): number => (file.path === MARK ? 1 : 0)
      const markLast = files.toSorted((a, b) => isMark(a) - isMark(b))
      exchangeFiles(folder, shown, markLast, () => true)
      return
    }
    const parent = path.dirname(folder)
    makeFolder(parent)
    clearTemporary(parent, path.basename(folder))
    fresh = path.join(parent, temporaryName(path.basename(folder)))
    writeFiles(fresh, files)
    renameSync(fresh, folder)
  } catch (error) {
    if (fresh !== '') rmSync(fresh, { recursive: true, force: true })
    if (codeOf(error) === 'ENOTEMPTY') throw occupied(shown, 'other')
    throw writeFailure(error, shown, 'a folder that can be written')
  }
}

/** Adds the missing files to a folder of the same run, each atomically; existing files are not touched. */
export function addMissing(folder: string, shown: string, files: readonly ResultFile[]): void {
  for (const file of withChecksums(files)) {
    const target = inside(folder, shown, file.path)
    if (existsSync(target)) continue
    try {
      makeFolder(path.dirname(target))
      writeWhole(target, file.parts?.() ?? file.data)
    } catch (error) {
      throw writeFailure(error, path.join(shown, file.path), 'a file that can be written')
    }
  }
}

/** Reader of a result folder for results/readResult. Throws InputError for files that cannot be read. */
export function readerOf(directory: string, shown: string): ResultReader {
  const folder = path.resolve(directory, shown)
  return checkedReader((name) => {
    try {
      // Fails for a missing folder, which is then reported instead of a missing file in it.
      readdirSync(folder)
      return readStored(folder, shown, currentName(folder, shown, name), 'a file of a result')
    } catch (error) {
      throw fileMistake(error, shown, 'a result folder')
    }
  })
}

function occupied(shown: string, state: 'result' | 'other'): InputError {
  return inputError(
    '--out',
    'a folder that does not exist yet',
    `${state === 'result' ? 'a result' : 'something else'} in ${shown}`,
    state === 'result' ? '--force replaces it' : '--force replaces only results',
  )
}

function stateOf(folder: string, shown: string): 'free' | 'result' | 'other' {
  try {
    settleFolder(folder, shown)
    const names = namesOf(folder)
    if (names.length === 0) return 'free'
    return names.includes(MARK) && names.includes('summary.json') ? 'result' : 'other'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 'free'
    if (codeOf(error) === 'ENOTDIR') throw blockingFile(folder, shown)
    throw fileMistake(error, shown, 'a folder that does not exist yet')
  }
}
