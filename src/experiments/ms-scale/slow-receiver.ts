/**
 * Slow receiver: a NIC that has to read its translation table from host memory pauses its switch, and the two cures,
 * pages of 2 MB and a buffer that the ports of the ToR share.
 * Part one: four servers write to a fifth as fast as they can, at addresses all over a working set; pauses of its NIC by
 * the size of the working set. Part two: 28 ports of a ToR, every server sends and receives at 40 % of its link, and all
 * have a large working set; pauses that the ToR passes on.
 * Source: [MS-Scale] section 4.4. It gives no miss penalty, buffer or thresholds of the NIC: our values are in
 * docs/models/nic-receive.md, and XON, on which the number of pauses hangs, is varied.
 */
import { GBPS, KIB, MIB } from '../../base/index.ts'
import { humanNumber, humanRate, humanShare } from '../../report/index.ts'
import { numbersOf, type Result, sum } from '../../results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import { bracketClaim, type Claim, claimOf, exactClaim, type Findings, rightColumn } from '../core/findings.ts'
import { overSeeds, ratioOverSeeds } from '../core/over-seeds.ts'
import type { Measures, Outcome, Point, Size } from '../core/plan.ts'

const WORKING_SETS_MIB: Readonly<Record<Size, readonly number[]>> = {
  small: [4, 16, 1024],
  full: [4, 8, 12, 16, 32, 64, 256, 1024],
}
const PAGES = ['4KiB', '2MiB'] as const
/** Distance of XON below XOFF: a frame, as in a driver, or a quarter or half of the buffer. */
const XON_OFFSETS = ['one frame', '64KiB', '128KiB'] as const
const WARM_UP_MS = 3
const STOP_MS: Readonly<Record<Size, number>> = { small: 6, full: 23 }
const LARGE_MIB = 1024

const ENTRIES = 2048
const PAGE_BYTES = 4 * KIB

type Pages = (typeof PAGES)[number]
type XonOffset = (typeof XON_OFFSETS)[number]
type Sharing = 'dynamic' | 'static'

const PORTS = 28
/**
 * Buffers of the ToR, of one size. Static: each port has an equal part of what headroom leaves, and there is no pool
 * (9 MB less 28 times the headroom of a link of 2 m). An alpha of 0 would pause at a pool of nothing, so it is one in 1000.
 */
const BUFFERS: Readonly<Record<Sharing, string>> = {
  dynamic: '{kind: shared-buffer, size: 9MB, alpha: 1/16}',
  static: '{kind: shared-buffer, size: 9MB, alpha: 1e-3, reserve: 315KB}',
}

function receive(pages: Pages, workingSetMiB: number, xon: XonOffset): string {
  const offset = xon === 'one frame' ? 'off' : xon
  return `{kind: pipeline, busRate: 64Gbps, pageSize: ${pages}, workingSet: ${workingSetMiB}MiB, xonOffset: ${offset}}`
}

function pausesText(size: Size, seed: number, pages: Pages, workingSetMiB: number, xon: XonOffset): string {
  return `
name: slow-receiver-${pages.toLowerCase()}-${workingSetMiB}
seed: ${seed}
topology: {kind: star, hosts: 5, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
nic: {receive: ${receive(pages, workingSetMiB, xon)}}
qp: {ackInterval: 64, retryLimit: off}
workload: [{kind: closed-loop, pairs: ["0-3 4"], messageSize: 64KiB, outstanding: 4, operation: write}]
measure: {warmUp: ${WARM_UP_MS}ms, stop: ${STOP_MS[size]}ms}
observe: [{kind: nic-receive}, {kind: pause-intervals}, {kind: goodput, interval: ${WARM_UP_MS}ms}]
`
}

