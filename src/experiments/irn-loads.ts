/**
 * IRN and RoCE by load, without congestion control, and by how a NIC takes turns among its QPs.
 * S3 has QPs poll for the link and says no more; one packet each by turns, as everywhere else here, is the fairest a NIC can
 * do. A QP that keeps the link for longer makes short messages wait at a paused host.
 * Source: S3 sections 4.1, 4.4.1 and appendix A.1, Table 3.
 */
import { exactCount, humanShare } from '../report/index.ts'
import type { Interval } from '../results/index.ts'
import { defineExperiment, type Outcome, type Point, type Size } from './experiment.ts'
import {
  type Claim,
  type Findings,
  type FindingsTable,
  intervalText,
  meanCountText,
  everySeedClaim,
} from './findings.ts'
import { alwaysClaims } from './irn-always.ts'
import { arm, type Arm, irnMeasures, METRICS } from './irn-arms.ts'
import { irnDefault, type Traffic } from './irn-default.ts'
import { cellClaims } from './irn-cells.ts'
import { printedRows } from './irn-printed.ts'
import { overSeeds, ratioOverSeeds } from './over-seeds.ts'

const IRN = arm('irn', 'no PFC', 'none')
const IRN_PFC = arm('irn', 'PFC at 216 KB', 'none')
const ROCE_PFC = arm('roce', 'PFC at 216 KB', 'none')
const ARMS: readonly Arm[] = [ROCE_PFC, IRN_PFC, IRN]
const ARM_NAMES: ReadonlyMap<Arm, string> = new Map([
  [ROCE_PFC, 'RoCE + PFC'],
  [IRN_PFC, 'IRN + PFC'],
  [IRN, 'IRN'],
])

/** Load in percent, and packets that a QP may send before the turn passes. */
interface Setting {
  readonly percent: number
  readonly turn: number
}

const LOADS = [30, 50, 70, 90]
const LONG_TURN = 64
/** The load at which more turns are tried. */
const TURNS_PERCENT = 70
const TURNS = [1, 16, LONG_TURN, 256]

const SETTINGS: Readonly<Record<Size, readonly Setting[]>> = {
  small: [1, LONG_TURN].map((turn) => ({ percent: TURNS_PERCENT, turn })),
  full: LOADS.flatMap((percent) =>
    TURNS.filter((turn) => percent === TURNS_PERCENT || turn === 1 || turn === LONG_TURN).map((turn) => ({
      percent,
      turn,
    })),
  ),
}
const TRAFFIC: Readonly<Record<Size, Traffic>> = { small: 'irn-default, 2 ms', full: 'irn-default' }

const conditionOf = (each: Arm, { percent, turn }: Setting): string =>
  `${ARM_NAMES.get(each)!} | ${percent} % | ${turn} a turn`

function points(size: Size, seed: number): Point[] {
  return SETTINGS[size].flatMap((setting) =>
    ARMS.map((each) => ({
      condition: conditionOf(each, setting),
      seed,
      scenario: irnDefault({
        ...each,
        traffic: TRAFFIC[size],
        seed,
        load: setting.percent / 100,
        packetsPerTurn: setting.turn,
      }),
    })),
  )
}

const times = (outcomes: readonly Outcome[], of: Arm, setting: Setting, key: string): Interval =>
  ratioOverSeeds(outcomes, { of: conditionOf(of, setting), to: conditionOf(IRN, setting) }, (m) => m[key]!)

/** The paper's value of an arm over IRN's, by metric. */
function paperTimes(of: Arm, percent: number, metric: number): number {
  const [, overIrnPfc, overRocePfc] = printedRows(`${percent} %`, 'none')[metric]!
  return 1 / (of === ROCE_PFC ? overRocePfc : overIrnPfc)
}

function valueTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  const right = (head: string) => ({ head, align: 'right' }) as const
  return {
    title: 'All runs',
    columns: [
      right('load'),
      right('packets a turn'),
      { head: 'transport' },
      ...METRICS.map(({ name }) => right(name)),
      ...['packets lost', 'pause frames', 'unfinished'].map(right),
    ],
    rows: SETTINGS[size].flatMap((setting) =>
      ARMS.map((each) => {
        const at = (key: string): Interval => overSeeds(outcomes, conditionOf(each, setting), (m) => m[key]!)
        return [
          `${setting.percent} %`,
          `${setting.turn}`,
          ARM_NAMES.get(each)!,
          ...METRICS.map(({ key, text: show }) => show(at(key).mean)),
          humanShare(at('drops').mean / at('dataPackets').mean),
          exactCount(Math.round(at('pauseFrames').mean)),
          meanCountText(at('unfinishedFlows').mean),
        ]
      }),
    ),
  }
}

function timesTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  const right = (head: string) => ({ head, align: 'right' }) as const
  return {
    title: 'How many times as much as IRN without PFC',
    columns: [
      { head: 'transport' },
      right('load'),
      right('packets a turn'),
      ...METRICS.flatMap(({ name }) => [right(name), right('paper')]),
    ],
    rows: [ROCE_PFC, IRN_PFC].flatMap((each) =>
      SETTINGS[size].map((setting) => [
        ARM_NAMES.get(each)!,
        `${setting.percent} %`,
        `${setting.turn}`,
        ...METRICS.flatMap(({ key }, i) => [
          intervalText(times(outcomes, each, setting, key)),
          paperTimes(each, setting.percent, i).toFixed(2),
        ]),
      ]),
    ),
  }
}

/** Slowdown of IRN over that of another, in one run of a seed with one packet a turn. */
function slowdownRatio(outcomes: readonly Outcome[], to: Arm, percent: number, seed: number): number {
  const of = (each: Arm): number => {
    const condition = conditionOf(each, { percent, turn: 1 })
    return outcomes.find((run) => run.condition === condition && run.seed === seed)?.measures['meanSlowdown'] ?? NaN
  }
  return of(IRN) / of(to)
}

/** From load to load the ratios fall, say A.1 and 4.4.1. */
function trendClaims(outcomes: readonly Outcome[]): Claim[] {
  const seeds = [...new Set(outcomes.map(({ seed }) => seed))]
  const printedOf = (to: Arm, percent: number): number => 1 / paperTimes(to, percent, 0)
  return [IRN_PFC, ROCE_PFC].flatMap((to) =>
    LOADS.slice(1).flatMap((percent, i) => {
      const before = LOADS[i]!
      const steps = seeds.map(
        (seed) => slowdownRatio(outcomes, to, percent, seed) / slowdownRatio(outcomes, to, before, seed),
      )
      const printed = printedOf(to, percent) / printedOf(to, before)
      const ids = to === IRN_PFC ? ['irn.A1.ratios-decrease', 'irn.441.trend.util'] : ['irn.A1.ratios-decrease']
      return ids.map((id) =>
        everySeedClaim({
          id: `${id} [IRN over ${ARM_NAMES.get(to)!}, ${before} to ${percent} %]`,
          statement: `IRN's average slowdown over that of ${ARM_NAMES.get(to)!} falls from ${before} to ${percent} % load: the second over the first`,
          paper: `below 1; ${printed.toFixed(2)} in Table 3`,
          values: steps,
          holds: (value) => value < 1,
          counts: 'below 1',
          unit: ' x',
          ...(printed > 1 ? { why: "The paper's own cells rise here." } : {}),
        }),
      )
    }),
  )
}

