/**
 * Files of a folder, in its folders too. Names that begin with a dot are passed over; what is neither a file nor a folder is
 * skipped, and named.
 */
import { lstatSync, readdirSync, type Dirent } from 'node:fs'
import path from 'node:path'
import { fileMistake } from '../files/files.ts'
import { readStoredText } from '../files/input-file.ts'
import { type Budget, DEPTH_MAX, type Found, type FoundFile, type Skipped } from './found.ts'

/** @param shown the folder as the user named it. Throws InputError if it cannot be read. */
export function filesInFolder(root: string, shown: string, budget: Budget): Found {
  const files: FoundFile[] = []
  const folders: string[] = []
  const skipped: Skipped[] = []
  const walk = (folder: string, depth: number): void => {
    for (const entry of entriesOf(root, shown, folder)) {
      const file = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        folders.push(file)
        if (depth < DEPTH_MAX) walk(file, depth + 1)
        else skipped.push({ file, why: 'too deep' })
      } else if (entry.isFile()) {
        budget.file()
        budget.bytes(lstatSync(path.join(root, file)).size)
        files.push({ file, text: () => textOf(root, shown, file) })
      } else skipped.push({ file, why: kindOf(entry) })
    }
  }
  walk('', 0)
  return { files, folders, skipped }
}

const kindOf = (entry: Dirent): string =>
  entry.isSymbolicLink() ? 'a symbolic link' : entry.isFIFO() ? 'a named pipe' : 'a device or socket'

function textOf(root: string, shown: string, file: string): string {
  return readStoredText(root, shown, file, 'a text that was collected') ?? ''
}

function entriesOf(root: string, shown: string, folder: string): Dirent[] {
  try {
    return readdirSync(path.join(root, folder), { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    throw fileMistake(error, path.join(shown, folder), 'a folder with the files of devices')
  }
}
