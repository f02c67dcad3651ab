/** States of a reliable connection's queue pair and the transitions between them (IBTA 10.3.1). */
export const QUEUE_PAIR_STATES = [
  'reset',
  'init',
  'ready to receive',
  'ready to send',
  /** Completes requests that have started and starts no new ones. */
  'send queue drain',
  'error',
] as const
export type QueuePairState = (typeof QUEUE_PAIR_STATES)[number]

const NEXT: Readonly<Record<QueuePairState, readonly QueuePairState[]>> = {
  reset: ['init'],
  init: ['init', 'ready to receive'],
  'ready to receive': ['ready to send'],
  'ready to send': ['ready to send', 'send queue drain'],
  'send queue drain': ['ready to send', 'send queue drain'],
  error: [],
}

/** Reset and error can be entered from every state. */
export function isLegal(from: QueuePairState, to: QueuePairState): boolean {
  return to === 'reset' || to === 'error' || NEXT[from].includes(to)
}
