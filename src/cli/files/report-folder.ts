/**
 * Report folder: the files of a report or plot, written together; those of an earlier report are replaced in one step.
 */
import { exchangeFiles } from './exchange.ts'
import { writeFailure } from './files.ts'
import { makeFolder } from './folders.ts'

/** A text or a picture; the path is relative, with forward slashes. */
interface ReportFile {
  readonly path: string
  readonly text: string | Uint8Array
}

/**
 * Writes the files into a folder, which is created if missing, and removes those named in `outdated`. The last file exists
 * only if all others do. Throws a Failure for a full disk.
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
