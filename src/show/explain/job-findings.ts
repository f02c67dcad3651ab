/**
 * Findings on jobs: what held their critical path, who is late, which link is slow, and what never began. From tables of the
 * result alone; with an autopsy they have causes.
 * Units: picoseconds; shares and ratios from 0.
 */
import { type Finding, foundAt, jobFindings as kinds, type Subject } from '../../core/findings/index.ts'
import {
  ALL_PARTS,
  jobsOf,
  type JobTimes,
  numberColumns,
  numbersOf,
  type Result,
  tableOfKind,
  textColumns,
  textsOf,
} from '../../core/results/index.ts'
import { type JobPath, jobPaths } from './job-path.ts'

/** Share of a job's time from which something is named. */
const NAMED = 0.05
/** Share of the rounds in which a rank is last that is late again and again, and the fewest rounds. */
const OFTEN = 0.6
const ROUNDS_LEAST = 3
/** Share of the excess that makes one port the cause. */
const ONE_PORT = 0.8

/** Parts in which a message is behind others. */
export const BEHIND: ReadonlySet<string> = new Set(['queuePs', 'othersPs', 'behindPs'])

/** @param paths of the same result */
export function jobFindings(result: Result, paths: readonly JobPath[] = jobPaths(result)): Finding[] {
  const jobs = jobsOf(result)
  if (jobs.length === 0) return []
  const ranks = new Ranks(result)
  return [
    ...unstarted(result),
    ...jobs.flatMap((job) => {
      const path = paths.find(({ tag }) => tag === job.tag)
      return [...slowLinks(job, ranks, path), ...stragglers(result, job, ranks, path), ...held(job, path)]
    }),
  ]
}

/** Ranks of all jobs. */
class Ranks {
  readonly #byTag = new Map<string, Rank[]>()

  constructor(result: Result) {
    const table = tableOfKind(result, 'ranks')
    if (table === undefined) return
    const [tags, names, peers] = textColumns(table, ['tag', 'rankName', 'peerName'])
    const [numbers, rates, computes] = numberColumns(table, ['rank', 'rateBps', 'computePs'])
    tags.forEach((tag, row) => {
      const own = this.#byTag.get(tag) ?? []
      this.#byTag.set(tag, own)
      const where = { device: names[row]!, port: peers[row]! }
      own.push({ rank: numbers[row]!, ...where, rateBps: rates[row]!, computePs: computes[row]! })
    })
  }

  of(tag: string): readonly Rank[] {
    return this.#byTag.get(tag) ?? []
  }
}

interface Rank {
  readonly rank: number
  readonly device: string
  /** The switch at the other end of its first port. */
  readonly port: string
  readonly rateBps: number
  readonly computePs: number
}

const spotOf = (tag: string, { device, port }: Rank): Subject => ({ device, port, workload: tag })

function unstarted(result: Result): Finding[] {
  const table = tableOfKind(result, 'unstarted')
  if (table === undefined) return []
  const [tags, names] = [textsOf(table, 'tag'), textsOf(table, 'rankName')]
  const [operations, waits] = [textsOf(table, 'operation'), textsOf(table, 'waitsFor')]
  return [...new Set(tags)].map((tag) => {
    const first = tags.indexOf(tag)
    const values = {
      ranks: tags.filter((each) => each === tag).length,
      rank: numbersOf(table, 'rank')[first]!,
      operation: operations[first]!,
      waitsFor: waits[first]!,
    }
    return foundAt(kinds.operationsUnstarted, { device: names[first]!, workload: tag }, values)
  })
}

/** Excess of the path, as far as the job takes longer than its idle time; while it has not ended, all of it. */
function excessOf({ stepPs, idealStepPs, iterations }: JobTimes, { excessPs }: JobPath): number {
  const beyondPs = (stepPs - idealStepPs) * iterations
  return Number.isNaN(beyondPs) ? excessPs : Math.max(0, Math.min(excessPs, beyondPs))
}

function held(job: JobTimes, path: JobPath | undefined): Finding[] {
  if (path === undefined) return []
  const { tag, totalPs } = path
  const excessPs = excessOf(job, path)
  const [most] = path.origins
  // The message with most excess at the place that has most of it.
  const worst = path.held.find(({ origin }) => origin?.name === most?.name) ?? path.held[0]
  if (worst === undefined || excessPs < NAMED * totalPs) return []
  const { iteration, step, rank, operation, spanPs, idealPs, flow, rankName, origin, culprits } = worst
  const [culprit] = culprits
  const isBehind = culprit !== undefined && origin !== null && BEHIND.has(origin.part)
  const values = {
    iteration,
    step,
    rank,
    rankName,
    operation,
    spanPs,
    idealPs,
    excessPs: worst.excessPs,
    pathExcessPs: excessPs,
    messages: path.held.length,
    share: excessPs / totalPs,
    cause: origin === null ? null : labelOf(origin.part),
    origin: origin?.name ?? null,
    culpritFlow: isBehind ? culprit.flow : null,
    culpritTag: isBehind ? culprit.tag : null,
  }
  return [foundAt(kinds.stepHeld, { device: origin?.name ?? rankName, workload: tag, flow }, values)]
}

