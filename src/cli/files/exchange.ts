/**
 * Exchange: files of a folder replaced as one, so that a kill at any moment leaves all of the old ones or all of the new.
 * The new files are written into a temporary subfolder, with a journal of the names to remove and to add. Renaming it to
 * `.incoming` commits the exchange. After that the files only have to be moved into place: if the process is killed, the
 * next exchange in the folder completes this one, and until then `currentFile` finds the files in `.incoming`.
 * Invariant: the last file, the mark, is removed first and added last; where it exists, all files are of one exchange.
 */
import { existsSync, lstatSync, readdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileError, InputError } from '../../core/base/issue.ts'
import { listOf, objectOf, type Shaped, shapedJson, textOf } from '../../core/base/shape.ts'
import { writeFailure, writeParts } from './files.ts'
import { lockFolder, lockName } from './folder-lock.ts'
import { makeFolder } from './folders.ts'
import { readStoredText } from './input-file.ts'
import { inside } from './inside.ts'
import { clearTemporary, isTemporary, temporaryName } from './temporary.ts'

const INCOMING = '.incoming'
/** The dot keeps it apart from the files, none of which begins with one. */
const JOURNAL = '.journal.json'

/** Names that this program gives to files: nothing hidden, nothing that leads elsewhere. */
const GIVEN = String.raw`[^./\\\0][^/\\\0]{0,254}`
/**
 * A journal that came with a folder may be anybody's. It may name what an exchange can have named: entries of the folder,
 * whoever made them, that leave, and files of ours that come. Paths are relative to
 * the folder, with forward slashes.
 */
const journalShape = objectOf({
  /** Files and folders to remove, the mark first; all before the first file is added. */
  leaving: listOf(
    textOf(
      new RegExp(String.raw`^(?:(?!\.{1,2}$|\.incoming$)[^/\0]{1,255}|${GIVEN}(?:/${GIVEN})*)$`, 'u'),
      'the name of a file or folder in this folder',
    ),
  ),
  /** Files to add, the mark last. */
  coming: listOf(textOf(new RegExp(`^${GIVEN}(?:/${GIVEN})*$`, 'u'), 'the path of a file below this folder')),
})
type Journal = Shaped<typeof journalShape>

/** A file under a path with forward slashes. */
interface NewFile {
  readonly path: string
  readonly data: string | Uint8Array
  readonly parts?: () => Iterable<Uint8Array>
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
    finishExchange(folder, shown)
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
    finishExchange(folder, shown)
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
    writeParts(target, file.parts?.() ?? [file.data])
  }
}

/** Completes or cleans up after a killed exchange. Throws InputError if one is in progress, or none of ours was. */
export function settleFolder(folder: string, shown: string): void {
  if (!existsSync(folder) || readdirSync(folder).every((name) => !isPassing(name))) return
  try {
    const lock = lockFolder(folder, shown, 'program')
    try {
      finishExchange(folder, shown)
      clearTemporary(folder)
    } finally {
      lock.release()
    }
  } catch (error) {
    throw writeFailure(error, shown, 'a folder that can be written')
  }
}

/**
 * Path at which to read a file of the folder, if it exists, relative to it: in place, or still in `.incoming`. Throws
 * InputError for a journal that is none of ours.
 */
export function currentName(folder: string, shown: string, name: string): string {
  const journal = journalOf(folder, shown)
  if (journal === undefined) return name
  const incomingName = `${INCOMING}/${name}`
  if (existsSync(inside(folder, shown, incomingName))) return incomingName
  const isLeaving = journal.leaving.some((one) => name === one || name.startsWith(`${one}/`))
  return isLeaving && !journal.coming.includes(name) ? incomingName : name
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

/** Completes a committed exchange. Every step is idempotent. Throws InputError before the first if it is none of ours. */
function finishExchange(folder: string, shown: string): void {
  const journal = journalOf(folder, shown)
  const incoming = path.join(folder, INCOMING)
  if (journal !== undefined) {
    const { leaving, coming } = journal
    const sources = coming.map((name) => fileInside(folder, shown, `${INCOMING}/${name}`))
    // A file has been added only after all removals.
    const isBegun = sources.includes(undefined)
    for (const name of leaving) expectFolders(folder, shown, name, [])
    for (const name of coming) expectFolders(folder, shown, name, isBegun ? [] : leaving)
    if (!isBegun) for (const name of leaving) rmSync(path.join(folder, name), { recursive: true, force: true })
    for (const [i, name] of coming.entries()) {
      const source = sources[i]
      if (source === undefined) continue
      makeFolder(path.dirname(path.join(folder, name)))
      renameSync(source, path.join(folder, name))
    }
    unlinkSync(path.join(incoming, JOURNAL))
  } else if (hasFiles(incoming)) {
    throw notOurs(path.join(shown, INCOMING), 'a folder without a journal')
  }
  // Without a journal all files are in place.
  rmSync(incoming, { recursive: true, force: true })
}

/** Throws InputError for a journal that no exchange of this program can have written. */
function journalOf(folder: string, shown: string): Journal | undefined {
  const incoming = lstatSync(path.join(folder, INCOMING), { throwIfNoEntry: false })
  if (incoming === undefined) return undefined
  if (!incoming.isDirectory()) throw notOurs(path.join(shown, INCOMING), 'something that is no folder')
  const text = readStoredText(folder, shown, `${INCOMING}/${JOURNAL}`, 'the journal of an exchange of files')
  if (text === undefined) return undefined
  return shapedJson(journalShape, text, path.join(shown, INCOMING, JOURNAL), REMEDY)
}

/** Path of a file that comes; undefined if it is in place already. */
function fileInside(folder: string, shown: string, name: string): string | undefined {
  expectFolders(folder, shown, name, [])
  const file = path.join(folder, name)
  const there = lstatSync(file, { throwIfNoEntry: false })
  if (there !== undefined && !there.isFile()) throw notOurs(path.join(shown, name), 'something that is no file')
  return there === undefined ? undefined : file
}

/** Throws InputError if a folder on the way to a name is a link, apart from those that are removed before. */
function expectFolders(folder: string, shown: string, name: string, removed: readonly string[]): void {
  const segments = name.split('/').slice(0, -1)
  if (removed.includes(segments[0] ?? '')) return
  let at = ''
  for (const segment of segments) {
    at = path.join(at, segment)
    const there = lstatSync(path.join(folder, at), { throwIfNoEntry: false })
    if (there?.isSymbolicLink() === true) throw notOurs(path.join(shown, at), 'a link')
  }
}

/** Whether there is anything but folders in a folder, which need not exist. */
function hasFiles(folder: string): boolean {
  if (!existsSync(folder)) return false
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.some((entry) => !entry.isDirectory() || hasFiles(path.join(folder, entry.name)))
}

const REMEDY = 'remove the folder .incoming; its files belong to no result'

function notOurs(file: string, received: string): InputError {
  return fileError(file, 'files that this program has left', received, REMEDY)
}
