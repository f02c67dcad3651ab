/**
 * Sample: a run by what its users wait for: the messages with their times, and jobs; and how much better another run
 * of the same scenario is. Units: picoseconds, bytes.
 */
import { ln } from '../../../core/base/math.ts'
import {
  completionsOf,
  hasTail,
  jobsOf,
  numbersOf,
  type Result,
  quantile,
  textsOf,
} from '../../../core/results/index.ts'
import type { Suspect } from './suspect.ts'

/** A message, by its tag, its hosts and its number among these. */
interface Sent {
  readonly tag: string
  readonly source: number
  readonly destination: number
  /** Earlier ones of the same tag and hosts. */
  readonly number: number
  readonly sizeBytes: number
  readonly startPs: number
  /** Up to the end of the run where it did not finish. */
  readonly spanPs: number
  readonly idealPs: number
  readonly isDone: boolean
}

export interface Sample {
  readonly byKey: ReadonlyMap<string, Sent>
  /** Messages that wait for others that never finished. */
  readonly unposted: number
  /** Step times of jobs by tag; Infinity: it did not end. */
  readonly jobs: ReadonlyMap<string, number>
  readonly packetHops: number
  readonly digest: string
}

export function sampleOf(result: Result): Sample {
  const { flows, simulatedPs, unposted, counters, digest } = result
  const [source, destination] = [numbersOf(flows, 'source'), numbersOf(flows, 'destination')]
  const [sizeBytes, startPs] = [numbersOf(flows, 'sizeBytes'), numbersOf(flows, 'startPs')]
  const measured = numbersOf(flows, 'measured')
  const tags = textsOf(flows, 'tag')
  const { completionPs, idealPs } = completionsOf(result)
  const counts = new Map<string, number>()
  const byKey = new Map<string, Sent>()
  for (let row = 0; row < flows.rowCount; row++) {
    const between = `${tags[row]!} ${source[row]!} ${destination[row]!}`
    const count = counts.get(between) ?? 0
    counts.set(between, count + 1)
    if (measured[row] !== 1) continue
    const isDone = !Number.isNaN(completionPs[row]!)
    byKey.set(`${between} ${count}`, {
      tag: tags[row]!,
      source: source[row]!,
      destination: destination[row]!,
      number: count,
      sizeBytes: sizeBytes[row]!,
      startPs: startPs[row]!,
      spanPs: isDone ? completionPs[row]! : Math.max(simulatedPs - startPs[row]!, idealPs[row]!),
      idealPs: idealPs[row]!,
      isDone,
    })
  }
  return {
    byKey,
    unposted: Object.values(unposted).reduce((sum, count) => sum + count, 0),
    jobs: new Map(jobsOf(result).map(({ tag, stepPs }) => [tag, Number.isNaN(stepPs) ? Infinity : stepPs])),
    packetHops: counters.packetHops,
    digest,
  }
}

/** The messages of a workload by the hosts in place of which theirs are. */
export function movedBack(sample: Sample, moved: NonNullable<Suspect['moved']>): Sample {
  const hostOf = (host: number): number => moved.hosts.get(host) ?? host
  const byKey = new Map(
    [...sample.byKey].map(([key, sent]) => {
      const { tag, source, destination, number } = sent
      return [tag === moved.tag ? `${tag} ${hostOf(source)} ${hostOf(destination)} ${number}` : key, sent] as const
    }),
  )
  return { ...sample, byKey }
}

/** Ideal times by message: the shortest that any of the runs has, as a slow link makes them longer. */
export class Ideals {
  readonly #byKey = new Map<string, number>()

  add({ byKey }: Sample): void {
    for (const [key, { idealPs }] of byKey) {
      const known = this.#byKey.get(key)
      if (idealPs > 0 && (known === undefined || idealPs < known)) this.#byKey.set(key, idealPs)
    }
  }

