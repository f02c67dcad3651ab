/**
 * Writes the pages on experiments and on the reproduction from the rows stored in DIR/experiments; nothing is simulated.
 */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { inputError } from '../../core/base/issue.ts'
import { docsOf, experiments, reportedName } from '../../papers/index.ts'
import { writeReport } from '../files/report-folder.ts'
import { readStoredText } from '../files/input-file.ts'

/** Throws InputError. Returns the number of files. */
export async function writeDocs(directory: string, shown: string): Promise<number> {
  const folder = path.resolve(directory, shown)
  const first = readStoredText(folder, shown, 'reproduction.md', 'the page of the reproduction')
  const names = foldersIn(path.join(folder, 'experiments'))
  if (first === undefined || names.length === 0) {
    const expected = 'a folder with reproduction.md and reports in experiments/'
    throw inputError('--docs', expected, `${shown} without them`, "name the project's docs")
  }
  const folders = names.flatMap((name) => {
    const below = `experiments/${name}`
    const experiment = reportedName(readdirSync(path.join(folder, below)))
    const read = (file: string): string | undefined =>
      readStoredText(folder, shown, `${below}/${file}`, 'a file of a report')
    return experiment === undefined ? [] : [{ folder: name, name: experiment, read }]
  })
  const files = await docsOf({ folders, first, experiments })
  writeReport(folder, shown, files)
  return files.length
}

/** Nothing for a folder that is not there. */
function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  } catch {
    return []
  }
}
