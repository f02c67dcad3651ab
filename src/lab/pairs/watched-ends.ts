/**
 * Watched ends: tells observers of a new queue pair whose two halves can be observed.
 */
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import type { WatchedEnds } from '../../core/fabric/watch.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'

/** Calls the observers that wait for queue pairs. Returns its ends, or null if nobody observes. */
export function announce({ pairWatches }: Pick<BuiltNetwork, 'pairWatches'>, pair: QueuePair): WatchedEnds | null {
  if (pairWatches.length === 0) return null
  const ends: object = { sender: pair.sender, receiver: pair.receiver }
  if (!areWatchable(ends)) return null
  for (const opened of pairWatches) opened(pair, ends)
  return ends
}

function areWatchable(ends: object): ends is WatchedEnds {
  return Object.values(ends).every((half: object) => 'watch' in half)
}
