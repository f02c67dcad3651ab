/**
 * Tables and figures of the IRN experiment.
 * Source: S3 Figures 1 to 8, 10, 12, Table 3.
 */
import { exactCount, humanDuration, humanNumber, humanShare } from '../report/index.ts'
import type { Outcome } from './experiment.ts'
import { barOf, type FindingsFigure, type FindingsTable, intervalText, meanCountText } from './findings.ts'
import {
  arm,
  type Arm,
  armName,
  comparisonsOf,
  CONTROL_NAMES,
  METRICS,
  nameOf,
  ratio,
  TAILS,
  tailKey,
  TRANSPORT_NAMES,
} from './irn-arms.ts'
import type { Control, Pfc, Transport } from './irn-default.ts'
import { DEFAULT_SETTING, printedRows } from './irn-printed.ts'
import { overSeeds } from './over-seeds.ts'

export function irnTables(outcomes: readonly Outcome[], controls: readonly Control[]): FindingsTable[] {
  return [
    valueTable(outcomes),
    figureTable(outcomes, controls),
    table3(outcomes, controls),
    tailTable(outcomes, controls),
  ]
}

/** Arms that were run, in order. */
function armsIn(outcomes: readonly Outcome[]): string[] {
  return [...new Set(outcomes.map(({ condition }) => condition))]
}

/** Every arm that was run: the three metrics, and what was lost, resent, paused and left. */
export function valueTable(outcomes: readonly Outcome[]): FindingsTable {
  const right = (head: string) => ({ head, align: 'right' }) as const
  return {
    title: 'All runs',
    columns: [
      { head: 'transport' },
      { head: 'flow control' },
      { head: 'congestion control' },
      ...METRICS.map(({ name }) => right(name)),
      ...['packets lost', 'sent again', 'timeouts', 'pause frames', 'unfinished'].map(right),
    ],
    rows: armsIn(outcomes).map((condition) => {
      const [transport, pfc, control] = condition.split(' | ') as [Transport, Pfc, Control]
      const at = (key: string): number => overSeeds(outcomes, condition, (m) => m[key]!).mean
      return [
        TRANSPORT_NAMES[transport],
        pfc,
        transport.startsWith('iwarp') ? 'its own' : CONTROL_NAMES[control],
        ...METRICS.map(({ key, text: show }) => {
          const { mean, low, high } = overSeeds(outcomes, condition, (m) => m[key]!)
          return Number.isNaN(low) ? show(mean) : `${show(mean)} (${show(low)} to ${show(high)})`
        }),
        humanShare(at('drops') / at('dataPackets')),
        humanShare(at('retransmissions') / at('dataPackets')),
        exactCount(Math.round(at('timeouts'))),
        exactCount(Math.round(at('pauseFrames'))),
        meanCountText(at('unfinishedFlows')),
      ]
    }),
  }
}

function figureTable(outcomes: readonly Outcome[], controls: readonly Control[]): FindingsTable {
  return {
    title: controls.includes('none') ? 'Figures 1 to 6: how many times worse' : 'Figures 4 to 6: how many times worse',
    columns: [
      { head: 'figure' },
      { head: 'this' },
      { head: 'over this' },
      ...METRICS.map(({ name }) => ({ head: name, align: 'right' }) as const),
      { head: 'paper', align: 'right' },
    ],
    rows: comparisonsOf(controls).map(({ figure, of, to, low, high }) => [
      figure,
      nameOf(of),
      nameOf(to),
      ...METRICS.map(({ key }) => intervalText(ratio(outcomes, of, to, key))),
      `${low} to ${high}`,
    ]),
  }
}

function table3(outcomes: readonly Outcome[], controls: readonly Control[]): FindingsTable {
  const right = (head: string) => ({ head, align: 'right' }) as const
  return {
    title: 'Table 3 at 70 % load',
    columns: [
      { head: 'congestion control' },
      { head: 'metric' },
      ...['IRN', 'paper', 'IRN / IRN + PFC', 'paper', 'IRN / RoCE + PFC', 'paper'].map(right),
    ],
    rows: controls.flatMap((control) =>
      METRICS.map(({ name, key, text: show }, i) => {
        const [value, toIrn, toRoce] = printedRows(DEFAULT_SETTING, control)[i]!
        const irn = arm('irn', 'no PFC', control)
        return [
          CONTROL_NAMES[control],
          name,
          show(overSeeds(outcomes, armName(irn), (m) => m[key]!).mean),
          show(value),
          intervalText(ratio(outcomes, irn, arm('irn', 'PFC', control), key)),
          humanNumber(toIrn),
          intervalText(ratio(outcomes, irn, arm('roce', 'PFC', control), key)),
          humanNumber(toRoce),
        ]
      }),
    ),
  }
}

const tailArms = (controls: readonly Control[]): Arm[] =>
  controls.flatMap((control) => [
    arm('roce', 'PFC', control),
    arm('irn', 'PFC', control),
    arm('irn', 'no PFC', control),
  ])

