/**
 * IRN and iWARP in the default case without PFC: does a transport that is simpler than TCP perform worse?
 * Source: [IRN] section 4.6, Figure 11, which gives neither TCP's flavour nor its initial window nor its timeouts. iWARP
 * therefore runs with several of each, and every claim has a row for each of them.
 */
import { humanNumber, humanShare } from '../../report/index.ts'
import { completionsOf, mean, numbersOf, type Result } from '../../results/index.ts'
import { defineExperiment } from '../core/old/plan.ts'
import type { Measures, Outcome, Point, Size } from '../core/old/plan.ts'
import {
  ABOVE_ZERO,
  type Band,
  barOf,
  type Claim,
  claimOf,
  seedsClaim,
  type Findings,
  type FindingsTable,
  intervalText,
} from '../core/findings.ts'
import {
  arm,
  type Arm,
  armName,
  irnMeasures,
  METRICS,
  pointsOfArms,
  ratio,
  ratios,
  SINGLE_PACKET_BYTES,
  TRANSPORT_NAMES,
} from './arms.ts'
import type { Traffic } from './default-case.ts'
import { valueTable } from './tables.ts'
import { overSeeds, percentSmaller } from '../core/old/over-seeds.ts'

const IRN = arm('irn', 'no PFC', 'none')
const IRN_AIMD = arm('irn', 'no PFC', 'aimd')

/** iWARP's settings, our defaults first, with the name in the claim's row. */
const SETTINGS: readonly { readonly arm: Arm; readonly name: string | null }[] = [
  { arm: arm('iwarp', 'no PFC', 'none'), name: null },
  { arm: arm('iwarp with window 2', 'no PFC', 'none'), name: 'initial window 2' },
  { arm: arm('iwarp with window 10', 'no PFC', 'none'), name: 'initial window 10' },
  { arm: arm('iwarp with newreno', 'no PFC', 'none'), name: 'NewReno' },
  { arm: arm('iwarp with timeouts of inet', 'no PFC', 'none'), name: 'timeouts of INET' },
]
const IWARP = SETTINGS[0]!.arm
const ARMS: readonly Arm[] = [IRN, IRN_AIMD, ...SETTINGS.map((setting) => setting.arm)]
const labelOf = (each: Arm): string => (each === IRN_AIMD ? 'IRN + AIMD' : TRANSPORT_NAMES[each.transport])

const TRAFFIC: Readonly<Record<Size, Traffic>> = { small: 'irn-default, 2 ms', full: 'irn-default' }

/** Classes of messages by size: one packet, up to the 110 packets that fill the path, and longer. */
const CLASSES = [
  { name: 'one packet', key: 'singleSlowdown', above: 0, to: SINGLE_PACKET_BYTES },
  {
    name: 'up to 110 packets',
    key: 'windowSlowdown',
    above: SINGLE_PACKET_BYTES,
    to: 110 * SINGLE_PACKET_BYTES,
  },
  { name: 'longer', key: 'longSlowdown', above: 110 * SINGLE_PACKET_BYTES, to: Infinity },
] as const

function measure(result: Result, point: Point): Measures {
  const { slowdown } = completionsOf(result)
  const sizes = numbersOf(result.flows, 'sizeBytes')
  const measured = numbersOf(result.flows, 'measured')
  const isIn = (row: number, { above, to }: (typeof CLASSES)[number]): boolean =>
    measured[row] === 1 && !Number.isNaN(slowdown[row]!) && sizes[row]! > above && sizes[row]! <= to
  return {
    ...irnMeasures(result, point),
    ...Object.fromEntries(CLASSES.map((each) => [each.key, mean(slowdown.filter((_, row) => isIn(row, each)))])),
  }
}

function slowdownTable(outcomes: readonly Outcome[]): FindingsTable {
  return {
    title: 'Average slowdown by message size',
    columns: [{ head: 'transport' }, ...CLASSES.map(({ name }) => ({ head: name, align: 'right' }) as const)],
    rows: ARMS.map((each) => [
      labelOf(each),
      ...CLASSES.map(({ key }) => intervalText(overSeeds(outcomes, armName(each), (m) => m[key]!))),
    ]),
  }
}

function ratioTable(outcomes: readonly Outcome[]): FindingsTable {
  return {
    title: 'Figure 11: IRN over iWARP',
    columns: [
      { head: 'arm' },
      { head: 'over' },
      ...METRICS.map(({ name }) => ({ head: name, align: 'right' }) as const),
    ],
    rows: [IRN, IRN_AIMD].flatMap((of) =>
      SETTINGS.map(({ arm: to }) => [
        labelOf(of),
        labelOf(to),
        ...METRICS.map(({ key }) => intervalText(ratio(outcomes, of, to, key))),
      ]),
    ),
  }
}

/** The paper's percentages by which IRN is smaller than iWARP. */
const SHARES = [
  { id: 'irn.fig11.slowdown-21', of: IRN, metric: METRICS[0], percent: 21, points: 12 },
  { id: 'irn.fig11.aimd-44', of: IRN_AIMD, metric: METRICS[0], percent: 44, points: 12 },
  { id: 'irn.fig11.aimd-11', of: IRN_AIMD, metric: METRICS[1], percent: 11, points: 8 },
] as const

