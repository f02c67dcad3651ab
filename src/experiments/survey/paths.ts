/**
 * The survey's worked examples of multiple paths, driven by hand: MP-RDMA's single window with the ACKs of three paths
 * (Figure 11), and a slow path (Figure 13). The sender keeps no state per path, so that a script may assign a path to each
 * packet in flight.
 * Source: [Survey] V-C.
 */
import { US } from '../../base/index.ts'
import { humanNumber } from '../../report/index.ts'
import { sum } from '../../results/index.ts'
import { type Claim, exact } from '../core/findings.ts'
import { pairOf } from './pair.ts'

interface Ack {
  readonly psn: number
  readonly path: number
  readonly marked: boolean
}

interface Step extends Ack {
  readonly before: number
  readonly window: number
  /** New packets that it released, all on its path. */
  readonly packets: number
}

/** Packets in flight, and the window, before the first ACK. */
const IN_FLIGHT = 6
/** Time between ACKs: longer than the transmission of two packets. */
const APART_PS = 1 * US

/** Reaction of a sender with six packets in flight to ACKs in the given order; no message is completed. */
function stepsOf(acks: readonly Ack[], parameters = ''): Step[] {
  const pair = pairOf([
    `recovery: {kind: mp-rdma, probe: 0${parameters}}`,
    `congestion: {kind: mp-rdma, initialWindow: ${IN_FLIGHT}}`,
    'qp: {ecnEcho: ack, ackInterval: 1, ackTimeout: 320us}',
  ])
  pair.post(0, 100)
  pair.sendUntil(10 * US)
  return acks.map((ack, i) => {
    const nowPs = 10 * US + (i + 1) * APART_PS
    const before = pair.control.windowPackets
    pair.answer(nowPs, { ...ack, cumulativePsn: 0 })
    // Midway to the next ACK, and before the burst timer, which none of these needs.
    const packets = pair.sendUntil(nowPs + APART_PS / 2).filter(({ path }) => path === ack.path).length
    return { ...ack, before, window: pair.control.windowPackets, packets }
  })
}

/** Packets released on paths 1, 2 and 3. */
const byPath = (steps: readonly Step[]): number[] =>
  [1, 2, 3].map((path) => sum(steps.map((step) => (step.path === path ? step.packets : 0))))

/** Two packets on each path; the ACKs of path 3, which are marked, come last, first, or between the others. */
const ORDERS = [
  [1, 1, 2, 2, 3, 3],
  [3, 3, 1, 1, 2, 2],
  [1, 2, 3, 1, 2, 3],
]

export function figure11() {
  const played = ORDERS.map((paths) => stepsOf(paths.map((path, psn) => ({ psn, path, marked: path === 3 }))))
  const steps = played.flat()
  const right = steps.filter(
    ({ before, window, marked }) => Math.abs(window - (marked ? before - 1 / 2 : before + 1 / before)) < 1e-9,
  ).length
  return { played, right, of: steps.length }
}

export function windowClaims(): Claim[] {
  const { played, right, of } = figure11()
  const [inOrder, , between] = played as [Step[], Step[], Step[]]
  const last = inOrder.at(-1)!.window
  const taken = inOrder.find(({ marked }) => marked)!.before - last
  const released = byPath(inOrder)
  return [
    exact('srv.mprdma.window', right === of, {
      measured: `so with ${right} of ${of} ACKs`,
      reason: 'Exact, to a billionth.',
    }),
    exact('srv.fig11.mprdma', Math.abs(taken - 1) < 1e-9 && released[2] === 1 && released[0]! + released[1]! === 4, {
      measured: `decreased by ${humanNumber(taken)}, to ${humanNumber(last)}; ${released[2]} packet on path 3`,
      reason:
        'Exact for the decrease and the paths. The survey leaves out the increase by the four other ACKs, so that its window is 5. ' +
        `The ACKs of path 3 are last, as in the survey; between the others, ACKs release ${byPath(between).join(', ')} packets on the three paths.`,
    }),
  ]
}

export function slowPathClaim(): Claim {
  // The packets of path 3 were sent first and are acknowledged last.
  const acks = [2, 3, 4, 5, 0, 1].map((psn, i) => ({ psn, path: 1 + Math.floor(i / 2), marked: false }))
  const [slow, even] = [3, 32].map((delta) => byPath(stepsOf(acks, `, delta: ${delta}`))) as [number[], number[]]
  return exact('srv.fig13.slow-path', slow[2] === 0 && slow[0]! > 0 && slow[1]! > 0 && even[2]! > 0, {
    measured: `${slow.join(', ')} packets on the three paths`,
    reason:
      'Exact. The survey does not say how much later; here an ACK more than delta packets behind the furthest releases nothing on its path. ' +
      `Delta is 3 for these six packets; with the default of 32, for longer paths, ${even.join(', ')} packets are released.`,
  })
}
