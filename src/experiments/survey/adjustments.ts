/**
 * Table II of the survey: direction and size of the changes that schemes make to a window or a rate, driven by hand except
 * for RoCE.
 * Source: [Survey] VI, Table II.
 */
import { US } from '../../base/index.ts'
import { humanNumber, humanRate } from '../../report/index.ts'
import type { Claim } from '../core/findings.ts'
import type { Runs } from '../core/runs.ts'
import { pairOf, windowAfter } from './pair.ts'
import { figure11 } from './paths.ts'
import { DCQCN, increaseClaims, timelySteps } from './rates.ts'
import { incastAt, LINE_BPS, type Scheme } from './runs.ts'

interface Adjustment {
  readonly measured: string
  readonly holds: boolean
  readonly reason: string
}

export const ADJUSTMENTS: Readonly<Record<Scheme, (runs: Runs) => Adjustment>> = {
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
export const WINDOW = 20

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
export function tcpWindows(): number[] {
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