function claims(outcomes: readonly Outcome[], size: Size): Claim[] {
  const isCutShort = size === 'small'
  const why = (name: string | null): string => (name === null ? '' : `Another TCP than our default: ${name}.`)
  return SETTINGS.flatMap(({ arm: to, name: setting }) => [
    ...SHARES.map(({ id, of, metric, percent, points: tolerance }) =>
      claimOf({
        id: setting === null ? id : `${id} [${setting}]`,
        statement: `The ${metric.name} of ${labelOf(of)} is smaller than that of ${labelOf(to)} by`,
        paper: `${percent} %`,
        measured: percentSmaller(ratio(outcomes, of, to, metric.key)),
        unit: ' %',
        band: { low: percent - tolerance, high: percent + tolerance },
        tolerance: `${tolerance} percentage points`,
        why: why(setting),
        cutShort: isCutShort ? ABOVE_ZERO : undefined,
      }),
    ),
    ...METRICS.slice(1).map(({ name, key }) =>
      seedsClaim({
        id: `irn.fig11.fct-comparable [${setting === null ? '' : `${setting}, `}${name}]`,
        statement: `The ${name} of IRN over that of ${labelOf(to)}`,
        paper: 'comparable',
        values: ratios(outcomes, IRN, to, key),
        band: COMPARABLE,
        judge: 'mean',
        unit: ' x',
        why: why(setting),
        cutShort: isCutShort ? 'not judged' : undefined,
      }),
    ),
  ])
}

const COMPARABLE: Band = { low: 0.85, high: 1.15 }

function remarks(outcomes: readonly Outcome[], size: Size): string[] {
  const at = (each: Arm, key: string): number => overSeeds(outcomes, armName(each), (m) => m[key]!).mean
  const both = (key: string): string => `${humanNumber(at(IRN, key))} and ${humanNumber(at(IWARP, key))}`
  const lost = (each: Arm): string => humanShare(at(each, 'dataDrops') / at(each, 'dataPackets'))
  const slow = arm('iwarp with timeouts of inet', 'no PFC', 'none')
  const unfinished = ARMS.reduce((total, each) => total + at(each, 'unfinishedFlows'), 0)
  return [
    'IRN has the cap of 110 packets, timeouts of 100 and 320 us and an ACK for every packet; IRN + AIMD starts at that cap, halves its window after a loss, and has no slow start. Unless its name says otherwise, iWARP has ' +
      'SACK, an initial window of 4 packets, a timeout of 320 us initially and at least, no delayed ACKs, and established connections. ' +
      "The processing cost of a NIC's protocol layers is left out on both sides. Flows, sizes and destinations of one seed are the same in all its runs.",
    `Figure 11 depends mostly on short messages, which dominate an average slowdown. TCP's slow start costs messages of several packets extra round trips: the average slowdown up to 110 packets is ${both('windowSlowdown')} ` +
      `with IRN and iWARP, and for one packet ${both('singleSlowdown')}. The rest is queueing delay, which depends on the reaction to losses: the share of data packets lost is ${lost(IRN)} with IRN, which does not react to them, ` +
      `${lost(IWARP)} with iWARP, and ${lost(IRN_AIMD)} with IRN + AIMD, which reacts to them and has no slow start.`,
    'Long timeouts matter more than both. "Timeouts of INET" are the defaults of TCP in the simulator that the paper names, which it may have changed: 3 s before the first RTT sample, at least 1 s. ' +
      `${humanNumber(at(slow, 'timeouts'))} of them in a run give an average slowdown of ${humanNumber(at(slow, 'meanSlowdown'))}, which the paper's comparable FCTs rule out. 320 us is our choice: IRN's own longer timeout.`,
    `At 70 % this network cannot carry the load of large flows, so absolute times depend on the number of flows (${size === 'small' ? '2 ms' : '75 ms'} of arrivals here); every flow runs to its end. ${unfinished === 0 ? 'Every message was completed.' : `${unfinished} messages a seed were not completed and count nowhere.`}`,
    ...(size === 'small'
      ? [
          'This size is cut short, to 2 ms of arrivals: its verdicts cover only the direction, for claims that have one.',
        ]
      : []),
  ]
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  return {
    tables: [valueTable(outcomes), ratioTable(outcomes), slowdownTable(outcomes)],
    figures: [
      {
        name: 'metrics',
        bars: {
          title: 'IRN and iWARP, without PFC',
          subtitle:
            'ratios to iWARP with SACK, an initial window of 4 and timeouts of 320 us; lower is better; means over seeds with 95 % intervals',
          yLabel: 'over iWARP',
          yScale: 'log',
          groups: METRICS.flatMap(({ name, key }) =>
            ARMS.map((each) => ({
              label: name,
              series: labelOf(each),
              ...barOf(ratio(outcomes, each, IWARP, key)),
              paper: paperOf(each, key),
            })),
          ),
          showValues: true,
        },
      },
    ],
    claims: claims(outcomes, size),
    remarks: remarks(outcomes, size),
  }
}

/** The paper's ratio to iWARP, or NaN. */
function paperOf(each: Arm, key: string): number {
  const said = SHARES.find(({ of, metric }) => of === each && metric.key === key)
  return said === undefined ? NaN : 1 - said.percent / 100
}

export const irnIwarp = defineExperiment({
  name: 'irn-iwarp',
  title: 'IRN and iWARP: is TCP in the NIC any better?',
  source: '[IRN] section 4.6, Figure 11',
  help:
    'iWARP has all of TCP in the NIC and needs no PFC. In the default case of the IRN paper (54 hosts in a fat tree, 40 Gb/s, 70 % load of ' +
    'heavy-tailed flows) it is compared with IRN alone and with IRN and the window of AIMD. The paper uses the TCP of another simulator and gives ' +
    'neither flavour nor initial window nor timeouts, so iWARP runs with several of each.',
  sizes: {
    small: 'the default case cut short: 2 ms of arrivals',
    full: 'some 52,000 flows in 75 ms, run to their end',
  },
  points: (size, seed) => pointsOfArms(ARMS, TRAFFIC[size], seed),
  measure,
  conclude,
})
