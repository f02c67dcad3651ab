/**
 * Table: shares of origins that are named, and of names that are right, with their 95 % intervals. Named is what has high or
 * medium confidence: a list of low ones accuses nobody. Numbers are counts of hits and cases until they are printed.
 */
import { textTable } from '../../../src/show/index.ts'
import { shareText, wilson } from '../table.ts'
import { type Kind, ORIGIN_KINDS } from '../truth.ts'
import type { OriginScore } from './one.ts'
import type { Graded } from './right.ts'

export interface Share {
  readonly hits: number
  readonly of: number
}

export interface Row {
  readonly label: string
  /** Everything that was injected is named, in position and kind. */
  readonly recall: Share
  /** The positions are, whatever the kinds. */
  readonly positions: Share
  /** Names that are right. */
  readonly precision: Share
  /** Runs in which a rule of thumb gives a right position. */
  readonly naivePort: Share
  readonly naiveHost: Share
}

export interface Reliability {
  readonly confidence: string
  readonly right: Share
}

export interface Report {
  readonly rows: readonly Row[]
  readonly falseAlarms: Share
  readonly reliability: readonly Reliability[]
  /** By the kind of a cause, or "healthy": how often its position is given each kind first; "elsewhere", "nothing". */
  readonly confusion: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Attempts by kind and why they were refused. */
  readonly refused: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly cpuSeconds: number
}

const isNamed = ({ confidence }: Graded): boolean => confidence !== 'low'
const namedIn = ({ said }: OriginScore): Graded[] => said.filter(isNamed)
/** Names that are right or wrong. */
const judged = (said: readonly Graded[]): Graded[] => said.filter(({ isTolerated }) => !isTolerated)

const shareOf = <T>(all: readonly T[], isHit: (one: T) => boolean): Share => ({
  hits: all.filter(isHit).length,
  of: all.length,
})

/** @param kind of the causes that count; without it a run counts if all of its causes do */
function rowOf(label: string, scores: readonly OriginScore[], kind?: Kind): Row {
  const isHit = (score: OriginScore, isOne: (one: Graded, cause: number) => boolean): boolean =>
    score.drawn.causes.every((cause, i) => {
      if (kind !== undefined && cause.kind !== kind) return true
      return namedIn(score).some((one) => isOne(one, i))
    })
  const names = judged(scores.flatMap(namedIn))
  return {
    label,
    recall: shareOf(scores, (score) => isHit(score, (one, i) => one.names === i)),
    positions: shareOf(scores, (score) => isHit(score, (one, i) => one.isAt === i)),
    precision: shareOf(names, (one) => one.names >= 0),
    naivePort: shareOf(scores, ({ naive }) => naive.port),
    naiveHost: shareOf(scores, ({ naive }) => naive.host),
  }
}

/** How many times longer the victims' 99th percentile is than without the injections. */
const severityOf = ({ drawn }: OriginScore): number => drawn.p99 / drawn.healthyP99

const SEVERITIES = ['mild', 'middle', 'severe'] as const

export function reportOf(scores: readonly OriginScore[]): Report {
  const incidents = scores.filter(({ form }) => form === 'incident')
  const healthy = scores.filter(({ form }) => form === 'healthy')
  const hasKind = (kind: Kind, { drawn }: OriginScore): boolean => drawn.causes.some((cause) => cause.kind === kind)
  const bySeverity = incidents.toSorted((a, b) => severityOf(a) - severityOf(b))
  const third = (at: number): number => Math.round((at * incidents.length) / SEVERITIES.length)
  const groups = <K>(keyOf: (score: OriginScore) => K, label: (key: K) => string): Row[] =>
    [...new Set(incidents.map(keyOf))].map((key) => {
      const own = incidents.filter((score) => keyOf(score) === key)
      return rowOf(label(key), own)
    })
  const rows = [
    ...ORIGIN_KINDS.map((kind) =>
      rowOf(
        kind,
        incidents.filter((score) => hasKind(kind, score)),
        kind,
      ),
    ),
    ...SEVERITIES.map((label, i) => rowOf(label, bySeverity.slice(third(i), third(i + 1)))),
    ...groups(
      ({ damage }) => damage.lost,
      (lost) => `${100 * lost} % of polls lost`,
    ),
    ...groups(
      ({ tiers }) => tiers,
      (tiers) => `${tiers} tiers`,
    ),
    ...groups(
      ({ damage }) => damage.hosts,
      (name) => `hosts ${name}`,
    ),
    ...groups(
      ({ damage }) => damage.switches,
      (name) => `switches ${name}`,
    ),
    ...groups(
      ({ damage }) => damage.silent !== null,
      (isSilent) => (isSilent ? 'a silent device' : 'no silent device'),
    ),
    ...groups(
      ({ drawn }) => drawn.causes.length,
      (count) => (count === 1 ? 'one injected' : 'two injected'),
    ),
    rowOf('all', incidents),
  ]
  const reliability = ['high', 'medium', 'low'].map((confidence) => ({
    confidence,
    right: shareOf(
      judged(scores.flatMap(({ said }) => said)).filter((one) => one.confidence === confidence),
      (one) => one.names >= 0,
    ),
  }))
  return {
    rows,
    falseAlarms: shareOf(healthy, (score) => namedIn(score).length > 0),
    reliability,
    confusion: confusionOf(incidents, healthy),
    refused: refusedOf(incidents),
    cpuSeconds: scores.reduce((sum, score) => sum + score.cpuSeconds, 0),
  }
}

