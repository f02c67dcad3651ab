/**
 * Counts of a receive pipeline, over the whole run.
 */
export class ReceiveCounts {
  /** Packets that it has processed. */
  packets = 0
  /** Packets that it has dropped. */
  drops = 0
  /** Pages looked up in the translation cache, and those that were not there. */
  translations = 0
  translationMisses = 0
  /** Packets whose queue pair's context was not in the NIC. */
  contextMisses = 0
  /** Times that it began to pause its switch. */
  pauses = 0
  /** Most bytes in one of its buffers. */
  mostBytes = 0
  /** When the watchdog gave it up; -1: it has not. */
  gaveUpPs = -1
}
