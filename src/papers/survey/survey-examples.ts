/**
 * The survey's worked examples and tables: [Survey] Figures 4 to 6, 8 to 11, 13 and 14 and Tables I to III.
 * Examples of a single queue pair are driven by hand, those of a network are run. The survey's statements on DCTCP and
 * TIMELY that have no example are run as well.
 * Source: [Survey].
 */
import { claimsInEachSeed } from '../core/each-seed.ts'
import { defineExperiment } from '../core/experiment.ts'
import { burstClaims, burstFigure, burstMeasures, burstPoints } from './bursts.ts'
import { markClaim, notificationClaim, pfcClaims, reactionClaims, retransmissionClaims } from './figures.ts'
import { DCQCN, gradientClaim, increaseClaims, QCN, slowPathClaim, windowClaims } from './rates.ts'
import { exampleMeasures, examplePoints } from './runs.ts'
import { tableClaims } from './tables.ts'
import { timelyClaims, timelyMeasures, timelyPoints, timelyTable } from './timely.ts'

const REMARKS = [
  "The survey's examples have no numbers in the text. Ours are: five packets in Figure 4; in Figures 5 and 6 " +
    'links of 40 Gb/s and 1 us and persistent flows; in Tables I to III eight hosts on one switch with 240 KB per port, which pauses at 216 KB, links of 2 us, ' +
    'a timeout of 320 us without PFC, for DCTCP the start of TCP with ten packets and a marking step at 70 KB, and for MP-RDMA one at 20 KB.',
  'In the examples and incasts only marks between two thresholds are random; what is driven by hand is the same for every seed.',
  'Bursts and long flows at one link are not in the survey, which cites other papers. Ours are: bursts every 10 ms of flows that start within a round trip, sizes log-uniform, each flow on its own connection; ' +
    'and for TIMELY 9 MB at the switch, links of 1 us, flows that start at line rate at random times in the first 100 ms, the parameters of the papers, an RTT sample for each 16 KB.',
  'Completion queues and memory regions (Figure 3) are in the verbs and not in scenarios; mp-rdma.test.ts covers Figure 12, the bitmap of the receiver of MP-RDMA.',
]
const FULL_REMARKS = [
  'Slow start costs DCTCP time if a flow is alone; the windows of several fill the link at once. DCQCN starts at line rate, but the marks of the first packets cut its rates, and bursts end before the rates recover.',
  'Long flows under TIMELY keep unequal rates. Patched TIMELY gives equal ones at the cost of a delay that grows with the number of flows.',
]

export const surveyExamples = defineExperiment({
  name: 'survey-examples',
  title: "The survey's worked examples with the schemes of this program",
  source: '[Survey] Figures 4 to 6, 8 to 11, 13 and 14, Tables I to III, sections IV-B and IV-C',
  help:
    'Retransmissions of three recoveries; the effect of marks on TCP, DCTCP and DCQCN, to the digit; rate recovery of QCN and DCQCN; the window of MP-RDMA ' +
    'over several paths; unfairness and head-of-line blocking of PFC; and signals, starts and losses of the schemes of the tables in an incast. ' +
    'Statements without an example are run too: bursts of flows under DCTCP and DCQCN, and fairness and delay of long flows under TIMELY.',
  sizes: {
    small: 'Figures 5 and 6 over 2 ms; few bursts, and long flows cut short',
    full: 'Figures 5 and 6 over 20 ms; 40 bursts of each kind, long flows over a second',
  },
  points: (size, seed) => [...examplePoints(size, seed), ...burstPoints(size, seed), ...timelyPoints(size, seed)],
  measure: (result, { at: { example } }) => {
    if (example === 'bursts') return burstMeasures(result)
    return example === 'long-flows' ? timelyMeasures(result) : exampleMeasures(result)
  },
  conclude: (runs, size) => ({
    tables: [timelyTable(runs, size)],
    figures: [burstFigure(runs, size)],
    claims: [
      ...retransmissionClaims(),
      ...reactionClaims(),
      notificationClaim(),
      gradientClaim(),
      ...[QCN, DCQCN].flatMap(increaseClaims),
      ...windowClaims(),
      slowPathClaim(),
      ...claimsInEachSeed(runs, (some) => [markClaim(some), ...pfcClaims(some), ...tableClaims(some)]),
      ...(size === 'full' ? [...burstClaims(runs), ...claimsInEachSeed(runs, timelyClaims)] : []),
    ],
    remarks: size === 'full' ? [...REMARKS, ...FULL_REMARKS] : REMARKS,
  }),
})
