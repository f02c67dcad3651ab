/**
 * Delivered rows: bytes of each message that its receiver has, by row of the flow log.
 * Units: bytes. A queue pair delivers messages in order, so that its delivered bytes fill them one by one.
 */
import type { Traffic } from './traffic.ts'

/** Visits all rows in order. NaN: not known, for an unfinished READ or ATOMIC of a verbs queue pair, whose responses no message owns. */
export function eachDelivered(traffic: Traffic, visit: (row: number, bytes: number) => void): void {
  const { log } = traffic
  const left = new Map<number, number>()
  for (let row = 0; row < log.count; row++) {
    const sizeBytes = log.get('sizeBytes', row)
    const pair = traffic.pairOf(row)
    const isReceived = !Number.isNaN(log.get('receivedPs', row))
    if (pair === null || (isReceived && pair.isOneShot)) {
      visit(row, sizeBytes)
    } else if (traffic.isAnsweredByVerbs(row)) {
      visit(row, isReceived ? sizeBytes : NaN)
    } else {
      const here = left.get(pair.id) ?? pair.receiver.delivered.bytes
      visit(row, isReceived ? sizeBytes : Math.max(0, Math.min(sizeBytes, here)))
      left.set(pair.id, here - sizeBytes)
    }
  }
}

/** Sums by tag, without messages whose bytes are not known. */
export function deliveredByTag(traffic: Traffic): Map<string, number> {
  const sums = new Map<string, number>()
  eachDelivered(traffic, (row, bytes) => {
    const tag = traffic.log.word('tag', row)
    sums.set(tag, (sums.get(tag) ?? 0) + (Number.isNaN(bytes) ? 0 : bytes))
  })
  return sums
}
