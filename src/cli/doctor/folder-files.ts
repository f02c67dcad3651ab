/**
 * Files of a folder, in its folders too. Names that begin with a dot are passed over; what is neither a file nor a folder, or
 * cannot be looked at, is skipped, and named.
 */
import { lstatSync, readdirSync, type Dirent } from 'node:fs'
import path from 'node:path'
import { InputError, inputError } from '../../core/base/issue.ts'
import { fileMistake } from '../files/files.ts'
import { collectedText, readStored } from '../files/input-file.ts'
import { codeOf } from '../files/system-error.ts'
import { type Budget, DEPTH_MAX, type Found, type FoundFile, type Skipped } from './found.ts'

/** @param shown the folder as the user named it. Throws InputError if it cannot be read. */
export function filesInFolder(root: string, shown: string, budget: Budget): Found {
  const files: FoundFile[] = []
  const folders: string[] = []
  const skipped: Skipped[] = []
  const walk = (folder: string, depth: number): void => {
    let entries: readonly Dirent[]
    try {
      entries = entriesOf(root, folder)
    } catch (error) {
      if (folder === '') throw fileMistake(error, shown, 'a folder with the files of devices')
      skipped.push({ file: folder, why: reasonOf(error, folder) })
      return
    }
    for (const entry of entries) {
      const file = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        folders.push(file)
        if (depth < DEPTH_MAX) walk(file, depth + 1)
        else skipped.push({ file, why: 'too deep' })
      } else if (entry.isFile()) {
        budget.file()
        try {
          budget.bytes(lstatSync(path.join(root, file)).size)
        } catch (error) {
          if (error instanceof InputError) throw error
          skipped.push({ file, why: reasonOf(error, file) })
          continue
        }
        files.push({ file, text: () => textOf(root, shown, file) })
      } else skipped.push({ file, why: kindOf(entry) })
    }
  }
  walk('', 0)
  return { files, folders, skipped }
}

const kindOf = (entry: Dirent): string =>
  entry.isSymbolicLink() ? 'a symbolic link' : entry.isFIFO() ? 'a named pipe' : 'a device or socket'

/** Throws InputError. */
function textOf(root: string, shown: string, file: string): string {
  const bytes = readStored(root, shown, file, 'a text that was collected')
  if (bytes === undefined) throw inputError(file, 'a text that was collected', GONE)
  return collectedText(file, bytes)
}

const GONE = 'it is gone since the folder was listed'

/** Names come as text, in which bytes that are not UTF-8 have no name of a file any more. */
function reasonOf(error: unknown, file: string): string {
  const code = codeOf(error)
  if (code !== 'ENOENT') return `it cannot be read: ${code ?? String(error)}`
  return file.includes('\uFFFD') ? 'its name is not UTF-8' : GONE
}

function entriesOf(root: string, folder: string): Dirent[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
