/**
 * Slow receiver: a NIC that has to read its translation table from host memory pauses its switch, and the two cures,
 * pages of 2 MB and a buffer that the ports of the ToR share. Runs and measures: slow-runs.ts; claims: slow-claims.ts.
 * Source: [MS-Scale] section 4.4.
 */
import { humanNumber, humanRate, humanShare } from '../../report/index.ts'
import { interval95 } from '../../results/index.ts'
import { slowClaims, staticRatiosOf } from './slow-claims.ts'
import {
  LARGE_MIB,
  measuredMs,
  oneCondition,
  PENALTIES,
  PENALTY,
  PORTS,
  SHARINGS,
  SLOW,
  slowMeasures,
  slowPoints,
  torCondition,
  torsOf,
  WORKING_SETS_MIB,
  XON_OFFSETS,
} from './slow-runs.ts'
import { defineExperiment } from '../core/old/plan.ts'
import { barOf, type Findings, type FindingsFigure, type FindingsTable, rightColumn } from '../core/findings.ts'
import { overSeeds } from '../core/old/over-seeds.ts'
import type { Outcome, Size } from '../core/old/plan.ts'

/** Pages and XON of the lines of table and figure. */
const LINES = [...XON_OFFSETS.map((xon) => ['4KiB', xon] as const), ['2MiB', 'one frame'] as const]

function oneTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  const mean = (condition: string, key: string): number => overSeeds(outcomes, condition, (m) => m[key]!).mean
  const receives = [
    ...LINES.flatMap(([pages, xon]) =>
      WORKING_SETS_MIB[size].map((workingSetMiB) => ({ pages, workingSetMiB, xon, penalty: PENALTY })),
    ),
    ...PENALTIES.filter((penalty) => penalty !== PENALTY).flatMap((penalty) =>
      XON_OFFSETS.map((xon) => ({ pages: '4KiB' as const, workingSetMiB: LARGE_MIB, xon, penalty })),
    ),
  ]
  return {
    title: 'Pauses of one slow NIC, by its working set',
    columns: [
      { head: 'pages' },
      { head: 'XON below XOFF' },
      rightColumn('time of a miss'),
      rightColumn('working set'),
      rightColumn('misses of the whole run'),
      rightColumn('pauses/s'),
      rightColumn('paused'),
      rightColumn('goodput'),
    ],
    rows: receives.map((receive) => {
      const condition = oneCondition(receive)
      return [
        receive.pages,
        receive.xon,
        receive.penalty,
        `${receive.workingSetMiB} MiB`,
        humanShare(mean(condition, 'missRatio')),
        humanNumber(mean(condition, 'nicPausesPerSecond')),
        humanShare(mean(condition, 'pausedShare')),
        humanRate(mean(condition, 'goodputBps')),
      ]
    }),
  }
}

function torTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  const mean = (condition: string, key: string): number => overSeeds(outcomes, condition, (m) => m[key]!).mean
  return {
    title: `A ToR with ${PORTS} servers, some with slow NICs`,
    columns: [
      rightColumn('load'),
      rightColumn('slow NICs'),
      { head: 'buffer of the ToR' },
      rightColumn('pauses/s of a slow NIC'),
      rightColumn('pauses/s of the ToR'),
      rightColumn('servers held back by it'),
      rightColumn('goodput of a server'),
    ],
    rows: torsOf(size).map((tor) => {
      const condition = torCondition(tor)
      return [
        `${tor.load * 100} %`,
        String(tor.slow),
        tor.sharing,
        humanNumber(mean(condition, 'nicPausesPerSecond') / tor.slow),
        humanNumber(mean(condition, 'torPausesPerSecond')),
        humanShare(mean(condition, 'torPausedShare')),
        humanRate(mean(condition, 'goodputBps') / PORTS),
      ]
    }),
  }
}

