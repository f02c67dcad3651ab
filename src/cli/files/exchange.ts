/**
 * Exchange: files of a folder replaced as one, so that a kill at any moment leaves all of the old ones or all of the new.
 * The new files are written into a temporary subfolder, with a journal of the names to remove and to add. Renaming it to
 * `.incoming` commits the exchange. After that the files only have to be moved into place: if the process is killed, the
 * next exchange in the folder completes this one, and until then `currentFile` finds the files in `.incoming`.
 * Invariant: the last file, the mark, is removed first and added last; where it exists, all files are of one exchange.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { lockFolder, lockName } from './folder-lock.ts'
import { makeFolder } from './folders.ts'
import { clearTemporary, isTemporary, temporaryName } from './temporary.ts'

const INCOMING = '.incoming'
/** The dot keeps it apart from the files, none of which begins with one. */
const JOURNAL = '.journal.json'

/** Paths relative to the folder, with forward slashes. */
interface Journal {
  /** Files and folders to remove, the mark first; all before the first file is added. */
  readonly leaving: readonly string[]
  /** Files to add, the mark last. */
  readonly coming: readonly string[]
}

/** A file under a path with forward slashes. */
interface NewFile {
  readonly path: string
  readonly data: string | Uint8Array
}

/**
 * Puts the files into an existing folder; the last is the mark. Other names in it are removed if `isLeaving` returns true.
 * Throws errors of the system, and InputError if another program is writing the folder; an error before the commit leaves
 * the folder unchanged.
 */
export function exchangeFiles(
  folder: string,
  shown: string,
  files: readonly NewFile[],
  isLeaving: (name: string) => boolean,
): void {
  const lock = lockFolder(folder, shown, 'program')
  const fresh = path.join(folder, temporaryName(INCOMING))
  try {
    finishExchange(folder)
    clearTemporary(folder)
    try {
      writeFiles(fresh, files)
      const coming = files.map((file) => file.path)
      const leaving = namesOf(folder).filter(isLeaving)
      const mark = coming.slice(-1)
      writeFileSync(path.join(fresh, JOURNAL), JSON.stringify({ leaving: [...mark, ...leaving], coming }))
      renameSync(fresh, path.join(folder, INCOMING))
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true })
      throw error
    }
    finishExchange(folder)
  } finally {
    lock.release()
  }
}

/** Writes files below a folder, which is created if missing. */
export function writeFiles(folder: string, files: readonly NewFile[]): void {
  makeFolder(folder)
  for (const file of files) {
    const target = path.join(folder, ...file.path.split('/'))
    makeFolder(path.dirname(target))
    writeFileSync(target, file.data)
  }
}

/** Completes or cleans up after a killed exchange. Throws InputError if an exchange is in progress. */
export function settleFolder(folder: string, shown: string): void {
  if (!existsSync(folder) || readdirSync(folder).every((name) => !isPassing(name))) return
  const lock = lockFolder(folder, shown, 'program')
  try {
    finishExchange(folder)
    clearTemporary(folder)
  } finally {
    lock.release()
  }
}

/** Path at which to read a file of the folder, if it exists: in place, or still in `.incoming`. */
export function currentFile(folder: string, name: string): string {
  const published = path.join(folder, ...name.split('/'))
  const journal = journalOf(folder)
  if (journal === undefined) return published
  const incomingPath = path.join(folder, INCOMING, ...name.split('/'))
  if (existsSync(incomingPath)) return incomingPath
  const isLeaving = journal.leaving.some((one) => name === one || name.startsWith(`${one}/`))
  return isLeaving && !journal.coming.includes(name) ? incomingPath : published
}

/** Names in a folder, without temporary files and locks. */
export function namesOf(folder: string): string[] {
  const locks = (['sweep', 'reproduce'] as const).map(lockName)
  return readdirSync(folder).filter((name) => !isPassing(name) && !locks.includes(name))
}

/** Whether a name is used temporarily by an exchange. */
function isPassing(name: string): boolean {
  return name === INCOMING || name === lockName('program') || isTemporary(name)
}

/** Completes a committed exchange. Every step is idempotent. */
function finishExchange(folder: string): void {
  const incoming = path.join(folder, INCOMING)
  const journal = journalOf(folder)
  if (journal !== undefined) {
    const { leaving, coming } = journal
    // A file has been added only after all removals.
    const isBegun = coming.some((name) => !existsSync(path.join(incoming, name)))
    if (!isBegun) for (const name of leaving) rmSync(path.join(folder, name), { recursive: true, force: true })
    for (const name of coming) {
      if (!existsSync(path.join(incoming, name))) continue
      makeFolder(path.dirname(path.join(folder, name)))
      renameSync(path.join(incoming, name), path.join(folder, name))
    }
    unlinkSync(path.join(incoming, JOURNAL))
  }
  // Without a journal all files are in place.
  rmSync(incoming, { recursive: true, force: true })
}

function journalOf(folder: string): Journal | undefined {
  const file = path.join(folder, INCOMING, JOURNAL)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Journal) : undefined
}
