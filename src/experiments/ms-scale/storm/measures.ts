/**
 * Measures of a storm. Times count from the stop of the pipeline; "the others" are all servers but server 0.
 * Definitions, from the text of [MS-Scale]:
 *     outage    the watchdogs "prevent the pause frame storms from hurting the rest of the network" (4.3): from the stop
 *               until the others are served again as before. Two readings, as the paper measures neither: by their goodput
 *               and by the servers that are available (6.2, figure 9(a); the observer server-state says which are).
 *               It has begun once half is lost ("half of our customers servers were affected") and ends at 90 %. Goodput is
 *               that of messages between others, as a share of what they offer each other.
 *     blocked   "may block the entire network from transmitting" (4.3): share of the messages between others under way
 *               that do not end within 20 ms, where an idle network needs 0.2 ms; and the goodput that is left.
 */
import { MS } from '../../../base/index.ts'
import { numberColumns, numbersOf, type Result, sum, type Table, textsOf } from '../../../results/index.ts'
import type { Measures, Point, Size } from '../../core/old/plan.ts'
import { type Case, CASES, offeredBps, SHAPES } from './cases.ts'
import { spreadOf } from './spread.ts'

export const HALF = 0.5
const BACK = 0.9
/** Goodput is judged over this time, a step of a millisecond at a time; servers are counted once in it. */
export const BIN_MS = 10
/** In the run, before the stop; the first connections start until then. */
const WARM_UP_MS = 2
/** Time of a first look, as in the suggestion "after 50 ms", and its length. */
const LOOK_MS = 50
const LOOK_FOR_MS = 20
const BITS_PER_BYTE_MS = 8 * 1000
export const goodputKey = (bin: number): string => `goodputAt${bin * BIN_MS}ms`
export const serversKey = (bin: number): string => `serversAt${bin * BIN_MS}ms`

/** Least of a share over the intervals after the outage, of a case whose outage has ended. */
export function leastAfter(m: Measures, one: Case, size: Size, keyOf: (bin: number) => string): number {
  const { stopMs } = SHAPES[size]
  const outageMs = Math.max(m['outageGoodputMs']!, m['outageServersMs']!)
  const first = Math.ceil((stopMs + outageMs) / BIN_MS)
  const bins = (stopMs + one.untilMs[size]) / BIN_MS
  return Math.min(...Array.from({ length: bins - first }, (_, i) => m[keyOf(first + i)]!))
}

export function stormMeasures(result: Result, { condition }: Point): Measures {
  const [goodput, states, log, nics, watchdog, intervals] = result.series
  const one = CASES.find(({ name }) => name === condition)!
  const endMs = Math.floor(result.simulatedPs / MS)
  const size = sizeOf(Math.max(...numbersOf(goodput!, 'host')) + 1)
  const { stopMs } = SHAPES[size]
  const served = servedShares(result, endMs, offeredBps(SHAPES[size]))
  const available = availableShares(states!)
  const look = stopMs + LOOK_MS
  const outageGoodputMs = outageByGoodput(served, stopMs)
  const { drops } = result.counters
  const nicWatchdogMs = afterStop(numbersOf(nics!, 'watchdogPs')[0]!, stopMs)
  return {
    packetHops: result.counters.packetHops,
    beforeRatio: meanOf(served, WARM_UP_MS, stopMs),
    lookRatio: meanOf(served, look, look + LOOK_FOR_MS),
    endRatio: meanOf(served, endMs - LOOK_FOR_MS, endMs),
    lookStuck: stuckShare(result, look),
    endStuck: stuckShare(result, endMs - LOOK_FOR_MS),
    lookUnavailable: 1 - meanOf(available, look / BIN_MS, (look + LOOK_FOR_MS) / BIN_MS),
    endUnavailable: 1 - meanOf(available, available.length - LOOK_FOR_MS / BIN_MS, available.length),
    outageGoodputMs,
    outageServersMs: outageByServers(available, stopMs),
    afterRatio: meanOf(served, stopMs + outageGoodputMs, endMs),
    ...server0(result, goodput!, stopMs, one.repairMs?.[size] ?? Infinity),
    ...framesOf(log!, sizeHosts(size), stopMs, result.simulatedPs),
    nicWatchdogMs,
    ...switchWatchdog(watchdog!, stopMs),
    // The NIC sends pauses until its watchdog or a power cycle ends them.
    pausesEndMs: nicWatchdogMs > 0 ? nicWatchdogMs : (one.repairMs?.[size] ?? NaN),
    nicDrops: drops['NIC'] ?? 0,
    switchDrops: drops['watchdog'] ?? 0,
    otherDrops: sum(Object.values(drops)) - (drops['NIC'] ?? 0) - (drops['watchdog'] ?? 0),
    ...(intervals === undefined ? {} : spreadOf(intervals, stopMs * MS, size)),
    ...Object.fromEntries(Array.from(available, (share, bin) => [serversKey(bin), share])),
    ...Object.fromEntries(
      Array.from(available, (_, bin) => [goodputKey(bin), meanOf(served, bin * BIN_MS, (bin + 1) * BIN_MS)]),
    ),
  }
}

const sizeHosts = (size: Size): number => SHAPES[size].racks * SHAPES[size].perRack

function sizeOf(hosts: number): Size {
  return sizeHosts('small') === hosts ? 'small' : 'full'
}

