/**
 * Cases of the experiment pause-storm: the NIC of server 0 stops, with each watchdog, with both, with a power cycle and
 * with none; and without a cure under several readings of the traffic.
 * Source: [MS-Scale] 4.3 (watchdogs, repair), 5.4 (size and links), 6.2 (incident, buffers). Traffic is ours, as the paper
 * gives none: every server sends 1 Gb/s to random others in messages of 1 MB. A storm reaches a server only by packets
 * that have to pass a port which is already paused, so that the traffic towards server 0 matters most. It is varied.
 */
import { GBPS } from '../../../base/index.ts'
import { parseScenario } from '../../../scenario/index.ts'
import type { Point, Size } from '../../core/old/plan.ts'

export interface Case {
  readonly name: string
  /** Sent to server 0 by all racks together, beside its part of the random traffic; Gb/s. */
  readonly towardsGbps: number
  readonly nicWatchdog?: boolean
  /** Detection time of the switch watchdog; none without it. The paper gives none. */
  readonly detectionMs?: number
  /** End of the power cycle, after the stop of the pipeline; never without it. */
  readonly repairMs?: Readonly<Record<Size, number>>
  /** End of the run, after the stop of the pipeline. */
  readonly untilMs: Readonly<Record<Size, number>>
  /** Pauses of all ports are recorded. */
  readonly hasSpread?: boolean
}

/** Towards server 0 in the cases of cures: a quarter of its link, beside its random part. */
const USUAL_GBPS = 10
const ALONE = { small: 150, full: 190 }

export const NONE: Case = { name: 'no watchdog', towardsGbps: USUAL_GBPS, untilMs: ALONE, hasSpread: true }
/** Readings of the traffic, all without a cure. */
export const TRAFFICS: readonly Case[] = [
  { ...NONE, name: 'no watchdog, random traffic only', towardsGbps: 0 },
  NONE,
  { ...NONE, name: 'no watchdog, 20 Gb/s to server 0', towardsGbps: 20 },
]
export const NIC_WATCHDOG: Case = {
  name: 'NIC watchdog',
  towardsGbps: USUAL_GBPS,
  nicWatchdog: true,
  untilMs: { small: 160, full: 290 },
}
/** Detection as that of the NIC. A repair takes tens of minutes in the paper, and 300 ms here. */
export const SWITCH_WATCHDOG: Case = {
  name: 'switch watchdog',
  towardsGbps: USUAL_GBPS,
  detectionMs: 100,
  repairMs: { small: 130, full: 300 },
  untilMs: { small: 350, full: 590 },
}
export const BOTH: Case = { ...NIC_WATCHDOG, name: 'both watchdogs', detectionMs: 100 }
/** The switch detects the storm before the NIC does, so that both act: [MS-Scale] 4.3, "interactions between the two watchdogs". */
export const BOTH_ACT: Case = {
  ...BOTH,
  name: 'both, switch after 50 ms',
  detectionMs: 50,
  untilMs: { small: 330, full: 390 },
}
export const POWER_CYCLE: Case = {
  name: 'power cycle after 50 ms',
  towardsGbps: USUAL_GBPS,
  repairMs: { small: 50, full: 50 },
  untilMs: { small: 110, full: 190 },
}
export const WATCHDOGS: readonly Case[] = [NIC_WATCHDOG, SWITCH_WATCHDOG, BOTH, BOTH_ACT]
/** Those of the figures, in their order. */
export const CURES: readonly Case[] = [NONE, ...WATCHDOGS, POWER_CYCLE]
export const CASES: readonly Case[] = [...TRAFFICS, ...WATCHDOGS, POWER_CYCLE]

interface Shape {
  readonly topology: string
  readonly racks: number
  readonly perRack: number
  /** When the pipeline stops: later where less traffic makes the mean before it. */
  readonly stopMs: number
}

/** Offered between all servers but server 0, to which each sends one part in n - 1 of its 1 Gb/s. */
export const offeredBps = ({ racks, perRack }: Shape): number => (racks * perRack - 2) * GBPS

export const SHAPES: Readonly<Record<Size, Shape>> = {
  small: {
    topology: '{kind: clos-podset, leaves: 2, tors: 4, serversPerTor: 4, spines: 4}',
    racks: 8,
    perRack: 4,
    stopMs: 30,
  },
  // [MS-Scale] 5.4, figure 7.
  full: { topology: '{kind: clos-podset}', racks: 48, perRack: 24, stopMs: 10 },
}

/** Messages to server 0: 1 MB of each rack in turn, at equal distances. */
function towardsServer0({ racks, perRack, stopMs }: Shape, gbps: number, untilMs: number): string[] {
  if (gbps === 0) return []
  const everyUs = 8000 / gbps
  const count = Math.floor(((stopMs + untilMs) * 1000) / everyUs)
  return Array.from({ length: count }, (_, k) => `"${(k % racks) * perRack + 1} 0 1MB ${Math.round(k * everyUs)}us"`)
}

function scenarioText(size: Size, seed: number, one: Case): string {
  const shape = SHAPES[size]
  const { stopMs } = shape
  const untilMs = one.untilMs[size]
  const flows = towardsServer0(shape, one.towardsGbps, untilMs)
  const watchdog = one.detectionMs === undefined ? '' : `, watchdog: {kind: paper, detectionTime: ${one.detectionMs}ms}`
  const repair = one.repairMs === undefined ? '' : `, until: ${stopMs + one.repairMs[size]}ms`
  return `
name: pause-storm-${one.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}
seed: ${seed}
topology: ${shape.topology}
balance: {kind: ecmp, seed: random}
switch: {buffer: {kind: shared-buffer, size: 9MB, alpha: 1/16}${watchdog}}
nic: {${one.nicWatchdog === true ? 'watchdog: 100ms' : ''}}
qp: {ackInterval: 256, ackTimeout: 67ms, retryLimit: 7}
workload:
  - {kind: poisson, load: 0.025, sizes: {kind: fixed, size: 1MB}, tag: offered}
${flows.length === 0 ? '' : `  - {kind: trace, flows: [${flows.join(', ')}]}`}
faults: [{kind: pause-storm, hosts: host 0, from: ${stopMs}ms${repair}}]
measure: {stop: ${stopMs + untilMs}ms}
observe:
  - {kind: goodput, perHost: true, interval: 10ms, maxRows: 2000000}
  - {kind: server-state, perHost: true, interval: 10ms, maxRows: 2000000}
  - {kind: pause-log, maxRows: 2000000}
  - {kind: nic-receive}
  - {kind: watchdog}
${one.hasSpread === true ? '  - {kind: pause-intervals, maxRows: 2000000}' : ''}
`
}

export function stormPoints(size: Size, seed: number): Point[] {
  return CASES.map((one) => ({ condition: one.name, seed, scenario: parseScenario(scenarioText(size, seed, one)) }))
}
