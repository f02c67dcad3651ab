/**
 * IRN and RoCE in the default case, with and without PFC; IRN without its parts and with its overheads.
 * Source: [IRN] 4.2 to 4.5 and 6.3: Figures 1, 2, 4, 5, 7, 8, 10 and 12 and the row of Table 3 for 70 % load.
 */
import { humanNumber } from '../../report/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import type { Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { type Arm, arm, CONTROLS, irnMeasures, LONG_BURST, pointsOfArms, SIDES } from './arms.ts'
import { cellTables } from './cells.ts'
import { DEFAULT_CELLS, irnClaims, WINDOWS } from './claims.ts'
import type { Control, Pfc, Transport } from './default-case.ts'
import { irnFigures } from './figures.ts'

const under = (transport: Transport, pfc: Pfc, controls: readonly Control[]): Arm[] =>
  controls.map((control) => arm(transport, pfc, control))

/** The runs of all figures, each once. */
const ARMS: readonly Arm[] = [
  ...under('irn', 'no-pfc', [...CONTROLS, ...WINDOWS]),
  ...under('irn', 'pfc', [...CONTROLS, ...WINDOWS]),
  ...under('roce', 'pfc', CONTROLS),
  ...under('roce', 'no-pfc', CONTROLS),
  ...under('irn-with-go-back-n', 'no-pfc', CONTROLS),
  ...under('irn-without-bdp-fc', 'no-pfc', CONTROLS),
  ...under('irn-with-overheads', 'no-pfc', CONTROLS),
  ...under('irn-with-fetch-delay', 'no-pfc', ['none']),
  ...under('irn-with-longer-headers', 'no-pfc', ['none']),
]
/** The other readings of PFC: its threshold, and the burst that a QP may send; IRN without PFC for comparison. */
const OTHER_READINGS: readonly Arm[] = [
  ...under('irn', 'pfc-early', [...CONTROLS, ...WINDOWS]),
  ...under('roce', 'pfc-early', CONTROLS),
  ...CONTROLS.flatMap((control) => SIDES.map(({ transport, pfc }) => arm(transport, pfc, control, LONG_BURST))),
]

function remarks(runs: Runs, size: Size): string[] {
  const pauses = (control: Control): string => humanNumber(runs.mean('pauseFrames', arm('irn', 'pfc', control)).mean)
  return [
    'RoCE with PFC has no ACKs except under TIMELY, which measures a round trip with each. Flows, sizes and destinations of one seed are the same in all its runs.',
    'At 70 % this network cannot carry the load of large flows, so that absolute times depend on the number of flows, which the paper does not give. ' +
      'It, the sizes and the basis of the load were inferred from the cells for IRN without congestion control at 30 and 70 %, which are therefore inputs.',
    'Results depend on the threshold of PFC and on the burst of a QP at the NIC, so that both are run with two values. At 220 KB of 240 KB, as printed, packets are lost (see pfc-roce), at 216 KB none; ' +
      'without a timeout a message that loses its last packets is never completed and counts nowhere.',
    `The windows of AIMD and DCTCP start at the cap. Section 4.4.4 gives no threshold for DCTCP: packets are marked from 70 KB on, the 65 packets of its own paper. This keeps queues below the threshold of PFC: ${pauses('dctcp')} pause frames per run, against ${pauses('aimd')} with AIMD.`,
    ...(size === 'small'
      ? ['This size is cut short: flows unfinished after 40 ms are left out, and verdicts cover only the direction.']
      : []),
  ]
}

export const irn = defineExperiment({
  name: 'irn',
  title: 'IRN beside RoCE: does RDMA need PFC?',
  source: '[IRN] sections 4.2 to 4.5 and 6.3, Figures 1, 2, 4, 5, 7, 8, 10 and 12, Table 3 at 70 %',
  help:
    'IRN resends only missing packets and limits the data in flight to one bandwidth-delay product. In the default case of its paper (54 hosts in a fat ' +
    'tree, 40 Gb/s, 70 % load of heavy-tailed flows) it runs with and without PFC, without congestion control and with TIMELY, DCQCN, ' +
    'AIMD and DCTCP, next to RoCE with and without PFC, and with parts of IRN removed or its overheads added.',
  sizes: {
    small: 'the default case cut short: 5 ms of arrivals, stopped after 40 ms',
    full: 'some 52,000 flows in 75 ms, run to their end',
  },
  points: (size, seed) =>
    size === 'full'
      ? pointsOfArms([...ARMS, ...OTHER_READINGS], 'irn-default', seed)
      : pointsOfArms(ARMS, 'irn-default-5-ms', seed),
  measure: irnMeasures,
  conclude: (runs, size) => ({
    tables: cellTables(runs, DEFAULT_CELLS),
    figures: irnFigures(runs),
    claims: irnClaims(runs, size),
    remarks: remarks(runs, size),
  }),
})
