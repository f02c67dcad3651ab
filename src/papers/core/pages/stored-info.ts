/**
 * Stored info: what a report says beside its rows and claims, as data: NAME.json in its folder.
 */
import { inputError } from '../../../core/base/issue.ts'
import {
  countShape,
  flagShape,
  listOf,
  objectOf,
  oneOf,
  optional,
  shapedJson,
  textOf,
  textShape,
} from '../../../core/base/shape.ts'
import { VERSION } from '../../../core/base/version.ts'
import type { Findings, FindingsFigure, FindingsTable } from '../findings.ts'
import type { PlanHead, Size } from '../plan.ts'

export function titleOf(figure: FindingsFigure): string {
  return 'bars' in figure ? figure.bars.title : figure.lines.title
}

/** Titles stand above the figures of a report. */
export function untitled(figure: FindingsFigure): FindingsFigure {
  return 'bars' in figure
    ? { ...figure, bars: { ...figure.bars, isUntitled: true } }
    : { ...figure, lines: { ...figure.lines, isUntitled: true } }
}

/** Whether it has values of the paper. */
export function hasPaper(figure: FindingsFigure): boolean {
  if ('lines' in figure) return figure.lines.lines.some(({ isPaper }) => isPaper === true)
  return figure.bars.groups.some(({ paper }) => Number.isFinite(paper)) || figure.bars.limit !== undefined
}

export interface StoredInfo {
  readonly experiment: string
  readonly title: string
  readonly source: string
  readonly help: string
  readonly size: Size
  /** The runs in a few words. */
  readonly runs: string
  readonly seeds: readonly number[]
  /** Version of rocelab that made the runs. */
  readonly version: string
  /** The runs have an earlier reading of the paper and were judged at that time. */
  readonly isEarlier?: boolean | undefined
  /** On the origin of the runs; "" if all are of this command. */
  readonly note: string
  readonly tables: readonly FindingsTable[]
  readonly figures: readonly StoredFigure[]
  readonly remarks: readonly string[]
}

interface StoredFigure {
  readonly name: string
  readonly title: string
  readonly hasPaper: boolean
}

const INFO = objectOf<StoredInfo>({
  experiment: textShape,
  title: textShape,
  source: textShape,
  help: textShape,
  size: oneOf('small', 'full'),
  runs: textShape,
  seeds: listOf(countShape),
  version: textShape,
  isEarlier: optional(flagShape),
  note: textShape,
  tables: listOf(
    objectOf({
      title: textShape,
      columns: listOf(objectOf({ head: textShape, align: oneOf('left', 'right') })),
      rows: listOf(listOf(textShape)),
    }),
  ),
  figures: listOf(objectOf({ name: textOf(/^[\w-]+$/, 'part of a file name'), title: textShape, hasPaper: flagShape })),
  remarks: listOf(textShape),
})

/** Throws InputError if there is none, as in folders of earlier versions, or a damaged one. */
export function readInfo(name: string, text: string | undefined): StoredInfo {
  const hint = `rocelab reproduce ${name} --from ${name}.csv writes the report again`
  if (text === undefined) throw inputError(`${name}.json`, 'the report of this version', 'no such file', hint)
  return shapedJson(INFO, text, `${name}.json`, hint)
}

export interface RunsInfo {
  readonly size: Size
  readonly seeds: readonly number[]
  readonly note: string
  readonly version?: string
}

export function infoOf(
  plan: PlanHead,
  { size, seeds, note, version = VERSION }: RunsInfo,
  findings: Findings,
): StoredInfo {
  const { name, title, source, help, sizes } = plan
  const { tables, figures, remarks } = findings
  return {
    experiment: name,
    title,
    source,
    help,
    size,
    runs: sizes[size],
    seeds,
    version,
    note,
    tables: tables.map((table) => ({
      ...table,
      columns: table.columns.map(({ head, align = 'left' }) => ({ head, align })),
    })),
    figures: figures.map((figure) => ({ name: figure.name, title: titleOf(figure), hasPaper: hasPaper(figure) })),
    remarks,
  }
}

export function infoText(info: StoredInfo): string {
  return `${JSON.stringify(info, null, 1)}\n`
}

/** The command that makes it again. */
export function commandOf({ experiment, size, seeds }: StoredInfo): string {
  return `rocelab reproduce ${experiment} --size ${size} --seeds ${seedList(seeds, ',')}`
}

export function seedsText(seeds: readonly number[]): string {
  return seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seedList(seeds, ', ')}`
}

/** Seeds in the syntax of `--seeds`; more than five consecutive ones become a range. */
export function seedList(seeds: readonly number[], separator: string): string {
  const [first = NaN] = seeds
  const isRange = seeds.length > 5 && seeds.every((seed, i) => seed === first + i)
  return isRange ? `${first}..${first + seeds.length - 1}` : seeds.join(separator)
}
