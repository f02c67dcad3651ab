/**
 * Lossy model: what a message costs on average under go-back-N and what S0 adds to it, to first order in the loss rate.
 * One message at a time, n packets, each packet, ACK and NAK lost with probability p:
 *   every loss      costs a round trip of packets sent in vain, `wasteMs`
 *   a timeout       costs `timeoutMs`, and comes from the loss of the last packet or of its ACK (2p), and from a NAK lost or
 *                   a packet lost twice (2 p^2 a packet, for the packets behind which no more NAK comes)
 *   a NAK interval  costs `nakIntervalMs`, where such a loss is repaired by the next NAK and not by the timeout
 * Send Twice makes 2p into 2p^2; Check EPSN makes the second kind of timeout a NAK interval.
 * And how uneven the shares of a few timeouts may be by chance.
 * Units: milliseconds; throughput is a share of the lossless one.
 * Source: S0 III-A (the four reasons), Table I. Ours: the arithmetic.
 */
export type LossyScheme = 'go-back-n' | 'send-twice' | 'check-epsn' | 'improved-gbn'

interface LossyPath {
  readonly packets: number
  readonly messageMs: number
  readonly wasteMs: number
  readonly nakIntervalMs: number
  /**
   * Packets whose lost NAK, or second loss, ends in a timeout. All of them where nothing else comes; but packets that
   * arrive when the NAK interval is over bring the next NAK, so it is those of the last NAK interval.
   */
  readonly exposedPackets: number
}

/** Table I: 4 MB in packets of 1 KB (1106 bytes on the wire) at 40 Gb/s; 6 us are the round trip and what it delays. */
export const ALL_EXPOSED: LossyPath = {
  packets: 4096,
  messageMs: 0.906,
  wasteMs: 0.006,
  nakIntervalMs: 0.5,
  exposedPackets: 4096,
}

/** The same with the packets of the last 500 us, 0.2212 us each. */
export const TAIL_EXPOSED: LossyPath = { ...ALL_EXPOSED, exposedPackets: 2260 }

interface LossyPoint {
  readonly scheme: LossyScheme
  readonly loss: number
  readonly timeoutMs: number
}

/** Mean time lost a message, ms. */
export function lostMs({ scheme, loss, timeoutMs }: LossyPoint, path: LossyPath): number {
  const { packets, exposedPackets } = path
  const hasTwice = scheme === 'send-twice' || scheme === 'improved-gbn'
  const hasCheck = scheme === 'check-epsn' || scheme === 'improved-gbn'
  const ends = hasTwice ? 2 * loss * loss : 2 * loss
  const repairs = 2 * loss * loss
  const timeouts = ends + (hasCheck ? 0 : repairs * exposedPackets)
  const naks = repairs * (hasCheck ? packets : packets - exposedPackets)
  return path.wasteMs * packets * loss + timeouts * timeoutMs + naks * path.nakIntervalMs
}

/** Throughput over the lossless one. */
export function modelThroughput(point: LossyPoint, path: LossyPath): number {
  return path.messageMs / (path.messageMs + lostMs(point, path))
}

/** The probability that of a + b timeouts of two equally likely reasons the split is as uneven as this, or more. */
export function unevenChance(a: number, b: number): number {
  const count = a + b
  let orders = 1
  let uneven = 0
  let all = 0
  for (let first = 0; first <= count; first++) {
    if (Math.abs(2 * first - count) >= Math.abs(a - b)) uneven += orders
    all += orders
    orders = (orders * (count - first)) / (first + 1)
  }
  return uneven / all
}
