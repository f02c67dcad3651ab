/**
 * Watched ends: tells observers of a new queue pair whose two halves can be observed.
 */
import type { QueuePair } from '../../fabric/nic/queue-pair.ts'
import type { WatchedEnds } from '../../fabric/watch.ts'
import type { WatchableReceiver } from '../../transport/receive/watched-receiver.ts'
import type { WatchableSender } from '../../transport/send/watched-sender.ts'
import type { BuiltNetwork } from '../build/network-builder.ts'

/** Calls the observers that wait for queue pairs. Returns its ends, or null if nobody observes. */
export function announce({ pairWatches }: Pick<BuiltNetwork, 'pairWatches'>, pair: QueuePair): WatchedEnds | null {
  if (pairWatches.length === 0) return null
  const { sender, receiver } = pair
  if (!isWatchable<WatchableSender>(sender) || !isWatchable<WatchableReceiver>(receiver)) return null
  const ends = { sender, receiver }
  for (const opened of pairWatches) opened(pair, ends)
  return ends
}

function isWatchable<T extends object>(half: object): half is T {
  return 'watch' in half
}
