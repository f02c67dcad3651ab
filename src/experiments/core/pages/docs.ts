/**
 * Docs: the pages on experiments and on the reproduction, made from stored runs. Folders whose runs this program would not
 * make keep their conclusions.
 */
import type { Experiment } from '../experiment.ts'
import { pageOf } from './page.ts'
import type { ReportFile } from './report.ts'
import { type Checked, checksCsv, checksOf, claimLines, PAPERS, paperPage, stateTable } from './reproduction.ts'
import { type FolderReader, readStored } from './stored-report.ts'

export interface DocsInput {
  /** Folders of experiments/, by name, with the experiment that each is of. */
  readonly folders: readonly { readonly folder: string; readonly name: string; readonly read: FolderReader }[]
  /** reproduction.md as it is: the table between its marks is replaced. */
  readonly first: string
  readonly experiments: readonly Experiment[]
}

const MARKS = /(<!-- states -->\n)[\s\S]*?(\n?<!-- end -->)/

/** Files by their path in docs/. Throws InputError for a damaged folder. */
export async function docsOf({ folders, first, experiments }: DocsInput): Promise<ReportFile[]> {
  // Drawing loads a plotting library, which listing the experiments does not need.
  const { pageFiles } = await import('./report.ts')
  const reports = folders.map(({ folder, name, read }) => ({
    folder,
    name,
    stored: readStored(name, read, experiments),
  }))
  const checked = reports.flatMap(({ folder, stored }): Checked[] => {
    const { info, drawn, claims, experiment } = stored
    if (info.size !== 'full' || experiment === undefined || experiment.plan.claimsOf === 'ours') return []
    const isEarlier = info.isEarlier === true
    return [{ experiment: folder, isEarlier, claims: typeof drawn === 'string' ? claims : drawn.claims }]
  })
  const checks = checksOf(checked)
  const lines = claimLines(checks)
  return [
    ...reports.flatMap(({ folder, name, stored: { info, claims, drawn, experiment } }) => {
      const isDrawn = typeof drawn !== 'string' && experiment !== undefined
      const files = isDrawn
        ? pageFiles(experiment.plan, info, drawn)
        : [{ path: `${name}.md`, text: pageOf(info, claims) }]
      return files.map(({ path, text }) => ({ path: `experiments/${folder}/${path}`, text }))
    }),
    ...PAPERS.map((paper) => ({ path: `reproduction/${paper.page}.md`, text: paperPage(paper, lines) })),
    { path: 'reproduction/rows.csv', text: checksCsv(checks) },
    { path: 'reproduction.md', text: first.replace(MARKS, (_, from, to) => `${from}${stateTable(lines)}${to}`) },
  ]
}
