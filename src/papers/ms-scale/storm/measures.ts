/**
 * Measures of a storm. Times count from the stop of the pipeline; "the others" are all servers but server 0.
 * Definitions, from the text of [MS-Scale]:
 *     outage    the watchdogs "prevent the pause frame storms from hurting the rest of the network" (4.3): from the stop
 *               until the others are served again as before. Two readings, as the paper measures neither: by their goodput
 *               and by the servers that are available (6.2, figure 9(a); the observer server-state says which are,
 *               and which of them a management system holds failing or on probation).
 *               It has begun once half is lost ("half of our customers servers were affected") and ends at 90 %. Goodput is
 *               that of messages between others, as a share of what they offer each other.
 *     blocked   "may block the entire network from transmitting" (4.3): share of the messages between others under way
 *               that do not end within 20 ms, where an idle network needs 0.2 ms; and the goodput that is left.
 * Spread of a storm by stage, from the pauses of all ports. The six steps of [MS-Scale] 4.3:
 *     1 the NIC of server 0 pauses its ToR            4 spines pause the rest of the leaves
 *     2 this ToR "in turn" pauses the leaves above    5 the rest of the leaves pause their ToRs
 *     3 these leaves pause the spines                 6 these ToRs pause their servers
 * "In turn": a pause belongs to stage n if the device that asks for it is itself paused in stage n - 1 at that moment. Pauses
 * of usual congestion, which are everywhere, do not count. "The rest" is the other podset, since all leaves of the podset
 * of server 0 are above its ToR.
 */
import { assert } from '../../../core/base/assert.ts'
import { GBPS, MS, US } from '../../../core/base/index.ts'
import { topologyOf } from '../../../lab/index.ts'
import {
  mean,
  numberColumns,
  numbersOf,
  type Result,
  sum,
  type Table,
  tableOfKind,
  textsOf,
} from '../../../core/results/index.ts'
import type { Scenario } from '../../../lab/scenario/index.ts'
import { dropsOf, rowsWhere } from '../../core/measures.ts'
import type { Measures, Point } from '../../core/plan.ts'
import { countersAt, devicesOfTier, sumOf } from '../counted.ts'

export const STAGES = [
  { stopped: 'ToR of server 0', by: 'its NIC' },
  { stopped: 'leaves above it', by: 'that ToR' },
  { stopped: 'spines', by: 'these leaves' },
  { stopped: 'other leaves', by: 'spines' },
  { stopped: 'their ToRs', by: 'the other leaves' },
  { stopped: 'their servers', by: 'their ToRs' },
] as const

/** Times after the stop at which paused ports are counted, ms. */
export const TIMES_MS = [1, 10, 50, 140] as const

/** For each stage its first pause and the share of its ports that are paused at each of the times. */
function spreadOf(intervals: Table, scenario: Scenario, stopPs: number): Measures {
  const [start, end, node, peer] = numberColumns(intervals, ['startPs', 'endPs', 'node', 'peerNode'])
  const { tiers, links } = topologyOf(scenario)
  const stageOf = stagesIn(tiers)
  const ports = links.flatMap(({ a, b }) => [stageOf(a, b), stageOf(b, a)])
  /** By stage: rows of its pauses, and until when the ports of a node are paused in it. */
  const rows: number[][] = STAGES.map(() => [])
  const untilPs = STAGES.map(() => new Map<number, number>())
  // Rows come by start, so that a cause stands before its effects.
  for (const row of rowsWhere(intervals, (each) => start[each]! >= stopPs)) {
    const stage = stageOf(node[row]!, peer[row]!)
    if (stage < 0 || (stage > 0 && !(untilPs[stage - 1]!.get(peer[row]!)! >= start[row]!))) continue
    rows[stage]!.push(row)
    untilPs[stage]!.set(node[row]!, Math.max(untilPs[stage]!.get(node[row]!) ?? 0, end[row]!))
  }
  const share = (stage: number, atPs: number): number =>
    rows[stage]!.filter((row) => start[row]! <= atPs && atPs < end[row]!).length /
    ports.filter((each) => each === stage).length
  return Object.fromEntries(
    STAGES.flatMap((_, stage) => [
      [`stage${stage + 1}Us`, ((start[rows[stage]![0]!] ?? NaN) - stopPs) / US],
      ...TIMES_MS.map((ms) => [`stage${stage + 1}At${ms}ms`, share(stage, stopPs + ms * MS)]),
    ]),
  )
}