function torText(size: Size, seed: number, pages: Pages, sharing: Sharing): string {
  return `
name: slow-receiver-tor-${pages.toLowerCase()}-${sharing}
seed: ${seed}
topology: {kind: star, hosts: ${PORTS}, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: ${BUFFERS[sharing]}}
nic: {receive: ${receive(pages, LARGE_MIB, 'one frame')}}
qp: {ackInterval: 64, retryLimit: off}
workload: [{kind: poisson, load: 0.4, sizes: {kind: fixed, size: 256KiB}}]
measure: {warmUp: ${WARM_UP_MS}ms, stop: ${STOP_MS[size]}ms}
observe: [{kind: nic-receive}, {kind: pause-intervals}, {kind: goodput, interval: ${WARM_UP_MS}ms}]
`
}

const pausesCondition = (pages: Pages, workingSetMiB: number, xon: XonOffset): string =>
  `${pages} pages, ${workingSetMiB} MiB, XON ${xon} below XOFF`
const torCondition = (pages: Pages, sharing: Sharing): string => `ToR with ${sharing} buffers, ${pages} pages`

function points(size: Size, seed: number): Point[] {
  const sets = WORKING_SETS_MIB[size]
  const alone = XON_OFFSETS.flatMap((xon) =>
    PAGES.flatMap((pages) =>
      (xon === 'one frame' || pages === '4KiB' ? sets : []).map((workingSetMiB): Point => {
        const scenario = parseScenario(pausesText(size, seed, pages, workingSetMiB, xon))
        return { condition: pausesCondition(pages, workingSetMiB, xon), seed, scenario }
      }),
    ),
  )
  const tors = PAGES.flatMap((pages) =>
    (['dynamic', 'static'] as const).map((sharing): Point => {
      const scenario = parseScenario(torText(size, seed, pages, sharing))
      return { condition: torCondition(pages, sharing), seed, scenario }
    }),
  )
  return [...alone, ...tors]
}

function measure(result: Result): Measures {
  const [nics, pauses, goodput] = result.series
  const fromPs = result.windowFromPs
  const seconds = (result.simulatedPs - fromPs) / 1e12
  const tiers = numbersOf(pauses!, 'tier')
  const starts = numbersOf(pauses!, 'startPs')
  const ends = numbersOf(pauses!, 'endPs')
  const inWindow = (tier: number): number => starts.filter((ps, row) => ps >= fromPs && tiers[row] === tier).length
  const pausedPs = ends.reduce((total, ps, row) => {
    return total + (tiers[row] === 1 ? Math.max(0, ps - Math.max(fromPs, starts[row]!)) : 0)
  }, 0)
  const received = numbersOf(goodput!, 'fromPs').map((ps, row) =>
    ps >= fromPs ? numbersOf(goodput!, 'payloadBytes')[row]! : 0,
  )
  const translations = sum([...numbersOf(nics!, 'translations')])
  return {
    // Pauses at the switch's ports are those of NICs; pauses at hosts are those of the switch.
    nicPausesPerSecond: inWindow(1) / seconds,
    torPausesPerSecond: inWindow(0) / seconds,
    pausedShare: pausedPs / (result.simulatedPs - fromPs),
    missRatio: sum([...numbersOf(nics!, 'translationMisses')]) / translations,
    goodputBps: (sum([...received]) * 8) / seconds,
    drops: sum(Object.values(result.counters.drops)),
  }
}

type Mean = (condition: string, key: string) => number

