/**
 * Runs of the experiment pause-storm: the NIC of server 0 stops, with each watchdog, with both, with a power cycle and
 * with none; and without a cure under several readings of the traffic.
 * Source: [MS-Scale] 4.3 (watchdogs, repair), 5.4 (size and links), 6.2 (incident, buffers). Traffic is ours, as the paper
 * gives none: every server sends 1 Gb/s to random others in messages of 1 MB. A storm reaches a server only by packets
 * that have to pass a port which is already paused, so that the traffic towards server 0 matters most. It is varied.
 */
import { pointsAt, product } from '../../core/grid.ts'
import type { Point, Size } from '../../core/plan.ts'

interface Cure {
  readonly text: string
  readonly nicWatchdog?: boolean
  /** Detection time of the switch watchdog; none without it. The paper gives none. */
  readonly detectionMs?: number
  /** End of the power cycle, after the stop of the pipeline. In the paper it takes tens of minutes. */
  readonly repairMs?: number
  /** End of the run, after the stop of the pipeline. */
  readonly untilMs: number
}

const CURE_IDS = [
  'no-watchdog',
  'nic-watchdog',
  'switch-watchdog',
  'both-watchdogs',
  'both-switch-after-50-ms',
  'power-cycle-after-50-ms',
] as const
export type CureId = (typeof CURE_IDS)[number]

export const CURES: Readonly<Record<CureId, Cure>> = {
  'no-watchdog': { text: 'no watchdog', untilMs: 190 },
  'nic-watchdog': { text: 'NIC watchdog', nicWatchdog: true, untilMs: 160 },
  'switch-watchdog': { text: 'switch watchdog', detectionMs: 100, repairMs: 130, untilMs: 350 },
  'both-watchdogs': { text: 'both watchdogs', nicWatchdog: true, detectionMs: 100, untilMs: 160 },
  // The switch detects the storm before the NIC does, so that both act: "interactions between the two watchdogs" (4.3).
  'both-switch-after-50-ms': { text: 'both, switch after 50 ms', nicWatchdog: true, detectionMs: 50, untilMs: 330 },
  'power-cycle-after-50-ms': { text: 'power cycle after 50 ms', repairMs: 50, untilMs: 140 },
}

/** Readings of the traffic to server 0 beside its part of the random one, in the names of scenarios. */
const TRAFFIC_NAMES = { 0: '-random-traffic-only', 10: '', 20: '-20-gb-s-to-server-0' }

/** Networks by their servers. The pipeline stops later where less traffic makes the mean before it. */
const NETWORKS = {
  32: {
    topology: '{kind: clos-podset, leaves: 2, tors: 4, serversPerTor: 4, spines: 4}',
    racks: 8,
    perRack: 4,
    stopMs: 30,
  },
  // [MS-Scale] 5.4, figure 7.
  1152: { topology: '{kind: clos-podset}', racks: 48, perRack: 24, stopMs: 10 },
} as const

/** Full: the spread in the network of the paper, cures in the small one, where five seeds of these longer runs take minutes. */
export const SERVERS = { small: { spread: 32, cured: 32 }, full: { spread: 1152, cured: 32 } } as const

/** Without a cure, by readings of the traffic to server 0. */
export const trafficsOf = (size: Size) =>
  product({ cure: ['no-watchdog'], towardsGbps: [0, 10, 20], servers: [SERVERS[size].spread] })
/** With each cure, and 10 Gb/s: a quarter of the link of server 0. */
export const curedOf = (size: Size) => product({ cure: CURE_IDS, towardsGbps: [10], servers: [SERVERS[size].cured] })

export const stopMsOf = (size: Size, of: 'spread' | 'cured'): number => NETWORKS[SERVERS[size][of]].stopMs

/** Messages to server 0: 1 MB of each rack in turn, at equal distances. */
function towardsServer0(
  { racks, perRack, stopMs }: (typeof NETWORKS)[keyof typeof NETWORKS],
  gbps: number,
  untilMs: number,
): string {
  if (gbps === 0) return ''
  const everyUs = 8000 / gbps
  const count = Math.floor(((stopMs + untilMs) * 1000) / everyUs)
  const flows = Array.from(
    { length: count },
    (_, k) => `"${(k % racks) * perRack + 1} 0 1MB ${Math.round(k * everyUs)}us"`,
  )
  return `  - {kind: trace, flows: [${flows.join(', ')}]}`
}

export function stormPoints(size: Size, seed: number): Point[] {
  const { spread, cured } = SERVERS[size]
  const grid = [...trafficsOf(size), ...curedOf(size).filter(({ cure }) => spread !== cured || cure !== 'no-watchdog')]
  return pointsAt(grid, seed, ({ cure, towardsGbps, servers }) => {
    const network = NETWORKS[servers]
    const { topology, stopMs } = network
    const { nicWatchdog, detectionMs, repairMs, untilMs } = CURES[cure]
    const watchdog = detectionMs === undefined ? '' : `, watchdog: {kind: paper, detectionTime: ${detectionMs}ms}`
    return `
name: pause-storm-${cure}${TRAFFIC_NAMES[towardsGbps]}
topology: ${topology}
balance: {kind: ecmp, seed: random}
switch: {buffer: {kind: shared-buffer, size: 9MB, alpha: 1/16}${watchdog}}
nic: {${nicWatchdog === true ? 'watchdog: 100ms' : ''}}
qp: {ackInterval: 256, ackTimeout: 67ms, retryLimit: 7}
workload:
  - {kind: poisson, load: 0.025, sizes: {kind: fixed, size: 1MB}, tag: offered}
${towardsServer0(network, towardsGbps, untilMs)}
faults: [{kind: pause-storm, hosts: host 0, from: ${stopMs}ms${repairMs === undefined ? '' : `, until: ${stopMs + repairMs}ms`}}]
measure: {stop: ${stopMs + untilMs}ms}
observe:
  - {kind: goodput, perHost: true, interval: 10ms, maxRows: 2000000}
  - {kind: server-state, perHost: true, interval: 10ms, failAfter: 20ms, repair: 50ms, probation: 50ms, maxRows: 2000000}
  - {kind: counters, interval: 10ms, watermarks: false, hosts: ice, switches: nxos, silent: 'leaf, spine', maxRows: 2000000}
  - {kind: pause-log, maxRows: 2000000}
  - {kind: nic-receive}
  - {kind: watchdog}
${cure === 'no-watchdog' ? '  - {kind: pause-intervals, maxRows: 2000000}' : ''}
`
  })
}
