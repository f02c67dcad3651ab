/**
 * An all-reduce of every size of a table as scenarios, and the table filled from their times. Rails share nothing, and every NIC of
 * a server has the same share of the buffer: one rail is simulated for all. A ring goes through all GPUs of a server, whose steps
 * take the time of NCCL's model; a tree is over servers, with the model's time of the chains inside them. Rows beyond a budget
 * follow the line through the largest runs of their algorithm and protocol, and no faster than their links carry.
 */
import {
  allReduceTime,
  channelMostGBs,
  NCCL_PROTOCOLS,
  type NcclChoice,
  ncclChoice,
  type NcclMachine,
} from '../../core/workload/nccl/cost-model.ts'
import { PROTOCOLS, type ProtocolName } from '../../core/workload/nccl-tuner.ts'
import { busFactor } from '../../core/workload/collective-names.ts'
import { lowest, type Simulated } from './answer.ts'
import type { Facts } from './fabric-line.ts'
import type { Job } from './judge-collectives.ts'
import { isLossy } from './perf-run.ts'

/** A job whose NICs work, and the model of NCCL for it. */
interface Rails {
  readonly machine: NcclMachine
  readonly job: Job
  readonly facts: Facts
}

/** A size with NCCL's choice for it, as runs of one seed each. */
interface Point {
  readonly sizeBytes: number
  readonly choice: NcclChoice
  /** Scenarios, as text. */
  readonly texts: readonly string[]
  /** Sum over its runs, in packet-hops of a ring; a message is worth some. */
  readonly cost: number
  /** Launch and steps that no scenario has. */
  readonly addedUs: number
  /** The links carry the bytes of the busiest NIC in no less. */
  readonly leastUs: number
}

interface Row {
  readonly point: Point
  /** Itself, or the points that its line goes through, ascending. */
  readonly by: readonly Point[]
}

export interface SimulationPlan {
  readonly ranks: number
  readonly rows: readonly Row[]
  /** Scenarios as text, each once whatever rows it is for. A run with more packet-hops than that sends some again and again. */
  readonly runs: ReadonlyMap<string, { readonly packetHopsMost: number }>
}

/** Half a minute to a minute of one core. */
const BUDGET = 150e6
/** Points of a line beside the table's own rows cost this at most. */
const ANCHOR_COST = BUDGET / 4
const ANCHORS = 3
/** Packet-hops of a ring that take as long as a message, and as a packet-hop of a tree, whose packets pause each other. */
const MESSAGE_COST = 17
const TREE_COST = 3
/** Packet-hops of a run without losses are less than its cost. */
const REPEATED = 2
const SEEDS = [1, 2, 3, 4]

/** NCCL's model has some 2 us of wire in a step between servers, which is simulated. */
const WIRE_US = 2
/** A step sends a line at least. */
const LINE_BYTES: Readonly<Record<ProtocolName, number>> = { ll: 16, ll128: 128, simple: 16 }
const ELEMENT_BYTES = 4
/** Trees go on with pieces of 1 MiB, and of less where a tree had fewer than eight; ours, NCCL's rule has more cases. */
const [PIECE_BYTES, PIECE_LEAST_BYTES, PIECES_LEAST] = [2 ** 20, 2 ** 15, 8]

/** Sizes of a table as nccl-tests runs it with -f 2. */
export function doublingSizes(fromBytes: number, toBytes: number): number[] {
  const sizes = []
  for (let sizeBytes = fromBytes; sizeBytes <= toBytes; sizeBytes *= 2) sizes.push(sizeBytes)
  return sizes
}

/** @returns null: NCCL's model knows no such job, or no NIC takes part */
export function simulationOf(facts: Facts, job: Job, sizes: readonly number[]): SimulationPlan | null {
  const { machine, servers, ranks } = job
  if (machine === null || servers === 1) return null
  const points = sizes.map((sizeBytes) =>
    pointOf({ machine, job, facts }, sizeBytes, ncclChoice(machine, sizeBytes, job.only)),
  )
  const runs = new Map<string, { readonly packetHopsMost: number }>()
  const add = ({ texts, cost }: Point): void =>
    texts.forEach((text) => runs.set(text, { packetHopsMost: Math.ceil((REPEATED * cost) / texts.length) }))
  let left = BUDGET
  const isRun = points.map((point) => {
    if (!runs.has(point.texts[0]!)) left -= point.cost
    if (left >= 0) add(point)
    return left >= 0
  })
  const rows = points.map((point, i): Row => {
    if (isRun[i]!) return { point, by: [point] }
    const first = points.find(({ choice }, k) => !isRun[k]! && isAlike(choice, point.choice))!
    const anchors = Array.from({ length: ANCHORS }, (_, k) =>
      pointOf({ machine, job, facts }, first.sizeBytes / 2 ** (ANCHORS - k), first.choice),
    ).filter(({ cost, texts: [text], sizeBytes }) => sizeBytes >= 1 && (runs.has(text!) || cost <= ANCHOR_COST))
    return { point, by: anchors.length < 2 ? [] : anchors }
  })
  for (const { by } of rows) by.forEach(add)
  return { ranks, rows, runs }
}

