/** Verdicts on runs of perftest. */
import {
  ABOVE_LINK,
  type Answer,
  ascending,
  belowBy,
  confirmOf,
  lowest,
  type Reason,
  type RowAnswer,
  ratiosOf,
  type Seen,
  type Verdict,
} from './answer.ts'
import { EVIDENCE } from './forms/counters.ts'
import type { Facts } from './fabric-line.ts'
import type { Ceiling, PartId } from './parts.ts'
import { ceilingsOfRun, isLossy, type PerfRun } from './perf-run.ts'
import type { CounterReading, PerftestReading, PerftestRow } from './readings.ts'

/** A run with long messages reaches this share of its smallest ceiling. */
const HEALTHY = 0.985
/** A run below, but nearer than this to its lowest limit, is put down to that limit: nothing else is needed to explain it. */
const NEARLY = 0.95
/** Shorter messages are limited by what nobody has published of most NICs. */
const LONG_BYTES = 65_536
/** Two stages of nearly the same time give less than either: one measurement, 0.92. */
const NEAR_STAGES = 0.92

interface Judged {
  readonly verdict: Verdict
  readonly part: PartId | null
  readonly reason: Reason | null
}

/** All runs, each beside its limits, and beside the runs of the same time. */
export function judgeRuns(
  facts: Facts,
  groups: readonly (readonly PerftestReading[])[],
  counters: readonly CounterReading[],
): Answer[] {
  const all = groups.flat()
  return groups.flatMap((together) =>
    joined(together.map((reading) => judgeRun(facts, { reading, together }, all, counters))),
  )
}

/** Runs of the same time with the same answer are one. */
function joined(answers: readonly Answer[]): Answer[] {
  const byKey = new Map<string, Answer>()
  for (const answer of answers) {
    const key = JSON.stringify([answer.verdict, answer.part, answer.reason, answer.ceilings])
    const first = byKey.get(key)
    const rows = [...(first?.rows ?? []), ...answer.rows]
    byKey.set(
      key,
      first === undefined
        ? answer
        : { ...first, files: [...first.files, ...answer.files], rows, ratios: ratiosOf(rows) },
    )
  }
  return [...byKey.values()]
}

function judgeRun(
  facts: Facts,
  run: PerfRun,
  all: readonly PerftestReading[],
  counters: readonly CounterReading[],
): Answer {
  const { reading, together } = run
  const measured = reading.rows.filter((row) => row.rateBps !== null)
  const around = { all, isLosing: evidenceOf(counters).some(isLoss) }
  const rows = measured.map((row) => rowAnswer(facts, run, row, around))
  // The largest message decides: it has the least of everything but the rate.
  const last = measured.reduce((a, b) => (b.sizeBytes >= a.sizeBytes ? b : a), measured[0]!)
  const decisive = rows[measured.indexOf(last)]!
  const { verdict, reason, part } = decisive
  return {
    files: [reading.file],
    kind: 'perftest',
    operation: reading.operation,
    rows,
    ratios: ratiosOf(rows),
    verdict,
    part,
    reason,
    ceilings: ascending(ceilingsOfRun(facts, run, last)),
    seen: [
      ...seenOf(facts, reading, last),
      ...passedBy(decisive, reading, all),
      ...(together.length > 1 || all.length === 1 ? evidenceOf(counters) : []),
    ],
    confirm: confirmOf(verdict, part),
  }
}

/** The other runs, and whether the counters show that packets were lost. */
interface Around {
  readonly all: readonly PerftestReading[]
  readonly isLosing: boolean
}
const isLoss = ({ id, values }: Seen): boolean => id === 'counter-grew' && values['evidence'] === 'loss'

function rowAnswer(facts: Facts, run: PerfRun, row: PerftestRow, around: Around): RowAnswer {
  const ceilings = ceilingsOfRun(facts, run, row)
  const measuredBps = row.rateBps!
  const first = limitOf(ceilings)
  const at = { file: run.reading.file, line: row.line, sizeBytes: row.sizeBytes, measuredBps }
  if (first === undefined || ceilings.every(({ status, toBps }) => status === 'assumed' || toBps === null)) {
    const part = isByPosting(row, facts) ? 'posting' : null
    return {
      ...at,
      fromBps: null,
      toBps: null,
      ratio: null,
      part,
      verdict: 'cannot-tell',
      reason: 'no-rate-of-the-link',
    }
  }
  const { fromBps, toBps } = first
  const range = { fromBps: fromBps! * HEALTHY, toBps: toBps!, ratio: measuredBps / toBps! }
  return { ...at, ...range, ...verdictOn(facts, run, row, ceilings, around) }
}

/** The lowest limit. The number of requests outstanding is shown and does not decide: its round trip is of another system. */
function limitOf(ceilings: readonly Ceiling[]): Ceiling | undefined {
  return lowest(ceilings.filter(({ part }) => part !== 'depth'))
}

/** Whether small messages at this rate are what a core posts, and nothing like what a link carries. */
function isByPosting({ sizeBytes, messagesPerSecond }: PerftestRow, { rateBps }: Facts): boolean {
  return (
    sizeBytes <= 4096 &&
    messagesPerSecond !== null &&
    (rateBps === undefined || sizeBytes * 8 * messagesPerSecond < rateBps / 4)
  )
}