/** @returns the stage from 0 of a pause of `node` by `peer`, -1 if none. Server 0 is the first host of two podsets. */
function stagesIn(tiers: readonly number[]): (node: number, peer: number) => number {
  const tor = tiers.indexOf(1)
  /** In the podset of server 0, which has the first half of each tier. */
  const isNear = (node: number): boolean => {
    const tier = tiers[node]!
    return 2 * (node - tiers.indexOf(tier)) < tiers.filter((each) => each === tier).length
  }
  return (node, peer) => {
    if (node === tor && peer === 0) return 0
    if (tiers[node] === 2 && peer === tor) return 1
    if (tiers[node] === 3) return isNear(peer) ? 2 : -1
    if (isNear(node) || tiers[peer]! < tiers[node]!) return -1
    return [5, 4, 3][tiers[node]!]!
  }
}

export const HALF = 0.5
const BACK = 0.9
/** Goodput is judged over this time, a step of a millisecond at a time; servers are counted once in it. */
export const BIN_MS = 10
/** The last intervals of a run, in each of which a server that receives pauses continuously has received some. */
const CONTINUOUS_BINS = 5
/** In the run, before the stop; the first connections start until then. */
const WARM_UP_MS = 2
/** Time of a first look, as in the suggestion "after 50 ms", and its length. */
const LOOK_MS = 50
const LOOK_FOR_MS = 20

export function stormMeasures(result: Result, { scenario }: Point): Measures {
  const [storm] = scenario.faults
  assert(storm?.kind === 'pause-storm', 'a storm is the only fault')
  const stopMs = storm.from / MS
  const topology = topologyOf(scenario)
  const hosts = topology.tiers.indexOf(1)
  const endMs = Math.floor(result.simulatedPs / MS)
  const served = servedShares(result, endMs, hosts)
  const available = sharesOf(result, 'available')
  const [failing, probation] = [sharesOf(result, 'failing'), sharesOf(result, 'probation')]
  const unhealthy = failing.map((share, bin) => share + probation[bin]!)
  const look = stopMs + LOOK_MS
  const outageGoodputMs = outageByGoodput(served, stopMs)
  const outageServersMs = outageByServers(available, stopMs)
  const { drops } = result.counters
  const intervals = tableOfKind(result, 'pause-intervals')
  const nicWatchdogMs = numbersOf(tableOfKind(result, 'nic-receive')!, 'watchdogPs')[0]! / MS - stopMs
  const servedIn = Array.from(available, (_, bin) => meanOf(served, bin * BIN_MS, (bin + 1) * BIN_MS))
  const backBin = Math.ceil((stopMs + Math.max(outageGoodputMs, outageServersMs)) / BIN_MS)
  const leastAfter = (shares: ArrayLike<number>): number =>
    backBin < shares.length ? Math.min(...Array.from(shares).slice(backBin)) : NaN
  return {
    packetHops: result.counters.packetHops,
    beforeRatio: meanOf(served, WARM_UP_MS, stopMs),
    lookRatio: meanOf(served, look, look + LOOK_FOR_MS),
    endRatio: meanOf(served, endMs - LOOK_FOR_MS, endMs),
    lookStuck: stuckShare(result, look),
    endStuck: stuckShare(result, endMs - LOOK_FOR_MS),
    lookUnavailable: 1 - meanOf(available, look / BIN_MS, (look + LOOK_FOR_MS) / BIN_MS),
    endUnavailable: 1 - meanOf(available, available.length - LOOK_FOR_MS / BIN_MS, available.length),
    lookUnhealthy: unhealthy[look / BIN_MS]!,
    endUnhealthy: unhealthy.at(-1)!,
    outageGoodputMs,
    outageServersMs,
    afterRatio: meanOf(served, stopMs + outageGoodputMs, endMs),
    leastGoodputAfter: leastAfter(servedIn),
    leastServersAfter: leastAfter(available),
    ...server0(result, storm.from, storm.until ?? Infinity),
    ...lastPause(result, hosts, stopMs),
    ...framesOf(result, topology, stopMs, endMs),
    nicWatchdogMs,
    ...switchWatchdog(result, hosts, stopMs),
    // The NIC sends pauses until its watchdog or a power cycle ends them.
    pausesEndMs: nicWatchdogMs > 0 ? nicWatchdogMs : (storm.until ?? NaN) / MS - stopMs,
    nicDrops: drops['NIC'] ?? 0,
    switchDrops: drops['watchdog'] ?? 0,
    otherDrops: dropsOf(result) - (drops['NIC'] ?? 0) - (drops['watchdog'] ?? 0),
    ...(intervals === undefined ? {} : spreadOf(intervals, scenario, storm.from)),
    ...byBin('servers', available),
    ...byBin('failing', failing),
    ...byBin('probation', probation),
  }
}