const isAlike = (a: NcclChoice, b: NcclChoice): boolean => a.algorithm === b.algorithm && a.protocol === b.protocol

/** Times of a step of an algorithm, us: NCCL's model is their sum, so that differences of sums have each. */
function stepsOf(machine: NcclMachine, { algorithm, protocol }: NcclChoice) {
  const at = (servers: number, gpus: number): number =>
    allReduceTime({ ...machine, servers, gpus }, algorithm, NCCL_PROTOCOLS.indexOf(protocol), 0).latencyUs
  const baseUs = at(1, 1)
  if (algorithm === 'tree') return { baseUs, insideUs: (at(2, 2) - at(2, 1)) / 2, betweenUs: (at(2, 1) - baseUs) / 2 }
  const insideUs = (at(2, 3) - at(2, 2)) / 4
  return { baseUs, insideUs, betweenUs: (at(2, 2) - baseUs - 4 * insideUs) / 2 }
}

function pointOf({ machine, job, facts }: Rails, sizeBytes: number, choice: NcclChoice): Point {
  const { servers, gpus } = machine
  const protocol = choice.protocol.toLowerCase() as ProtocolName
  const isRing = choice.algorithm === 'ring'
  const { baseUs, insideUs, betweenUs } = stepsOf(machine, choice)
  const parts = isRing ? servers * gpus : 2
  // Every part has as many bytes, and none has nothing: such a message would take no time.
  const wireShare = PROTOCOLS[protocol].wireFor15 / 15
  const wireBytes = (sizeBytes * wireShare) / job.nics
  const unit = ELEMENT_BYTES * parts
  const shareBytes = Math.ceil(Math.max(wireBytes, LINE_BYTES[protocol] * parts) / unit) * unit
  const treeBytes = shareBytes / 2
  const pieceBytes = Math.min(PIECE_BYTES, Math.max(PIECE_LEAST_BYTES, treeBytes / PIECES_LEAST))
  const pieces = isRing ? 1 : Math.ceil(treeBytes / pieceBytes)
  const latencies = {
    stepLatency: us(Math.max(0, betweenUs - WIRE_US)),
    ...(isRing && { insideLatency: us(insideUs) }),
  }
  const algorithm = isRing ? 'ring' : 'double-binary-tree'
  const workload = { kind: 'collective', algorithm, size: `${shareBytes}B`, slices: pieces, ...latencies }
  const mostGBs = channelMostGBs(machine, choice.algorithm, NCCL_PROTOCOLS.indexOf(choice.protocol))
  const nicsBps = Math.min(lowest(job.limits)!.toBps!, mostGBs * machine.channels * 8e9 * wireShare)
  const narrowest = nicsBps / job.limits[0]!.toBps!
  const seeds = (facts.spines ?? 0) === 0 ? SEEDS.slice(0, 1) : SEEDS
  const texts = seeds.map((seed) =>
    JSON.stringify({ seed, ...fabricOf(job, facts, isRing ? gpus : 1, narrowest, workload) }),
  )
  const busiestBytes = shareBytes * (isRing ? busFactor('all-reduce', parts) : servers === 2 ? 1 : 2)
  const crossingBytes = isRing ? servers * busiestBytes : 2 * (servers - 1) * shareBytes
  const messages = isRing ? 2 * (parts - 1) * parts : 4 * (servers - 1) * pieces
  const hops = (crossingBytes / job.wire.mtuBytes) * (seeds.length === 1 ? 2 : 4)
  return {
    sizeBytes,
    choice,
    texts,
    cost: isLaid(servers, isRing ? gpus : 1, facts)
      ? seeds.length * (hops * (isRing ? 1 : TREE_COST) + messages * MESSAGE_COST)
      : Infinity,
    addedUs: baseUs + (isRing ? 0 : 2 * (gpus - 1) * insideUs),
    leastUs: (busiestBytes * 8e6 * job.nics) / nicsBps,
  }
}

