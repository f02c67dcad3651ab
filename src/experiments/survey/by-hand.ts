/**
 * Direction and size of the changes that schemes of the survey's Tables I to III make to a window or a rate, driven by hand
 * without a network.
 * Source: [Survey] VI, Table II.
 */
import { US } from '../../base/index.ts'
import { humanNumber } from '../../report/index.ts'
import { pairOf } from './pair.ts'

/* DCTCP and TIMELY. */

/** Packets. */
export const WINDOW = 20
const FLIGHT = 10

function dctcpAt(windowPackets: number, alpha: number, flight: number): ReturnType<typeof pairOf> {
  const pair = pairOf(['congestion: {kind: dctcp, g: 0.5}', 'qp: {ecnEcho: ack}'])
  pair.acknowledge(0, { cumulativePsn: 1, nextPsn: flight })
  Object.assign(pair.control, { windowPackets, alpha })
  return pair
}

export function windowBehindLoss(): number {
  const { control } = dctcpAt(WINDOW, 1, FLIGHT)
  control.onLoss(0, WINDOW)
  return control.windowPackets
}

/** Growth of a fully used window over one round trip without marks. */
export function growth(): number {
  const pair = dctcpAt(WINDOW, 1, WINDOW)
  for (let i = 0; i < WINDOW; i++) pair.acknowledge(0, { cumulativePsn: i + 2, nextPsn: i + 1 + WINDOW })
  return pair.control.windowPackets - WINDOW
}

/** Rates in Gb/s at which a step is tried, to distinguish a constant from a factor. */
export const SLOW_BPS = 5e9
export const FAST_BPS = 10e9
/** RTTs in microseconds, and whether the last of them raises the rate. */
const SERIES = [
  { rttsUs: [40, 40], isUp: true },
  { rttsUs: [100, 100], isUp: true },
  { rttsUs: [100, 90], isUp: true },
  { rttsUs: [100, 98, 96, 94, 92, 90], isUp: true },
  { rttsUs: [100, 105], isUp: false },
  { rttsUs: [600, 600], isUp: false },
] as const

export interface TimelyStep {
  readonly slowBps: number
  readonly fastBps: number
}

/** The last step of each series, from both rates. */
export function timelySteps(): { readonly ups: readonly TimelyStep[]; readonly downs: readonly TimelyStep[] } {
  const stepFrom = (rateBps: number, rttsUs: readonly number[]): number => {
    const pair = pairOf(['congestion: {kind: timely, serialization: counted}'])
    let beforeBps = rateBps
    rttsUs.forEach((rttUs, i) => {
      pair.control.rateBps = rateBps
      beforeBps = pair.control.rateBps
      pair.acknowledge(0, { cumulativePsn: (i + 1) * 16, newPackets: 16, rttPs: rttUs * US })
    })
    return pair.control.rateBps - beforeBps
  }
  const steps = SERIES.map(({ rttsUs, isUp }) => ({
    isUp,
    slowBps: stepFrom(SLOW_BPS, rttsUs),
    fastBps: stepFrom(FAST_BPS, rttsUs),
  }))
  return { ups: steps.filter(({ isUp }) => isUp), downs: steps.filter(({ isUp }) => !isUp) }
}

export function figure8Dctcp(): { readonly cuts: string; readonly holds: boolean } {
  const cut = (alpha: number): number => {
    const pair = dctcpAt(WINDOW, alpha, FLIGHT)
    // A fully marked round trip: alpha moves halfway to 1.
    for (let i = 0; i < FLIGHT; i++)
      pair.acknowledge(0, { cumulativePsn: i + 2, nextPsn: i + 1 + FLIGHT, marked: true })
    return pair.control.windowPackets
  }
  const cuts = [0, 0.6, 1].map((alpha) => ({
    alpha,
    after: cut(alpha),
    expected: WINDOW * (1 - (0.5 + alpha / 2) / 2),
  }))
  return {
    cuts: cuts.map(({ alpha, after }) => `${WINDOW} to ${humanNumber(after)} from alpha ${alpha}`).join(', '),
    holds: cuts.every(({ after, expected }) => Math.abs(after - expected) < 1e-9),
  }
}

/* iWARP. */

/**
 * Packets that iWARP keeps in flight: before a loss, after it, and after each of five round trips of ACKs.
 */
export function tcpWindows(): readonly number[] {
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
  const windows = [first.length]
  pair.answer(nowPs, { cumulativePsn: Math.max(...resent) + 1 })
  let inFlight = sends()
  windows.push(inFlight.length)
  for (let trip = 0; trip < 5; trip++) {
    inFlight = inFlight.flatMap((psn) => {
      pair.answer(nowPs, { cumulativePsn: psn + 1 })
      return sends()
    })
    windows.push(inFlight.length)
  }
  return windows
}

/* IRN. */

/** Packets of a BDP. */
export const CAP = 20

/** Packets in flight before the first ACK, and after each ACK of a BDP. */
export function cappedFlights(): readonly number[] {
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

/** ACKs and NAKs of IRN's receiver when packet 2 of 5 is lost. */
export function nacks(): readonly string[] {
  const pair = pairOf(['recovery: irn', 'qp: {ackInterval: 1, ackTimeout: 320us}'])
  return pair.play({ packets: 5, lost: [2] }).answers.filter((answer) => answer.startsWith('NAK'))
}
