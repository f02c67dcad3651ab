/**
 * Stored reproduction: reads the folder of an experiment's report.
 */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { InputError, type Issue, issuesIn } from '../../core/base/issue.ts'
import { experiments, readReport, reportedName } from '../../papers/index.ts'
import type { ReportedReproduction } from '../../show/index.ts'
import { currentName } from '../files/exchange.ts'
import { readStoredText } from '../files/input-file.ts'

/** Throws InputError with the mistakes of all folders. */
export async function storedReproductions(
  directory: string,
  folders: readonly string[],
): Promise<ReportedReproduction[]> {
  const issues: Issue[] = []
  const reports: ReportedReproduction[] = []
  for (const folder of folders) {
    try {
      reports.push(await storedReproduction(directory, folder))
    } catch (error) {
      issues.push(...issuesIn(error, folder))
    }
  }
  if (issues.length > 0) throw new InputError(issues)
  return reports
}

async function storedReproduction(directory: string, shown: string): Promise<ReportedReproduction> {
  const folder = path.resolve(directory, shown)
  const name = reportedName(readdirSync(folder)) ?? ''
  const read = (file: string): string | undefined =>
    readStoredText(folder, shown, currentName(folder, shown, file), 'a file of a report')
  return readReport({ name, folder: shown, read, experiments })
}
