/**
 * Stored results: reads the result folders that a command line names, each with a label for legends.
 */
import path from 'node:path'
import { InputError, type Issue, issuesIn } from '../../core/base/issue.ts'
import { readResult, type StoredResult } from '../../core/results/index.ts'
import { readerOf } from './result-folder.ts'

export interface LabelledResult extends StoredResult {
  /** Name of the folder, or the path that was given where two folders have one name. */
  readonly label: string
  /** As the command line names it. */
  readonly folder: string
}

/** Reads all results. Throws InputError with the mistakes of all. */
export async function storedResults(directory: string, names: readonly string[]): Promise<LabelledResult[]> {
  const issues: Issue[] = []
  const results: LabelledResult[] = []
  const folders = names.map((name) => path.basename(path.resolve(directory, name)))
  for (const [i, name] of names.entries()) {
    try {
      const stored = await readResult(readerOf(directory, name))
      const folder = folders[i] as string
      // Folders with equal names in different places are labelled by the path that was given.
      const isAlone = folders.indexOf(folder) === folders.lastIndexOf(folder)
      results.push({ ...stored, label: isAlone ? folder : name, folder: name })
    } catch (error) {
      issues.push(...issuesIn(error, name))
    }
  }
  if (issues.length > 0) throw new InputError(issues)
  return results
}