const meanOf = (values: ArrayLike<number>, from: number, to: number): number => mean(Array.from(values).slice(from, to))

/** Payload of messages between others that ends in each millisecond, as a share of what they offer each other. */
function servedShares({ flows }: Result, endMs: number, hosts: number): Float64Array {
  const names = ['source', 'destination', 'sizeBytes', 'receivedPs'] as const
  const [source, destination, bytes, received] = numberColumns(flows, names)
  const served = new Float64Array(endMs)
  for (let row = 0; row < flows.rowCount; row++) {
    const ms = Math.floor(received[row]! / MS)
    if (source[row]! > 0 && destination[row]! > 0 && ms < endMs) served[ms]! += bytes[row]!
  }
  // Each other server sends 1 Gb/s to random servers: server 0 gets 1 / (hosts - 1) of it.
  return served.map((bytesOfMs) => (bytesOfMs * 8 * 1000) / ((hosts - 2) * GBPS))
}

const byBin = (name: string, values: ArrayLike<number>): Measures =>
  Object.fromEntries(Array.from(values, (value, bin) => [`${name}At${bin * BIN_MS}ms`, value]))

/** Share of the others that are in a state, in each interval of BIN_MS. */
function sharesOf(result: Result, state: 'available' | 'failing' | 'probation'): Float64Array {
  const states = tableOfKind(result, 'server-state')!
  const [from, host, isIn] = numberColumns(states, ['fromPs', 'host', state])
  const bins = Math.round(Math.max(...from.slice(-1)) / (BIN_MS * MS)) + 1
  const [counts, all] = [new Float64Array(bins), new Float64Array(bins)]
  for (let row = 0; row < states.rowCount; row++) {
    if (host[row]! <= 0) continue
    const bin = Math.round(from[row]! / (BIN_MS * MS))
    counts[bin]! += isIn[row]!
    all[bin]!++
  }
  return counts.map((count, bin) => count / all[bin]!)
}

/** 0: never below half; Infinity: not back until the end. */
function outageByGoodput(served: Float64Array, stopMs: number): number {
  const of10Ms = Array.from(served, (_, ms) => meanOf(served, Math.max(0, ms + 1 - BIN_MS), ms + 1))
  const lost = of10Ms.findIndex((share, ms) => ms >= stopMs + BIN_MS && share < HALF)
  if (lost < 0) return 0
  const back = of10Ms.findIndex((share, ms) => ms > lost && share >= BACK)
  return back < 0 ? Infinity : back + 1 - stopMs
}

function outageByServers(available: Float64Array, stopMs: number): number {
  const lost = available.findIndex((share, bin) => bin * BIN_MS >= stopMs && share < HALF)
  if (lost < 0) return 0
  const back = available.findIndex((share, bin) => bin > lost && share >= BACK)
  // The interval in which they are back counts.
  return back < 0 ? Infinity : (back + 1) * BIN_MS - stopMs
}

/** Share of the messages between others, under way at a time, that is so still at the end of the look. */
function stuckShare({ flows }: Result, atMs: number): number {
  const names = ['source', 'destination', 'startPs', 'receivedPs'] as const
  const [source, destination, start, received] = numberColumns(flows, names)
  const [fromPs, toPs] = [atMs * MS, (atMs + LOOK_FOR_MS) * MS]
  const open = rowsWhere(
    flows,
    (row) => source[row] !== 0 && destination[row] !== 0 && start[row]! <= fromPs && !(received[row]! <= fromPs),
  )
  return open.filter((row) => !(received[row]! <= toPs)).length / open.length
}

