/**
 * Delivered rows: bytes of each message that its receiver has, by row of the flow log.
 * Units: bytes. A queue pair delivers messages in order, so that its delivered bytes fill them one by one.
 */
import type { Traffic } from './traffic.ts'

/** NaN: not known, for an unfinished READ or ATOMIC of a verbs queue pair, whose responses no message owns. */
export function deliveredByRow(traffic: Traffic): Float64Array {
  const { log } = traffic
  const bytes = new Float64Array(log.count)
  const left = new Map<number, number>()
  for (let row = 0; row < bytes.length; row++) {
    const sizeBytes = log.get('sizeBytes', row)
    const pair = traffic.pairOf(row)
    const isReceived = !Number.isNaN(log.get('receivedPs', row))
    if (pair === null || (isReceived && pair.isOneShot)) {
      bytes[row] = sizeBytes
    } else if (traffic.isAnsweredByVerbs(row)) {
      bytes[row] = isReceived ? sizeBytes : NaN
    } else {
      const here = left.get(pair.id) ?? pair.receiver.delivered.bytes
      bytes[row] = isReceived ? sizeBytes : Math.max(0, Math.min(sizeBytes, here))
      left.set(pair.id, here - sizeBytes)
    }
  }
  return bytes
}

/** Sums by tag, without messages whose bytes are not known. */
export function deliveredByTag(traffic: Traffic): Map<string, number> {
  const sums = new Map<string, number>()
  deliveredByRow(traffic).forEach((bytes, row) => {
    const tag = traffic.log.tags[row]!
    sums.set(tag, (sums.get(tag) ?? 0) + (Number.isNaN(bytes) ? 0 : bytes))
  })
  return sums
}
