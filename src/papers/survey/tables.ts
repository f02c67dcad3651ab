/**
 * Claims of the survey's Tables I to III: the signals of a scheme; direction and size of the changes that it makes to a window
 * or a rate, driven by hand except for RoCE; whether it starts at full speed, and its losses without PFC.
 * Source: [Survey] VI.
 */
import { US } from '../../core/base/index.ts'
import { humanNumber, humanRate } from '../../show/index.ts'
import { type Claim, exact } from '../core/findings.ts'
import type { At } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { DCQCN, dctcpAt, figure11, increaseClaims, pairOf, timelySteps, windowAfter } from './rates.ts'
import { incastAt, LINE_BPS, LINES, type Scheme, SCHEMES, shortAt } from './runs.ts'
import { type Survey, surveyOf } from './schemes.ts'

interface Adjustment {
  readonly measured: string
  readonly holds: boolean
  readonly reason: string
}

const ADJUSTMENTS: Readonly<Record<Scheme, (runs: Runs) => Adjustment>> = {
  roce: (runs) => {
    const of = (measure: string): number => runs.mean(measure, incastAt('roce', 'on')).mean
    const [pauses, resumes, slowestBps] = [of('pauses'), of('resumes'), of('slowestRateBps')]
    return {
      measured: `${humanNumber(pauses)} pauses, ${humanNumber(resumes)} resumes; rate of each queue pair ${humanRate(slowestBps)} all the time`,
      holds: pauses > 0 && resumes > 0 && slowestBps === LINE_BPS,
      reason: 'Only PFC frames slow a sender.',
    }
  },
  iwarp: () => {
    const windows = tcpWindows()
    const [before, behind, ...later] = windows as [number, number, ...number[]]
    return {
      measured: `packets in flight before a loss, behind it and after round trips of ACKs: ${windows.join(', ')}`,
      // As many steps as round trips, or one less.
      holds: behind === before / 2 && later.every((window, trip) => Math.abs(window - (behind + trip + 1 / 2)) < 1),
      reason:
        'Down to half, exact; up by one packet per round trip, with at most one less in total: each ACK adds the inverse of a window that has grown, and only whole packets are sent. ' +
        'In slow start the step is per ACK, which Table II leaves out.',
    }
  },
  dctcp: () => {
    const up = windowAfter(WINDOW, '0'.repeat(WINDOW), 0.5, 1) - WINDOW
    // A fully marked round trip: alpha moves halfway to 1.
    const cuts = [0, 0.6, 1].map((alpha) => ({ alpha, after: windowAfter(WINDOW, '1'.repeat(10), 0.5, alpha) }))
    const areRight = cuts.every(({ alpha, after }) => Math.abs(after - WINDOW * (1 - (0.5 + alpha / 2) / 2)) < 1e-9)
    const cutsText = cuts.map(({ alpha, after }) => `${WINDOW} to ${humanNumber(after)} from alpha ${alpha}`).join(', ')
    return {
      measured: `${humanNumber(up)} packets up in a round trip; cuts of Figure 8: ${cutsText}`,
      holds: Math.abs(up - 1) < 0.03 && areRight,
      reason: 'Up by one packet per round trip within 3 %: each ACK adds the inverse of a window that has grown.',
    }
  },
  timely: () => {
    const stepsOf = (series: readonly (readonly number[])[]) =>
      series.map((rttsUs) => RATES_BPS.map((rateBps) => timelySteps(rateBps, rttsUs).at(-1)!) as [number, number])
    const [ups, downs] = [stepsOf(UP_RTTS_US), stepsOf(DOWN_RTTS_US)]
    const inMbps = (steps: ReturnType<typeof stepsOf>): string =>
      steps.map((each) => each.map((bps) => humanNumber(bps / 1e6)).join(' and ')).join(', ')
    const isMultiplicative = ups.some(([slow, fast]) => Math.abs(fast / slow - RATES_BPS[1] / RATES_BPS[0]) < 0.01)
    const isDecreasing = ups.some(([slow]) => slow < 0)
    return {
      measured: `Mb/s at rates of ${RATES_BPS.map((bps) => bps / 1e9).join(' and ')} Gb/s; up: ${inMbps(ups)}; down: ${inMbps(downs)}`,
      holds: isMultiplicative && isDecreasing && downs.every(([slow]) => slow < 0),
      reason:
        'All changes of Table II have to occur. Its increases include a decrease and a multiplicative increase, which [Survey] IV-C does not have, ' +
        'and steps up of the same size at both rates are neither: the table contradicts the text.',
    }
  },
  dcqcn: () => {
    const claims = increaseClaims(DCQCN)
    const { control } = pairOf(['congestion: {kind: dcqcn, g: 0.5, alphaStart: 0.8}'])
    control.onCnp(0, 0)
    const cut = 1 - control.rateBps / LINE_BPS
    const held = claims.filter(isReproduced).length
    return {
      measured: `${held} of ${claims.length} claims of Figure 10; alpha 0.8 cuts ${humanNumber(cut)} of the rate`,
      holds: held === claims.length && Math.abs(cut - 0.4) < 1e-9,
      reason: 'Exact.',
    }
  },
  'mp-rdma': () => {
    const { right, of } = figure11()
    return {
      measured: `so with ${right} of ${of} ACKs of Figure 11`,
      holds: right === of,
      reason: 'Exact. The increase is per ACK, while that of iWARP and DCTCP is per round trip.',
    }
  },
  irn: () => {
    const flights = cappedFlights()
    return {
      measured: `with ${CAP} packets for the product, from ${Math.min(...flights)} to ${Math.max(...flights)} are in flight over ${CAP} ACKs`,
      holds: flights.every((packets) => packets === CAP),
      reason: 'Exact. The packets in flight are bounded; they are sent at line rate.',
    }
  },
}