function pausesFigure(outcomes: readonly Outcome[], size: Size): FindingsFigure {
  return {
    name: 'pauses',
    lines: {
      title: 'Slow receiver: time in which a NIC holds its switch back, by the memory that messages address',
      subtitle: '2048 translations, 1 us for a miss, four senders at 40 Gb/s; pages of 2 MB are the cure',
      xLabel: 'working set (MiB)',
      yLabel: 'share of the time paused',
      xScale: 'log',
      fromZero: true,
      lines: LINES.map(([pages, xon]) => ({
        series: `${pages}, XON ${xon} below`,
        points: WORKING_SETS_MIB[size].map((workingSetMiB) => {
          const condition = oneCondition({ pages, workingSetMiB, xon, penalty: PENALTY })
          const measured = overSeeds(outcomes, condition, (m) => m['pausedShare']!)
          return { x: workingSetMiB, y: measured.mean, low: measured.low, high: measured.high }
        }),
      })),
    },
  }
}

function torFigure(outcomes: readonly Outcome[], size: Size): FindingsFigure {
  return {
    name: 'tor',
    bars: {
      title: 'Time in which a ToR with slow NICs holds servers back: a shared buffer over static parts',
      subtitle: `${PORTS} servers; pages of 4 KB at ${SLOW.join(' or ')} of them; load of every server`,
      yLabel: 'time held back, over that with static parts',
      groups: torsOf(size).flatMap((tor) => {
        if (tor.sharing === 'static') return []
        const ratio = interval95(staticRatiosOf(outcomes, tor, 'torPausedShare'))
        const { low, ...bar } = barOf(ratio)
        const label = `${tor.slow} at ${tor.load * 100} %`
        // No time is below 0, though an interval of few seeds may reach there.
        return [{ label, series: tor.sharing, ...bar, ...(low === undefined ? {} : { low: Math.max(0, low) }) }]
      }),
      limit: { value: 1, label: 'static parts' },
    },
  }
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  const slowest = oneCondition({ pages: '4KiB', workingSetMiB: LARGE_MIB, xon: 'one frame', penalty: PENALTY })
  const taken = overSeeds(outcomes, slowest, (m) => m['goodputBps']!).mean
  return {
    tables: [oneTable(outcomes, size), torTable(outcomes, size)],
    figures: [pausesFigure(outcomes, size), torFigure(outcomes, size)],
    claims: slowClaims(outcomes, size),
    remarks: [
      `The paper gives neither the time of a miss, nor the receive buffer and its thresholds, nor the traffic. Ours: 256 KiB, XOFF by the strict headroom, ${PENALTIES.join(', ')} for a miss, XON ${XON_OFFSETS.join(', ')} below XOFF. ` +
        'How often a NIC pauses hangs on the distance between the two thresholds: the less there is to drain, the sooner it pauses again. A driver of such NICs sets XON one frame below XOFF. Goodput does not hang on it.',
      `Static reservation: each of ${PORTS} ports has an equal part of what 9 MB leave beside headroom, 281 KB, whatever the others hold. Dynamic sharing differs in the limit alone: with ${SHARINGS[1]} one port may hold a seventeenth, 464 KB, ` +
        'but each of 28 that are all congested 179 KB, less than its static part. Packets for one slow NIC come in at all other ports. So 1/16 helps while congestion is short and rare, as the paper says ("from time to time", "statistically"), and not where it lasts. With a larger alpha the parts of all are larger too.',
      `A slow NIC with ${PENALTY} for a miss takes ${humanRate(taken)}. A load of 50 % is 20 Gb/s, so that its queue hardly ever ends there, whatever the buffer.`,
    ],
  }
}

const sizeText = (size: Size): string => `${WORKING_SETS_MIB[size].length} working sets, ${measuredMs(size)} ms`

export const slowReceiver = defineExperiment({
  name: 'slow-receiver',
  title: 'The slow receiver: a NIC that pauses because its translation cache misses',
  source: '[MS-Scale] section 4.4',
  help:
    'Four servers write to a fifth whose NIC holds 2048 page translations. Where messages address more memory than these cover, ' +
    'each miss stops the receive pipeline for a read over PCIe, its buffer fills, and the NIC pauses the switch. Pages of 2 MB ' +
    'and a shared buffer in the ToR are the cures.',
  sizes: { small: sizeText('small'), full: sizeText('full') },
  points: slowPoints,
  measure: slowMeasures,
  conclude,
})
