/**
 * Report folder: the files of a report or of a plot, all of one making; those of an earlier report are replaced as one.
 */
import { exchangeFiles } from './exchange.ts'
import { writeFailure } from './files.ts'
import { makeFolder } from './folders.ts'

/** A text, or the bytes of a picture, under a name with forward slashes. */
interface ReportFile {
  readonly path: string
  readonly text: string | Uint8Array
}

/**
 * Puts the files into a folder, which is made; `outdated` leave it with the files that are replaced. The last file is
 * there only where all of them are. Throws a Failure for a full disk.
 */
export function writeReport(
  folder: string,
  shown: string,
  files: readonly ReportFile[],
  outdated: readonly string[] = [],
): void {
  if (files.length === 0) return
  try {
    makeFolder(folder)
    const given = files.map((file) => ({ path: file.path, data: file.text }))
    exchangeFiles(folder, shown, given, (name) => outdated.includes(name))
  } catch (error) {
    throw writeFailure(error, shown, 'a folder that can be written')
  }
}
