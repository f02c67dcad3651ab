/**
 * Runs of the experiment pause-storm and their measures: the NIC of server 0 stops, alone or with watchdogs, and with a
 * power cycle. Every server offers 1 Gb/s to random others in messages of 1 MB, and one server of each rack sends to
 * server 0, as a storm can only block racks that send towards it.
 * Source: [MS-Scale] 4.3, 6.2. Traffic is ours: the paper gives none.
 */
import { MS } from '../../base/index.ts'
import { numbersOf, type Result, sum, type Table, textsOf } from '../../results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import type { Measures, Point, Size } from '../core/plan.ts'

interface Cure {
  readonly name: string
  /** Further keys of the scenario's groups `nic` and `switch`. */
  readonly nic: string
  readonly atSwitch: string
  readonly fault: string
  /** End of the run. */
  readonly stopMs: Readonly<Record<Size, number>>
}

export const NONE = 'no watchdog'
export const NIC_WATCHDOG = 'NIC watchdog'
export const POWER_CYCLE = 'power cycle, no watchdog'
const STORM_MS = 30
const CYCLE_MS = 80

/** A watchdog of switches is a line here, with its settings in `atSwitch`. */
const CURES: readonly Cure[] = [
  { name: NONE, nic: '', atSwitch: '', fault: '', stopMs: { small: 100, full: 100 } },
  { name: NIC_WATCHDOG, nic: 'watchdog: 100ms', atSwitch: '', fault: '', stopMs: { small: 270, full: 600 } },
  { name: POWER_CYCLE, nic: '', atSwitch: '', fault: `, until: ${CYCLE_MS}ms`, stopMs: { small: 170, full: 170 } },
]

interface Shape {
  readonly topology: string
  readonly racks: number
  readonly perRack: number
  /** Time between two messages of a rack to server 0. */
  readonly everyMs: number
}

const SHAPES: Readonly<Record<Size, Shape>> = {
  small: {
    topology: '{kind: clos-podset, leaves: 2, tors: 4, serversPerTor: 4, spines: 4}',
    racks: 8,
    perRack: 4,
    everyMs: 5,
  },
  // [MS-Scale] 5.4, figure 7.
  full: { topology: '{kind: clos-podset}', racks: 48, perRack: 24, everyMs: 20 },
}

/** One message of each rack to server 0 after another, again and again. */
function towardsServer0({ racks, perRack, everyMs }: Shape, stopMs: number): string[] {
  const flows: string[] = []
  for (let fromMs = 0; fromMs < stopMs; fromMs += everyMs)
    for (let rack = 0; rack < racks; rack++) {
      const atUs = Math.round((fromMs + (everyMs * rack) / racks) * 1000)
      flows.push(`${rack * perRack + 1} 0 1MB ${atUs}us`)
    }
  return flows
}

function scenarioText(size: Size, seed: number, cure: Cure): string {
  const shape = SHAPES[size]
  const stopMs = cure.stopMs[size]
  const flows = towardsServer0(shape, stopMs).map((flow) => `"${flow}"`)
  return `
name: pause-storm-${cure.name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}
seed: ${seed}
topology: ${shape.topology}
balance: {kind: ecmp, seed: random}
switch: {buffer: {kind: shared-buffer, size: 9MB, alpha: 1/16}${cure.atSwitch === '' ? '' : `, ${cure.atSwitch}`}}
nic: {${cure.nic}}
qp: {ackInterval: 256, ackTimeout: 67ms, retryLimit: 7}
workload:
  - {kind: poisson, load: 0.025, sizes: {kind: fixed, size: 1MB}, tag: offered}
  - {kind: trace, flows: [${flows.join(', ')}]}
faults: [{kind: pause-storm, hosts: host 0, from: ${STORM_MS}ms${cure.fault}}]
measure: {stop: ${stopMs}ms}
observe:
  - {kind: pause-intervals, maxRows: 2000000}
  - {kind: pause-log, maxRows: 2000000}
  - {kind: goodput, perHost: true, interval: 1ms, maxRows: 2000000}
  - {kind: nic-receive}
  - {kind: drops, maxRows: 2000000}
`
}

export function stormPoints(size: Size, seed: number): Point[] {
  return CURES.map((cure) => ({ condition: cure.name, seed, scenario: parseScenario(scenarioText(size, seed, cure)) }))
}

/** Stages of [MS-Scale] 4.3, by the device that has to stop. */
export const STAGES = [
  'ToR of server 0',
  'leaves above it',
  'spines',
  'other leaves',
  'their ToRs',
  'their servers',
] as const

const STORM_PS = STORM_MS * MS
const MS_PER_S = 1000