const afterStop = (ps: number, stopMs: number): number => ps / MS - stopMs

function meanOf(values: ArrayLike<number>, from: number, to: number): number {
  const part = Array.from(values).slice(from, to)
  return sum(part) / part.length
}

/** In each millisecond: payload of the messages between others that ended in it, as a share of the offered payload. */
function servedShares({ flows }: Result, endMs: number, bps: number): Float64Array {
  const [source, destination, bytes, received] = numberColumns(flows, [
    'source',
    'destination',
    'sizeBytes',
    'receivedPs',
  ])
  const served = new Float64Array(endMs)
  for (let row = 0; row < flows.rowCount; row++) {
    const ms = Math.floor(received[row]! / MS)
    if (source[row]! > 0 && destination[row]! > 0 && ms < endMs) served[ms]! += bytes[row]!
  }
  return served.map((bytesOfMs) => (bytesOfMs * BITS_PER_BYTE_MS) / bps)
}

/** Share of the others that are available, in each interval of BIN_MS. */
function availableShares(states: Table): Float64Array {
  const [from, host, available] = numberColumns(states, ['fromPs', 'host', 'available'])
  const bins = Math.round(Math.max(...from.slice(-1)) / (BIN_MS * MS)) + 1
  const [counts, all] = [new Float64Array(bins), new Float64Array(bins)]
  for (let row = 0; row < states.rowCount; row++) {
    if (host[row]! <= 0) continue
    const bin = Math.round(from[row]! / (BIN_MS * MS))
    counts[bin]! += available[row]!
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
  const [source, destination, start, received] = numberColumns(flows, [
    'source',
    'destination',
    'startPs',
    'receivedPs',
  ])
  const [fromPs, toPs] = [atMs * MS, (atMs + LOOK_FOR_MS) * MS]
  let [open, stuck] = [0, 0]
  for (let row = 0; row < flows.rowCount; row++) {
    if (source[row] === 0 || destination[row] === 0 || start[row]! > fromPs || received[row]! <= fromPs) continue
    open++
    if (!(received[row]! <= toPs)) stuck++
  }
  return stuck / open
}

/** Payload to server 0 and messages from it while its pipeline stands still, and payload to it after the repair. */
function server0({ flows }: Result, goodput: Table, stopMs: number, repairMs: number): Measures {
  const [source, received] = [numbersOf(flows, 'source'), numbersOf(flows, 'receivedPs')]
  const [host, from] = [numbersOf(goodput, 'host'), numbersOf(goodput, 'fromPs')]
  const [fromPs, toPs] = [stopMs * MS, (stopMs + repairMs) * MS]
  const bytes = numbersOf(goodput, 'payloadBytes').filter((_, row) => host[row] === 0)
  const times = from.filter((_, row) => host[row] === 0)
  // Its last packets are on their way to the receiver for less than a millisecond.
  const isIn = (ps: number): boolean => ps >= fromPs + MS && ps < toPs
  return {
    server0StormBytes: sum(bytes.filter((_, bin) => times[bin]! >= fromPs && times[bin]! < toPs)),
    server0StormMessages: received.filter((ps, row) => source[row] === 0 && isIn(ps)).length,
    server0LaterBytes: sum(bytes.filter((_, bin) => times[bin]! >= toPs)),
  }
}

/** Pause frames that server 0 sends and that the others receive. */
function framesOf(log: Table, hosts: number, stopMs: number, endPs: number): Measures {
  const [time, node, port, type] = numberColumns(log, ['timePs', 'node', 'port', 'type'])
  const received = new Float64Array(hosts)
  let [first, last, count] = [NaN, NaN, 0]
  for (let row = 0; row < log.rowCount; row++) {
    if (time[row]! < stopMs * MS || type[row] !== 1) continue
    if (node[row]! < hosts) received[node[row]!]!++
    // Nodes are the hosts and then the ToRs, of which the first has server 0 at port 1.
    if (node[row] !== hosts || port[row] !== 1) continue
    if (count++ === 0) first = time[row]!
    last = time[row]!
  }
  const others = received.slice(1)
  const seconds = (endPs - stopMs * MS) / 1e12
  return {
    pausesPerSecond: (count - 1) / ((last - first) / 1e12),
    lastPauseMs: afterStop(last, stopMs),
    pausedServers: others.filter((frames) => frames > 0).length / others.length,
    // [MS-Scale] figure 9(b) counts in five minutes.
    framesIn5Minutes: (sum(others) / others.length / seconds) * 300,
  }
}

/** Storm and restoration of the port of server 0, and the number of other ports that were ever out of service. */
function switchWatchdog(events: Table, stopMs: number): Measures {
  const [time, port] = [numbersOf(events, 'timePs'), numbersOf(events, 'port')]
  const [names, kinds] = [textsOf(events, 'nodeName'), textsOf(events, 'event')]
  const isHere = (row: number): boolean => names[row] === 'tor 0.0' && port[row] === 1
  const when = (kind: string): number => {
    const row = kinds.findIndex((each, i) => each === kind && isHere(i))
    return row < 0 ? NaN : afterStop(time[row]!, stopMs)
  }
  return {
    switchStormMs: when('storm'),
    switchRestoreMs: when('restore'),
    switchStorms: kinds.filter((each) => each === 'storm').length,
  }
}