/** Label of a part of messages, or of a piece of the chain. */
export function labelOf(part: string): string {
  return ALL_PARTS.find(({ column }) => column === part)?.label ?? part
}

function slowLinks(job: JobTimes, ranks: Ranks, path: JobPath | undefined): Finding[] {
  const all = ranks.of(job.tag)
  const rates = all.map(({ rateBps }) => rateBps).toSorted((a, b) => a - b)
  const usualBps = rates[rates.length >> 1]!
  // Bounds are compared with each other.
  const ratio = (job.isBound ? job.idealStepPs : job.stepPs) / job.evenStepPs
  const slow = all.filter(({ rateBps }) => rateBps < usualBps)
  if (slow.length > 0 && ratio >= 1 + NAMED) {
    return slow.map((rank) => {
      const values = { rank: rank.rank, rateBps: rank.rateBps, usualBps, ratio, excessShare: null }
      return foundAt(kinds.slowLink, spotOf(job.tag, rank), values)
    })
  }
  if (path === undefined || excessOf(job, path) < NAMED * path.totalPs) return []
  const [worst] = path.origins.filter(({ kind }) => kind === 'switch' || kind === 'link')
  const share = (worst?.spanPs ?? 0) / path.excessPs
  if (worst === undefined || share < ONE_PORT) return []
  const idealPs = path.totalPs - path.excessPs
  const values = {
    rank: null,
    rateBps: null,
    usualBps: null,
    ratio: path.totalPs / idealPs,
    excessShare: Math.min(1, share),
  }
  return [foundAt(kinds.slowLink, { device: worst.name, workload: job.tag }, values)]
}

function stragglers(result: Result, job: JobTimes, ranks: Ranks, path: JobPath | undefined): Finding[] {
  const all = ranks.of(job.tag)
  const totalPs = job.stepPs * job.iterations
  if (all.length < 2 || Number.isNaN(totalPs)) return []
  const medianPs = all.map(({ computePs }) => computePs).toSorted((a, b) => a - b)[all.length >> 1]!
  const longest = all.reduce((most, each) => (each.computePs > most.computePs ? each : most))
  const morePs = longest.computePs - medianPs
  const onPath = path?.computes ?? []
  const isOnPath = onPath.length === 0 || onPath.some(({ rank }) => rank === longest.rank)
  if (morePs >= NAMED * totalPs && isOnPath) {
    const latePs = morePs / job.iterations
    const { rank } = longest
    const often = { times: job.iterations, rounds: job.iterations, latePs, share: latePs / job.stepPs }
    return [foundAt(kinds.straggler, spotOf(job.tag, longest), { rank, by: 'compute', ...often })]
  }
  return lateRanks(result, job, all)
}

/** The rank that is last most often, if that is often and late. */
function lateRanks(result: Result, { tag }: JobTimes, ranks: readonly Rank[]): Finding[] {
  const table = tableOfKind(result, 'collectives')
  if (table === undefined) return []
  const at = (name: string, row: number): number => numbersOf(table, name)[row]!
  const rows = textsOf(table, 'tag').flatMap((each, row) =>
    each === tag && !Number.isNaN(at('donePs', row)) ? [row] : [],
  )
  const byName = new Map<string, number[]>()
  for (const row of rows) {
    const name = textsOf(table, 'lastName')[row]!
    byName.set(name, [...(byName.get(name) ?? []), row])
  }
  const most = [...byName.values()].toSorted((a, b) => b.length - a.length)[0] ?? []
  if (rows.length < ROUNDS_LEAST || most.length < OFTEN * rows.length) return []
  const name = textsOf(table, 'lastName')[most[0]!]!
  const rank = ranks.find(({ device }) => device === name)
  const meanOf = (of: (row: number) => number): number => most.reduce((sum, row) => sum + of(row), 0) / most.length
  const latePs = meanOf((row) => at('donePs', row) - at('medianDonePs', row))
  const share = latePs / meanOf((row) => at('donePs', row) - at('startPs', row))
  if (rank === undefined || share < NAMED) return []
  const values = { rank: rank.rank, by: 'network' as const, times: most.length, rounds: rows.length, latePs, share }
  return [foundAt(kinds.straggler, spotOf(tag, rank), values)]
}
