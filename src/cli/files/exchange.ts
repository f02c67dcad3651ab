/**
 * Exchange: files of a folder replaced as one, so that a kill at any moment leaves all of the old ones or all of the new.
 * The new files are written into a folder beside the old ones, with a journal of the names that leave and that come. Its
 * renaming to `.incoming` is the moment from which the new files count. After it they only have to take their places:
 * the next exchange in the folder does that where this one was killed, and `currentFile` looks for them in `.incoming`.
 * Invariant: the last file, the mark, leaves first and comes last; where it stands, all files are of one exchange.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { lockFolder, lockName } from './folder-lock.ts'
import { makeFolder } from './folders.ts'
import { clearTemporary, isTemporary, temporaryName } from './temporary.ts'

const INCOMING = '.incoming'
/** No file of ours begins with a dot. */
const JOURNAL = '.journal.json'

/** Paths relative to the folder, with forward slashes. */
interface Journal {
  /** Files and folders that leave, the mark first; all of them before the first file comes. */
  readonly leaving: readonly string[]
  /** Files that come, the mark last. */
  readonly coming: readonly string[]
}

/** A file under a path with forward slashes. */
interface NewFile {
  readonly path: string
  readonly data: string | Uint8Array
}

/**
 * Puts the files into a folder that is there; the last is the mark. Of what else is in it all leaves that `isLeaving`
 * says, by its name. Throws what the system says, and InputError where another program is writing the folder; until the
 * new files count nothing has changed.
 */
export function exchangeFiles(
  folder: string,
  shown: string,
  files: readonly NewFile[],
  isLeaving: (name: string) => boolean,
): void {
  const unlock = lockFolder(folder, shown, 'program')
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
    unlock()
  }
}

/** Writes files below a folder, which is made. */
export function writeFiles(folder: string, files: readonly NewFile[]): void {
  makeFolder(folder)
  for (const file of files) {
    const target = path.join(folder, ...file.path.split('/'))
    makeFolder(path.dirname(target))
    writeFileSync(target, file.data)
  }
}

/** Ends an exchange that was killed, and takes away what else it left. Throws InputError where one is under way. */
export function settleFolder(folder: string, shown: string): void {
  if (!existsSync(folder) || readdirSync(folder).every((name) => !isPassing(name))) return
  const unlock = lockFolder(folder, shown, 'program')
  try {
    finishExchange(folder)
    clearTemporary(folder)
  } finally {
    unlock()
  }
}

/** Where a file of the folder is to be read, if it is there: in its place, or on its way to it. */
export function currentFile(folder: string, name: string): string {
  const published = path.join(folder, ...name.split('/'))
  const journal = journalOf(folder)
  if (journal === undefined) return published
  const incomingPath = path.join(folder, INCOMING, ...name.split('/'))
  if (existsSync(incomingPath)) return incomingPath
  const isLeaving = journal.leaving.some((one) => name === one || name.startsWith(`${one}/`))
  return isLeaving && !journal.coming.includes(name) ? incomingPath : published
}

/** Names in a folder, without what exchanges and locks leave there for a time. */
export function namesOf(folder: string): string[] {
  const locks = (['sweep', 'reproduce'] as const).map(lockName)
  return readdirSync(folder).filter((name) => !isPassing(name) && !locks.includes(name))
}

/** Whether a name is one that an exchange uses for a time. */
function isPassing(name: string): boolean {
  return name === INCOMING || name === lockName('program') || isTemporary(name)
}

/** Every step may have been done before. */
function finishExchange(folder: string): void {
  const incoming = path.join(folder, INCOMING)
  const journal = journalOf(folder)
  if (journal !== undefined) {
    const { leaving, coming } = journal
    // Once a file has come all others have left.
    const isBegun = coming.some((name) => !existsSync(path.join(incoming, name)))
    if (!isBegun) for (const name of leaving) rmSync(path.join(folder, name), { recursive: true, force: true })
    for (const name of coming) {
      if (!existsSync(path.join(incoming, name))) continue
      makeFolder(path.dirname(path.join(folder, name)))
      renameSync(path.join(incoming, name), path.join(folder, name))
    }
    unlinkSync(path.join(incoming, JOURNAL))
  }
  // Without a journal everything has taken its place.
  rmSync(incoming, { recursive: true, force: true })
}

function journalOf(folder: string): Journal | undefined {
  const file = path.join(folder, INCOMING, JOURNAL)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Journal) : undefined
}
