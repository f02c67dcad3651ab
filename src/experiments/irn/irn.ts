/**
 * IRN against RoCE on the default case: does RDMA need PFC, what of IRN matters, and what does it cost.
 * Source: [IRN] 4.2 to 4.5 and 6.3: Figures 1, 2, 4, 5, 7, 8, 10 and 12 and the row of Table 3 for 70 % load.
 * The arms are in irn-arms.ts, tables and figures in irn-tables.ts, verdicts in irn-claims.ts.
 */
import { humanNumber, humanShare } from '../../report/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import type { Outcome, Size } from '../core/plan.ts'
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
import { overSeeds, sumOver } from '../core/over-seeds.ts'

const under = (transport: Transport, pfc: Pfc, controls: readonly Control[]): Arm[] =>
  controls.map((control) => ({ transport, pfc, control }))

/** Every figure's runs, each once. */
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
/** The other readings of what the paper leaves open where PFC is on: its threshold, and the NIC's turn. */
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
    'IRN has the cap of 110 packets, both timeouts and an ACK for every packet of section 4.1; with PFC it has no timeout, like RoCE. RoCE with PFC has no ACKs, ' +
      'but for TIMELY, which measures a round trip by each. Flows, sizes and destinations of one seed are the same in all its runs.',
    'At 70 % this network cannot carry the load of large flows: queues of flows grow as long as flows arrive, so absolute times depend on how many there are. The paper gives no number. ' +
      'The number, the sizes and the basis of the load used here were inferred from its cells for IRN without congestion control at 30 and 70 %, which are inputs therefore and never counted.',
    `PFC is run at two thresholds and, with and without, with two turns of the NIC, because results hang on both and the paper settles neither. At 220 KB of 240 KB, as printed, RoCE without control loses ${lost('PFC')} of its data packets; ` +
      'without a timeout a message that loses its last packets is never completed and counts nowhere.' +
      (size === 'small'
        ? ''
        : ` In all runs with one packet a turn these are ${left('roce')} messages of RoCE and ${left('irn')} of IRN. At 216 KB ${lost('PFC early')} are lost.`),
    `The windows of AIMD and DCTCP start at the cap. DCTCP is marked from 70 KB on, the 65 packets of its own paper, as section 4.4.4 names no threshold. It keeps queues below where PFC pauses, ${pauses('dctcp')} pause frames a run where AIMD has ${pauses('aimd')}.`,
    'Figures 3 and 6 are those of the experiment pfc-roce; iWARP (Figure 11) and incast (Figure 9) have experiments of their own.',
    ...(size === 'small'
      ? [
          'This size is cut short: 5 ms of arrivals, and flows unfinished after 40 ms are left out. Its verdicts are about the direction alone, where a claim has one.',
        ]
      : []),
  ]
}

export const irn = defineExperiment({
  name: 'irn',
  title: 'IRN beside RoCE: does RDMA need PFC?',
  source: '[IRN] sections 4.2 to 4.5 and 6.3, Figures 1, 2, 4, 5, 7, 8, 10 and 12, Table 3 at 70 %',
  help:
    'IRN resends only the packets that are missing and keeps no more in flight than fills the path. On the default case of its paper (54 hosts in a fat ' +
    'tree, 40 Gb/s, 70 % load of heavy-tailed flows) it runs with PFC and without, without congestion control, with TIMELY, DCQCN, ' +
    'AIMD and DCTCP, beside RoCE with PFC and without, and with parts of it taken out or its overheads added.',
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
