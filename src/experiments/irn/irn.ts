/**
 * IRN and RoCE in the default case, with and without PFC; IRN without its parts and with its overheads.
 * Source: [IRN] 4.2 to 4.5 and 6.3: Figures 1, 2, 4, 5, 7, 8, 10 and 12 and the row of Table 3 for 70 % load.
 * The arms are in arms.ts, tables and figures in tables.ts, claims in claims.ts.
 */
import { humanNumber, humanShare } from '../../report/index.ts'
import { defineExperiment } from '../core/old/plan.ts'
import type { Outcome, Size } from '../core/old/plan.ts'
import type { Control, Pfc, Traffic, Transport } from './default-case.ts'
import {
  arm,
  type Arm,
  armName,
  CONTROLS,
  irnMeasures,
  LONG_BURST,
  LONG_BURST_SIDES,
  pointsOfArms,
  WINDOWS,
} from './arms.ts'
import { irnClaims } from './claims.ts'
import { irnFigures, irnTables } from './tables.ts'
import { overSeeds, sumOver } from '../core/old/over-seeds.ts'

const under = (transport: Transport, pfc: Pfc, controls: readonly Control[]): Arm[] =>
  controls.map((control) => ({ transport, pfc, control }))

/** The runs of all figures, each once. */
const ARMS: readonly Arm[] = [
  ...under('irn', 'no PFC', [...CONTROLS, ...WINDOWS]),
  ...under('irn', 'PFC', [...CONTROLS, ...WINDOWS]),
  ...under('roce', 'PFC', CONTROLS),
  ...under('roce', 'no PFC', CONTROLS),
  ...under('irn with go-back-n', 'no PFC', CONTROLS),
  ...under('irn without bdp-fc', 'no PFC', CONTROLS),
  ...under('irn with overheads', 'no PFC', CONTROLS),
  ...under('irn with fetch delay', 'no PFC', ['none']),
  ...under('irn with longer headers', 'no PFC', ['none']),
]
/** The other readings of PFC: its threshold, and the burst that a QP may send. */
const OTHER_READINGS: readonly Arm[] = [
  ...under('irn', 'PFC early', [...CONTROLS, ...WINDOWS]),
  ...under('roce', 'PFC early', CONTROLS),
  ...CONTROLS.flatMap((control) =>
    LONG_BURST_SIDES.map(([transport, pfc]): Arm => ({ transport, pfc, control, burst: LONG_BURST })),
  ),
]

const TRAFFIC: Readonly<Record<Size, Traffic>> = { small: 'irn-default, 5 ms', full: 'irn-default' }

function remarks(outcomes: readonly Outcome[], size: Size): string[] {
  const left = (transport: Transport): number =>
    CONTROLS.reduce(
      (total, control) =>
        total + sumOver(outcomes, armName(arm(transport, 'PFC', control)), (m) => m['unfinishedFlows']!),
      0,
    )
  const lost = (pfc: Pfc): string => {
    const condition = armName(arm('roce', pfc, 'none'))
    const of = (key: string): number => sumOver(outcomes, condition, (m) => m[key]!)
    return humanShare(of('dataDrops') / of('dataPackets'))
  }
  const pauses = (control: 'aimd' | 'dctcp'): string =>
    humanNumber(overSeeds(outcomes, armName(arm('irn', 'PFC', control)), (m) => m['pauseFrames']!).mean)
  return [
    'IRN has the cap of 110 packets, both timeouts and the ACK per packet of section 4.1; with PFC it has no timeout, like RoCE. RoCE with PFC has no ACKs ' +
      'except under TIMELY, which measures a round trip with each. Flows, sizes and destinations of one seed are the same in all its runs.',
    'At 70 % this network cannot carry the load of large flows: the number of unfinished flows grows as long as flows arrive, so absolute times depend on the number of flows, which the paper does not give. ' +
      'The number, the sizes and the basis of the load used here were inferred from its cells for IRN without congestion control at 30 and 70 %, which are therefore inputs and never count as reproduced.',
    `PFC is run at two thresholds, and all sides with two burst sizes of a QP at the NIC, because results depend on both and the paper gives neither. At 220 KB of 240 KB, as printed, RoCE without control loses ${lost('PFC')} of its data packets; ` +
      'without a timeout a message that loses its last packets is never completed and counts nowhere.' +
      (size === 'small'
        ? ''
        : ` In all runs with bursts of one packet these are ${left('roce')} messages of RoCE and ${left('irn')} of IRN. At 216 KB ${lost('PFC early')} are lost.`),
    `The windows of AIMD and DCTCP start at the cap. Packets of DCTCP are marked from 70 KB on, the 65 packets of its own paper, as section 4.4.4 gives no threshold. It keeps queues below the threshold of PFC: ${pauses('dctcp')} pause frames per run, against ${pauses('aimd')} with AIMD.`,
    'Figures 3 and 6 are those of the experiment pfc-roce; iWARP (Figure 11) and incast (Figure 9) have experiments of their own.',
    ...(size === 'small'
      ? [
          'This size is cut short: 5 ms of arrivals, and flows unfinished after 40 ms are left out. Its verdicts cover only the direction, for claims that have one.',
        ]
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
  points: (size, seed) => pointsOfArms(size === 'full' ? [...ARMS, ...OTHER_READINGS] : ARMS, TRAFFIC[size], seed),
  measure: irnMeasures,
  conclude: (outcomes, size) => ({
    tables: irnTables(outcomes),
    figures: irnFigures(outcomes),
    claims: irnClaims(outcomes, size),
    remarks: remarks(outcomes, size),
  }),
})