const isReproduced = ({ verdict }: Claim): boolean => verdict === 'reproduced'

/** Packets. */
const WINDOW = 20

/** Rates at which a step is tried, to distinguish a constant from a factor. */
const RATES_BPS = [5e9, 10e9] as const
/** Series of RTTs whose last one moves the rate up, or down. */
const UP_RTTS_US = [
  [40, 40],
  [100, 100],
  [100, 90],
  [100, 98, 96, 94, 92, 90],
]
const DOWN_RTTS_US = [
  [100, 105],
  [600, 600],
]

/** Packets that iWARP keeps in flight: before a loss, after it, and after each of five round trips of ACKs. */
function tcpWindows(): number[] {
  const pair = pairOf([`recovery: {kind: iwarp, initialWindow: ${WINDOW}, receiveWindow: 200}`, 'qp: {ackInterval: 1}'])
  let nowPs = 0
  const sends = (): number[] => pair.sendUntil((nowPs += 10 * US)).map(({ psn }) => psn)
  pair.post(0, 1000)
  const first = sends()
  // Packet 0 is lost; the following packets are acknowledged one by one.
  const resent = first.slice(1).flatMap((psn) => {
    pair.answer(nowPs, { cumulativePsn: 0, psn })
    return sends()
  })
  pair.answer(nowPs, { cumulativePsn: Math.max(...resent) + 1 })
  const trips = [sends()]
  for (let trip = 0; trip < 5; trip++) {
    const acknowledged = trips.at(-1)!.flatMap((psn) => {
      pair.answer(nowPs, { cumulativePsn: psn + 1 })
      return sends()
    })
    trips.push(acknowledged)
  }
  return [first, ...trips].map(({ length }) => length)
}

/** Packets of a BDP. */
const CAP = 20

/** Packets that IRN has in flight before the first ACK, and after each ACK of a BDP. */
function cappedFlights(): number[] {
  const pair = pairOf([`recovery: {kind: irn, cap: ${CAP}}`, 'qp: {ackInterval: 1, ackTimeout: 320us}'])
  let nowPs = 0
  const sends = (): number => pair.sendUntil((nowPs += 10 * US)).length
  pair.post(0, 1000)
  let sent = sends()
  const flights = [sent]
  for (let acknowledged = 1; acknowledged <= CAP; acknowledged++) {
    pair.answer(nowPs, { cumulativePsn: acknowledged })
    sent += sends()
    flights.push(sent - acknowledged)
  }
  return flights
}

/** The row of a scheme; RoCE is go-back-N without congestion control. */
const rowOf = (scheme: Scheme): Survey => surveyOf(scheme === 'roce' ? 'none' : scheme)!

/* Table I. */

/** Reactions to losses, driven by hand. */
const LOSSES: Readonly<Partial<Record<Scheme, () => { readonly text: string; readonly holds: boolean }>>> = {
  iwarp: () => {
    const [before, behind] = tcpWindows()
    const text = `ACKs for the packets after a loss reduce a window of ${before} to ${behind}`
    return { text, holds: behind === before! / 2 }
  },
  dctcp: () => {
    const { control } = dctcpAt(WINDOW, 10, 0.5, 1)
    control.onLoss(0, WINDOW)
    const behind = control.windowPackets
    return { text: `a loss reduces a window of ${WINDOW} to ${behind}`, holds: behind === WINDOW / 2 }
  },
  irn: () => {
    const pair = pairOf(['recovery: irn', 'qp: {ackInterval: 1, ackTimeout: 320us}'])
    const naks = pair.play({ packets: 5, lost: [2] }).answers.filter(({ kind }) => kind === 'NAK')
    const text = `packet 2 of 5 lost: ${naks.map(({ psn }) => `NAK ${psn}`).join(', ')}`
    return { text, holds: naks.length === 2 && naks.every(({ psn }) => psn === 2) }
  },
}
/** Added to the reason, with a space in front. */
const ON_SIGNALS: Readonly<Partial<Record<Scheme, string>>> = {
  timely: ' ACKs, with which round-trip times are measured ([Survey] IV-C), are a signal that Table I does not list.',
  'mp-rdma': ' Initial windows of one BDP and marks keep the buffers below the threshold of PFC.',
  irn: ' Each of the two packets after the lost one triggers a NACK.',
}

