/**
 * Exchange of `rocelab perf`: lines of JSON over TCP, with a version. The client offers a test with its queue pairs, the server
 * answers with its own or refuses; the client says that it is ready, and at the end that it is done, which the server repeats
 * when its share is done, too.
 */
import { contentFailure, type Exchange, type ExchangeFailure, type ExchangeHost, type Role } from '../peer/exchange.ts'
import { type Fields, lineBytes, LineReader, readLine, wholeField } from './lines.ts'
import { PERF_VERSION, type PerfOffer, type PerfRecord, readRecords } from './perf-offer.ts'

export interface PerfExchangePlan {
  readonly offer: PerfOffer
  /** Where this end takes packets: port of UDP. */
  readonly port: number
  /** Address by which this end's endpoint knows the other, whose packets come from this port. */
  addressFor(port: number): Uint8Array
}

type Awaited = 'offer' | 'answer' | 'ready' | 'done' | 'nothing'

export class PerfExchange implements Exchange {
  stage: Exchange['stage'] = 'opening'
  failure: ExchangeFailure | null = null
  heard = 0
  readonly #role: Role
  readonly #host: ExchangeHost
  readonly #plan: PerfExchangePlan
  readonly #reader = new LineReader()
  #out: Uint8Array[] = []
  #awaits: Awaited
  #isOtherDone = false
  #hasOffered = false

  constructor(role: Role, host: ExchangeHost, plan: PerfExchangePlan) {
    this.#role = role
    this.#host = host
    this.#plan = plan
    this.#awaits = role === 'client' ? 'answer' : 'offer'
  }

  onData(bytes: Uint8Array): void {
    const lines = this.#reader.take(bytes)
    if (lines === null) this.#refuse(contentFailure('a line', bytes))
    for (const line of lines ?? []) if (this.failure === null) this.#onLine(line)
    this.#advance()
  }

  onEnd(): void {
    this.#advance()
    if (this.stage === 'ended' || this.stage === 'failed') return
    this.#refuse({ kind: 'closed', waitingFor: `"${this.#awaits}"` })
  }

  takeData(): Uint8Array {
    if (this.#role === 'client' && !this.#hasOffered) {
      this.#hasOffered = true
      this.#describe({ ...this.#plan.offer })
    }
    this.#advance()
    return this.#out.shift() ?? new Uint8Array(0)
  }

  #onLine(line: string): void {
    const fields = readLine(line)
    const mistake = (expected: string): void =>
      this.#refuse(contentFailure(expected, new TextEncoder().encode(line.slice(0, 200))))
    if (fields === null) return mistake('a JSON object')
    if (this.#awaits === 'offer' || this.#awaits === 'answer') {
      const isOfPerf = fields['rocelab'] === 'perf' && fields['version'] === PERF_VERSION
      if (!isOfPerf) return mistake(`rocelab perf of version ${PERF_VERSION}`)
      if (typeof fields['refused'] === 'string') return mistake('a test that the server takes')
      if (!this.#connect(fields)) mistake('a record of each queue pair')
      this.heard++
      return
    }
    if (this.#isOtherDone || fields['step'] !== this.#awaits)
      return mistake(this.#isOtherDone ? 'nothing more' : `"${this.#awaits}"`)
    this.heard++
    if (this.#awaits === 'ready') {
      this.stage = 'traffic'
      this.#awaits = 'done'
    } else this.#isOtherDone = true
  }

  #connect(fields: Fields): boolean {
    const records = readRecords(fields, this.#plan.offer.pairs)
    const port = wholeField(fields, 'port', 1, 65_535)
    if (records === null || port === null) return false
    const ip = this.#plan.addressFor(port)
    for (const [at, record] of records.entries()) this.#host.onRemote(at, { ...record, ip }, this.#plan.offer.mtuBytes)
    if (this.#role === 'server') {
      this.#describe({})
      this.#awaits = 'ready'
    } else {
      this.stage = 'traffic'
      this.#awaits = 'done'
      this.#out.push(lineBytes({ step: 'ready' }))
    }
    return true
  }

  /** Says which queue pairs this end has. */
  #describe(more: object): void {
    const { offer, port } = this.#plan
    const records: PerfRecord[] = []
    for (let at = 0; at < offer.pairs; at++) {
      const local = this.#host.local(at)
      if (local === null) return this.#refuse(contentFailure('fewer queue pairs', new Uint8Array(0)))
      const { qp, psn, key, address, reads } = local
      records.push({ qp, psn, key, address, reads })
    }
    this.#out.push(lineBytes({ rocelab: 'perf', version: PERF_VERSION, ...more, port, records }))
  }

  #advance(): void {
    if (this.stage === 'traffic' && this.#host.isWorkDone && (this.#role === 'client' || this.#isOtherDone)) {
      this.stage = 'closing'
      this.#out.push(lineBytes({ step: 'done' }))
    }
    if (this.stage === 'closing' && this.#isOtherDone && this.#out.length === 0) this.stage = 'ended'
  }

  #refuse(failure: ExchangeFailure): void {
    this.stage = 'failed'
    this.#awaits = 'nothing'
    this.failure = failure
  }
}
