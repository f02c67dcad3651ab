/**
 * Connection managers: how connections are set up, refused and ended, from the datagrams to queue pair 1.
 * Source: IBTA chapter 12.
 */
import { captureFindings } from '../../../core/findings/index.ts'
import { type AnyConnectionMad, mtuOfCode, readConnectionMad, rejectReason } from '../../../core/wire/index.ts'
import { Found, type Sight } from '../found.ts'
import type { Direction } from '../flows/direction.ts'
import { Latest } from '../latest.ts'
import { keyOf, type Pairs } from '../flows/pairs.ts'
import { type Packet, sightOf } from '../packet.ts'

const { connections: kinds } = captureFindings
const EXCHANGES_MAX = 16_384
const TCP_SERVICES = 0x106n
const REJECTED: readonly string[] = ['REQ', 'REP', 'connection']

interface Sent {
  readonly sight: Sight
  times: number
}

/** Messages between two addresses with one transaction. */
interface Transaction {
  readonly client: string
  readonly server: string
  readonly sent: Map<string, Sent>
  readonly found: Found
  request: Pick<Extract<AnyConnectionMad, { kind: 'REQ' }>, 'qp' | 'mtu' | 'serviceId'> | null
}

/** Messages that want an answer. */
const WANTING: ReadonlyMap<string, readonly string[]> = new Map([
  ['REQ', ['REP', 'REJ', 'MRA']],
  ['DREQ', ['DREP']],
])

export class Management {
  readonly #transactions = new Latest<string, Transaction>(EXCHANGES_MAX, (one) => this.#end(one))
  readonly #pairs: Pairs
  readonly #close: (found: Found, client: string, server: string) => void

  /** @param close takes the findings of a transaction that is over */
  constructor(pairs: Pairs, close: (found: Found, client: string, server: string) => void) {
    this.#pairs = pairs
    this.#close = close
  }

  /** The result is the name of the message; null: it is none. */
  add(packet: Packet, { source, destination }: Direction): string | null {
    const mad = readConnectionMad(packet.roce.payload)
    if (mad === null) return null
    const ends = source < destination ? `${source}|${destination}` : `${destination}|${source}`
    const key = `${ends}|${mad.transactionId}`
    const transaction = this.#transactions.get(key) ?? this.#begin(key, source, destination)
    if (mad.kind === 'REQ') transaction.request = { qp: mad.qp, mtu: mad.mtu, serviceId: mad.serviceId }
    this.#note(transaction, mad, { ...sightOf(packet), psn: null }, source)
    // A REP that comes again is of the same connection.
    if (mad.kind === 'REP' && transaction.sent.get('REP')!.times === 1) this.#reply(transaction, mad.qp, packet.timePs)
    return mad.kind
  }

  end(): void {
    for (const one of this.#transactions.values()) this.#end(one)
  }

  #begin(key: string, client: string, server: string): Transaction {
    const made = { client, server, sent: new Map(), found: new Found(), request: null }
    this.#transactions.set(key, made)
    return made
  }

  #note({ sent, found, request }: Transaction, mad: AnyConnectionMad, sight: Sight, source: string): void {
    const before = sent.get(mad.kind)
    if (mad.kind === 'REJ') {
      const words = rejectReason(mad.reason) ?? ''
      const service = request?.serviceId ?? null
      // Ports of TCP are services 0000000001 06, then the port (IBTA annex A11).
      const port = service !== null && service >> 16n === TCP_SERVICES ? Number(service & 0xffffn) : null
      const message = REJECTED[mad.rejected] ?? ''
      found.add(kinds.rejected, sight, {
        message,
        reason: mad.reason,
        words,
        by: source,
        qp: request?.qp ?? null,
        port,
      })
    }
    if (before === undefined) {
      sent.set(mad.kind, { sight, times: 1 })
      return
    }
    before.times++
    const ready = mad.kind === 'REP' ? sent.get('RTU') : undefined
    if (ready !== undefined) found.add(kinds.readyLost, sight, { afterPs: sight.timePs - ready.sight.timePs })
    else if (mad.kind !== 'RTU' && mad.kind !== 'DREP')
      found.add(kinds.managementRepeated, sight, { message: mad.kind, afterPs: sight.timePs - before.sight.timePs })
  }

  #reply({ client, server, request, sent }: Transaction, qp: number, timePs: number): void {
    if (request === null) return
    const connectPs = timePs - sent.get('REQ')!.sight.timePs
    const facts = { by: 'cm' as const, mtuBytes: mtuOfCode(request.mtu), connectPs }
    this.#pairs.know(keyOf(client, server, qp), keyOf(server, client, request.qp), facts)
  }

  #end({ sent, found, client, server }: Transaction): void {
    for (const [message, answers] of WANTING) {
      const asked = sent.get(message)
      if (asked === undefined || answers.some((answer) => sent.has(answer))) continue
      for (let i = 0; i < asked.times; i++) found.add(kinds.managementUnanswered, asked.sight, { message })
    }
    this.#close(found, client, server)
  }
}
