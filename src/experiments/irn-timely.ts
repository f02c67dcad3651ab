/**
 * IRN and RoCE under a TIMELY that is brought up to date by every packet, where its own paper has segments of 16 to 64 KB.
 * S3 has a TIMELY in the NIC with the parameters of TIMELY's paper, and an ACK for every packet with IRN; what its round-trip
 * times are taken of is not said. The other reading, 16 KB, is that of the experiment irn.
 * Source: S3 sections 4.1 to 4.5, Figures 4 to 8 and 12, Table 3 at 70 %, for TIMELY.
 */
import { humanNumber } from '../report/index.ts'
import type { Interval } from '../results/index.ts'
import { defineExperiment, type Outcome, type Point, type Size } from './experiment.ts'
import type { Findings } from './findings.ts'
import { arm, type Arm, armName, irnMeasures } from './irn-arms.ts'
import { backOffClaims } from './irn-back-off.ts'
import { irnClaims } from './irn-claims.ts'
import { irnDefault, type Traffic } from './irn-default.ts'
import { irnFigures, irnTables } from './irn-tables.ts'
import { overSeeds } from './over-seeds.ts'

const CONTROL = 'timely per packet'

/** The last is plain IRN with TIMELY's own segments, for what is between the two readings. */
const SEGMENTS = arm('irn', 'no PFC', 'timely')
const ARMS: readonly Arm[] = [
  arm('roce', 'PFC', CONTROL),
  arm('roce', 'no PFC', CONTROL),
  arm('irn', 'PFC', CONTROL),
  arm('irn', 'no PFC', CONTROL),
  arm('irn with go-back-n', 'no PFC', CONTROL),
  arm('irn with go-back-n', 'no PFC', 'timely per packet with back-off'),
  arm('irn without bdp-fc', 'no PFC', CONTROL),
  arm('irn with overheads', 'no PFC', CONTROL),
  SEGMENTS,
]

const TRAFFIC: Readonly<Record<Size, Traffic>> = { small: 'irn-default, 5 ms', full: 'irn-default' }

function points(size: Size, seed: number): Point[] {
  return ARMS.map((each) => ({
    condition: armName(each),
    seed,
    scenario: irnDefault({ ...each, traffic: TRAFFIC[size], seed }),
  }))
}

function remarks(outcomes: readonly Outcome[], size: Size): string[] {
  const slowdown = (each: Arm): Interval => overSeeds(outcomes, armName(each), (m) => m['meanSlowdown']!)
  const [packets, segments] = [arm('irn', 'no PFC', CONTROL), SEGMENTS].map((each) => humanNumber(slowdown(each).mean))
  return [
    `TIMELY adds 10 Mb/s where the round trip does not grow. By the packet that is sixteen times as often as by 16 KB, so what the common start has cost is made good sooner: IRN's average slowdown is ${packets} in place of ${segments}.`,
    'With PFC and this TIMELY, RoCE has an ACK for every packet too. Everything else, flows and sizes of a seed with it, is as in the experiment irn. Backing off on losses takes half of the rate, as in irn-back-off.',
    ...(size === 'small'
      ? [
          'This size is cut short: 5 ms of arrivals, and what is unfinished after 40 ms is left out. Its verdicts are about the direction alone, where a claim has one.',
        ]
      : []),
  ]
}

export const irnTimely = defineExperiment({
  name: 'irn-timely',
  title: 'IRN beside RoCE under a TIMELY that looks at every packet',
  source: 'S3 sections 4.1 to 4.5, Figures 4 to 8, 12 and Table 3 at 70 %, for TIMELY',
  help:
    'How often is TIMELY brought up to date? By segments of 16 KB, as in the experiment irn, or by the packet, as a NIC can that has an ACK ' +
    'for each. The default case of IRN again with the second: IRN with PFC and without, RoCE with PFC and without, and what of IRN matters.',
  sizes: {
    small: 'the default case cut short: 5 ms of arrivals, stopped after 40 ms',
    full: '20 ms of arrivals, run to their end',
  },
  points,
  measure: irnMeasures,
  conclude: (outcomes, size): Findings => ({
    tables: irnTables(outcomes, [CONTROL]),
    figures: irnFigures(outcomes, [CONTROL]),
    claims: [...irnClaims(outcomes, size, [CONTROL]), ...backOffClaims(outcomes, size, [CONTROL])],
    remarks: remarks(outcomes, size),
  }),
})