type Counts = Record<string, Record<string, number>>

function add(counts: Counts, row: string, column: string): void {
  counts[row] ??= {}
  counts[row][column] = (counts[row][column] ?? 0) + 1
}

function confusionOf(incidents: readonly OriginScore[], healthy: readonly OriginScore[]): Counts {
  const counts: Counts = {}
  for (const score of incidents) {
    const named = namedIn(score)
    score.drawn.causes.forEach(({ kind }, i) => {
      const first = named.find((one) => one.names === i) ?? named.find(({ isAt }) => isAt === i)
      const others = named.length > 0 ? 'elsewhere' : 'nothing'
      add(counts, kind, first === undefined ? others : first.kind)
    })
  }
  for (const score of healthy) add(counts, 'healthy', namedIn(score)[0]?.kind ?? 'nothing')
  return counts
}

function refusedOf(incidents: readonly OriginScore[]): Counts {
  const counts: Counts = {}
  for (const { drawn } of incidents) {
    for (const { kind } of drawn.causes) add(counts, kind, 'taken')
    for (const { kind, why } of drawn.refused) add(counts, kind, why)
  }
  return counts
}

/** The report, with intervals. */
export function originsJson(scores: readonly OriginScore[]): unknown {
  const withInterval = (share: Share): unknown => ({ ...share, interval: wilson(share.hits, share.of) })
  const { rows, falseAlarms, reliability, ...rest } = reportOf(scores)
  return {
    rows: rows.map(({ label, ...shares }) => ({
      label,
      ...Object.fromEntries(Object.entries(shares).map(([name, share]) => [name, withInterval(share)])),
    })),
    falseAlarms: withInterval(falseAlarms),
    reliability: reliability.map(({ confidence, right }) => ({ confidence, right: withInterval(right) })),
    ...rest,
    scores,
  }
}

const text = ({ hits, of }: Share): string => shareText(hits, of)

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = heads.map((head, i) => ({ head, align: i === 0 ? ('left' as const) : ('right' as const) }))
  return textTable(
    columns,
    rows.map((row) => [...row]),
  )
}

function countsTable(head: string, counts: Counts): string {
  const columns = [...new Set(Object.values(counts).flatMap((row) => Object.keys(row)))].sort()
  const rows = Object.entries(counts).map(([label, row]) => [
    label,
    ...columns.map((column) => String(row[column] ?? '')),
  ])
  return table([head, ...columns], rows)
}

export function originsText(scores: readonly OriginScore[]): string {
  const { rows, falseAlarms, reliability, confusion, refused, cpuSeconds } = reportOf(scores)
  const shares = rows
    .filter(({ recall }) => recall.of > 0)
    .map((row) => [
      row.label,
      String(row.recall.of),
      ...[row.recall, row.positions, row.precision, row.naivePort, row.naiveHost].map(text),
    ])
  const heads = [
    'incidents',
    'runs',
    'recall',
    'position named',
    'precision',
    'port with most pauses',
    'host with most',
  ]
  const parts = [
    ...(shares.length === 0 ? [] : [table(heads, shares)]),
    `healthy runs with somebody accused: ${falseAlarms.hits} of ${falseAlarms.of}, ${text(falseAlarms)}\n`,
    table(
      ['confidence', 'origins', 'right'],
      reliability.map(({ confidence, right }) => [confidence, String(right.of), text(right)]),
    ),
    countsTable('injected', confusion),
    ...(shares.length === 0 ? [] : [countsTable('attempts', refused)]),
    `${cpuSeconds.toFixed(0)} s of processor time\n`,
  ]
  return parts.join('\n')
}
