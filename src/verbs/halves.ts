/**
 * Halves of a queue pair: plain ones, or those that an observer may watch.
 */
import type { ConnectionValues } from './connection/values.ts'
import type { SendQueue } from './queues/send-queue.ts'
import { Requester, type RequesterHost } from './requester/requester.ts'
import { WatchedRequester } from './requester/watched-requester.ts'
import { Responder, type ResponderHost } from './responder/responder.ts'
import { WatchedResponder } from './responder/watched-responder.ts'
import type { Schemes } from './schemes.ts'

/** Makes both halves. */
export function newHalves(
  host: RequesterHost & ResponderHost,
  queue: SendQueue,
  values: ConnectionValues,
  schemes: Schemes,
): [requester: Requester, responder: Responder] {
  const { isWatched } = schemes
  return [
    new (isWatched ? WatchedRequester : Requester)(host, queue, values, schemes),
    new (isWatched ? WatchedResponder : Responder)(host, values, schemes),
  ]
}