/** Payload to server 0 and messages from it while its pipeline stands still, and payload to it after the repair. */
function server0(result: Result, fromPs: number, toPs: number): Measures {
  const [source, received] = numberColumns(result.flows, ['source', 'receivedPs'])
  const goodput = tableOfKind(result, 'goodput')!
  const [host, time, payload] = numberColumns(goodput, ['host', 'fromPs', 'payloadBytes'])
  const bytesIn = (from: number, to: number): number =>
    sum(payload.filter((_, row) => host[row] === 0 && time[row]! >= from && time[row]! < to))
  // Its last packets are on their way to the receiver for less than a millisecond.
  const isIn = (ps: number): boolean => ps >= fromPs + MS && ps < toPs
  return {
    server0StormBytes: bytesIn(fromPs, toPs),
    server0StormMessages: received.filter((ps, row) => source[row] === 0 && isIn(ps)).length,
    server0LaterBytes: bytesIn(toPs, Infinity),
  }
}

/** The time of the last pause of server 0 at its ToR. */
function lastPause(result: Result, hosts: number, stopMs: number): Measures {
  const [time, node, port, type] = numberColumns(tableOfKind(result, 'pause-log')!, ['timePs', 'node', 'port', 'type'])
  // Nodes are the hosts and then the ToRs, of which the first has server 0 at port 1.
  const lastRow = time.findLastIndex((_, row) => node[row] === hosts && port[row] === 1 && type[row] === 1)
  return { lastPauseMs: (time[lastRow] ?? NaN) / MS - stopMs }
}

/** PFC frames by the counters of ToR and servers, polled every BIN_MS: those of server 0, and those that the others receive. */
function framesOf(result: Result, topology: ReturnType<typeof topologyOf>, stopMs: number, endMs: number): Measures {
  const table = tableOfKind(result, 'counters')!
  const bins = Array.from({ length: Math.floor(endMs / BIN_MS) }, (_, bin) => (bin + 1) * BIN_MS)
  const polls = bins.map((ms) => {
    const devices = countersAt(table, ms * MS)
    const toServer0 = devicesOfTier(devices, topology, 1)[0]![1].filter(({ port }) => port === '1')
    const servers = devicesOfTier(devices, topology, 0).slice(1)
    return { ms, from0: sumOf(toServer0, 'pfcRxFrames'), received: servers.map(([, own]) => sumOf(own, 'pfcRxFrames')) }
  })
  const more = polls.map(({ received }, i) =>
    received.map((count, host) => count - (polls[i - 1]?.received[host] ?? 0)),
  )
  const atStop = polls.find(({ ms }) => ms === stopMs)!
  const last = polls.at(-1)!
  const sinceStop = last.received.map((count, host) => count - atStop.received[host]!)
  const ending = more.slice(-CONTINUOUS_BINS)
  return {
    pausesPerSecond: (last.from0 - atStop.from0) / ((last.ms - stopMs) / 1000),
    pausedServers: mean(sinceStop.map((count) => (count > 0 ? 1 : 0))),
    alwaysPausedServers: mean(sinceStop.map((_, host) => (ending.every((counts) => counts[host]! > 0) ? 1 : 0))),
    // [MS-Scale] figure 9(b) counts in five minutes.
    framesIn5Minutes: (mean(sinceStop) / ((last.ms - stopMs) / 1000)) * 300,
    ...byBin('frames', more.map(mean)),
  }
}

/** Storm and restoration of the port of server 0, and the number of storms of all ports. */
function switchWatchdog(result: Result, tor: number, stopMs: number): Measures {
  const events = tableOfKind(result, 'watchdog')!
  const [time, node, port] = numberColumns(events, ['timePs', 'node', 'port'])
  const kinds = textsOf(events, 'event')
  const when = (kind: string): number => {
    const row = kinds.findIndex((each, i) => each === kind && node[i] === tor && port[i] === 1)
    return (time[row] ?? NaN) / MS - stopMs
  }
  return {
    switchStormMs: when('storm'),
    switchRestoreMs: when('restore'),
    switchStorms: kinds.filter((each) => each === 'storm').length,
  }
}
