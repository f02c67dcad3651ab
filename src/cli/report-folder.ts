/**
 * Report folder: the files of an experiment's report or of a plot, each whole or not at all; those of an earlier report are replaced.
 */
import path from 'node:path'
import { writeFailure, writeWhole } from './files.ts'
import { makeFolder } from './folders.ts'

/** A text, or the bytes of a picture, under a name with forward slashes. */
export interface ReportFile {
  readonly path: string
  readonly text: string | Uint8Array
}

/** Writes each file beside the old one and swaps. Throws a Failure for a full disk. */
export function writeReport(folder: string, shown: string, files: readonly ReportFile[]): void {
  for (const file of files) {
    const target = path.join(folder, ...file.path.split('/'))
    try {
      makeFolder(path.dirname(target))
      writeWhole(target, file.text)
    } catch (error) {
      throw writeFailure(error, path.join(shown, file.path), 'a file that can be written')
    }
  }
}