  slowdownOf(key: string, { spanPs, idealPs }: Sent): number {
    return spanPs / (this.#byKey.get(key) ?? idealPs)
  }
}

/** Numbers of some messages of a run. NaN: there is none to count. */
export interface Numbers {
  readonly flows: number
  readonly unfinished: number
  readonly meanSlowdown: number
  readonly p50Slowdown: number
  /** 99th percentile, of fewer than 100 flows the slowest. */
  readonly tailSlowdown: number
  /** Mean of the slowest hundredth, ten at least. */
  readonly slowestSlowdown: number
  readonly p50Ps: number
  readonly tailPs: number
  /** Bytes of finished messages over the time from the first start to the last end. */
  readonly goodputBps: number
}

/** Flows of which one is looked at. */
const HUNDRED = 100
const SLOWEST_LEAST = 10
const TAIL = 0.99

export function numbersIn(sample: Sample, ideals: Ideals, isIn: (key: string, sent: Sent) => boolean): Numbers {
  const chosen = [...sample.byKey].filter(([key, sent]) => isIn(key, sent))
  const slowdowns = chosen.map(([key, sent]) => ideals.slowdownOf(key, sent)).filter((x) => !Number.isNaN(x))
  const spans = chosen.map(([, { spanPs }]) => spanPs)
  const slowest = slowdowns
    .toSorted((a, b) => b - a)
    .slice(0, Math.max(SLOWEST_LEAST, Math.ceil(slowdowns.length / HUNDRED)))
  const share = hasTail(chosen.length) ? TAIL : 1
  const done = chosen.filter(([, { isDone }]) => isDone).map(([, sent]) => sent)
  const fromPs = chosen.reduce((least, [, { startPs }]) => Math.min(least, startPs), Infinity)
  const toPs = chosen.reduce((most, [, { startPs, spanPs }]) => Math.max(most, startPs + spanPs), 0)
  const bytes = done.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return {
    flows: chosen.length,
    unfinished: chosen.length - done.length,
    meanSlowdown: meanOf(slowdowns),
    p50Slowdown: quantile(slowdowns, 0.5),
    tailSlowdown: quantile(slowdowns, share),
    slowestSlowdown: meanOf(slowest),
    p50Ps: quantile(spans, 0.5),
    tailPs: quantile(spans, share),
    goodputBps: chosen.length === 0 ? NaN : (bytes * 8e12) / (toPs - fromPs),
  }
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length

/** Whether a run is worse than another: messages that do not finish, else the mean slowdown. */
export function isSlower(one: Sample, other: Sample): boolean {
  const ideals = new Ideals()
  ideals.add(one)
  ideals.add(other)
  const [a, b] = [one, other].map((sample) => numbersIn(sample, ideals, () => true)) as [Numbers, Numbers]
  const [openA, openB] = [a.unfinished + one.unposted, b.unfinished + other.unposted]
  return openA === openB ? a.meanSlowdown > b.meanSlowdown : openA > openB
}

/** By how much a run is better than another: the largest share of a number that is gone, 0 to 1; negative: it is worse. */
export interface Gain {
  readonly share: number
  /** The same without the slowest hundredth: by it causes are ranked. */
  readonly rank: number
  /** The number that gains most. */
  readonly by: 'mean' | 'tail' | 'slowest' | 'unfinished' | 'job'
  /** The tag whose messages or job gain; '': all. */
  readonly tag: string
  /** Messages, of that tag or of all, that both runs have and that take half as long again, or longer, in one of them. */
  readonly faster: number
  readonly slower: number
  /** Deviations from chance: the sum of the logarithms of these ratios over the root of the sum of their squares. */
  readonly deviations: number
  /** Half of all messages are faster, or more, and none is slower: so few messages as there may be. */
  readonly isPlain: boolean
}

/** A message is faster, or slower, by this factor of its time. */
const FASTER = 1.5
/** One that does not finish is slower by this factor. */
const OPEN = 10

/** Fewer messages of a tag say nothing by themselves. */
const TAG_LEAST = 8

/**
 * How much better `after` is than `before` for the messages of these tags.
 * @param tags whose messages count; absent workloads are not among them
 */
export function gainOf(before: Sample, after: Sample, ideals: Ideals, tags: ReadonlySet<string>): Gain {
  const gains: Pick<Gain, 'share' | 'by' | 'tag'>[] = []
  const groups = tags.size > 1 ? ['', ...tags] : ['']
  for (const tag of groups) {
    const isIn = (_: string, sent: Sent): boolean => (tag === '' ? tags.has(sent.tag) : sent.tag === tag)
    const [old, now] = [before, after].map((sample) => numbersIn(sample, ideals, isIn)) as [Numbers, Numbers]
    if (old.flows === 0 || (tag !== '' && old.flows < TAG_LEAST)) continue
    const shareOf = (a: number, b: number): number => (a > 0 && !Number.isNaN(b) ? 1 - b / a : 0)
    gains.push({ share: shareOf(old.meanSlowdown, now.meanSlowdown), by: 'mean', tag })
    gains.push({ share: shareOf(old.tailSlowdown, now.tailSlowdown), by: 'tail', tag })
    gains.push({ share: shareOf(old.slowestSlowdown, now.slowestSlowdown), by: 'slowest', tag })
    const [lost, left] = [old.unfinished + before.unposted, now.unfinished + after.unposted]
    if (tag === '' && lost > 0) gains.push({ share: 1 - left / lost, by: 'unfinished', tag })
  }
  for (const [tag, stepPs] of before.jobs) {
    const afterPs = after.jobs.get(tag)
    if (afterPs !== undefined && tags.has(tag))
      gains.push({ share: stepPs === Infinity ? Number(afterPs < Infinity) : 1 - afterPs / stepPs, by: 'job', tag })
  }
  const best = gains.reduce((most, one) => (one.share > most.share ? one : most), {
    share: -Infinity,
    by: 'mean',
    tag: '',
  } as const)
  // Where the messages of one tag gain, those of others may well pay for it.
  const rank = gains.reduce((most, { share, by }) => (by === 'slowest' ? most : Math.max(most, share)), -Infinity)
  const moved = movedOf(before, after, tags)
  const isPlain = moved.slower === 0 && 2 * moved.faster >= before.byKey.size
  if (best.tag === '') return { ...best, rank, ...moved, isPlain }
  const own = movedOf(before, after, new Set([best.tag]))
  return { ...best, rank, ...(own.deviations > moved.deviations ? own : moved), isPlain }
}

type Moved = Pick<Gain, 'faster' | 'slower' | 'deviations'>

function movedOf(before: Sample, after: Sample, tags: ReadonlySet<string>): Moved {
  let [faster, slower, net, squares] = [0, 0, 0, 0]
  for (const [key, { tag, spanPs, sizeBytes, isDone }] of before.byKey) {
    const other = after.byKey.get(key)
    if (other === undefined || other.sizeBytes !== sizeBytes || !tags.has(tag)) continue
    const isOneOpen = isDone !== other.isDone
    const ratio = isOneOpen ? (isDone ? 1 / OPEN : OPEN) : spanPs / other.spanPs
    if (ratio < FASTER && ratio > 1 / FASTER) continue
    if (ratio > 1) faster++
    else slower++
    net += ln(ratio)
    squares += ln(ratio) * ln(ratio)
  }
  return { faster, slower, deviations: squares === 0 ? 0 : net / Math.sqrt(squares) }
}
