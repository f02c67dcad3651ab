/**
 * Picture: one slow NIC. One host of eight has half the rate, and all ranks of a ring wait for it at every step.
 * A rank may send its next part as soon as it has it and its link is free. With large parts the slow link is always busy, and
 * a step takes its time on that link, tau and not T1; with small parts the chain of messages around the ring decides.
 */
import { humanDuration } from '../../show/index.ts'
import { type Claim, claim, nearShare } from '../core/findings.ts'
import { product } from '../core/grid.ts'
import type { Runs } from '../core/runs.ts'
import { intervals, label, tableAt, texts } from '../core/tables.ts'
import {
  ackRoomPs,
  alonePs,
  lineOf,
  onLinkPs,
  PAYLOAD,
  RATE_BPS,
  ringSteps,
  starOf,
  stepPs,
  TRANSPORTS,
} from './times.ts'
import { definePicture } from './picture.ts'

interface SlowAt {
  readonly slowHosts: number
  readonly kib: number
  readonly [axis: string]: string | number
}

const HOSTS = 8
const KIB = [64, 1024, 8 * 1024, 32 * 1024]
const GRID: SlowAt[] = product({ slowHosts: [0, 1, 2], kib: KIB })
const SLOW_BPS = RATE_BPS / 2

/** T1 over one link at half rate and one at full rate, in either order, with the room of ACKs: the slow one decides. */
const slowStepPs = (bytes: number): number => {
  const [fast, slow] = [lineOf(2), lineOf(2, SLOW_BPS)]
  const packet = alonePs(Math.min(bytes, PAYLOAD), lineOf(1)) - lineOf(1).delayPs
  return onLinkPs(bytes, slow) + packet + fast.delayPs + ackRoomPs(bytes, slow)
}

function formulaPs({ slowHosts, kib }: SlowAt): number {
  const part = (kib * 1024) / HOSTS
  const steps = ringSteps(HOSTS)
  const step = stepPs(part, lineOf(2))
  if (slowHosts === 0) return steps * step
  const slowStep = slowStepPs(part)
  const busy = onLinkPs(part, lineOf(1, SLOW_BPS)) + ackRoomPs(part, lineOf(1, SLOW_BPS))
  // Each slow host has two slow edges, and the chain of 2(n-1) messages around the ring of n passes each twice.
  const slowEdges = 4 * slowHosts
  return Math.max(2 * slowStep + (steps - 2) * busy, slowEdges * slowStep + (steps - slowEdges) * step)
}

const largest = (slowHosts: number): SlowAt => ({ slowHosts, kib: KIB.at(-1)! })

const claims = (runs: Runs): Claim[] => [
  ...GRID.map((at) =>
    claim('step-time.slow-nic', runs.mean('timePs', at, 1 / formulaPs(at)), nearShare(1, 0.01), {
      check: `${at.slowHosts} of ${HOSTS} slow, ${at.kib} KiB`,
      statement: 'A ring takes its formula, with slow NICs too',
      paper: '1 times the formula',
      tolerance: '1 %: ACKs wait for the packet on the wire',
    }),
  ),
  claim('step-time.slow-nic-all', runs.ratio('timePs', largest(2), largest(1)), nearShare(1, 0.01), {
    statement: 'A second slow NIC costs large messages nothing more',
    paper: '1 times',
    tolerance: '1 %',
  }),
]

export const slowNic = definePicture<SlowAt>({
  name: 'slow-nic',
  points: () => GRID,
  textOf: ({ slowHosts, kib }) => `${starOf(
    HOSTS,
    // Not neighbours in the ring.
    slowHosts === 0
      ? ''
      : `, rates: [${[3, 6]
          .slice(0, slowHosts)
          .map((host) => `"host ${host}: 50Gbps"`)
          .join(', ')}]`,
  )}
frames: {payload: ${PAYLOAD}B}
${TRANSPORTS['ecmp, IRN']}
workload: [{kind: collective, operation: all-reduce, algorithm: ring, size: ${kib}KiB}]
`,
  conclude: (runs) => ({
    tables: [
      tableAt(runs, GRID, {
        title: `Ring all-reduce over ${HOSTS} hosts with slow NICs`,
        columns: [
          label('size, KiB', ({ kib }) => kib, 'right'),
          label('slow hosts', ({ slowHosts }) => slowHosts, 'right'),
          intervals('time, us', 'timePs', 1e-6),
          label('formula', (at) => humanDuration(formulaPs(at)), 'right'),
          texts('times that without slow NICs', (own, { kib }) =>
            (own.mean('timePs').mean / runs.mean('timePs', { slowHosts: 0, kib }).mean).toFixed(2),
          ),
          texts('steps of T1 on the slow link', (own, { kib }) =>
            (own.mean('timePs').mean / slowStepPs((kib * 1024) / HOSTS)).toFixed(2),
          ),
        ],
      }),
    ],
    claims: claims(runs),
    remarks: [
      'Slow NICs. Parts gather before the slow link, so that it is busy all the time: a step then takes the time of a part on that link (tau) and not that of a message alone (T1), and a second slow NIC costs nothing more. Small messages hardly notice: of the 14 messages that follow each other around the ring of 8, four pass a link of the slow host.',
    ],
  }),
})