/** Leaves have as many servers as spines, so that what enters them can leave. */
const leavesOf = (servers: number, { spines = 0 }: Facts): number => (spines === 0 ? 1 : Math.ceil(servers / spines))

/** The simulator's topologies go as far. */
const isLaid = (servers: number, gpus: number, facts: Facts): boolean =>
  gpus <= 64 && leavesOf(servers, facts) <= 512 && servers <= (gpus > 1 ? 512 : 8192)

const us = (value: number): string => `${Math.round(value * 1000)}ns`

/** One rail of the fabric with its servers. @param narrowest share of its links that the narrowest part carries */
function fabricOf({ servers, wire }: Job, facts: Facts, gpus: number, narrowest: number, workload: object): object {
  const spines = facts.spines ?? 0
  const [rate, delay] = [`${(wire.rateBps * narrowest) / 1e9}Gbps`, '300ns']
  const groups = leavesOf(servers, facts)
  const perGroup = Math.ceil(servers / groups)
  const links = { hostRate: rate, hostDelay: delay, fabricRate: rate, fabricDelay: delay }
  const topology =
    gpus > 1
      ? { kind: 'rails', rails: gpus, groups, hostsPerGroup: perGroup, spines, ...links }
      : spines > 0
        ? { kind: 'leaf-spine', leaves: groups, hostsPerLeaf: perGroup, spines, ...links }
        : { kind: 'star', hosts: servers, linkRate: rate, linkDelay: delay }
  return {
    name: 'expected',
    topology,
    frames: { payload: `${wire.mtuBytes}B`, ...(wire.link === 'ib' && { dataOverhead: '26B', gap: '0B' }) },
    congestion: 'none',
    qp: { ackInterval: 4 },
    switch: { buffer: { kind: 'shared-buffer', size: `${Math.max(64, servers)}MB` } },
    ...(isLossy(facts) === true && { pfc: { classes: [] } }),
    workload: [{ ...workload, ranks: gpus > 1 ? 'port' : 'host', group: [`0-${servers * gpus - 1}`] }],
    measure: { flows: 'off' },
  }
}

/** The table. @param psOf time of a scenario; undefined: its run did not end */
export function simulatedRows(
  { rows, ranks }: SimulationPlan,
  psOf: (text: string) => number | undefined,
): readonly Simulated[] {
  const timesOf = ({ texts, addedUs }: Point): number[] | undefined => {
    const times = texts.map((text) => psOf(text))
    return times.every((ps) => ps !== undefined) ? times.map((ps) => ps / 1e6 + addedUs) : undefined
  }
  return rows.map(({ point, by }): Simulated => {
    const { sizeBytes, choice, leastUs, addedUs } = point
    const open = { algorithm: choice.algorithm, protocol: choice.protocol, seeds: point.texts.length }
    const known = by.map((each) => ({ sizeBytes: each.sizeBytes, times: timesOf(each) }))
    const [first] = known
    if (first === undefined || known.some(({ times }) => times === undefined))
      return { ...open, by: first === undefined ? 'none' : 'stopped', timeUs: null, busBps: null, missedBy: null }
    const ends = ([Math.min, Math.max] as const).map((end) => {
      const points = known.map(({ sizeBytes: at, times }): LinePoint => [at, end(...times!)])
      return points.length === 1
        ? { us: points[0]![1], missedBy: null }
        : { us: Math.max(lineAt(points.slice(-2), sizeBytes), leastUs + addedUs), missedBy: missOf(points) }
    })
    const [least, most] = [ends[0]!.us, ends[1]!.us]
    const bus = (timeUs: number): number => (sizeBytes * 8e6 * busFactor('all-reduce', ranks)) / timeUs
    const missedBy = ends[1]!.missedBy
    return {
      ...open,
      by: by[0] === point ? 'packets' : 'line',
      timeUs: [least, most],
      busBps: [bus(most), bus(least)],
      missedBy,
    }
  })
}

type LinePoint = readonly [sizeBytes: number, us: number]

/** The line through two points. */
export function lineAt(points: readonly LinePoint[], sizeBytes: number): number {
  const [[x1, y1], [x2, y2]] = points as readonly [LinePoint, LinePoint]
  return y1 + ((y2 - y1) * (sizeBytes - x1)) / (x2 - x1)
}

/** Share by which the line through the first two of three points misses the last; null: there is no third. */
export function missOf(points: readonly LinePoint[]): number | null {
  const last = points[2]
  return last === undefined ? null : Math.abs(lineAt(points.slice(0, 2), last[0]) / last[1] - 1)
}
