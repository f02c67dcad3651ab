/**
 * Group: the ranks of a job, their hosts and ports, and what all jobs have in common: how a message reaches a rank on the
 * same host, what its receiver gives the sender leave for, and when the job begins.
 */
import type { Issue } from '../../base/issue.ts'
import { choice, count, duration, list, rateOrOff, SECOND, sizeOrOff, text } from '../../base/params.ts'
import { shuffle } from '../../base/random.ts'
import { applyLabels, labelParams, streamName } from '../labels.ts'
import type { Message, WorkloadContext } from '../workload.ts'
import type { GraphPlan } from './graph-source.ts'
import type { Program } from './program.ts'

/** Params of every job; spread among its own. */
export const jobParams = (tag: string) => {
  const { operation: _verb, ...labels } = labelParams(tag)
  return {
    group: list(text({ help: 'a number, or a range such as "0-7"' }), {
      default: [],
      help: 'hosts of the ranks, in their order; with `ranks: port` ports, counted host by host; none given: all',
    }),
    placement: choice(['packed', 'spread', 'random'], {
      default: 'packed',
      help: 'order in which the ranks go to them: as they are listed; round robin over their racks; shuffled by the seed',
    }),
    ranks: choice(['host', 'port'], {
      default: 'host',
      help: 'a rank for each host, or for each port of each host; then its queue pairs have that port as home',
    }),
    gpusPerNic: count({
      default: 1,
      min: 1,
      max: 64,
      help: 'ranks in a row of each host, or port: GPUs that share a NIC; `group` then counts GPUs',
    }),
    insideLatency: duration({
      default: 0,
      help: 'time of a message between ranks of one host, to which that of its bytes is added; it goes over no network',
      source: "ASTRA-sim's set for NVLink of an H100: 936.25 ns, 400 GB/s",
    }),
    insideRate: rateOrOff({
      default: null,
      help: 'rate of a message between ranks of one host; off: its bytes take no time',
    }),
    stepTime: duration({
      default: 0,
      help: 'from the last byte of a message to what waits for it: completion seen, data reduced, next work posted',
      source: "NCCL's model of a network step: 2 us (LL) to 14 us (Simple), of which some 2 us are the wire",
    }),
    stepLatency: duration({
      default: 0,
      help: 'from the last byte of a message to the end of its receive, at least; unlike stepTime, messages that follow pass it side by side',
      source:
        "NCCL's model counts a step between servers 2(servers - 1) times, and not once for each message: src/graph/tuning.cc",
    }),
    rendezvous: sizeOrOff({
      default: null,
      help: 'longer messages are posted when their receive is posted and a control message from there has arrived; off: none',
    }),
    slots: count({
      default: 0,
      max: 65_536,
      help: 'messages between two ranks on a channel that are posted and whose receives are not done; further ones wait for a control message; 0: any number',
    }),
    start: duration({ default: 0, help: 'time at which it begins' }),
    ...labels,
  } as const
}

/** Values of jobParams. */
export interface JobValues {
  readonly group: readonly string[]
  readonly placement: 'packed' | 'spread' | 'random'
  readonly ranks: 'host' | 'port'
  readonly gpusPerNic: number
  readonly insideLatency: number
  readonly insideRate: number | null
  readonly stepTime: number
  readonly stepLatency: number
  readonly rendezvous: number | null
  readonly slots: number
  readonly start: number
  readonly workRequests: boolean
  readonly trafficClass: number | null
  readonly destinationPort: number | null
  readonly tag: string
}

/** Where ranks are. */
export interface Ranks {
  readonly hostOf: readonly number[]
  /** Port of its host that a rank's queue pairs have as home; -1: each the next one. */
  readonly portOf: readonly number[]
}

/** Host and port of a rank. */
interface Spot {
  readonly host: number
  readonly port: number
}

/**
 * Ranks of a job.
 * @param issues with lines, at "group.N"
 * @param each whether a host may have several ranks
 */
export function ranksOf(
  values: Pick<JobValues, 'group' | 'ranks' | 'gpusPerNic' | 'placement' | 'tag'>,
  context: WorkloadContext,
  issues: Issue[],
  each: 'once' | 'repeated' = 'once',
): Ranks {
  const spots = listedSpots(values, context, issues, each)
  const { placement, tag } = values
  if (placement === 'random') shuffle(spots, context.random.stream(streamName('placement', tag, context)))
  return ranksAt(placement === 'spread' ? spread(spots, context.racks) : spots)
}

/** Ranks in the order of the group, wherever they are placed. */
export function listedRanks(
  values: Pick<JobValues, 'group' | 'ranks' | 'gpusPerNic'>,
  context: Pick<WorkloadContext, 'hostCount' | 'portCounts'>,
): Ranks {
  return ranksAt(listedSpots(values, context, [], 'repeated'))
}