function torRows(mean: Mean): string[][] {
  return PAGES.flatMap((pages) =>
    (['static', 'dynamic'] as const).map((sharing) => {
      const condition = torCondition(pages, sharing)
      return [
        pages,
        sharing,
        humanNumber(mean(condition, 'nicPausesPerSecond') / PORTS),
        humanNumber(mean(condition, 'torPausesPerSecond')),
        humanRate(mean(condition, 'goodputBps') / PORTS),
      ]
    }),
  )
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  const sets = WORKING_SETS_MIB[size]
  const mean: Mean = (condition, key) => overSeeds(outcomes, condition, (m) => m[key]!).mean
  const lines = [...XON_OFFSETS.map((xon) => ['4KiB', xon] as const), ['2MiB', 'one frame'] as const]
  const rows = lines.flatMap(([pages, xon]) =>
    sets.map((mib) => {
      const condition = pausesCondition(pages, mib, xon)
      return [
        `${pages}, ${xon}`,
        `${mib} MiB`,
        humanShare(mean(condition, 'missRatio')),
        humanNumber(mean(condition, 'nicPausesPerSecond')),
        humanShare(mean(condition, 'pausedShare')),
        humanRate(mean(condition, 'goodputBps')),
      ]
    }),
  )
  return {
    tables: [
      {
        title: 'Pauses of one slow NIC, by its working set',
        columns: [
          { head: 'pages, XON below XOFF' },
          rightColumn('working set'),
          rightColumn('misses'),
          rightColumn('pauses/s'),
          rightColumn('paused'),
          rightColumn('goodput'),
        ],
        rows,
      },
      {
        title: `A ToR with ${PORTS} ports at 40 % load`,
        columns: [
          { head: 'pages' },
          { head: 'buffers of the ToR' },
          rightColumn('pauses/s of a NIC'),
          rightColumn('pauses/s of the ToR'),
          rightColumn('goodput of a server'),
        ],
        rows: torRows(mean),
      },
    ],
    figures: [
      {
        name: 'pauses',
        lines: {
          title: 'Slow receiver: pauses of a NIC by the memory that messages address',
          subtitle: '2048 translations, 1 us for a miss, four senders at 40 Gb/s; pages of 2 MiB are the cure',
          xLabel: 'working set (MiB)',
          yLabel: 'pause frames per second',
          xScale: 'log',
          fromZero: true,
          lines: lines.map(([pages, xon]) => ({
            series: `${pages}, XON ${xon} below`,
            points: sets.map((x) => ({ x, y: mean(pausesCondition(pages, x, xon), 'nicPausesPerSecond') })),
          })),
        },
      },
    ],
    claims: claims(outcomes, sets),
    remarks: [
      'The miss penalty (1 us), the receive buffer (256 KiB) and its thresholds are ours; the paper gives none. How often a NIC ' +
        'pauses hangs on the distance between XOFF and XON: the less there is to drain, the sooner it pauses again. A driver of such ' +
        'NICs sets XON one frame below XOFF.',
      'Static buffers: each port has an equal part of the same 9 MB, and no pool. Both buffers keep the headroom of every port aside.',
    ],
  }
}

function claims(outcomes: readonly Outcome[], sets: readonly number[]): Claim[] {
  const of = (condition: string, key: string) => overSeeds(outcomes, condition, (m) => m[key]!)
  const pausesOf = (pages: Pages, mib: number): number =>
    of(pausesCondition(pages, mib, 'one frame'), 'nicPausesPerSecond').mean
  const growing = sets.map((mib) => of(pausesCondition('4KiB', mib, '64KiB'), 'pausedShare').mean)
  const isMonotone = growing.every((share, i) => i === 0 || share >= growing[i - 1]!)
  const least = sets[0]!
  return [
    exactClaim({
      id: 'rce.slow.pcie',
      statement: 'PCIe Gen3 x8 offers 64 Gb/s, more than the 40 Gb/s of the NIC',
      paper: '64 and 40 Gb/s',
      measured: `${8 * 8} Gb/s; ${humanNumber(pausesOf('4KiB', least))} pauses/s without misses`,
      holds: pausesOf('4KiB', least) === 0,
      reason: '8 lanes of 8 GT/s, the bus of every run here; it alone makes no NIC pause.',
    }),
    exactClaim({
      id: 'rce.slow.mtt-8mb',
      statement: '2K entries of 4 KB cover 8 MB',
      paper: '8 MB',
      measured: `${(ENTRIES * PAGE_BYTES) / MIB} MiB`,
      holds: ENTRIES * PAGE_BYTES === 8 * MIB,
      reason: 'The default of the translation cache; below it nothing misses but the first use of a page.',
    }),
    bracketClaim({
      id: 'rce.slow.pause-thousands',
      statement: 'A slow receiver sends up to thousands of pause frames per second',
      paper: 'thousands',
      paperValues: [1000, 10_000],
      readings: XON_OFFSETS.map((xon) => ({
        name: `XON ${xon} below XOFF`,
        measured: of(pausesCondition('4KiB', LARGE_MIB, xon), 'nicPausesPerSecond'),
      })),
      band: { low: 1000, high: 10_000 },
      tolerance: 'thousands',
      unit: ' /s',
      why: 'Senders never rest here, so these are the most that a NIC can send.',
    }),
    exactClaim({
      id: 'rce.slow.miss-stalls',
      statement: 'Misses stall the pipeline, its buffer fills, the NIC pauses: more with more misses, not without',
      paper: 'holds',
      measured: growing.map((share, i) => `${sets[i]!} MiB: ${humanShare(share)}`).join(', '),
      holds: growing[0] === 0 && isMonotone && growing.at(-1)! > 0,
      reason: 'Share of the time in which the NIC holds its switch paused, 4 KB pages.',
    }),
    ...cureClaims(outcomes),
  ]
}

