/**
 * The survey's worked examples of multiple paths: MP-RDMA's single window with the ACKs of three paths (Figure 11), and of a
 * slow path (Figure 13). A test covers its bitmap (Figure 12): src/transport/recovery/mp-rdma.test.ts.
 * The sender keeps no state per path, so that a script may assign a path to each packet in flight.
 * Source: [Survey] V-C.
 */
import { US } from '../../base/index.ts'
import { humanNumber } from '../../report/index.ts'
import { exactClaim } from '../core/findings.ts'
import { pairOf, type Shown } from './pair.ts'

/** An ACK: its packet, its path, and whether it is marked. */
interface Ack {
  readonly psn: number
  readonly path: number
  readonly marked: boolean
}

interface Step extends Ack {
  readonly window: number
  /** New packets that it released, all on its path. */
  readonly packets: number
}

const PATHS = [1, 2, 3] as const
/** Packets in flight, and the window, before the first ACK. */
const IN_FLIGHT = 6
/** Time between ACKs: longer than the transmission of two packets. */
const APART_PS = 1 * US

/** Reaction of a sender with six packets in flight to ACKs in the given order; no message is completed. */
function stepsOf(acks: readonly Ack[], recovery: string): Step[] {
  const pair = pairOf([
    `recovery: {kind: mp-rdma, probe: 0${recovery}}`,
    `congestion: {kind: mp-rdma, initialWindow: ${IN_FLIGHT}}`,
    'qp: {ecnEcho: ack, ackInterval: 1, ackTimeout: 320us}',
  ])
  pair.post(0, 100)
  pair.sendUntil(10 * US)
  return acks.map((ack, i) => {
    const nowPs = 10 * US + (i + 1) * APART_PS
    pair.answer(nowPs, { ...ack, cumulativePsn: 0 })
    // Midway to the next ACK, and before the burst timer, which none of these needs.
    const sent = pair.sendUntil(nowPs + APART_PS / 2)
    return { ...ack, window: pair.control.windowPackets, packets: sent.filter(({ path }) => path === ack.path).length }
  })
}

const onPath = (steps: readonly Step[], path: number): number =>
  steps.reduce((total, step) => total + (step.path === path ? step.packets : 0), 0)
const byPath = (steps: readonly Step[]): string => PATHS.map((path) => onPath(steps, path)).join(', ')

/** Two packets on each path; the ACKs of path 3 are marked. */
const ORDERS = [
  { name: 'path 3 last', paths: [1, 1, 2, 2, 3, 3] },
  { name: 'path 3 first', paths: [3, 3, 1, 1, 2, 2] },
  { name: 'path 3 between', paths: [1, 2, 3, 1, 2, 3] },
] as const

export function figure11(): Shown {
  const played = ORDERS.map(({ name, paths }) => ({
    name,
    steps: stepsOf(
      paths.map((path, psn) => ({ psn, path, marked: path === 3 })),
      '',
    ),
  }))
  const inOrder = played[0]!.steps
  const before = (steps: readonly Step[], i: number): number => steps[i - 1]?.window ?? IN_FLIGHT
  const rightSteps = played.flatMap(({ steps }) =>
    steps.filter((step, i) => {
      const was = before(steps, i)
      return Math.abs(step.window - (step.marked ? was - 1 / 2 : was + 1 / was)) < 1e-9
    }),
  ).length
  const marked = inOrder.filter((step) => step.marked)
  const taken = before(inOrder, IN_FLIGHT - marked.length) - marked.at(-1)!.window
  return {
    tables: [
      {
        title: `Figure 11: a window of ${IN_FLIGHT}, two packets on each of three paths, those of path 3 marked`,
        columns: ['ACKs', 'windows', 'packets released', 'on paths 1, 2, 3', 'survey'].map((head) => ({ head })),
        rows: played.map(({ name, steps }, i) => [
          name,
          steps.map(({ window }) => humanNumber(window)).join(', '),
          steps.map(({ packets }) => packets).join(', '),
          byPath(steps),
          i === 0 ? 'window 5; one packet on path 3' : '-',
        ]),
      },
    ],
    claims: [
      exactClaim({
        id: 'srv.mprdma.window',
        statement: 'A marked ACK reduces the window by half a packet, any other adds the inverse of the window',
        paper: '- 1/2; + 1 / cwnd',
        measured: `so with ${rightSteps} of ${ORDERS.length * IN_FLIGHT} ACKs`,
        holds: rightSteps === ORDERS.length * IN_FLIGHT,
        reason: 'Exact, to a billionth.',
      }),
      exactClaim({
        id: 'srv.fig11.mprdma',
        statement: 'Two marked ACKs reduce the window of 6 by one packet, and one packet is sent on their path',
        paper: 'window decreased by 1; 1 packet on path 3',
        measured: `decreased by ${humanNumber(taken)}, to ${humanNumber(inOrder.at(-1)!.window)}; ${onPath(inOrder, 3)} packet on path 3`,
        holds: Math.abs(taken - 1) < 1e-9 && onPath(inOrder, 3) === 1 && onPath(inOrder, 1) + onPath(inOrder, 2) === 4,
        reason:
          'Exact for the decrease and the paths. The survey leaves out the increase by the four other ACKs, so that its window is 5. ' +
          `The ACKs of path 3 are last, as in the survey; between the others they release ${byPath(played[2]!.steps)} packets on the three paths.`,
      }),
    ],
  }
}

export function figure13(): Shown {
  // The packets of path 3 were sent first and are acknowledged last.
  const acks = [2, 3, 4, 5, 0, 1].map((psn, i) => ({ psn, path: PATHS[Math.floor(i / 2)]!, marked: false }))
  const deltas = [3, 32].map((delta) => ({ delta, steps: stepsOf(acks, `, delta: ${delta}`) }))
  const [slow, even] = deltas.map(({ steps }) => steps)
  return {
    tables: [
      {
        title: 'Figure 13: two packets on each of three paths, the ACKs of path 3 last',
        columns: ['delta', 'ACKs of packets', 'packets released', 'on paths 1, 2, 3', 'survey'].map((head) => ({
          head,
        })),
        rows: deltas.map(({ delta, steps }) => [
          `${delta}`,
          acks.map(({ psn }) => psn).join(', '),
          steps.map(({ packets }) => packets).join(', '),
          byPath(steps),
          delta === 3 ? 'none on path 3' : '-',
        ]),
      },
    ],
    claims: [
      exactClaim({
        id: 'srv.fig13.slow-path',
        statement: 'A path whose ACKs arrive later than the others is slow, and gets no packets',
        paper: 'none on path 3',
        measured: `${byPath(slow!)} packets on the three paths`,
        holds: onPath(slow!, 3) === 0 && onPath(slow!, 1) > 0 && onPath(slow!, 2) > 0 && onPath(even!, 3) > 0,
        reason:
          'Exact. The survey does not say how much later; here an ACK more than delta packets behind the furthest releases nothing on its path. With six packets in flight delta is 3; ' +
          'with the default of 32, which is meant for longer paths, path 3 is not slow and gets its packets.',
      }),
    ],
  }
}
