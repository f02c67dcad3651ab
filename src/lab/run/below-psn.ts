/** Payload of a queue pair's packets up to a PSN, from the sizes of its messages. */
import { isAtomic, type Operation } from '../../core/workload/workload.ts'
import type { FlowLog } from './flow-log.ts'

/**
 * Payload bytes of packets below `psn`, and the number of messages that these complete.
 * @param rows of the queue pair's messages in the log, in order
 */
export function belowPsn(
  log: FlowLog,
  rows: readonly number[],
  payloadBytes: number,
  psn: number,
): { bytes: number; messages: number } {
  let left = psn
  let bytes = 0
  let messages = 0
  for (const row of rows) {
    const sizeBytes = log.get('sizeBytes', row)
    // The operand of an atomic is in a header: one packet, however short packets are.
    const isOne = sizeBytes === 0 || isAtomic(log.word('operation', row) as Operation)
    const packets = isOne ? 1 : Math.ceil(sizeBytes / payloadBytes)
    if (left < packets) break
    left -= packets
    bytes += sizeBytes
    messages++
  }
  return { bytes: bytes + left * payloadBytes, messages }
}