function ranksAt(spots: readonly Spot[]): Ranks {
  return { hostOf: spots.map(({ host }) => host), portOf: spots.map(({ port }) => port) }
}

function listedSpots(
  { group, ranks, gpusPerNic }: Pick<JobValues, 'group' | 'ranks' | 'gpusPerNic'>,
  { hostCount, portCounts }: Pick<WorkloadContext, 'hostCount' | 'portCounts'>,
  issues: Issue[],
  each: 'once' | 'repeated',
): Spot[] {
  const spots =
    ranks === 'host'
      ? Array.from({ length: hostCount }, (_, host) => ({ host, port: -1 }))
      : portCounts.flatMap((ports, host) => Array.from({ length: ports }, (_, port) => ({ host, port })))
  const all = spots.flatMap((spot) => Array.from({ length: gpusPerNic }, () => spot))
  const word = gpusPerNic === 1 ? ranks : 'GPU'
  return group.length === 0 ? all : numbersOf(group, all.length, word, issues, each).map((at) => all[at]!)
}

/** The first of each rack, then the second of each, and so on. */
function spread(spots: readonly Spot[], racks: readonly (readonly number[])[]): Spot[] {
  const rackOf = new Map(racks.flatMap((hosts, rack) => hosts.map((host) => [host, rack] as const)))
  // One more, for hosts that are in none.
  const taken = [...racks.map(() => 0), 0]
  const rows: Spot[][] = []
  for (const spot of spots) {
    const rack = rackOf.get(spot.host) ?? racks.length
    ;(rows[taken[rack]!++] ??= []).push(spot)
  }
  return rows.flat()
}

/**
 * The first `needed` ranks of a job.
 * @param path of the parameter that says how many
 */
export function ranksFor(
  needed: number,
  path: string,
  values: Pick<JobValues, 'group' | 'ranks' | 'gpusPerNic' | 'placement' | 'tag'>,
  context: WorkloadContext,
  issues: Issue[],
): Ranks {
  const { hostOf, portOf } = ranksOf(values, context, issues, 'repeated')
  if (needed > hostOf.length) {
    const received = `${hostOf.length} ${values.group.length === 0 ? `${values.ranks}s` : 'in group'}`
    issues.push({ path, expected: `a ${values.ranks} for each of ${needed} ranks`, received, hint: '' })
  }
  return { hostOf: hostOf.slice(0, needed), portOf: portOf.slice(0, needed) }
}

/** Numbers and ranges as numbers. */
function numbersOf(
  lines: readonly string[],
  end: number,
  word: string,
  issues: Issue[],
  each: 'once' | 'repeated',
): number[] {
  const numbers: number[] = []
  const seen = new Set<number>()
  lines.forEach((line, index) => {
    const wrong = (expected: string): void => {
      issues.push({ path: `group.${index}`, expected, received: `"${line}"`, hint: '' })
    }
    const parts = /^\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*$/.exec(line)
    const [from, to] = [Number(parts?.[1]), Number(parts?.[2] ?? parts?.[1])]
    if (parts === null || from >= end || to >= end) return wrong(`a ${word} 0 to ${end - 1}, or a range of them`)
    const step = from <= to ? 1 : -1
    for (let number = from; number !== to + step; number += step) {
      if (each === 'once' && seen.has(number))
        return wrong(`${word}s that are not in the group before, as ${number} is`)
      numbers.push(number)
      seen.add(number)
    }
  })
  return numbers
}

/** How the program of a job runs on its ranks. */
export function graphPlanOf(
  values: JobValues,
  context: WorkloadContext,
  ranks: Ranks,
  program: Program,
  sendDone: 'posted' | 'acknowledged' = 'acknowledged',
): GraphPlan {
  return {
    program,
    ...ranks,
    inside: {
      latencyPs: values.insideLatency,
      psPerByte: values.insideRate === null ? 0 : (8 * SECOND) / values.insideRate,
    },
    leave: { aboveBytes: values.rendezvous ?? Infinity, slots: values.slots },
    startPs: values.start,
    stepTimePs: values.stepTime,
    stepLatencyPs: values.stepLatency,
    // Nothing of a program waits for an ACK that its transport holds back on purpose.
    sendDone: sendDone === 'acknowledged' && context.areAcksLate === true ? 'delivered' : sendDone,
    isLogged: context.isLogged === true,
    untilPs: context.generateUntilPs,
    label: (out: Message) => applyLabels(out, { ...values, operation: 'write' }),
  }
}