export function stormMeasures(result: Result): Measures {
  const [intervals, log, goodput, nics, drops] = result.series
  const rates = goodputByMs(goodput!)
  const stages = firstPausesPs(intervals!, rates.byHost.size)
  const before = meanOf(rates.others, 5, STORM_MS)
  const endMs = Math.floor(result.simulatedPs / MS)
  const pauses = pausesOfServer0(log!, intervals!)
  const lastPs = pauses.length === 0 ? NaN : Math.max(...pauses)
  const secondsOfStorm = (lastPs - Math.min(...pauses)) / 1e12
  const dropNodes = textsOf(drops!, 'nodeName')
  return {
    ...Object.fromEntries(STAGES.map((_, i) => [`stage${i + 1}Us`, (stages[i]! - STORM_PS) / 1e6])),
    pausesPerSecond: pauses.length / secondsOfStorm,
    lastPauseMs: (lastPs - STORM_PS) / MS,
    watchdogMs: (numbersOf(nics!, 'watchdogPs')[0]! - STORM_PS) / MS,
    beforeBps: before * MS_PER_S * 8,
    leftRatio: meanOf(rates.others, STORM_MS + 50, STORM_MS + 70) / before,
    endRatio: meanOf(rates.others, endMs - 20, endMs) / before,
    outageMs: outageMs(rates.others, before),
    // The NIC's own buffer was processed within a millisecond of the storm.
    server0Bytes: sum(rates.server0.slice(STORM_MS + 1)),
    server0BytesInStorm: sum(rates.server0.slice(STORM_MS + 1, CYCLE_MS)),
    fromServer0InStorm: fromServer0(result),
    stalledShare: stalledShare(rates.byHost, STORM_MS + 50, STORM_MS + 70),
    nicDrops: result.counters.drops['NIC'] ?? 0,
    otherDrops: dropNodes.filter((name) => name !== 'host 0').length,
  }
}

/** First pause of each stage after the storm; NaN: none. */
function firstPausesPs(intervals: Table, hosts: number): number[] {
  const [start, node, peer, tier] = ['startPs', 'node', 'peerNode', 'tier'].map((name) => numbersOf(intervals, name))
  const names = textsOf(intervals, 'nodeName')
  const tor0 = names.indexOf('tor 0.0')
  const torNode = tor0 < 0 ? -1 : node![tor0]!
  const firsts = STAGES.map(() => NaN)
  for (let row = 0; row < intervals.rowCount; row++) {
    if (start![row]! < STORM_PS) continue
    const stage = stageOf(names[row]!, tier![row]!, peer![row]!, torNode, node![row]! >= hosts / 2)
    if (stage >= 0 && !(start![row]! >= firsts[stage]!)) firsts[stage] = start![row]!
  }
  return firsts
}

/** @param isFar of the other podset, for a server */
function stageOf(name: string, tier: number, peer: number, torNode: number, isFar: boolean): number {
  if (name === 'tor 0.0') return peer === 0 ? 0 : -1
  if (tier === 3) return 2
  if (tier === 2) return peer === torNode ? 1 : name.startsWith('leaf 0.') ? -1 : 3
  if (tier === 1) return name.startsWith('tor 0.') ? -1 : 4
  return isFar ? 5 : -1
}

/** Times of pause frames that the ToR of server 0 has received from it. */
function pausesOfServer0(log: Table, intervals: Table): number[] {
  const at = textsOf(intervals, 'nodeName').indexOf('tor 0.0')
  if (at < 0) return []
  const tor = numbersOf(intervals, 'node')[at]!
  const [node, port, type] = ['node', 'port', 'type'].map((name) => numbersOf(log, name))
  const isFrom0 = (row: number): boolean => node![row] === tor && port![row] === 1 && type![row] === 1
  return [...numbersOf(log, 'timePs')].filter((ps, row) => isFrom0(row) && ps >= STORM_PS)
}

interface Rates {
  /** Bytes delivered in each millisecond: to all servers but server 0, to server 0, and to each. */
  readonly others: number[]
  readonly server0: number[]
  readonly byHost: ReadonlyMap<number, number[]>
}

function goodputByMs(goodput: Table): Rates {
  const from = numbersOf(goodput, 'fromPs')
  const host = numbersOf(goodput, 'host')
  const bytes = numbersOf(goodput, 'payloadBytes')
  const byHost = new Map<number, number[]>()
  for (let row = 0; row < goodput.rowCount; row++) {
    let of = byHost.get(host[row]!)
    if (of === undefined) byHost.set(host[row]!, (of = []))
    of[Math.floor(from[row]! / MS)] = bytes[row]!
  }
  const server0 = byHost.get(0)!
  const others = byHost.get(-1)!.map((all, ms) => all - server0[ms]!)
  byHost.delete(-1)
  return { others, server0, byHost }
}

function meanOf(values: readonly number[], from: number, to: number): number {
  const part = values.slice(from, to)
  return sum(part) / part.length
}

/** From the storm to the end of the first millisecond that is back at 90 % of the goodput before; Infinity: none is, 0: it never fell to half. */
function outageMs(rates: readonly number[], before: number): number {
  const down = rates.findIndex((rate, ms) => ms >= STORM_MS && rate < 0.5 * before)
  if (down < 0) return 0
  const back = rates.findIndex((rate, ms) => ms > down && rate >= 0.9 * before)
  return back < 0 ? Infinity : back + 1 - STORM_MS
}

/** Messages of server 0 that were received from a millisecond after the storm until the power cycle. */
function fromServer0({ flows }: Result): number {
  const source = numbersOf(flows, 'source')
  const isIn = (ps: number): boolean => ps >= STORM_PS + MS && ps < CYCLE_MS * MS
  return numbersOf(flows, 'receivedPs').filter((ps, row) => source[row] === 0 && isIn(ps)).length
}

/** Share of servers that receive nothing in this time. */
function stalledShare(byHost: ReadonlyMap<number, number[]>, fromMs: number, toMs: number): number {
  const rows = [...byHost.values()]
  return rows.filter((bytes) => sum(bytes.slice(fromMs, toMs)) === 0).length / rows.length
}