/** The two cures. */
function cureClaims(outcomes: readonly Outcome[]): Claim[] {
  const of = (condition: string, key: string) => overSeeds(outcomes, condition, (m) => m[key]!)
  const pausesOf = (pages: Pages): number =>
    of(pausesCondition(pages, LARGE_MIB, 'one frame'), 'nicPausesPerSecond').mean
  return [
    claimOf({
      id: 'rce.slow.2mb-pages',
      statement: 'Pages of 2 MB instead of 4 KB cut misses by a factor of ten or more',
      paper: 'fewer',
      measured: ratioOverSeeds(
        outcomes,
        {
          of: pausesCondition('4KiB', LARGE_MIB, 'one frame'),
          to: pausesCondition('2MiB', LARGE_MIB, 'one frame'),
        },
        (m) => m['missRatio']!,
      ),
      band: { low: 10, high: Infinity },
      tolerance: 'factor 10',
      unit: ' times',
      why: `Pauses per second: ${humanNumber(pausesOf('4KiB'))} against ${humanNumber(pausesOf('2MiB'))}.`,
    }),
    claimOf({
      id: 'rce.slow.dynamic-buffer',
      statement: 'A buffer that ports share passes fewer pauses on than one that is split among them',
      paper: 'fewer',
      measured: ratioOverSeeds(
        outcomes,
        { of: torCondition('4KiB', 'dynamic'), to: torCondition('4KiB', 'static') },
        (m) => m['torPausesPerSecond']!,
      ),
      band: { low: -Infinity, high: 1, isOpen: true },
      tolerance: 'sign of the difference',
      unit: ' of the static ones',
      why: `Goodput of a server: ${(['dynamic', 'static'] as const)
        .map(
          (sharing) =>
            `${sharing} ${humanNumber(of(torCondition('4KiB', sharing), 'goodputBps').mean / PORTS / GBPS)} Gb/s`,
        )
        .join(', ')}.`,
    }),
  ]
}

export const slowReceiver = defineExperiment({
  name: 'slow-receiver',
  title: 'The slow receiver: a NIC that pauses because its translation cache misses',
  source: '[MS-Scale] section 4.4',
  help:
    'Four servers write to a fifth whose NIC holds 2048 page translations. Where messages address more memory than these cover, ' +
    'each miss stops the receive pipeline for a read over PCIe, its buffer fills, and the NIC pauses the switch. Pages of 2 MB ' +
    'and a shared buffer in the ToR are the cures.',
  sizes: {
    small: `three working sets, ${STOP_MS.small - WARM_UP_MS} ms`,
    full: `eight working sets, ${STOP_MS.full - WARM_UP_MS} ms`,
  },
  points,
  measure,
  conclude,
})
