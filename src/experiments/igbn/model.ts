/**
 * Model of go-back-N on a lossy network: the mean time that a message of n packets loses, to first order in the loss rate p.
 *   every loss   costs a round trip of wasted packets
 *   a timeout    is caused by the loss of the last packet or its ACK (2p), or by a lost NAK or a packet lost twice (2 p^2
 *                for each packet after which no further NAK is triggered; for the others it costs a NAK interval)
 * Source: [IGBN] III-A (the four reasons), Table I. Ours: the arithmetic.
 */

/** 4 MB in packets of 1 KB (1106 bytes on the wire) at 40 Gb/s; 6 us for the round trip and queueing in it. */
const PACKETS = 4096
const MESSAGE_MS = 0.906
const WASTE_MS = 0.006
const NAK_INTERVAL_MS = 0.5

/** Packets whose lost NAK, or second loss, ends in a timeout: all of them if nothing else repairs the loss. */
export const ALL_EXPOSED = PACKETS
/** A packet that arrives after the NAK interval triggers the next NAK, which leaves those of the last 500 us. */
export const TAIL_EXPOSED = 2260

/** Throughput in percent of the lossless one. */
export function modelPercent(loss: number, timeoutMs: number, exposedPackets: number): number {
  const timeouts = 2 * loss + 2 * loss * loss * exposedPackets
  const naks = 2 * loss * loss * (PACKETS - exposedPackets)
  const lostMs = WASTE_MS * PACKETS * loss + timeouts * timeoutMs + naks * NAK_INTERVAL_MS
  return (100 * MESSAGE_MS) / (MESSAGE_MS + lostMs)
}
