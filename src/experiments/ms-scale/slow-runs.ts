/**
 * Runs of the experiment slow-receiver and their measures.
 * Part `nic`: four servers write to a fifth as fast as they can, at addresses all over a working set.
 * Part `tor`: 28 ports of a ToR; every server sends and receives, and the NICs of some have a large working set with pages
 * of 4 KB.
 * Source: [MS-Scale] section 4.4. The paper gives no miss penalty, no buffer and no thresholds of the NIC, and no traffic:
 * values of ours are varied where a claim hangs on them; the others are in docs/models/nic-receive.md.
 */
import { hostName } from '../../base/device-names.ts'
import { numbersOf, type Result, sum, tableOfKind } from '../../results/index.ts'
import { pointsAt, product } from '../core/grid.ts'
import { dropsOf, inWindow, rowsWhere } from '../core/measures.ts'
import type { Measures, Point, Size } from '../core/plan.ts'
import { BUFFER, STATIC_PART } from './tor-buffer.ts'

/** Pages are in the translation cache after the warm-up, if it covers them. */
export const SHAPES = {
  small: { workingSetsMib: [4, 16, 1024], loads: [0.3, 0.4], warmUpMs: 3, stopMs: 6 },
  full: { workingSetsMib: [4, 8, 12, 16, 32, 64, 256, 1024], loads: [0.3, 0.4, 0.5], warmUpMs: 10, stopMs: 20 },
} as const
export const LARGE_MIB = 1024

/** Distance of XON below XOFF: a frame, as in a driver, or a quarter or half of the receive buffer. */
export const XONS = ['off', '64KiB', '128KiB'] as const
/** Times of a miss: that of most runs in the middle. */
export const MISSES_NS = [500, 1000, 2000] as const

/** PCIe Gen3 has 8 lanes of 8 GT/s. */
export const BUS_GBPS = 8 * 8

export const PORTS = 28
/** Numbers of NICs with pages of 4 KB. */
export const SLOW = [4, PORTS] as const
const LIMITS = { static: `staticTh: ${STATIC_PART}`, '1/16': 'alpha: 1/16', '1/4': 'alpha: 1/4' }
/** How the ToR shares its buffer: in parts, or by an alpha. */
export const SHARINGS = ['static', '1/16', '1/4'] as const

function nicsOf(size: Size) {
  const { workingSetsMib } = SHAPES[size]
  return [
    ...product({ part: ['nic'], missNs: [1000], xon: ['off'], page: ['4KiB', '2MiB'], workingSetMib: workingSetsMib }),
    ...product({ part: ['nic'], missNs: [1000], xon: XONS.slice(1), page: ['4KiB'], workingSetMib: workingSetsMib }),
    ...product({ part: ['nic'], missNs: [500, 2000], xon: XONS, page: ['4KiB'], workingSetMib: [LARGE_MIB] }),
  ]
}

const torsOf = (size: Size) => product({ part: ['tor'], load: SHAPES[size].loads, slow: SLOW, sharing: SHARINGS })

interface Receive {
  readonly page: string
  readonly workingSetMib: number
  readonly xon: string
  readonly missNs: number
}

const receiveText = ({ page, workingSetMib, xon, missNs }: Receive): string =>
  `{kind: pipeline, busRate: ${BUS_GBPS}Gbps, pageSize: ${page}, workingSet: ${workingSetMib}MiB, xonOffset: ${xon}, missPenalty: ${missNs}ns}`

export function slowPoints(size: Size, seed: number): Point[] {
  const { warmUpMs, stopMs } = SHAPES[size]
  const common = `
seed: ${seed}
qp: {ackInterval: 64, retryLimit: off}
measure: {warmUp: ${warmUpMs}ms, stop: ${stopMs}ms}
observe: [{kind: nic-receive}, {kind: pause-intervals, maxRows: 4000000}, {kind: goodput, interval: 1ms}]`
  const large = receiveText({ page: '2MiB', workingSetMib: LARGE_MIB, xon: 'off', missNs: 1000 })
  return [
    ...pointsAt(
      nicsOf(size),
      seed,
      (at) => `
name: slow-receiver
topology: {kind: star, hosts: 5, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
nic: {receive: ${receiveText(at)}}
workload: [{kind: closed-loop, pairs: ["0-3 4"], messageSize: 64KiB, outstanding: 4, operation: write}]
${common}
`,
    ),
    ...pointsAt(
      torsOf(size),
      seed,
      ({ load, slow, sharing }) => `
name: slow-receiver-tor
topology: {kind: star, hosts: ${PORTS}, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: {${BUFFER}, ${LIMITS[sharing]}}}
nic: {receive: ${large}}
changes: [{path: nic.receive.pageSize, value: 4KiB, nodes: '${Array.from({ length: slow }, (_, host) => hostName(host)).join(', ')}'}]
workload: [{kind: poisson, load: ${load}, sizes: {kind: fixed, size: 256KiB}}]
${common}
`,
    ),
  ]
}

export function slowMeasures(result: Result): Measures {
  const pauses = tableOfKind(result, 'pause-intervals')!
  const nics = tableOfKind(result, 'nic-receive')!
  const received = inWindow(tableOfKind(result, 'goodput')!, 'fromPs', 'payloadBytes', result)
  const fromPs = result.windowFromPs
  const windowPs = result.simulatedPs - fromPs
  const seconds = windowPs / 1e12
  const [tiers, starts, ends] = [numbersOf(pauses, 'tier'), numbersOf(pauses, 'startPs'), numbersOf(pauses, 'endPs')]
  // Pauses at the switch's ports (tier 1) are those of NICs; pauses at hosts are those of the switch.
  const at = (tier: number): number[] => rowsWhere(pauses, (row) => tiers[row] === tier)
  const begun = (tier: number): number => at(tier).filter((row) => starts[row]! >= fromPs).length
  const heldPs = (tier: number): number =>
    sum(at(tier).map((row) => Math.max(0, ends[row]! - Math.max(fromPs, starts[row]!))))
  return {
    nicPausesPerSecond: begun(1) / seconds,
    torPausesPerSecond: begun(0) / seconds,
    pausedShare: heldPs(1) / windowPs,
    torPausedShare: heldPs(0) / windowPs / PORTS,
    missRatio: sum(numbersOf(nics, 'translationMisses')) / sum(numbersOf(nics, 'translations')),
    goodputBps: (sum(received) * 8) / seconds,
    drops: dropsOf(result),
  }
}