function verdictOn(facts: Facts, run: PerfRun, row: PerftestRow, ceilings: readonly Ceiling[], around: Around): Judged {
  const rateBps = row.rateBps!
  const first = limitOf(ceilings)!
  const link = ceilings.find(({ part }) => part === 'link')!
  if (link.toBps !== null && rateBps > link.toBps * ABOVE_LINK)
    return { verdict: 'above-link', part: 'link', reason: null }
  if (rateBps >= first.fromBps! * HEALTHY) return { verdict: 'as-expected', part: first.part, reason: null }
  // Neither of two stages of nearly the same length is reached.
  const near = ceilings.filter(({ part, toBps }) => part !== 'depth' && toBps !== null && toBps < first.toBps! * 1.15)
  if (near.length > 1 && first.part === 'queue-pair' && rateBps >= first.fromBps! * NEAR_STAGES)
    return { verdict: 'as-expected', part: first.part, reason: null }
  if (first.status === 'assumed' && row.sizeBytes < LONG_BYTES)
    return { verdict: 'cannot-tell', part: first.part, reason: 'nic-unknown' }
  if (row.sizeBytes < LONG_BYTES)
    return { verdict: 'cannot-tell', part: isByPosting(row, facts) ? 'posting' : null, reason: 'small-message' }
  const lossy = lossIn(facts, run, ceilings, around)
  if (lossy !== undefined) {
    const share =
      rateBps / (ceilings.find(({ part }) => part === 'receiver-port' || part === 'trunk')?.toBps ?? first.toBps!)
    return { verdict: belowBy(share), part: lossy, reason: null }
  }
  const verdict = belowBy(rateBps / first.toBps!)
  if (areUnequal(facts, run)) return { verdict, part: null, reason: 'unequal-paths' }
  // Without a switch there is no fabric: what link and slot do not explain is in the NICs or their hosts.
  const isCleared = facts.switches === 0 && ceilings.some(({ part, toBps }) => part === 'pcie' && toBps !== null)
  if (verdict === 'far-below' && isCleared) return { verdict, part: 'nic', reason: null }
  if (rateBps >= first.fromBps! * NEARLY) return { verdict, part: first.part, reason: null }
  return { verdict, part: null, reason: 'no-ceiling-explains' }
}

/** The loss that a path without protection has, where the run alone is at its full rate or counters show it. */
function lossIn(
  facts: Facts,
  run: PerfRun,
  ceilings: readonly Ceiling[],
  { all, isLosing }: Around,
): PartId | undefined {
  if (run.together.length < 2 || isLossy(facts) !== true) return undefined
  const part = ceilings.find((each) => each.part === 'trunk-loss' || each.part === 'receiver-loss')?.part
  if (part === undefined) return undefined
  const single = all.find(
    (other) => !run.together.includes(other) && other.rows.some((row) => isFull(facts, other, row)),
  )
  return single !== undefined || isLosing ? part : undefined
}

const isFull = (facts: Facts, reading: PerftestReading, row: PerftestRow): boolean => {
  const first = limitOf(ceilingsOfRun(facts, { reading, together: [reading] }, row))
  return row.rateBps !== null && first !== undefined && row.rateBps >= first.fromBps! * HEALTHY
}

function areUnequal(facts: Facts, { together }: PerfRun): boolean {
  const paths = new Set(together.map(({ device }) => facts.paths?.[device]))
  return together.length > 1 && paths.size > 1 && !paths.has(undefined)
}

function seenOf(facts: Facts, reading: PerftestReading, row: PerftestRow): Seen[] {
  const seen: Seen[] = []
  if (facts.switches === 0) seen.push({ id: 'no-fabric', values: {} })
  if (reading.isUnitInferred) seen.push({ id: 'unit-inferred', values: { unit: 'Gb/s' } })
  const seconds = (row.iterations ?? 0) / (row.messagesPerSecond ?? Infinity)
  // With -D the tool counts for half of the time; a number of iterations that was asked for is a round one.
  if (seconds >= 1 && row.iterations! % 100 !== 0)
    seen.push({ id: 'seconds-counted', values: { countedSeconds: seconds, askedSeconds: 2 * seconds } })
  return seen
}

/** Runs of the same NIC that carried more clear the parts that they share with this one. */
function passedBy(
  { measuredBps, verdict, part }: RowAnswer,
  reading: PerftestReading,
  all: readonly PerftestReading[],
): Seen[] {
  if (verdict === 'as-expected' || part !== null) return []
  const passed = all.flatMap((other): Seen[] => {
    const best = Math.max(0, ...other.rows.map(({ rateBps }) => rateBps ?? 0))
    if (other === reading || other.device !== reading.device || best < (measuredBps ?? 0) * 1.1) return []
    return [{ id: 'passed', values: { file: other.file, rateBps: best, queuePairs: other.queuePairs } }]
  })
  // The one most like it: with as many queue pairs, or else the fastest.
  const like = passed.filter(({ values }) => values['queuePairs'] === reading.queuePairs)
  return (like.length > 0 ? like : passed).slice(0, 1)
}

/** Counters that grew, and those that would have with another cause. */
export function evidenceOf(counters: readonly CounterReading[]): Seen[] {
  return counters.flatMap(({ name, before, after }): Seen[] => {
    const evidence = EVIDENCE[name]
    if (evidence === undefined || before === null) return []
    const values = { name, grewBy: after - before, evidence }
    return [{ id: after > before ? 'counter-grew' : 'counter-still', values }]
  })
}
