/**
 * The survey's worked examples of a queue pair that is driven by hand: the reaction of TIMELY to RTT gradients (Figure 9),
 * rate recovery with QCN's increase (Figure 10), MP-RDMA's single window with the ACKs of three paths (Figure 11), and a slow
 * path (Figure 13). The sender keeps no state per path, so that a script may assign a path to each packet in flight.
 * Source: [Survey] IV-C, V-B, V-C.
 */
import { US } from '../../core/base/index.ts'
import { ScriptedPair } from '../../lab/index.ts'
import { humanNumber } from '../../show/index.ts'
import { sum } from '../../core/results/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { type Claim, exact } from '../core/findings.ts'

/** Long enough for all packets of an example to leave before the first ACK. */
const RTT_PS = 40 * US

/** A queue pair on a link of a rate in Gb/s, with its schemes as lines of YAML. */
export function pairOf(lines: readonly string[], gbps = 40): ScriptedPair {
  const text = [
    'name: survey-example',
    `topology: {kind: star, hosts: 2, linkRate: ${gbps}Gbps}`,
    'workload: [permutation]',
    ...lines,
  ]
  return new ScriptedPair(parseScenario(text.join('\n')), RTT_PS)
}

/** DCTCP with a window and the packets of a round trip in flight. */
export function dctcpAt(windowPackets: number, flight: number, g: number, alpha: number): ScriptedPair {
  const pair = pairOf([`congestion: {kind: dctcp, g: ${g}}`, 'qp: {ecnEcho: ack}'])
  pair.acknowledge(0, { cumulativePsn: 1, nextPsn: flight })
  Object.assign(pair.control, { windowPackets, alpha })
  return pair
}

