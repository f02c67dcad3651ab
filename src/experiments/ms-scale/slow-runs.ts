/**
 * Runs of the experiment slow-receiver and their measures.
 * Part one: four servers write to a fifth as fast as they can, at addresses all over a working set.
 * Part two: 28 ports of a ToR; every server sends and receives, and the NICs of some have a large working set with pages of
 * 4 KB.
 * Source: [MS-Scale] section 4.4. The paper gives no miss penalty, no buffer and no thresholds of the NIC, and no traffic:
 * values of ours are varied where a claim hangs on them; the others are in docs/models/nic-receive.md.
 */
import { hostName } from '../../base/device-names.ts'
import { GBPS } from '../../base/index.ts'
import { numbersOf, type Result, sum } from '../../results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import type { Measures, Point, Size } from '../core/old/plan.ts'
import { BUFFER, STATIC_PART } from './tor-buffer.ts'

export const WORKING_SETS_MIB: Readonly<Record<Size, readonly number[]>> = {
  small: [4, 16, 1024],
  full: [4, 8, 12, 16, 32, 64, 256, 1024],
}
export const LARGE_MIB = 1024
export const PAGES = ['4KiB', '2MiB'] as const
export type Pages = (typeof PAGES)[number]

/** Distance of XON below XOFF: a frame, as in a driver, or a quarter or half of the receive buffer. */
export const XON_OFFSETS = ['one frame', '64KiB', '128KiB'] as const
export type XonOffset = (typeof XON_OFFSETS)[number]

/** Times of a miss: that of most runs, and half and twice as much. */
export const PENALTY = '1us'
export const PENALTIES = ['500ns', PENALTY, '2us'] as const

/** PCIe Gen3 has 8 GT/s for each lane. */
export const BUS_BPS = 8 * 8 * GBPS

/** Pages are in the translation cache after the warm-up, if it covers them. */
const WARM_UP_MS: Readonly<Record<Size, number>> = { small: 3, full: 10 }
const STOP_MS: Readonly<Record<Size, number>> = { small: 6, full: 20 }
export const measuredMs = (size: Size): number => STOP_MS[size] - WARM_UP_MS[size]

export const PORTS = 28
export const LOADS: Readonly<Record<Size, readonly number[]>> = { small: [0.3, 0.4], full: [0.3, 0.4, 0.5] }
/** Numbers of NICs with pages of 4 KB. */
export const SLOW = [4, PORTS] as const
export const SHARINGS = ['static', 'alpha 1/16', 'alpha 1/4'] as const
export type Sharing = (typeof SHARINGS)[number]
const LIMITS: Readonly<Record<Sharing, string>> = {
  static: `staticTh: ${STATIC_PART}`,
  'alpha 1/16': 'alpha: 1/16',
  'alpha 1/4': 'alpha: 1/4',
}

/** The receive side of one part of the runs. */
interface Receive {
  readonly pages: Pages
  readonly workingSetMiB: number
  readonly xon: XonOffset
  readonly penalty: string
}

function receiveText({ pages, workingSetMiB, xon, penalty }: Receive): string {
  const offset = xon === 'one frame' ? 'off' : xon
  return `{kind: pipeline, busRate: ${BUS_BPS / GBPS}Gbps, pageSize: ${pages}, workingSet: ${workingSetMiB}MiB, xonOffset: ${offset}, missPenalty: ${penalty}}`
}

const commonText = (size: Size): string => `
qp: {ackInterval: 64, retryLimit: off}
measure: {warmUp: ${WARM_UP_MS[size]}ms, stop: ${STOP_MS[size]}ms}
observe: [{kind: nic-receive}, {kind: pause-intervals, maxRows: 4000000}, {kind: goodput, interval: 1ms}]`

export function oneCondition({ pages, workingSetMiB, xon, penalty }: Receive): string {
  return `${pages} pages, ${workingSetMiB} MiB, XON ${xon} below XOFF${penalty === PENALTY ? '' : `, ${penalty} for a miss`}`
}

