/**
 * Verbs connection: two connected queue pairs, and the laws that hold between them at any instant.
 * A packet is acknowledged after it was received, a request completes after the other end has executed it, and nothing is
 * received that was not posted. These laws do not depend on packets in flight.
 */
import type { QueuePair } from '../../core/verbs/index.ts'

/** One end, with the halves that this connection gave it: a queue pair that is reset has others. */
interface ConnectionEnd {
  readonly pair: QueuePair
  readonly requester: QueuePair['requester']
  readonly responder: QueuePair['responder']
}

export interface VerbsConnection {
  readonly a: ConnectionEnd
  readonly b: ConnectionEnd
}

/** @param a and `b`: queue pairs that have just been connected */
export function verbsConnection(a: QueuePair, b: QueuePair): VerbsConnection {
  const endOf = (pair: QueuePair): ConnectionEnd => ({
    pair,
    requester: pair.requester,
    responder: pair.responder,
  })
  return { a: endOf(a), b: endOf(b) }
}

/** Every broken law of the connection, in words. */
export function brokenConnectionLaws({ a, b }: VerbsConnection): string[] {
  return [...brokenDirectionLaws(a, b), ...brokenDirectionLaws(b, a)]
}

/** Laws of the requests of one end. */
function brokenDirectionLaws({ pair, requester }: ConnectionEnd, { responder }: ConnectionEnd): string[] {
  const broken: string[] = []
  const { una, queue, reads } = requester
  const { epsn, reachedPsn, msn, responses } = responder
  const say = (what: string): void => void broken.push(`verbs QP ${pair.number}: ${what}`)
  if (una > reachedPsn) say(`acknowledged up to PSN ${una}, the other end expects ${epsn}`)
  if (epsn > queue.endPsn) say(`the other end expects PSN ${epsn}, only ${queue.endPsn} posted`)
  if (msn > queue.tail) say(`the other end has ${msn} messages, only ${queue.tail} posted`)
  if (requester.msn > msn) say(`${requester.msn} messages acknowledged, the other end has ${msn}`)
  if (reads.done > responses.executed) {
    say(`${reads.done} READs and atomics done, the other end has executed ${responses.executed}`)
  }
  // Flushed requests are done, whatever the other end has received.
  if (mayEnd(pair) && pair.requester === requester && queue.head > msn) {
    say(`${queue.head} requests done, the other end has ${msn} messages`)
  }
  return broken
}

/** Its requests complete by ACKs and responses: it is connected and has not failed. */
function mayEnd({ state }: QueuePair): boolean {
  return state !== 'error' && state !== 'reset' && state !== 'init'
}
