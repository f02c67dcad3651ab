/**
 * Outline: what a scenario amounts to before anything is run.
 * Messages are counted by asking the workloads themselves, as a run does, so that an open loop's number is exact;
 * what a closed loop posts depends on when its messages finish.
 */
import { leastOf, mostOf } from '../base/extremes.ts'
import { NEVER_PS } from '../base/params.ts'
import { createRandomStreams } from '../base/random.ts'
import { frameSizes, type HeadroomPlan, headroomPlan, type IrnState, irnStateOf } from '../lab/index.ts'
import type { Scenario } from '../scenario/index.ts'
import { topologies, type Topology } from '../topology/index.ts'
import { blankMessage, workloads, type Source, type WorkloadContext } from '../workload/index.ts'
import { scenarioNotes } from './scenario-notes.ts'

/** More messages are not counted. */
const COUNTED_MAX = 500_000

export interface Expected {
  readonly kind: string
  readonly tag: string
  readonly messages: number
  readonly bytes: number
  /** exact; at-least: it goes on beyond what was counted; as-finished: more follow as these are finished. */
  readonly how: 'exact' | 'at-least' | 'as-finished'
}

/** Nodes of one tier, as faults and observers number them. */
export interface TierNodes {
  /** 0: hosts. */
  readonly tier: number
  /** What the topology calls them: "leaf"; null where each has a name of its own. */
  readonly name: string | null
  /** Whole names of the first and the last, as links of faults may be chosen by: "leaf 0", "leaf 3". */
  readonly firstName: string
  readonly lastName: string
  /** First and last of each run of ids, ascending. */
  readonly ids: readonly (readonly [first: number, last: number])[]
}

export interface Outline {
  readonly hosts: number
  readonly switches: number
  readonly links: number
  /** Hosts first, then switches tier by tier. */
  readonly nodes: readonly TierNodes[]
  /** Of host links, lowest and highest. */
  readonly hostRateMinBps: number
  readonly hostRateMaxBps: number
  readonly workloads: readonly Expected[]
  /** What switches keep for what arrives after XOFF; null: nothing is paused. */
  readonly headroom: HeadroomPlan | null
  /** What IRN adds to a NIC; null: there is no IRN, or without bounds. */
  readonly irnState: IrnState | null
  /** What is allowed, and is perhaps not meant. */
  readonly notes: readonly string[]
}

/**
 * Throws InputError where a topology or a workload cannot be made.
 * @param longestRttPs of an idle network
 * @param circle switches that routes close a circle of, or null
 */
export function outlineOf(scenario: Scenario, longestRttPs: number, circle: readonly string[] | null): Outline {
  const topology = definitionOf(topologies, scenario.topology.kind).build(scenario.topology as never)
  const context = contextOf(scenario, topology)
  const known = new Map<string, number>()
  const expected = scenario.workload.map((values): Expected => {
    const key = `${values.kind}/${values.tag}`
    const instance = known.get(key) ?? 0
    known.set(key, instance + 1)
    const source = definitionOf(workloads, values.kind).create(values as never, { ...context, instance })
    return { kind: values.kind, tag: values.tag, ...count(source, scenario.measure.stop ?? NEVER_PS) }
  })
  const switches = topology.nodeCount - topology.hosts.length
  const headroom = headroomPlan(scenario, topology)
  return {
    hosts: topology.hosts.length,
    switches,
    links: topology.links.length,
    nodes: tiersOf(topology),
    hostRateMinBps: leastOf(context.hostRateBps),
    hostRateMaxBps: mostOf(context.hostRateBps),
    workloads: expected,
    headroom,
    irnState: irnStateOf(scenario, topology, longestRttPs),
    notes: scenarioNotes(scenario, { topology, longestRttPs, circle, headroom }),
  }
}

/** A dumbbell has two: left and right. */
const WORDS_MAX = 2

function tiersOf({ tiers, names }: Topology): TierNodes[] {
  const byTier = new Map<number, [first: number, last: number][]>()
  const words = new Map<number, Set<string>>()
  tiers.forEach((tier, node) => {
    const ids = byTier.get(tier) ?? []
    byTier.set(tier, ids)
    const run = ids.at(-1)
    if (run?.[1] === node - 1) run[1] = node
    else ids.push([node, node])
    const word = (names[node] ?? '').replace(/\s[\d.]+$/, '')
    words.set(tier, (words.get(tier) ?? new Set()).add(word))
  })
  return [...byTier]
    .toSorted(([a], [b]) => a - b)
    .map(([tier, ids]) => {
      const known = [...(words.get(tier) ?? [])]
      const [firstName, lastName] = [names[ids[0]![0]]!, names[ids.at(-1)![1]]!]
      return { tier, name: known.length <= WORDS_MAX ? known.join(', ') : null, firstName, lastName, ids }
    })
}

function definitionOf<D extends { readonly name: string }>(definitions: readonly D[], kind: string): D {
  const found = definitions.find(({ name }) => name === kind)
  if (found === undefined) throw new Error(`no definition ${kind}`)
  return found
}

function contextOf(scenario: Scenario, topology: Topology): WorkloadContext {
  const position = new Map(topology.hosts.map((node, index) => [node, index]))
  const hostRateBps: number[] = topology.hosts.map(() => 0)
  const racks = new Map<number, number[]>()
  for (const { a, b, rateBps } of topology.links) {
    for (const [node, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const host = position.get(node)
      if (host === undefined || hostRateBps[host] !== 0) continue
      hostRateBps[host] = rateBps
      if (!position.has(other)) racks.set(other, [...(racks.get(other) ?? []), host])
    }
  }
  const { payloadBytes, dataOverheadBytes, writeOverheadBytes, gapBytes } = frameSizes(scenario)
  return {
    hostCount: topology.hosts.length,
    hostRateBps,
    racks: [...racks].toSorted(([a], [b]) => a - b).map(([, hosts]) => hosts.toSorted((a, b) => a - b)),
    payloadBytes,
    overheadBytes: dataOverheadBytes + gapBytes,
    writeOverheadBytes,
    generateUntilPs: scenario.measure.generate ?? NEVER_PS,
    random: createRandomStreams(scenario.seed),
  }
}

/** Takes messages up to `untilPs`; then pretends that all are finished at once, to see whether more come. */
function count(source: Source, untilPs: number): Pick<Expected, 'messages' | 'bytes' | 'how'> {
  const taken = { messages: 0, bytes: 0, lastPs: 0 }
  takeAll(source, untilPs, taken)
  const first = { messages: taken.messages, bytes: taken.bytes }
  for (let finished = 0; finished < taken.messages && taken.messages < COUNTED_MAX; finished++) {
    source.onComplete(taken.lastPs, finished)
    takeAll(source, untilPs, taken)
  }
  const { messages, bytes } = taken
  if (messages < COUNTED_MAX) return { messages, bytes, how: 'exact' }
  return first.messages < COUNTED_MAX ? { ...first, how: 'as-finished' } : { messages, bytes, how: 'at-least' }
}

interface Taken {
  messages: number
  bytes: number
  lastPs: number
}

/** Takes what is due before `untilPs`, and adds it up. */
function takeAll(source: Source, untilPs: number, taken: Taken): void {
  const message = blankMessage()
  while (source.nextStartPs < untilPs && taken.messages < COUNTED_MAX) {
    source.take(message)
    taken.messages++
    taken.bytes += message.sizeBytes
    taken.lastPs = message.startPs
  }
}