/** One slow NIC behind a switch whose buffer it does not fill. */
function onePoint(size: Size, seed: number, receive: Receive): Point {
  const scenario = parseScenario(`
name: slow-receiver
seed: ${seed}
topology: {kind: star, hosts: 5, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
nic: {receive: ${receiveText(receive)}}
workload: [{kind: closed-loop, pairs: ["0-3 4"], messageSize: 64KiB, outstanding: 4, operation: write}]
${commonText(size)}
`)
  return { condition: oneCondition(receive), seed, scenario }
}

export interface Tor {
  readonly sharing: Sharing
  readonly load: number
  readonly slow: number
}
export const torCondition = ({ sharing, load, slow }: Tor): string =>
  `ToR, ${sharing}, ${slow} slow NICs, ${load * 100} % load`

function torPoint(size: Size, seed: number, tor: Tor): Point {
  const receive = receiveText({ pages: '2MiB', workingSetMiB: LARGE_MIB, xon: 'one frame', penalty: PENALTY })
  const slow = Array.from({ length: tor.slow }, (_, host) => hostName(host)).join(', ')
  const scenario = parseScenario(`
name: slow-receiver-tor
seed: ${seed}
topology: {kind: star, hosts: ${PORTS}, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: {${BUFFER}, ${LIMITS[tor.sharing]}}}
nic: {receive: ${receive}}
changes: [{path: nic.receive.pageSize, value: 4KiB, nodes: '${slow}'}]
workload: [{kind: poisson, load: ${tor.load}, sizes: {kind: fixed, size: 256KiB}}]
${commonText(size)}
`)
  return { condition: torCondition(tor), seed, scenario }
}

export function torsOf(size: Size): Tor[] {
  return LOADS[size].flatMap((load) => SLOW.flatMap((slow) => SHARINGS.map((sharing) => ({ sharing, load, slow }))))
}

export function slowPoints(size: Size, seed: number): Point[] {
  const sets = WORKING_SETS_MIB[size]
  const receives: Receive[] = [
    ...XON_OFFSETS.flatMap((xon) =>
      PAGES.flatMap((pages) =>
        (xon === 'one frame' || pages === '4KiB' ? sets : []).map((workingSetMiB) => {
          return { pages, workingSetMiB, xon, penalty: PENALTY }
        }),
      ),
    ),
    ...PENALTIES.filter((penalty) => penalty !== PENALTY).flatMap((penalty) =>
      XON_OFFSETS.map((xon) => ({ pages: '4KiB' as const, workingSetMiB: LARGE_MIB, xon, penalty })),
    ),
  ]
  return [
    ...receives.map((receive) => onePoint(size, seed, receive)),
    ...torsOf(size).map((tor) => torPoint(size, seed, tor)),
  ]
}

export function slowMeasures(result: Result): Measures {
  const [nics, pauses, goodput] = result.series
  const fromPs = result.windowFromPs
  const windowPs = result.simulatedPs - fromPs
  const seconds = windowPs / 1e12
  const tiers = numbersOf(pauses!, 'tier')
  const starts = numbersOf(pauses!, 'startPs')
  const ends = numbersOf(pauses!, 'endPs')
  // Pauses at the switch's ports (tier 1) are those of NICs; pauses at hosts are those of the switch.
  const begun = (tier: number): number => starts.filter((ps, row) => ps >= fromPs && tiers[row] === tier).length
  const heldPs = (tier: number): number =>
    ends.reduce((total, ps, row) => {
      return total + (tiers[row] === tier ? Math.max(0, ps - Math.max(fromPs, starts[row]!)) : 0)
    }, 0)
  const payload = numbersOf(goodput!, 'payloadBytes')
  const received = [...numbersOf(goodput!, 'fromPs')].map((ps, row) => (ps >= fromPs ? payload[row]! : 0))
  const translations = sum([...numbersOf(nics!, 'translations')])
  return {
    nicPausesPerSecond: begun(1) / seconds,
    torPausesPerSecond: begun(0) / seconds,
    pausedShare: heldPs(1) / windowPs,
    torPausedShare: heldPs(0) / windowPs / PORTS,
    missRatio: sum([...numbersOf(nics!, 'translationMisses')]) / translations,
    goodputBps: (sum(received) * 8) / seconds,
    drops: sum(Object.values(result.counters.drops)),
  }
}
