/**
 * IRN and iWARP in the default case without PFC: does a transport that is simpler than TCP perform worse?
 * Source: [IRN] section 4.6, Figure 11, which gives neither TCP's flavour nor its initial window nor its timeouts. iWARP
 * therefore runs with several of each, and every claim has a check for each of them.
 */
import { humanNumber, humanShare } from '../../show/index.ts'
import { completionsOf, mean, numbersOf, type Result } from '../../core/results/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import { ABOVE_ZERO, barOf, between, type Claim, claim, near } from '../core/findings.ts'
import { percentSmaller } from '../core/over-seeds.ts'
import type { Measures, Point } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { label, means, tableAt } from '../core/tables.ts'
import { type Arm, arm, irnMeasures, METRICS, pointsOfArms, SINGLE_PACKET_BYTES } from './arms.ts'
import { transportName } from './default-case.ts'

const IRN = arm('irn', 'no-pfc', 'none')
const IRN_AIMD = arm('irn', 'no-pfc', 'aimd')
const IWARP = arm('iwarp', 'no-pfc', 'none')

/** iWARP's settings, our default first, with the names of their checks. */
const SETTINGS = [
  { to: IWARP, name: '' },
  { to: arm('iwarp-with-window-2', 'no-pfc', 'none'), name: 'initial window 2' },
  { to: arm('iwarp-with-window-10', 'no-pfc', 'none'), name: 'initial window 10' },
  { to: arm('iwarp-with-newreno', 'no-pfc', 'none'), name: 'NewReno' },
  { to: arm('iwarp-with-timeouts-of-inet', 'no-pfc', 'none'), name: 'timeouts of INET' },
]
const ARMS: readonly Arm[] = [IRN, IRN_AIMD, ...SETTINGS.map(({ to }) => to)]
const labelOf = (at: Arm): string => (at.control === 'aimd' ? 'IRN + AIMD' : transportName(at.transport))

/** Messages by size: one packet, up to the 110 packets that fill the path, and longer. */
const CLASSES = [
  { name: 'one packet', key: 'singleSlowdown', above: 0, most: SINGLE_PACKET_BYTES },
  { name: 'up to 110 packets', key: 'windowSlowdown', above: SINGLE_PACKET_BYTES, most: 110 * SINGLE_PACKET_BYTES },
  { name: 'longer', key: 'longSlowdown', above: 110 * SINGLE_PACKET_BYTES, most: Infinity },
]

function measure(result: Result, point: Point): Measures {
  const { slowdown } = completionsOf(result)
  const sizes = numbersOf(result.flows, 'sizeBytes')
  const measured = numbersOf(result.flows, 'measured')
  const byClass = CLASSES.map(({ key, above, most }) => {
    const isIn = (value: number, row: number): boolean =>
      measured[row] === 1 && !Number.isNaN(value) && sizes[row]! > above && sizes[row]! <= most
    return [key, mean(slowdown.filter(isIn))]
  })
  return { ...irnMeasures(result, point), ...Object.fromEntries(byClass) }
}

/** The paper's percentages by which IRN is smaller than iWARP. */
const SHARES = [
  { id: 'irn.fig11.slowdown-21', of: IRN, key: 'meanSlowdown', percent: 21, points: 12 },
  { id: 'irn.fig11.aimd-44', of: IRN_AIMD, key: 'meanSlowdown', percent: 44, points: 12 },
  { id: 'irn.fig11.aimd-11', of: IRN_AIMD, key: 'meanFctPs', percent: 11, points: 8 },
]

const claims = (runs: Runs, isCutShort: boolean): Claim[] =>
  SETTINGS.flatMap(({ to, name }) => [
    ...SHARES.map(({ id, of, key, percent, points }) =>
      claim(id, percentSmaller(runs.ratio(key, of, to)), near(percent, points), {
        check: name,
        unit: ' %',
        cutShort: isCutShort ? ABOVE_ZERO : undefined,
      }),
    ),
    ...METRICS.slice(1).map((metric) =>
      claim('irn.fig11.fct-comparable', runs.ratios(metric.key, IRN, to), between(0.85, 1.15), {
        check: name === '' ? metric.name : `${name}, ${metric.name}`,
        unit: ' x',
        cutShort: isCutShort ? null : undefined,
      }),
    ),
  ])

/** The paper's ratio to iWARP, or NaN. */
function paperOf(at: Arm, key: string): number {
  const said = SHARES.find((share) => share.of === at && share.key === key)
  return said === undefined ? NaN : 1 - said.percent / 100
}

const REMARKS = [
  'IRN has the cap of 110 packets, timeouts of 100 and 320 us and an ACK for every packet; IRN + AIMD starts at that cap, halves its window after a loss, and has no slow start. Unless its name says otherwise, iWARP has ' +
    "SACK, an initial window of 4 packets, a timeout of 320 us initially and at least (our choice: IRN's longer one), no delayed ACKs, and established connections. " +
    "The processing cost of a NIC's protocol layers is left out on both sides.",
  "Short messages dominate an average slowdown. TCP's slow start costs those of several packets extra round trips; the rest is queueing delay, which depends on the reaction to losses: " +
    'IRN has none and loses the most.',
  'Long timeouts matter more than both. "Timeouts of INET" are the defaults of TCP in the simulator that the paper names, which it may have changed: 3 s before the first RTT sample, at least 1 s. ' +
    "Their slowdown is ruled out by the paper's comparable FCTs.",
  'At 70 % this network cannot carry the load of large flows, so absolute times depend on the number of flows.',
]

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
  points: (size, seed) => pointsOfArms(ARMS, size === 'small' ? 'irn-default-2-ms' : 'irn-default', seed),
  measure,
  conclude: (runs, size) => ({
    tables: [
      tableAt(runs, ARMS, {
        title: 'Completion times, slowdown by message size, and losses',
        columns: [
          label('transport', labelOf),
          ...METRICS.map(({ name, key, text }) => means<Arm>(name, key, text)),
          ...CLASSES.map(({ name, key }) => means<Arm>(`slowdown, ${name}`, key, (value) => humanNumber(value))),
          means(
            'data lost',
            (m) => m['dataDrops']! / m['dataPackets']!,
            (share) => humanShare(share),
          ),
        ],
      }),
    ],
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
            ARMS.map((at) => ({
              label: name,
              series: labelOf(at),
              ...barOf(runs.ratio(key, at, IWARP)),
              paper: paperOf(at, key),
            })),
          ),
          showValues: true,
        },
      },
    ],
    claims: claims(runs, size === 'small'),
    remarks: [
      ...REMARKS,
      ...(size === 'small'
        ? ['This size is cut short: its verdicts cover only the direction, for claims that have one.']
        : []),
    ],
  }),
})
