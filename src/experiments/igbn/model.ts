/**
 * Model of lossy go-back-N: the mean time that a message loses, to first order in the loss rate, with the paper's schemes.
 * One message at a time of n packets; each packet, ACK and NAK is lost with probability p:
 *   every loss      costs a round trip of wasted packets, `wasteMs`
 *   a timeout       costs `timeoutMs`. It is caused by the loss of the last packet or its ACK (2p), or by a lost NAK or a
 *                   packet lost twice (2 p^2 per packet, for packets after which no further NAK is triggered)
 *   a NAK interval  costs `nakIntervalMs`, if such a loss is repaired by the next NAK instead of the timeout
 * Send Twice turns 2p into 2p^2; Check EPSN turns the second kind of timeout into a NAK interval.
 * `unevenChance` gives the probability of an uneven split of few timeouts.
 * Units: milliseconds; throughput is a share of the lossless one.
 * Source: [IGBN] III-A (the four reasons), Table I. Ours: the arithmetic.
 */
export type LossyScheme = 'go-back-n' | 'send-twice' | 'check-epsn' | 'improved-gbn'

interface LossyPath {
  readonly packets: number
  readonly messageMs: number
  readonly wasteMs: number
  readonly nakIntervalMs: number
  /**
   * Packets whose lost NAK, or second loss, ends in a timeout: all of them if nothing else repairs the loss. A packet that
   * arrives after the NAK interval triggers the next NAK, which leaves the packets of the last NAK interval.
   */
  readonly exposedPackets: number
}

/** Table I: 4 MB in packets of 1 KB (1106 bytes on the wire) at 40 Gb/s; 6 us for the round trip and queueing in it. */
export const ALL_EXPOSED: LossyPath = {
  packets: 4096,
  messageMs: 0.906,
  wasteMs: 0.006,
  nakIntervalMs: 0.5,
  exposedPackets: 4096,
}

/** With only the packets of the last 500 us exposed, 0.2212 us each. */
export const TAIL_EXPOSED: LossyPath = { ...ALL_EXPOSED, exposedPackets: 2260 }

interface LossyPoint {
  readonly scheme: LossyScheme
  readonly loss: number
  readonly timeoutMs: number
}

/** Mean time lost per message, ms. */
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

/** Throughput over the lossless throughput. */
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
