/**
 * Slow receiver: a NIC that has to read its translation table from host memory pauses its switch, and the two cures,
 * pages of 2 MB and a buffer that the ports of the ToR share. Runs and measures: slow-runs.ts.
 * Source: [MS-Scale] section 4.4.
 */
import { humanNumber, humanRate, humanShare } from '../../report/index.ts'
import { interval95 } from '../../results/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import {
  ABOVE_ONE,
  ABOVE_ZERO,
  atLeast,
  BELOW_ONE,
  between,
  bracket,
  bracketClaim,
  type Claim,
  claim,
  exact,
  type FindingsTable,
  readingOf,
  rightColumn,
} from '../core/findings.ts'
import { product } from '../core/grid.ts'
import type { Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { label, lineAt, tableAt } from '../core/tables.ts'
import {
  BUS_GBPS,
  LARGE_MIB,
  MISSES_NS,
  PORTS,
  SHAPES,
  SHARINGS,
  SLOW,
  slowMeasures,
  slowPoints,
  XONS,
} from './slow-runs.ts'

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
  /** In one seed: none where the cache covers the working set, then more with each larger one. */
  const grows = (seed: number): boolean =>
    bySet[0]![seed] === 0 &&
    bySet.at(-1)![seed]! > 0 &&
    bySet.every((shares, i) => i === 0 || shares[seed]! >= bySet[i - 1]![seed]! - SAME)
  return [
    exact('rce.slow.pcie', BUS_GBPS === 64 && atLeastSet === 0, {
      measured: `${BUS_GBPS} Gb/s; ${humanNumber(atLeastSet)} pauses/s with ${sets[0]} MiB`,
      reason: '8 lanes of 8 GT/s: the bus of every run here, which alone makes no NIC pause.',
    }),
    bracket(
      'rce.slow.pause-thousands',
      product({ missNs: MISSES_NS, xon: XONS }).map(({ missNs, xon }) => ({
        name: `${missNs} ns for a miss, ${xonText(xon)}`,
        measured: runs.mean('nicPausesPerSecond', nic({ xon, missNs })),
      })),
      between(1000, 10_000),
      {
        paperValues: [1000, 10_000],
        unit: ' /s',
        why: 'Senders never rest here, so these are the most that a NIC can send.',
      },
    ),
    exact(
      'rce.slow.miss-stalls',
      bySet[0]!.every((_, seed) => grows(seed)),
      {
        measured: bySet.map((shares, i) => `${sets[i]!} MiB: ${humanShare(interval95(shares).mean)}`).join(', '),
        reason: `Share of the time in which the NIC holds its switch paused, pages of 4 KB, ${xonText('64KiB')}: in every seed none with the smallest working set, and no less than before, by more than ${humanShare(SAME)}, with each larger one.`,
      },
    ),
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
  ].map(({ of, ...claim }) =>
    bracketClaim({
      id: 'rce.slow.dynamic-buffer',
      ...claim,
      readings: product({ load: SHAPES[size].loads, slow: SLOW }).map((at) => {
        const tor = { part: 'tor', ...at }
        const ratios = runs.ratios(of, { ...tor, sharing: '1/16' }, { ...tor, sharing: 'static' })
        return readingOf(
          `${at.slow} of ${PORTS} NICs slow, ${at.load * 100} % load`,
          ratios.map((ratio) => (Number.isNaN(ratio) ? 1 : ratio)),
        )
      }),
      unit: ' of static',
    }),
  )
}

function torTable(runs: Runs, size: Size): FindingsTable {
  return tableAt(runs, product({ part: ['tor'], load: SHAPES[size].loads, slow: SLOW }), {
    title: `Time in which a ToR with ${PORTS} servers holds them back, by the limit of a port in its buffer`,
    columns: [
      label('load', ({ load }) => `${load * 100} %`, 'right'),
      label('slow NICs', ({ slow }) => slow, 'right'),
      ...SHARINGS.map((sharing) => ({
        ...rightColumn(sharing === 'static' ? 'static part' : `alpha ${sharing}`),
        cell: (_: unknown, own: Runs) => humanShare(own.mean('torPausedShare', { sharing }).mean),
      })),
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
