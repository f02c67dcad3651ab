/**
 * IRN against RoCE on the default case: does RDMA need PFC, what of IRN matters, and what does it cost.
 * Source: S3 sections 4.2 to 4.5 and 6.3: Figures 1 to 8, 10 and 12 and the row of Table 3 for 70 % load.
 * The arms are in irn-arms.ts, what the runs say in irn-tables.ts and irn-claims.ts.
 */
import { humanDuration, humanNumber } from '../report/index.ts'
import { defineExperiment, type Outcome, type Point, type Size } from './experiment.ts'
import { type Control, irnDefault, type Pfc, type Traffic, type Transport } from './irn-default.ts'
import { arm, type Arm, armName, CONTROLS, irnMeasures, WINDOWS } from './irn-arms.ts'
import { irnClaims } from './irn-claims.ts'
import { irnFigures, irnTables } from './irn-tables.ts'
import { overSeeds, sumOver } from './over-seeds.ts'

const under = (transport: Transport, pfc: Pfc, controls: readonly Control[]): Arm[] =>
  controls.map((control) => ({ transport, pfc, control }))

/** Every figure's runs, each once. */
const ARMS: readonly Arm[] = [
  ...under('roce', 'PFC', CONTROLS),
  ...under('roce', 'no PFC', CONTROLS),
  ...under('irn', 'PFC', [...CONTROLS, ...WINDOWS]),
  ...under('irn', 'no PFC', [...CONTROLS, ...WINDOWS]),
  ...under('irn with go-back-n', 'no PFC', CONTROLS),
  ...under('irn without bdp-fc', 'no PFC', CONTROLS),
  ...under('irn with overheads', 'no PFC', CONTROLS),
  ...under('irn with fetch delay', 'no PFC', ['none']),
  ...under('irn with longer headers', 'no PFC', ['none']),
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
  const left = (transport: Transport): number =>
    [...CONTROLS, ...WINDOWS].reduce(
      (total, control) =>
        total + sumOver(outcomes, armName(arm(transport, 'PFC', control)), (m) => m['unfinishedFlows']!),
      0,
    )
  const pauses = (control: 'aimd' | 'dctcp'): string =>
    humanNumber(overSeeds(outcomes, armName(arm('irn', 'PFC', control)), (m) => m['pauseFrames']!).mean)
  const roce = overSeeds(outcomes, armName(arm('roce', 'no PFC', 'none')), (m) => m['simulatedPs']!)
  return [
    'IRN has the cap of 110 packets, both timeouts and an ACK for every packet of S3 4.1; with PFC it has no timeout, like RoCE. RoCE with PFC has no ACKs, ' +
      'but for TIMELY, whose round trips need one for each 16 KB. Flows, sizes and destinations of one seed are the same in all its runs.',
    'At 70 % this network cannot carry the load of large flows: queues of flows grow as long as flows come, so absolute times, and ratios between a scheme that ' +
      'loses throughput and one that does not, depend on how long that is (20 ms here) and on whether flows are waited for (they are). The paper does not say either. ' +
      `Without PFC and control RoCE takes ${humanDuration(roce.mean)} until the last flow of these is through.`,
    `The windows of AIMD and DCTCP start at the cap. DCTCP is marked from 70 KB on, the 65 packets of its own paper, as S3 4.4.4 names no threshold. It keeps queues below where PFC pauses, ${pauses('dctcp')} pause frames a run where AIMD has ${pauses('aimd')}: ` +
      'there is next to no PFC to do without, and no trend as with AIMD, whose signal PFC takes away.',
    'Figures 3 and 6 stand in the experiment pfc-roce too, with a second reading of the traffic; iWARP (Figure 11) and incast (Figure 9) are not part of these runs.',
    ...(size === 'small'
      ? [
          'This size is cut short: 5 ms of arrivals, and what is unfinished after 40 ms is left out. Its verdicts are about the direction alone, where a claim has one.',
        ]
      : [
          `With PFC pausing at 220 KB a few packets are lost, and there is no timeout: a message that loses its last packets is never completed and counts nowhere. In all runs together these are ${left('roce')} of RoCE and ${left('irn')} of IRN.`,
        ]),
  ]
}

export const irn = defineExperiment({
  name: 'irn',
  title: 'IRN beside RoCE: does RDMA need PFC?',
  source: 'S3 sections 4.2 to 4.5 and 6.3, Figures 1 to 8, 10 and 12, Table 3 at 70 %',
  help:
    'IRN resends only what is missing and keeps no more in flight than fills the line. On the default case of its paper (54 hosts in a fat ' +
    'tree, 40 Gb/s, 70 % load of heavy-tailed flows) it runs with PFC and without, without congestion control, with TIMELY, DCQCN, ' +
    'AIMD and DCTCP, beside RoCE with PFC and without, and with parts of it taken out or its overheads added.',
  sizes: {
    small: 'the default case cut short: 5 ms of arrivals, stopped after 40 ms',
    full: '20 ms of arrivals, run to their end',
  },
  points,
  measure: irnMeasures,
  conclude: (outcomes, size) => ({
    tables: irnTables(outcomes, CONTROLS),
    figures: irnFigures(outcomes, CONTROLS),
    claims: irnClaims(outcomes, size, CONTROLS),
    remarks: remarks(outcomes, size),
  }),
})