function signalsClaim(runs: Runs, scheme: Scheme): Claim {
  const { detection, notification } = rowOf(scheme)
  const own = runs.where(incastAt(scheme, LINES[scheme].pfc))
  const [pauses, marks, cnps] = ['pauses', 'marks', 'cnps'].map((of) => own.mean(of).mean) as [number, number, number]
  const isAsListed =
    pauses > 0 === detection.methods.includes('PFC') &&
    marks > 0 === detection.methods.includes('ECN') &&
    cnps > 0 === notification.signals.includes('CNP')
  // Only a round-trip time can have changed TIMELY's rate.
  const isUnlistedHeard = scheme === 'timely' && own.mean('slowestRateBps').mean < LINE_BPS
  const loss = LOSSES[scheme]?.()
  const counted = `${humanNumber(pauses)} pauses, ${humanNumber(marks, 4)} marks, ${humanNumber(cnps)} CNPs`
  return exact(`srv.table1.${scheme}`, {
    holds: isAsListed && loss?.holds !== false && !isUnlistedHeard,
    measured: loss === undefined ? counted : `${counted}; ${loss.text}`,
    reason: `Signals that are listed occur in the incast, others do not.${ON_SIGNALS[scheme] ?? ''}`,
  })
}

/* Table III. */

/** Share of the goodput that a scheme may lose without PFC before it counts as dependent on PFC. */
const BEARABLE = 0.2
/** Slowdown up to which a flow of one BDP counts as started at full speed. */
const AT_ONCE = 1.05
const ON_PFC: Readonly<Partial<Record<Scheme, string>>> = {
  timely: ' Without PFC the first burst loses packets, but the rate falls to its minimum with and without PFC.',
  dcqcn: ' Without PFC the first burst loses packets, but rates cut by marks determine the completion in both cases.',
}

function requirementsClaim(runs: Runs, scheme: Scheme): Claim {
  const of = (at: At, measure: string): number => runs.mean(measure, at).mean
  const [slowdown, drops] = [of(shortAt(scheme), 'bdp slowdown'), of(incastAt(scheme, 'off'), 'drops')]
  const loss = 1 - of(incastAt(scheme, 'off'), 'goodputBps') / of(incastAt(scheme, 'on'), 'goodputBps')
  const { quickStart, pfcDependency } = rowOf(scheme)
  const isQuickRight = slowdown <= AT_ONCE === quickStart
  const untried = ' Nothing is lost without PFC: this incast does not test the dependency.'
  const claim = exact(`srv.table3.${scheme}`, {
    holds: isQuickRight && loss > BEARABLE === pfcDependency,
    measured: `one BDP alone takes ${humanNumber(slowdown)} of its ideal; ${humanNumber(loss * 100)} % of the goodput lost without PFC, ${humanNumber(drops)} packets dropped`,
    reason:
      `Quick: at most ${AT_ONCE} of the ideal. Dependent: more than ${BEARABLE * 100} % of the goodput lost.` +
      `${drops > 0 ? '' : untried} Granularity, implementation and resource are declared and not measured.${ON_PFC[scheme] ?? ''}`,
  })
  return isQuickRight && drops === 0 ? { ...claim, verdict: 'undecided' } : claim
}

/** Times of short flows with the schemes that start quickly, or with the others. */
function started(runs: Runs, isQuick: boolean) {
  return SCHEMES.filter((scheme) => rowOf(scheme).quickStart === isQuick).map((scheme) => ({
    name: rowOf(scheme).row,
    timesUs: ['bdp us', 'short us'].map((of) => runs.mean(of, shortAt(scheme)).mean),
  }))
}

function startClaim(runs: Runs): Claim {
  const [quick, slow] = [started(runs, true), started(runs, false)]
  const inWords = (all: ReturnType<typeof started>): string => {
    const times = all.map(({ timesUs }) => timesUs.map((us) => humanNumber(us)).join(' and '))
    return `${all.map(({ name }) => name).join(', ')}: ${times.join(', ')} us`
  }
  return exact('srv.vi.quick-start', {
    holds: quick.every((fast) => slow.every((other) => fast.timesUs.every((us, i) => us < other.timesUs[i]!))),
    measured: `${inWords(quick)}; ${inWords(slow)} (one BDP, 100 KB)`,
    reason: 'Each of the first is faster than each of the others, for both sizes.',
  })
}

/** Claims of the three tables for every scheme, and one on the start of short flows for all together. */
export function tableClaims(runs: Runs): Claim[] {
  return [
    ...SCHEMES.flatMap((scheme) => [
      signalsClaim(runs, scheme),
      exact(`srv.table2.${scheme}`, ADJUSTMENTS[scheme](runs)),
      requirementsClaim(runs, scheme),
    ]),
    startClaim(runs),
  ]
}
