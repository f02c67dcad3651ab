/**
 * Slow receiver: a NIC that has to read its translation table from host memory pauses its switch, and the two cures,
 * pages of 2 MB and a buffer that the ports of the ToR share.
 * Part `nic`: four servers write to a fifth as fast as they can, at addresses all over a working set.
 * Part `tor`: 28 ports of a ToR; every server sends and receives, and the NICs of some have a large working set with pages
 * of 4 KB.
 * Source: [MS-Scale] section 4.4. The paper gives no miss penalty, no buffer and no thresholds of the NIC, and no traffic:
 * values of ours are varied where a claim hangs on them; the others are in docs/models/nic-receive.md.
 */
import { hostName } from '../../core/base/device-names.ts'
import { humanNumber, humanRate, humanShare } from '../../show/index.ts'
import { interval95, numbersOf, type Result, sum, tableOfKind } from '../../core/results/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import {
  ABOVE_ONE,
  ABOVE_ZERO,
  atLeast,
  BELOW_ONE,
  between,
  bracket,
  type Claim,
  claim,
  exact,
  type FindingsTable,
  readingOf,
} from '../core/findings.ts'
import { pointsAt, product } from '../core/grid.ts'
import { dropsOf, inWindow, rowsWhere } from '../core/measures.ts'
import type { Measures, Point, Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { label, lineAt, tableAt, texts } from '../core/tables.ts'
import { BUFFER, STATIC_PART } from './tor-buffer.ts'

/** Pages are in the translation cache after the warm-up, if it covers them. */
const SHAPES = {
  small: { workingSetsMib: [4, 16, 1024], loads: [0.3, 0.4], warmUpMs: 3, stopMs: 6 },
  full: { workingSetsMib: [4, 8, 12, 16, 32, 64, 256, 1024], loads: [0.3, 0.4, 0.5], warmUpMs: 10, stopMs: 20 },
} as const
const LARGE_MIB = 1024

/** Distance of XON below XOFF: a frame, as in a driver, or a quarter or half of the receive buffer. */
const XONS = ['off', '64KiB', '128KiB'] as const
/** Times of a miss: that of most runs in the middle. */
const MISSES_NS = [500, 1000, 2000] as const

/** PCIe Gen3 has 8 lanes of 8 GT/s. */
const BUS_GBPS = 8 * 8

export const PORTS = 28
/** Numbers of NICs with pages of 4 KB. */
const SLOW = [4, PORTS] as const
const LIMITS = { static: `staticTh: ${STATIC_PART}`, '1/16': 'alpha: 1/16', '1/4': 'alpha: 1/4' }
/** How the ToR shares its buffer: in parts, or by an alpha. */
const SHARINGS = ['static', '1/16', '1/4'] as const

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

function slowPoints(size: Size, seed: number): Point[] {
  const { warmUpMs, stopMs } = SHAPES[size]
  const common = `
qp: {ackInterval: 64, retryLimit: off}
measure: {warmUp: ${warmUpMs}ms, stop: ${stopMs}ms}
observe: [{kind: nic-receive}, {kind: pause-intervals, maxRows: 4000000}, {kind: goodput, interval: 1ms}]`
  const large = receiveText({ page: '2MiB', workingSetMib: LARGE_MIB, xon: 'off', missNs: 1000 })
  return [
    ...pointsAt(nicsOf(size), seed, (at) => {
      return `
name: slow-receiver
topology: {kind: star, hosts: 5, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
nic: {receive: ${receiveText(at)}}
workload: [{kind: closed-loop, pairs: ["0-3 4"], messageSize: 64KiB, outstanding: 4, operation: write}]
${common}
`
    }),
    ...pointsAt(torsOf(size), seed, ({ load, slow, sharing }) => {
      return `
name: slow-receiver-tor
topology: {kind: star, hosts: ${PORTS}, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: {${BUFFER}, ${LIMITS[sharing]}}}
nic: {receive: ${large}}
changes: [{path: nic.receive.pageSize, value: 4KiB, nodes: '${Array.from({ length: slow }, (_, host) => hostName(host)).join(', ')}'}]
workload: [{kind: poisson, load: ${load}, sizes: {kind: fixed, size: 256KiB}}]
${common}
`
    }),
  ]
}

function slowMeasures(result: Result): Measures {
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

/** A run of one slow NIC, by default with the usual time of a miss, 4 KB pages and XON of a driver. */
const nic = (other: { page?: string; workingSetMib?: number; xon?: string; missNs?: number } = {}) => ({
  part: 'nic',
  page: '4KiB',
  workingSetMib: LARGE_MIB,
  xon: 'off',
  missNs: 1000,
  ...other,
})
const xonText = (xon: string): string => `XON ${xon === 'off' ? 'one frame' : xon} below XOFF`

/** Two shares of time that differ by less are the same. */
const SAME = 0.01

function receiverClaims(runs: Runs, size: Size): Claim[] {
  const sets = SHAPES[size].workingSetsMib
  const atLeastSet = runs.mean('nicPausesPerSecond', nic({ workingSetMib: sets[0] })).mean
  const bySet = sets.map((workingSetMib) => runs.values('pausedShare', nic({ workingSetMib, xon: '64KiB' })))
  const pauses = product({ missNs: MISSES_NS, xon: XONS }).map(({ missNs, xon }) => ({
    name: `${missNs} ns for a miss, ${xonText(xon)}`,
    measured: runs.mean('nicPausesPerSecond', nic({ xon, missNs })),
  }))
  /** In one seed: none where the cache covers the working set, then more with each larger one. */
  const grows = (seed: number): boolean =>
    bySet[0]![seed] === 0 &&
    bySet.at(-1)![seed]! > 0 &&
    bySet.every((shares, i) => i === 0 || shares[seed]! >= bySet[i - 1]![seed]! - SAME)
  return [
    exact('rce.slow.pcie', {
      holds: BUS_GBPS === 64 && atLeastSet === 0,
      measured: `${BUS_GBPS} Gb/s; ${humanNumber(atLeastSet)} pauses/s with ${sets[0]} MiB`,
      reason: '8 lanes of 8 GT/s: the bus of every run here, which alone makes no NIC pause.',
    }),
    bracket('rce.slow.pause-thousands', pauses, between(1000, 10_000), {
      paperValues: [1000, 10_000],
      unit: ' /s',
      why: 'Senders never rest here, so these are the most that a NIC can send.',
    }),
    exact('rce.slow.miss-stalls', {
      holds: bySet[0]!.every((_, seed) => grows(seed)),
      measured: bySet.map((shares, i) => `${sets[i]!} MiB: ${humanShare(interval95(shares).mean)}`).join(', '),
      reason: `Share of the time in which the NIC holds its switch paused, pages of 4 KB, ${xonText('64KiB')}: in every seed none with the smallest working set, and no less than before, by more than ${humanShare(SAME)}, with each larger one.`,
    }),
  ]
}

/** The first cure. */
function pageClaims(runs: Runs): Claim[] {
  return [
    claim('rce.slow.2mb-pages', runs.ratio('missRatio', nic(), nic({ page: '2MiB' })), atLeast(10), {
      check: 'misses',
      unit: ' times',
      why: 'With 2 MB only the first use of a page misses: 512 pages are 1 GiB.',
    }),
    claim('rce.slow.2mb-pages', runs.differences('nicPausesPerSecond', nic(), nic({ page: '2MiB' })), ABOVE_ZERO, {
      check: 'pauses',
      unit: ' /s fewer',
      why: `With 2 MB ${humanNumber(runs.mean('nicPausesPerSecond', nic({ page: '2MiB' })).mean)} pauses/s.`,
    }),
  ]
}

/** The second cure: alpha 1/16, which [MS-Scale] 6.2 calls the default, over static parts; 1 where both are 0. */
function bufferClaims(runs: Runs, size: Size): Claim[] {
  return [
    { check: 'pauses', of: 'torPausesPerSecond', band: BELOW_ONE, why: 'Both have the same thresholds for XON.' },
    { check: 'time held back', of: 'torPausedShare', band: BELOW_ONE },
    { check: 'utilisation', of: 'goodputBps', band: ABOVE_ONE, why: 'Below saturation both carry what is offered.' },
  ].map(({ of, band, ...words }) => {
    const readings = product({ load: SHAPES[size].loads, slow: SLOW }).map((at) => {
      const tor = { part: 'tor', ...at }
      const ratios = runs.ratios(of, { ...tor, sharing: '1/16' }, { ...tor, sharing: 'static' })
      const name = `${at.slow} of ${PORTS} NICs slow, ${at.load * 100} % load`
      return readingOf(
        name,
        ratios.map((ratio) => (Number.isNaN(ratio) ? 1 : ratio)),
      )
    })
    return bracket('rce.slow.dynamic-buffer', readings, band, { ...words, unit: ' of static' })
  })
}

function torTable(runs: Runs, size: Size): FindingsTable {
  return tableAt(runs, product({ part: ['tor'], load: SHAPES[size].loads, slow: SLOW }), {
    title: `Time in which a ToR with ${PORTS} servers holds them back, by the limit of a port in its buffer`,
    columns: [
      label('load', ({ load }) => `${load * 100} %`, 'right'),
      label('slow NICs', ({ slow }) => slow, 'right'),
      ...SHARINGS.map((sharing) =>
        texts(sharing === 'static' ? 'static part' : `alpha ${sharing}`, (own) =>
          humanShare(own.mean('torPausedShare', { sharing }).mean),
        ),
      ),
    ],
  })
}

const sizeText = ({ workingSetsMib, stopMs, warmUpMs }: (typeof SHAPES)[Size]): string =>
  `${workingSetsMib.length} working sets, ${stopMs - warmUpMs} ms`

export const slowReceiver = defineExperiment({
  name: 'slow-receiver',
  title: 'The slow receiver: a NIC that pauses because its translation cache misses',
  source: '[MS-Scale] section 4.4',
  help:
    'Four servers write to a fifth whose NIC holds 2048 page translations. Where messages address more memory than these cover, ' +
    'each miss stops the receive pipeline for a read over PCIe, its buffer fills, and the NIC pauses the switch. Pages of 2 MB ' +
    'and a shared buffer in the ToR are the cures.',
  sizes: { small: sizeText(SHAPES.small), full: sizeText(SHAPES.full) },
  points: slowPoints,
  measure: slowMeasures,
  conclude: (runs, size) => ({
    tables: [torTable(runs, size)],
    figures: [
      {
        name: 'pauses',
        lines: {
          title: 'Slow receiver: time in which a NIC holds its switch back, by the memory that messages address',
          subtitle: '2048 translations, 1 us for a miss, four senders at 40 Gb/s; pages of 2 MB are the cure',
          xLabel: 'working set (MiB)',
          yLabel: 'share of the time paused',
          xScale: 'log',
          fromZero: true,
          lines: [...XONS.map((xon) => ({ xon, page: '4KiB' })), { xon: 'off', page: '2MiB' }].map((at) => {
            const rows = SHAPES[size].workingSetsMib.map((workingSetMib) => nic({ ...at, workingSetMib }))
            const series = `${at.page}, ${xonText(at.xon)}`
            return lineAt(runs, series, rows, ({ workingSetMib }) => workingSetMib, 'pausedShare')
          }),
        },
      },
    ],
    claims: [...receiverClaims(runs, size), ...pageClaims(runs), ...bufferClaims(runs, size)],
    remarks: [
      'The paper gives neither the time of a miss, nor the receive buffer and its thresholds, nor the traffic. Ours: 256 KiB, XOFF by the strict headroom, 1 us, half and twice that for a miss. ' +
        'How often a NIC pauses hangs on the distance between the thresholds, one frame in a driver of such NICs: the less there is to drain, the sooner it pauses again. Goodput does not hang on it.',
      `Each of ${PORTS} ports has a static part of 281 KB of the 9 MB without headroom. With an alpha of 1/16 one port may hold 464 KB, but each of 28 that are all congested 179 KB. ` +
        'So 1/16 helps while congestion is short and rare, as the paper says ("from time to time", "statistically"), and not where it lasts.',
      `A slow NIC takes ${humanRate(runs.mean('goodputBps', nic()).mean)}. A load of 50 % is 20 Gb/s, so that its queue hardly ever ends there, whatever the buffer.`,
    ],
  }),
})