function tailTable(outcomes: readonly Outcome[], controls: readonly Control[]): FindingsTable {
  return {
    title: 'Figure 8: completion times of messages of one packet',
    columns: [
      { head: 'transport' },
      ...TAILS.map((share) => ({ head: `${humanNumber(share * 100)} %`, align: 'right' }) as const),
    ],
    rows: tailArms(controls).map((each) => [
      nameOf(each),
      ...TAILS.map((share) => {
        const { mean, low, high } = overSeeds(outcomes, armName(each), (m) => m[tailKey(share)]!)
        return Number.isNaN(low)
          ? humanDuration(mean)
          : `${humanDuration(mean)} (${humanDuration(low)} to ${humanDuration(high)})`
      }),
    ]),
  }
}

export function irnFigures(outcomes: readonly Outcome[], controls: readonly Control[]): FindingsFigure[] {
  const bars = (arms: readonly Arm[], to: Arm, keys: readonly (typeof METRICS)[number][]) =>
    keys.flatMap(({ name, key }) =>
      arms.map((each) => ({ label: name, series: nameOf(each), ...barOf(ratio(outcomes, each, to, key)) })),
    )
  const irn = arm('irn', 'no PFC', 'none')
  const common = { yLabel: 'over IRN without PFC', showValues: true } as const
  const alone: FindingsFigure = {
    name: 'pfc',
    bars: {
      title: 'IRN and RoCE, with PFC and without, without congestion control',
      subtitle: 'ratios to IRN without PFC; lower is better; means over seeds with 95 % intervals',
      ...common,
      yScale: 'log',
      groups: bars(
        [irn, arm('irn', 'PFC', 'none'), arm('roce', 'PFC', 'none'), arm('roce', 'no PFC', 'none')],
        irn,
        METRICS,
      ),
    },
  }
  const resilient: FindingsFigure = {
    name: 'resilient',
    bars: {
      title: 'IRN without control and RoCE under DCQCN (Resilient RoCE), both without PFC',
      subtitle: 'ratios to IRN; lower is better; means over seeds with 95 % intervals',
      ...common,
      groups: bars([irn, arm('roce', 'no PFC', 'dcqcn')], irn, METRICS),
    },
  }
  return [
    ...(controls.includes('none') ? [alone] : []),
    ...controls
      .filter((control) => control !== 'none')
      .map((control) => {
        const base = arm('irn', 'no PFC', control)
        return {
          name: `pfc-${control.replaceAll(' ', '-')}`,
          bars: {
            title: `IRN and RoCE, with PFC and without, under ${CONTROL_NAMES[control]}`,
            subtitle: 'ratios to IRN without PFC; lower is better; means over seeds with 95 % intervals',
            ...common,
            groups: bars(
              [base, arm('irn', 'PFC', control), arm('roce', 'PFC', control), arm('roce', 'no PFC', control)],
              base,
              METRICS,
            ),
          },
        }
      }),
    {
      name: 'factors',
      bars: {
        title: 'What of IRN matters',
        subtitle: 'average completion time over that of IRN; lower is better; means over seeds with 95 % intervals',
        ...common,
        yLabel: 'average FCT over that of IRN',
        groups: controls.flatMap((control) =>
          (['irn', 'irn without bdp-fc', 'irn with go-back-n'] as const).map((transport) => ({
            label: CONTROL_NAMES[control],
            series: TRANSPORT_NAMES[transport],
            ...barOf(ratio(outcomes, arm(transport, 'no PFC', control), arm('irn', 'no PFC', control), 'meanFctPs')),
          })),
        ),
      },
    },
    ...(controls.includes('none') && controls.includes('dcqcn') ? [resilient] : []),
    {
      name: 'overheads',
      bars: {
        title: 'IRN with its overheads at their worst',
        subtitle:
          'average completion time over that of RoCE with PFC; overheads: 2 us to fetch what goes again, 16 bytes in each ' +
          'packet; lower is better; means over seeds with 95 % intervals',
        ...common,
        yLabel: 'average FCT over that of RoCE + PFC',
        groups: controls.flatMap((control) => {
          const roce = arm('roce', 'PFC', control)
          const arms = [roce, arm('irn with overheads', 'no PFC', control), arm('irn', 'no PFC', control)]
          return arms.map((each) => ({
            label: CONTROL_NAMES[control],
            series: `${TRANSPORT_NAMES[each.transport]}${each.pfc === 'PFC' ? ' + PFC' : ''}`,
            ...barOf(ratio(outcomes, each, roce, 'meanFctPs')),
          }))
        }),
      },
    },
    {
      name: 'single-packet',
      bars: {
        title: 'Messages of one packet: the tail',
        subtitle: 'completion times in microseconds; means over seeds with 95 % intervals',
        yLabel: 'us',
        yScale: 'log',
        groups: TAILS.flatMap((share) =>
          tailArms(controls).map((each) => {
            const { mean, low, high, count } = overSeeds(outcomes, armName(each), (m) => m[tailKey(share)]! / 1e6)
            return {
              label: `${humanNumber(share * 100)} %`,
              series: nameOf(each),
              ...barOf({ mean, low, high, count }),
            }
          }),
        ),
      },
    },
  ]
}