function claims(outcomes: readonly Outcome[], size: Size): Claim[] {
  if (size === 'small') return []
  // The default case's row stands in the experiment of that case.
  const cells = LOADS.filter((percent) => percent !== TURNS_PERCENT).flatMap((percent) => {
    const setting = { percent, turn: 1 }
    const place = {
      setting: `${percent} %`,
      control: 'none',
      irn: conditionOf(IRN, setting),
      irnPfc: conditionOf(IRN_PFC, setting),
      rocePfc: conditionOf(ROCE_PFC, setting),
      isCutShort: false,
    } as const
    return [...alwaysClaims(outcomes, place), ...cellClaims(outcomes, place)]
  })
  return [...trendClaims(outcomes), ...cells]
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  const percents = [...new Set(SETTINGS[size].map(({ percent }) => percent))]
  const turns = [...new Set(SETTINGS[size].map(({ turn }) => turn))]
  const point = (x: number, { mean, low, high }: Interval) => ({
    x,
    y: mean,
    ...(Number.isNaN(low) ? {} : { low, high }),
  })
  const common = { fromZero: true, yLabel: "slowdown over IRN's" } as const
  return {
    tables: [timesTable(outcomes, size), valueTable(outcomes, size)],
    figures: [
      {
        name: 'turns',
        lines: {
          ...common,
          title: `What a longer turn at the NIC does to PFC, at ${TURNS_PERCENT} % load`,
          subtitle: 'average slowdown over that of IRN without PFC; means over seeds with 95 % bands',
          xLabel: 'packets a QP may send before the turn passes',
          xScale: 'log',
          lines: [ROCE_PFC, IRN_PFC].map((each) => ({
            series: ARM_NAMES.get(each)!,
            points: turns.map((turn) =>
              point(turn, times(outcomes, each, { percent: TURNS_PERCENT, turn }, 'meanSlowdown')),
            ),
          })),
        },
      },
      ...(percents.length < 2
        ? []
        : [
            {
              name: 'loads',
              lines: {
                ...common,
                title: 'RoCE with PFC beside IRN without, by load',
                subtitle: 'average slowdown over that of IRN; means over seeds with 95 % bands',
                xLabel: 'load, %',
                lines: [
                  ...[1, LONG_TURN].map((turn) => ({
                    series: turn === 1 ? 'one packet a turn' : `${turn} packets a turn`,
                    points: percents.map((percent) =>
                      point(percent, times(outcomes, ROCE_PFC, { percent, turn }, 'meanSlowdown')),
                    ),
                  })),
                  {
                    series: 'S3, Table 3',
                    isPaper: true,
                    of: 'one packet a turn',
                    points: percents.map((percent) => ({ x: percent, y: paperTimes(ROCE_PFC, percent, 0) })),
                  },
                ],
              },
            },
          ]),
    ],
    claims: claims(outcomes, size),
    remarks: [
      'S3 4.1: "when the sender QP is ready to transmit data packets, it periodically polls the MAC layer until the link is available". Who gets the link when several poll is not said. ' +
        'Here the turn passes after each packet (`nic.packetsPerTurn: 1`) unless the table says otherwise; it passes at once from a QP that has nothing due. Verdicts are about one packet a turn.',
      'PFC pauses at 216 KB of 240 KB, where nothing is lost; at the 220 KB of the paper a few packets are, and messages whose last packets are lost are never completed, as there is no timeout. Flows, sizes and destinations of one seed are the same in all runs of one load.',
      ...(size === 'small'
        ? ['This size is cut short, to 2 ms of arrivals at one load, and judges nothing.']
        : ['Congestion control is left out, and with it two thirds of Table 3.']),
    ],
  }
}

export const irnLoads = defineExperiment({
  name: 'irn-loads',
  title: 'IRN beside RoCE by load, and what the turn among QPs has to do with it',
  source: 'S3 sections 4.1, 4.4.1 and A.1, Table 3 without congestion control',
  help:
    'IRN without PFC, IRN with PFC and RoCE with PFC at 30, 50, 70 and 90 % load, without congestion control, where NICs give each QP one ' +
    'packet by turns, and where a QP may send 16, 64 or 256 before the turn passes: what pauses cost depends on it.',
  sizes: {
    small: `${TURNS_PERCENT} % load, one and ${LONG_TURN} packets a turn, 2 ms of arrivals`,
    full: `20 ms of arrivals, run to their end; all turns at ${TURNS_PERCENT} %, two at the other loads`,
  },
  points,
  measure: irnMeasures,
  conclude,
})
