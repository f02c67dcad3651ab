/**
 * Go-back-N that backs off: is IRN's selective recovery needed if go-back-N reduces its rate after a loss?
 * Source: [IRN] section 4.3, "can go-back-N be made more efficient?", which has no figure and no back-off factor.
 */
import { humanShare } from '../../report/index.ts'
import { defineExperiment } from '../core/old/plan.ts'
import type { Outcome, Size } from '../core/old/plan.ts'
import {
  ABOVE_ONE,
  ABOVE_ZERO,
  BELOW_ONE,
  barOf,
  type Claim,
  claimOf,
  type Findings,
  type FindingsTable,
  intervalText,
  seedsClaim,
} from '../core/findings.ts'
import {
  arm,
  type Arm,
  armName,
  CONTROL_NAMES,
  CONTROLS,
  irnMeasures,
  METRICS,
  nameOf,
  pointsOfArms,
  ratio,
  ratios,
} from './arms.ts'
import type { Control, Traffic } from './default-case.ts'
import { valueTable } from './tables.ts'
import { overSeeds, percentSmaller } from '../core/old/over-seeds.ts'

/** Rate-based controls, which can back off. */
const RATE_CONTROLS = ['timely per packet', 'dcqcn'] as const
type RateControl = (typeof RATE_CONTROLS)[number]

const selective = (control: Control): Arm => arm('irn', 'no PFC', control)
const plain = (control: Control): Arm => arm('irn with go-back-n', 'no PFC', control)
const backOff = (control: RateControl): Arm => arm('irn with go-back-n', 'no PFC', `${control} with back-off`)
const withoutSacks = (control: Control): Arm => arm('irn without sacks', 'no PFC', control)
const withDynamic = (control: Control): Arm => arm('irn with dynamic timeouts', 'no PFC', control)
const ARMS: readonly Arm[] = [
  ...CONTROLS.flatMap((control) => [selective(control), plain(control), withoutSacks(control), withDynamic(control)]),
  ...RATE_CONTROLS.map(backOff),
]

const TRAFFIC: Readonly<Record<Size, Traffic>> = { small: 'irn-default, 2 ms', full: 'irn-default' }

function ratioTable(outcomes: readonly Outcome[]): FindingsTable {
  const pairs = RATE_CONTROLS.flatMap((control) => [
    { of: backOff(control), to: plain(control) },
    { of: selective(control), to: plain(control) },
    { of: selective(control), to: backOff(control) },
  ])
  return {
    title: 'Ratios of two arms',
    columns: [
      { head: 'arm' },
      { head: 'over' },
      ...METRICS.map(({ name }) => ({ head: name, align: 'right' }) as const),
    ],
    rows: pairs.map(({ of, to }) => [
      nameOf(of),
      nameOf(to),
      ...METRICS.map(({ key }) => intervalText(ratio(outcomes, of, to, key))),
    ]),
  }
}

/** Claims on IRN without SACKs, and with timeouts that follow the RTT. */
function variantClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  const isCutShort = size === 'small'
  const key = 'meanFctPs'
  return CONTROLS.flatMap((control) => {
    const name = CONTROL_NAMES[control]
    const more = ratios(outcomes, withoutSacks(control), selective(control), key).map((times) => 100 * (times - 1))
    return [
      seedsClaim({
        id: `irn.4.3.no-sack-better-than-gbn [${name}]`,
        statement: `Average FCT of IRN that goes back N over that of IRN without SACKs, ${name}`,
        paper: 'above 1',
        values: ratios(outcomes, plain(control), withoutSacks(control), key),
        band: ABOVE_ONE,
        judge: 'mean',
        unit: ' x',
        cutShort: isCutShort ? 'direction' : undefined,
      }),
      seedsClaim({
        id: `irn.4.3.no-sack-1-75 [${name}]`,
        statement: `Increase of the average FCT of IRN without SACKs, ${name}`,
        paper: 'less than 1 to 75 % over all settings',
        values: more,
        band: { low: 0, high: 100 },
        judge: 'mean',
        unit: ' %',
        why: 'This is the default case; the range covers all settings.',
        cutShort: isCutShort ? 'not judged' : undefined,
      }),
      ...METRICS.map((metric) =>
        seedsClaim({
          id: `irn.4.3.dynamic-rto [${name}, ${metric.name}]`,
          statement: `${metric.name} of IRN with timeouts that follow the RTT over that with static ones, ${name}`,
          paper: 'no better',
          values: ratios(outcomes, withDynamic(control), selective(control), metric.key),
          band: { low: 0.95, high: Infinity },
          judge: 'mean',
          unit: ' x',
          cutShort: isCutShort ? 'not judged' : undefined,
        }),
      ),
    ]
  })
}

