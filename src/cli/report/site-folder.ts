/**
 * Site folder: pages that link to each other, in a folder of their own. They replace the pages of an earlier site in one
 * step, the index last, so that a folder with an index has all pages that it links to. Files of others stay.
 */
import { lstatSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { InputError, inputError, type Issue } from '../../core/base/issue.ts'
import { exchangeFiles, namesOf, settleFolder } from '../files/exchange.ts'
import { writeFailure } from '../files/files.ts'
import { expectWritable, isThere, makeFolder } from '../files/folders.ts'

export interface SiteFile {
  readonly path: string
  readonly text: string
}

/** Its page that links to all others. */
export const INDEX = 'index.html'

/** No page is nearly as large. */
const PAGE_BYTES_MAX = 2 ** 28

/** Whether a text is a report, of any kind and version. */
export function isReport(text: string): boolean {
  return text.startsWith('<!doctype html>') && text.includes('id="report-data"')
}

/** Checks before any work that a site may be written there. Throws InputError. */
export function claimSite(directory: string, shown: string, isForced: boolean): void {
  const folder = path.resolve(directory, shown)
  expectWritable(folder, shown)
  if (!isThere(folder)) return
  settleFolder(folder, shown)
  const isOurs = isPage(folder, INDEX)
  if (namesOf(folder).length === 0 || isOurs || isForced) return
  const received = `something else in ${shown}`
  const hint = 'name another folder; --force adds the pages to what is there'
  throw inputError('--out', 'a new folder, or that of an earlier report', received, hint)
}

/**
 * Writes the pages into a folder; pages of an earlier site leave. The last file is the index. Throws InputError for files of
 * others in the way, which only `isForced` replaces, and a Failure for a full disk.
 */
export function writeSite(directory: string, shown: string, files: readonly SiteFile[], isForced: boolean): void {
  const folder = path.resolve(directory, shown)
  try {
    makeFolder(folder)
    const blocking = files.flatMap(({ path: name }) => blockingIn(folder, name, isForced) ?? [])
    if (blocking.length > 0) throw new InputError(blocking.map((issue) => ({ ...issue, path: '--out' })))
    const given = files.map((file) => ({ path: file.path, data: file.text }))
    exchangeFiles(folder, shown, given, (name) => isPage(folder, name))
  } catch (error) {
    throw writeFailure(error, shown, 'a folder that can be written')
  }
}

/** The mistake for anything in the place of a page that may not be replaced; undefined if nothing is. */
function blockingIn(folder: string, name: string, isForced: boolean): Omit<Issue, 'path'> | undefined {
  const there = lstatSync(path.join(folder, name), { throwIfNoEntry: false })
  if (there === undefined || isPage(folder, name) || (isForced && there.isFile())) return undefined
  const hint = there.isFile() ? '--force replaces it' : 'name another folder'
  return { expected: 'a page of an earlier report, or nothing', received: `something else called ${name}`, hint }
}

function isPage(folder: string, name: string): boolean {
  const file = path.join(folder, name)
  if (!name.endsWith('.html')) return false
  const there = lstatSync(file, { throwIfNoEntry: false })
  return there?.isFile() === true && there.size <= PAGE_BYTES_MAX && isReport(readFileSync(file, 'utf8'))
}