/** Its window after the round trip; `marks` has a 1 for each packet that was marked. */
export function windowAfter(windowPackets: number, marks: string, g: number, alpha: number): number {
  const pair = dctcpAt(windowPackets, marks.length, g, alpha)
  for (const [i, mark] of Array.from(marks).entries())
    pair.acknowledge(0, { cumulativePsn: i + 2, nextPsn: i + 1 + marks.length, marked: mark === '1' })
  return pair.control.windowPackets
}

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
    exact('srv.mprdma.window', {
      holds: right === of,
      measured: `so with ${right} of ${of} ACKs`,
      reason: 'Exact, to a billionth.',
    }),
    exact('srv.fig11.mprdma', {
      holds: Math.abs(taken - 1) < 1e-9 && released[2] === 1 && released[0]! + released[1]! === 4,
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
  return exact('srv.fig13.slow-path', {
    holds: slow[2] === 0 && slow[0]! > 0 && slow[1]! > 0 && even[2]! > 0,
    measured: `${slow.join(', ')} packets on the three paths`,
    reason:
      'Exact. The survey does not say how much later; here an ACK more than delta packets behind the furthest releases nothing on its path. ' +
      `Delta is 3 for these six packets; with the default of 32, for longer paths, ${even.join(', ')} packets are released.`,
  })
}

/* Figure 9. */

const SEGMENT_PACKETS = 16
const ADDITIVE_BPS = 10e6

/** Changes of TIMELY's rate by a series of RTTs, each from the same rate. The first RTT only starts the series. */
export function timelySteps(rateBps: number, rttsUs: readonly number[]): number[] {
  const pair = pairOf(['congestion: {kind: timely, serialization: counted}'])
  return rttsUs.map((rttUs, i) => {
    pair.control.rateBps = rateBps
    pair.acknowledge(0, { cumulativePsn: (i + 1) * SEGMENT_PACKETS, newPackets: SEGMENT_PACKETS, rttPs: rttUs * US })
    return pair.control.rateBps - rateBps
  })
}

const ROUND_TRIPS = [
  { rttUs: 100, rises: false },
  { rttUs: 100, rises: false },
  { rttUs: 98, rises: false },
  { rttUs: 110, rises: true },
  { rttUs: 112, rises: true },
  { rttUs: 90, rises: false },
]

export function gradientClaim(): Claim {
  const rttsUs = ROUND_TRIPS.map(({ rttUs }) => rttUs)
  const stepsBps = timelySteps(10e9, rttsUs)
  const isAsSaid = ROUND_TRIPS.map(({ rises }, i) =>
    rises ? stepsBps[i]! < 0 : Math.abs(stepsBps[i]! - ADDITIVE_BPS) <= 1e-3,
  ).slice(1)
  const right = isAsSaid.filter(Boolean).length
  return exact('srv.timely.gradient', {
    holds: right === isAsSaid.length,
    measured: `so in ${right} of ${isAsSaid.length} round trips`,
    reason: `Exact, with round trips of ${rttsUs.join(', ')} us; in each the smoothed gradient has the sign of the last step.`,
  })
}

/* Figure 10. */

interface Recoverer {
  readonly scheme: 'qcn' | 'dcqcn'
  readonly parameters: string
  /** Signals congestion: the rate falls to half. */
  readonly notice: (control: ScriptedPair['control']) => void
  readonly additiveGbps: number
}

export const DCQCN: Recoverer = {
  scheme: 'dcqcn',
  parameters: 'additiveRate: 40Mbps',
  notice: (control) => control.onCnp(0, 0),
  additiveGbps: 0.04,
}
/** The largest feedback, 63, halves the rate. */
export const QCN: Recoverer = {
  scheme: 'qcn',
  parameters: 'additiveRate: 5Mbps, gd: 1/126',
  notice: (control) => control.onCnm(0, 63),
  additiveGbps: 0.005,
}

/** Rate when congestion is signalled, Gb/s; the link is twice as fast, to leave room for active increase. */
const NOTICED_GBPS = 20
const INTERVAL_US = 50
const INTERVALS = 10
const FAST = 5

/** Gain and target of the rate at the ends of intervals after a cut to half. */
export function recoveryOf({ scheme, parameters, notice }: Recoverer): { gainGbps: number; targetGbps: number }[] {
  const schemeText = `congestion: {kind: ${scheme}, rateInterval: ${INTERVAL_US}us, fastRecovery: ${FAST}, ${parameters}}`
  const pair = pairOf([schemeText], 2 * NOTICED_GBPS)
  const { control } = pair
  // As if the rate had been stable there.
  Object.assign(control, { rateBps: NOTICED_GBPS * 1e9, targetBps: NOTICED_GBPS * 1e9 })
  notice(control)
  let beforeGbps = control.rateBps / 1e9
  return Array.from({ length: INTERVALS }, (_, i) => {
    pair.passTo((i + 1) * INTERVAL_US * US)
    const rateGbps = control.rateBps / 1e9
    const gainGbps = rateGbps - beforeGbps
    beforeGbps = rateGbps
    // R_c moves halfway to R_t.
    return { gainGbps, targetGbps: rateGbps + gainGbps }
  })
}

export function increaseClaims(recoverer: Recoverer): Claim[] {
  const { scheme: check, additiveGbps } = recoverer
  const isNear = (a: number, b: number): boolean => Math.abs(a - b) < 1e-9
  const steps = recoveryOf(recoverer)
  const [fast, active] = [steps.slice(0, FAST), steps.slice(FAST)]
  const halves = fast.filter(({ gainGbps }, i) => isNear(gainGbps, NOTICED_GBPS / 2 ** (i + 2))).length
  const fixed = fast.filter(({ targetGbps }) => isNear(targetGbps, NOTICED_GBPS)).length
  const raised = active.filter(({ targetGbps }, i) => isNear(targetGbps, NOTICED_GBPS + (i + 1) * additiveGbps)).length
  const reason = 'Exact, to a billionth.'
  const gains = fast.map(({ gainGbps }) => humanNumber(gainGbps, 4)).join(', ')
  const [isFixed, isRaised] = [fixed === FAST && halves === FAST, raised === active.length]
  return [
    exact('srv.dcqcn.fast-recovery', {
      check,
      holds: isFixed,
      measured: `so in ${fixed} of ${FAST} intervals`,
      reason,
    }),
    exact('srv.dcqcn.active-increase', {
      check,
      holds: isRaised,
      measured: `so in ${raised} of ${active.length} intervals`,
      reason,
    }),
    exact('srv.fig10.qcn-curve', {
      check,
      holds: halves === FAST && isRaised,
      measured: `${gains} Gb/s, then R_t by ${additiveGbps} Gb/s an interval`,
      reason:
        'Exact, with R_d read as the size of the decrease. The survey also calls it the rate at congestion, of which the gains are half as much.',
    }),
  ]
}