/** Claims that backing off helps with TIMELY and does not help with DCQCN. */
function backOffClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  const key = 'meanFctPs'
  const isCutShort = size === 'small'
  const helped = RATE_CONTROLS.filter((control) => control !== 'dcqcn')
  return [
    ...RATE_CONTROLS.map((control) => {
      const isHelped = control !== 'dcqcn'
      return seedsClaim({
        id: `irn.4.3.backoff-gbn-timely [${CONTROL_NAMES[control]}]`,
        statement: `${nameOf(backOff(control))}: average FCT over that of ${nameOf(plain(control))}`,
        paper: isHelped ? 'below 1' : 'not below 1',
        values: ratios(outcomes, backOff(control), plain(control), key),
        band: isHelped ? BELOW_ONE : { low: 1, high: Infinity },
        judge: 'mean',
        unit: ' x',
        cutShort: isCutShort ? 'direction' : undefined,
      })
    }),
    ...helped.map((control) => {
      return claimOf({
        id: `irn.4.3.sack-vs-gbn-timely-20-50`,
        statement: `With ${CONTROL_NAMES[control]} the average FCT of IRN is smaller than that of go-back-N with back-off by`,
        paper: '20 to 50 %',
        measured: percentSmaller(ratio(outcomes, selective(control), backOff(control), key)),
        unit: ' %',
        band: { low: 10, high: 60 },
        tolerance: 'the range suggested for it',
        why: 'The paper does not say which of the two is 100 %; here it is go-back-N.',
        cutShort: isCutShort ? ABOVE_ZERO : undefined,
      })
    }),
  ]
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  const lost = (control: RateControl): string =>
    humanShare(overSeeds(outcomes, armName(plain(control)), (m) => m['dataDrops']! / m['dataPackets']!).mean)
  return {
    tables: [valueTable(outcomes), ratioTable(outcomes)],
    figures: [
      {
        name: 'fct',
        bars: {
          title: 'Go-back-N, go-back-N with back-off, and selective recovery',
          subtitle:
            'average completion time over that of plain go-back-N; lower is better; means over seeds with 95 % intervals',
          yLabel: 'average FCT over that of go-back-N',
          groups: RATE_CONTROLS.flatMap((control) =>
            [
              { series: 'go-back-N', of: plain(control) },
              { series: 'go-back-N with back-off', of: backOff(control) },
              { series: 'IRN', of: selective(control) },
            ].map(({ series, of }) => ({
              label: CONTROL_NAMES[control],
              series,
              ...barOf(ratio(outcomes, of, plain(control), 'meanFctPs')),
            })),
          ),
          showValues: true,
        },
      },
    ],
    claims: [...backOffClaims(outcomes, size), ...variantClaims(outcomes, size)],
    remarks: [
      `Without back-off go-back-N loses ${lost('timely per packet')} of its data packets with TIMELY and ${lost('dcqcn')} with DCQCN.`,
      "Back-off: the losses of one flight halve the rate once, and so does each timeout (`lossCut: 0.5`). The paper does not give its rule; the factor is TCP's. " +
        "Go-back-N here has the receiver of RoCE, which keeps no packet out of order, and IRN's cap and timeouts. None of these runs has PFC; flows, sizes and destinations of one seed are the same in all of them.",
      `At 70 % this network cannot carry the load of large flows, so absolute times depend on the number of flows (${size === 'small' ? '2 ms' : '75 ms'} of arrivals here); every flow runs to its end. The paper gives its 20 to 50 % over several scenarios; this is the default one.`,
      ...(size === 'small'
        ? [
            'This size is cut short, to 2 ms of arrivals: its verdicts cover only the direction, for claims that have one.',
          ]
        : []),
    ],
  }
}

export const irnBackOff = defineExperiment({
  name: 'irn-back-off',
  title: 'Go-back-N that backs off after losses, compared with IRN',
  source: '[IRN] section 4.3',
  help:
    'Go-back-N resends packets that have already arrived. Would it be as good as selective recovery if it slowed down after each loss? In the default ' +
    'case of the IRN paper without PFC, with TIMELY and with DCQCN: IRN, IRN with go-back-N, and IRN with go-back-N whose rate is halved by a loss.',
  sizes: {
    small: 'the default case cut short: 2 ms of arrivals',
    full: 'some 52,000 flows in 75 ms, run to their end',
  },
  points: (size, seed) => pointsOfArms(ARMS, TRAFFIC[size], seed),
  measure: irnMeasures,
  conclude,
})
