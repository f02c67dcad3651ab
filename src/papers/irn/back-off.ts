/**
 * Go-back-N that backs off: is IRN's selective recovery needed if go-back-N reduces its rate after a loss?
 * Source: [IRN] section 4.3, "can go-back-N be made more efficient?", which has no figure and no back-off factor.
 */
import { humanShare } from '../../show/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import { ABOVE_ONE, ABOVE_ZERO, atLeast, type Band, BELOW_ONE, between, type Claim, claim } from '../core/findings.ts'
import { percentSmaller } from '../core/over-seeds.ts'
import type { Runs } from '../core/runs.ts'
import { label, means, tableAt } from '../core/tables.ts'
import { arm, CONTROLS, irnMeasures, METRICS, nameOf, pointsOfArms } from './arms.ts'
import { controlName } from './default-case.ts'

const armsOf = (control: (typeof CONTROLS)[number]) => ({
  irn: arm('irn', 'no-pfc', control),
  goBackN: arm('irn-with-go-back-n', 'no-pfc', control),
  noSacks: arm('irn-without-sacks', 'no-pfc', control),
  dynamic: arm('irn-with-dynamic-timeouts', 'no-pfc', control),
})

/** Rate-based controls, which can back off. */
const RATE_CONTROLS = ['timely-per-packet', 'dcqcn'] as const
const backOff = (control: (typeof RATE_CONTROLS)[number]) =>
  arm('irn-with-go-back-n', 'no-pfc', `${control}-with-back-off`)

const ARMS = [...CONTROLS.flatMap((control) => Object.values(armsOf(control))), ...RATE_CONTROLS.map(backOff)]

const FCT = 'meanFctPs'
const lostShare = (m: Readonly<Record<string, number>>): number => m['dataDrops']! / m['dataPackets']!

function claims(runs: Runs, isCutShort: boolean): Claim[] {
  const judged = (id: string, check: string, band: Band, values: readonly number[], unit = ' x'): Claim => {
    const isSide = band.low === 1 || band.high === 1
    return claim(id, values, band, { check, unit, cutShort: !isCutShort ? undefined : isSide ? band : null })
  }
  const irnOverTimely = runs.ratio(FCT, armsOf('timely-per-packet').irn, backOff('timely-per-packet'))
  return [
    ...RATE_CONTROLS.map((control) => {
      const values = runs.ratios(FCT, backOff(control), armsOf(control).goBackN)
      const band = control === 'dcqcn' ? atLeast(1) : BELOW_ONE
      return judged('irn.4.3.backoff-gbn-timely', controlName(control), band, values)
    }),
    claim('irn.4.3.sack-vs-gbn-timely-20-50', percentSmaller(irnOverTimely), between(10, 60), {
      unit: ' %',
      why: 'The paper does not say which of the two is 100 %; here it is go-back-N.',
      cutShort: isCutShort ? ABOVE_ZERO : undefined,
    }),
    ...CONTROLS.flatMap((control) => {
      const { irn, goBackN, noSacks, dynamic } = armsOf(control)
      const name = controlName(control)
      const percents = runs.ratios(FCT, noSacks, irn).map((times) => 100 * (times - 1))
      return [
        judged('irn.4.3.no-sack-better-than-gbn', name, ABOVE_ONE, runs.ratios(FCT, goBackN, noSacks)),
        judged('irn.4.3.no-sack-1-75', name, between(0, 100), percents, ' %'),
        ...METRICS.map(({ name: metric, key }) =>
          judged('irn.4.3.dynamic-rto', `${name}, ${metric}`, atLeast(0.95), runs.ratios(key, dynamic, irn)),
        ),
      ]
    }),
  ]
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
  points: (size, seed) => pointsOfArms(ARMS, size === 'small' ? 'irn-default-2-ms' : 'irn-default', seed),
  measure: irnMeasures,
  conclude: (runs, size) => ({
    tables: [
      tableAt(runs, ARMS, {
        title: 'Completion times and losses',
        columns: [
          label('recovery, congestion control', nameOf),
          ...METRICS.map(({ name, key, text }) => means(name, key, text)),
          means('data lost', lostShare, (share) => humanShare(share)),
        ],
      }),
    ],
    claims: claims(runs, size === 'small'),
    remarks: [
      "The losses of one flight halve the rate once, and so does each timeout (`lossCut: 0.5`); the paper does not give its rule. Go-back-N has the receiver of RoCE, which keeps no packet out of order, and IRN's cap and timeouts.",
      `At 70 % this network cannot carry the load of large flows, so absolute times depend on the number of flows (${size === 'small' ? '2 ms' : '75 ms'} of arrivals). The paper gives its ranges over several scenarios; this is the default one.`,
      ...(size === 'small'
        ? ['This size is cut short: its verdicts cover only the direction, for claims that have one.']
        : []),
    ],
  }),
})
