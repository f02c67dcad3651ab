/**
 * Stored report: what an experiment's folder says, for a report. The folder has the measures of every run, and the program
 * draws conclusions from them as it did then: tables, figures and claims come from that. Where its claims differ from those
 * in the folder, or it does not know the experiment, the runs are of another program: all is then as it was stored.
 */
import { InputError, inputError } from '../../../core/base/issue.ts'
import type { ReportedClaim, ReportedFigure, ReportedReproduction } from '../../../show/index.ts'
import { claimState } from './claim-state.ts'
import { readClaims } from './claims-csv.ts'
import { readEarlierRuns } from '../earlier-runs.ts'
import type { Experiment } from '../experiment.ts'
import { commandOf, hasPaper, readInfo, seedList, type StoredInfo, titleOf, untitled } from './stored-info.ts'
import type { Claim, Findings } from '../findings.ts'

/** Text of a file in the folder; undefined if there is none. */
export type FolderReader = (name: string) => string | undefined

/** The name of the experiment whose report a folder has, by the names of its files; undefined if it has none. */
export function reportedName(files: readonly string[]): string | undefined {
  const names = files.flatMap((file) => /^(.+)(?:\.md|-claims\.csv)$/.exec(file)?.[1] ?? [])
  return names.find((name) => files.includes(`${name}.csv`))
}

/** A report as it lies in its folder, and what this program concludes from its runs, or why it concludes nothing. */
export interface Stored {
  readonly info: StoredInfo
  readonly runsCsv: string
  readonly claims: readonly Claim[]
  readonly drawn: Findings | string
  readonly experiment: Experiment | undefined
}

/** Throws InputError if the folder has no report, or a damaged one. */
export function readStored(name: string, read: FolderReader, experiments: readonly Experiment[]): Stored {
  const runsCsv = read(`${name}.csv`)
  if (runsCsv === undefined) throw inputError('', 'the report of an experiment', 'something else')
  const info = readInfo(name, read(`${name}.json`))
  const experiment = experiments.find((one) => one.name === info.experiment)
  return {
    info,
    runsCsv,
    claims: readClaims(read(`${name}-claims.csv`) ?? 'claim\n'),
    drawn: experiment === undefined ? 'this program has no such experiment' : conclusions(experiment, info, runsCsv),
    experiment,
  }
}

export interface StoredFolder {
  readonly name: string
  /** As the command line names it. */
  readonly folder: string
  readonly read: FolderReader
  readonly experiments: readonly Experiment[]
}

/** Throws InputError if the folder has no report, or a damaged one. */
export async function readReport({ name, folder, read, experiments }: StoredFolder): Promise<ReportedReproduction> {
  const { info, runsCsv, claims, drawn, experiment } = readStored(name, read, experiments)
  const isSame = typeof drawn !== 'string' && areEqual(drawn.claims, claims)
  const why = typeof drawn === 'string' ? drawn : 'from its runs this program concludes otherwise on some claims'
  const findings = isSame ? drawn : undefined
  // Drawing loads a plotting library, which listing the experiments does not need.
  const figures = findings === undefined ? storedFigures(info, read) : await drawnFigures(name, findings)
  return {
    name,
    folder,
    title: info.title,
    source: info.source,
    help: [info.help, ...(info.note === '' ? [] : [info.note])],
    size: info.size,
    seeds: seedList(info.seeds, ', '),
    version: info.version,
    command: commandOf(info),
    isOurs: experiment?.plan.claimsOf === 'ours',
    claims: grouped(findings?.claims ?? claims),
    tables: findings?.tables ?? info.tables,
    figures: figures.toSorted((a, b) => Number(b.hasPaper) - Number(a.hasPaper)),
    remarks: findings?.remarks ?? info.remarks,
    runsCsv,
    storedWhy: isSame ? '' : why,
  }
}

/** Conclusions of this program from the runs, or the reason why there are none. */
function conclusions(experiment: Experiment, { size }: StoredInfo, runsCsv: string): Findings | string {
  const others = 'this program makes other runs in this experiment'
  try {
    const runs = readEarlierRuns(runsCsv)
    const own = experiment.ownRuns(size, runs)
    return own.length < runs.length ? others : experiment.findings(size, own)
  } catch (error) {
    if (error instanceof InputError) return others
    throw error
  }
}

/** Claims are the same if all of them say the same; explanations may have changed. */
function areEqual(drawn: readonly Claim[], stored: readonly Claim[]): boolean {
  const textOf = ({ id, check, measured, verdict }: Claim): string => [id, check, measured, verdict].join('\n')
  return drawn.length === stored.length && drawn.every((claim, i) => textOf(claim) === textOf(stored[i]!))
}

/** Claims with their checks, in the order in which they first appear. */
function grouped(claims: readonly Claim[]): ReportedClaim[] {
  return [...new Set(claims.map(({ id }) => id))].map((id) => {
    const own = claims.filter((claim) => claim.id === id)
    return {
      id,
      state: claimState(own.map(({ verdict }) => verdict)),
      checks: own.map(({ id: _id, ...check }) => check),
    }
  })
}

async function drawnFigures(experiment: string, { figures }: Findings): Promise<ReportedFigure[]> {
  const { svgOf } = await import('./report.ts')
  return figures.map((figure) => ({
    name: `${experiment}-${figure.name}`,
    title: titleOf(figure),
    svg: svgOf(untitled(figure)),
    hasPaper: hasPaper(figure),
  }))
}

function storedFigures({ experiment, figures }: StoredInfo, read: FolderReader): ReportedFigure[] {
  return figures.flatMap(({ name, title, hasPaper: isWithPaper }) => {
    const svg = read(`${experiment}-${name}.svg`)
    return svg === undefined ? [] : [{ name: `${experiment}-${name}`, title, svg, hasPaper: isWithPaper }]
  })
}
