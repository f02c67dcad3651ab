/**
 * Verbs connection: two queue pairs as they were brought together, and what must hold between them at any instant.
 * A packet is acknowledged after it came, a request is done after the other end has done it, and nothing comes that was
 * not posted. What either end has under way in the network does not matter for any of this.
 */
import type { QueuePair } from '../../verbs/index.ts'

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

/** Of two that have just been connected. */
export function verbsConnection(a: QueuePair, b: QueuePair): VerbsConnection {
  const endOf = (pair: QueuePair): ConnectionEnd => ({
    pair,
    requester: pair.requester,
    responder: pair.responder,
  })
  return { a: endOf(a), b: endOf(b) }
}

/** Every broken law of it, in words. */
export function brokenConnectionLaws({ a, b }: VerbsConnection): string[] {
  return [...brokenDirectionLaws(a, b), ...brokenDirectionLaws(b, a)]
}

/** Of the requests of one end. */
function brokenDirectionLaws({ pair, requester }: ConnectionEnd, { responder }: ConnectionEnd): string[] {
  const broken: string[] = []
  const { una, queue, reads } = requester
  const { epsn, reachedPsn, msn, responses } = responder
  const say = (what: string): void => void broken.push(`verbs QP ${pair.number}: ${what}`)
  if (una > reachedPsn) say(`acknowledged up to PSN ${una}, the other end expects ${epsn}`)
  if (epsn > queue.endPsn) say(`the other end expects PSN ${epsn}, only ${queue.endPsn} posted`)
  if (msn > queue.tail) say(`the other end has ${msn} messages, only ${queue.tail} posted`)
  if (requester.msn > msn) say(`heard of ${requester.msn} messages, the other end has ${msn}`)
  if (reads.done > responses.executed) {
    say(`${reads.done} READs and atomics done, the other end has executed ${responses.executed}`)
  }
  // What is flushed is done, whatever the other end says.
  if (mayEnd(pair) && pair.requester === requester && queue.head > msn) {
    say(`${queue.head} requests done, the other end has ${msn} messages`)
  }
  return broken
}

/** Its requests end by answers: it is connected and has not failed. */
function mayEnd({ state }: QueuePair): boolean {
  return state !== 'error' && state !== 'reset' && state !== 'init'
}
