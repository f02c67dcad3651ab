/**
 * Connection agent: both sides of the exchange by which programs of librdmacm connect and disconnect queue pairs, as MADs.
 * Sans-IO. Not made of verbs' ConnectionManager: in a REQ and a REP each end decides the PSN with which the other begins, the
 * REQ alone decides the MTU and the other end's retries, and rejections have codes; what is left in common is too little.
 * Source: IBTA 12.9 (states), annex A11 (ports and addresses); docs/models/live-connections.md.
 * Units: picoseconds of the clock of Party.
 */
import { NEVER_PS } from '../../core/base/params.ts'
import { type AnyConnectionMad, type ConnectionMad, mtuOfCode } from '../../core/wire/index.ts'
import { PORT_SPACE_TCP, readConnectionMad, readIpRequest, readIpServiceId } from '../../core/wire/index.ts'
import { connectionIssues } from '../../core/verbs/index.ts'
import { gidOf, isSameAddress, MAD_PORT } from '../link/addresses.ts'
import type { ManagementAgent, PeerAddress } from '../party.ts'
import { Exchange, Exchanges, waitPs } from './exchange.ts'
import type { Answer, Connection, ConnectionAgentOptions, ExchangeEnd, OfferedPair } from './host.ts'
import { agreedBy, delayOf, disconnectOf, plainMessage, REASON, rejectionOf } from './messages.ts'
import { REJECTED, replyOf, requestOf } from './messages.ts'
import { Outbox } from './outbox.ts'

/** Most exchanges whose passive side waits for its host or for an RTU. */
const HALF_OPEN_MAX = 64
/** REPs sent again for each REQ until the address is proved: with REP and REJ three answers for one message. */
const UNPROVED_RETRIES = 1

export class ConnectionAgent implements ManagementAgent {
  /** Not later than the next deadline. */
  #deadlinePs = NEVER_PS
  readonly #options: Required<ConnectionAgentOptions>
  readonly #exchanges = new Exchanges()
  readonly #halfOpen = new Set<Exchange>()
  readonly #ports = new Set<number>()
  readonly #outbox = new Outbox()

  constructor(options: ConnectionAgentOptions) {
    this.#options = { responseTimeout: 16, retries: 15, ...options }
  }

  /** 0 while there are messages to be polled. */
  get nextPs(): number {
    return this.#outbox.isEmpty ? this.#deadlinePs : 0
  }

  /** Connections that are not closed, those in time wait included. */
  get count(): number {
    return this.#exchanges.count
  }

  /** Passive side: requests for this port go to the host; those for others are rejected. */
  listen(port: number): void {
    this.#ports.add(port)
  }

  /** Requests for this port are rejected from now on. */
  ignore(port: number): void {
    this.#ports.delete(port)
  }

  /** Active side: asks the other end's port for a connection with this queue pair. */
  connect(nowPs: number, remoteIp: Uint8Array, port: number, offered: OfferedPair): Connection {
    const { draw, caGuid, ip, responseTimeout, retries } = this.#options
    const [localId, receivePsn] = [this.#newId(), draw(2 ** 24)]
    const request = requestOf({
      offered,
      localId,
      caGuid,
      receivePsn,
      ip,
      remoteIp,
      port,
      responseTimeout,
      retries,
      transactionId: this.#newTransaction(),
      flowLabel: draw(2 ** 20),
      sourcePort: 0x8000 | draw(2 ** 15),
    })
    const peer = { ip: remoteIp.slice(), port: MAD_PORT }
    const exchange = new Exchange({ localId, peer, port }, request, offered)
    exchange.receivePsn = receivePsn
    this.#exchanges.add(exchange)
    this.#ask(nowPs, exchange, request)
    return exchange
  }

  /** Passive side: the answer to a request that the host answered with "later". */
  decide(nowPs: number, connection: Connection, answer: Exclude<Answer, 'later'>): void {
    const exchange = this.#exchanges.get(connection.localId)
    if (exchange === connection && exchange.state === 'deciding') this.#answer(nowPs, exchange, answer)
  }

  /** Disconnects, or gives up the attempt. The work of the queue pair is flushed at once. */
  disconnect(nowPs: number, connection: Connection): void {
    const exchange = this.#exchanges.get(connection.localId)
    if (exchange !== connection) return
    const end = { cause: 'disconnected', by: 'this end' } as const
    if (exchange.state === 'connected') {
      exchange.transactionId = this.#newTransaction()
      this.#flush(nowPs, exchange)
      exchange.state = 'disconnecting'
      exchange.end = end
      this.#ask(nowPs, exchange, disconnectOf(exchange, exchange.remoteQp ?? 0))
      this.#options.host.onChange(nowPs, exchange)
    } else if (exchange.state === 'requested') this.#withdraw(nowPs, exchange, end)
    else if (exchange.state === 'deciding') this.#answer(nowPs, exchange, { reason: REASON.program })
    else if (exchange.state === 'replied') {
      this.#part(nowPs, exchange, end, rejectionOf(exchange, REJECTED.REQ, REASON.program))
    }
  }

  onMad(nowPs: number, from: PeerAddress, mad: Uint8Array): void {
    const message = readConnectionMad(mad)
    if (message === null) return
    if (message.kind === 'REQ') this.#onRequest(nowPs, from, message)
    else if (message.kind === 'REJ') this.#onReject(nowPs, from, message)
    else {
      const exchange = this.#exchanges.get(message.remoteId)
      // The first answer brings the other end's ID.
      const isFirst = exchange?.role === 'active' && exchange.isWith(from, 0)
      const isKnown = exchange !== undefined && (isFirst || exchange.isWith(from, message.localId))
      if (isKnown) this.#onAnswer(nowPs, exchange, message)
      else if (message.kind === 'DREQ' && this.#outbox.strangers.takes(nowPs)) this.#outbox.confirm(from, message)
    }
  }

  pollMad(_nowPs: number): { readonly to: PeerAddress; readonly mad: Uint8Array } | null {
    return this.#outbox.poll()
  }

  onTime(nowPs: number): void {
    if (nowPs >= this.#deadlinePs) for (const due of this.#exchanges.dueBy(nowPs)) this.#onDeadline(nowPs, due)
    this.#deadlinePs = this.#exchanges.nextPs
  }

  #onAnswer(nowPs: number, exchange: Exchange, message: Exclude<AnyConnectionMad, { kind: 'REQ' | 'REJ' }>): void {
    const isSame = message.transactionId === exchange.transactionId
    switch (message.kind) {
      case 'REP':
        if (isSame) this.#onReply(nowPs, exchange, message)
        break
      case 'RTU':
        if (isSame && exchange.state === 'replied') this.#settle(nowPs, exchange)
        break
      case 'MRA':
        if (isSame) this.#onDelay(nowPs, exchange, message.serviceTimeout)
        break
      case 'DREQ':
        this.#onDisconnect(nowPs, exchange, message)
        break
      case 'DREP':
        if (isSame && exchange.state === 'disconnecting') this.#part(nowPs, exchange, exchange.end, null)
    }
  }

  #onRequest(nowPs: number, from: PeerAddress, request: ConnectionMad<'REQ'>): void {
    const known = this.#exchanges.byRemoteId(from, request.localId)
    if (known?.request.transactionId === request.transactionId) {
      if (!this.#outbox.partners.takes(nowPs)) return
      if (known.state === 'deciding') this.#outbox.send(known.peer, delayOf(known, this.#options.responseTimeout))
      else if (known.state === 'replied') {
        this.#repeat(known)
        known.allowRetries(UNPROVED_RETRIES)
      } else if (known.state === 'time wait') this.#outbox.reject(from, request, REASON.stale)
      return
    }
    // A REQ comes again, when there are fewer.
    if (!this.#outbox.strangers.takes(nowPs)) return
    const ip = readIpRequest(request.privateData)
    const service = readIpServiceId(request.serviceId)
    const stale = known ?? this.#exchanges.byRemoteQp(from, request.qp)
    if (service?.protocol !== PORT_SPACE_TCP || !this.#ports.has(service.port)) {
      this.#outbox.reject(from, request, REASON.service)
    } else if (request.transportService !== 0) this.#outbox.reject(from, request, REASON.transport)
    else if (!isSameAddress(request.remoteGid, gidOf(this.#options.ip))) this.#outbox.reject(from, request, REASON.gid)
    else if (!isSameAddress(request.localGid, gidOf(from.ip))) this.#outbox.reject(from, request, REASON.gid)
    else if (ip === null) this.#outbox.reject(from, request, REASON.program)
    else if (mtuOfCode(request.mtu) === null) this.#outbox.reject(from, request, REASON.mtu)
    else if (stale !== undefined) {
      // The other end has forgotten the connection that its ID or queue pair belonged to.
      this.#outbox.reject(from, request, REASON.stale)
      this.disconnect(nowPs, stale)
    } else this.#begin(nowPs, from, request, service.port, ip.user)
  }

  #begin(nowPs: number, from: PeerAddress, request: ConnectionMad<'REQ'>, port: number, user: Uint8Array): void {
    if (this.#halfOpen.size >= HALF_OPEN_MAX) {
      const [oldest] = this.#halfOpen
      if (oldest !== undefined) this.#refuse(nowPs, oldest, REASON.resources, { cause: 'dropped' })
    }
    const peer = { ip: from.ip.slice(), port: from.port }
    const exchange = new Exchange({ localId: this.#newId(), peer, port }, request, null)
    exchange.privateData = user
    this.#exchanges.add(exchange)
    this.#halfOpen.add(exchange)
    // A host that never decides is not waited for longer than another end that does not answer.
    this.#setDeadline(exchange, nowPs + exchange.answerPs * (this.#options.retries + 1))
    const { qp: remoteQp, responderResources: readsTaken, initiatorDepth: readsWanted } = request
    const mtuBytes = mtuOfCode(request.mtu) ?? 0
    const asked = { port, from: peer, remoteQp, mtuBytes, readsTaken, readsWanted, privateData: user }
    const answer = this.#options.host.accept(nowPs, asked, exchange)
    if (answer !== 'later') this.#answer(nowPs, exchange, answer)
  }

  #answer(nowPs: number, exchange: Exchange, answer: Exclude<Answer, 'later'>): void {
    const { request } = exchange
    if ('reason' in answer) {
      this.#refuse(nowPs, exchange, answer.reason)
      return
    }
    exchange.offered = answer
    exchange.receivePsn = this.#options.draw(2 ** 24)
    if ((mtuOfCode(request.mtu) ?? 0) > answer.values.mtuBytes) this.#refuse(nowPs, exchange, REASON.mtu)
    else if (!this.#prepare(nowPs, exchange, request)) this.#refuse(nowPs, exchange, REASON.resources)
    else {
      exchange.state = 'replied'
      const { caGuid } = this.#options
      this.#ask(
        nowPs,
        exchange,
        replyOf(request, answer, { localId: exchange.localId, receivePsn: exchange.receivePsn, caGuid }),
      )
      exchange.retriesLeft = Math.min(exchange.retriesLeft, UNPROVED_RETRIES)
      this.#options.host.onChange(nowPs, exchange)
    }
  }

  /** Rejects a REQ that the host knows of. Its copies will be new requests. */
  #refuse(
    nowPs: number,
    exchange: Exchange,
    reason: number,
    end: ExchangeEnd = { cause: 'rejected', by: 'this end', reason },
  ): void {
    this.#outbox.send(exchange.peer, rejectionOf(exchange, REJECTED.REQ, reason))
    exchange.end = end
    this.#flush(nowPs, exchange)
    this.#close(nowPs, exchange)
  }

  #onReply(nowPs: number, exchange: Exchange, reply: ConnectionMad<'REP'>): void {
    // The RTU, or the rejection of an earlier REP, may be lost.
    if (exchange.state !== 'requested') {
      if (exchange.role === 'active' && this.#outbox.partners.takes(nowPs)) this.#repeat(exchange)
      return
    }
    const isStale = this.#exchanges.byRemoteQp(exchange.peer, reply.qp) !== undefined
    exchange.remoteId = reply.localId
    exchange.privateData = reply.privateData
    if (!isStale) {
      exchange.remoteQp = reply.qp
      this.#exchanges.addRemote(exchange)
    }
    if (!isStale && this.#prepare(nowPs, exchange, reply)) {
      this.#settle(nowPs, exchange)
      exchange.last = plainMessage('RTU', exchange)
      this.#repeat(exchange)
    } else {
      const reason = isStale ? REASON.stale : REASON.program
      const end = { cause: 'rejected', by: 'this end', reason } as const
      this.#part(nowPs, exchange, end, rejectionOf(exchange, REJECTED.REP, reason))
    }
  }

  #onReject(nowPs: number, from: PeerAddress, message: ConnectionMad<'REJ'>): void {
    const { localId, remoteId, transactionId, reason } = message
    const exchange = remoteId === 0 ? this.#exchanges.byRemoteId(from, localId) : this.#exchanges.get(remoteId)
    if (exchange === undefined || exchange.transactionId !== transactionId) return
    const end = { cause: 'rejected', by: 'other end', reason } as const
    if (exchange.state === 'requested' && exchange.isWith(from, 0)) {
      exchange.end = end
      this.#flush(nowPs, exchange)
      this.#close(nowPs, exchange)
    } else if (exchange.isWith(from, localId)) {
      const { state } = exchange
      if (state === 'deciding' || state === 'replied' || state === 'connected') this.#part(nowPs, exchange, end, null)
    }
  }

  /** A delay takes one of the retries, so that the other end cannot delay for ever. */
  #onDelay(nowPs: number, exchange: Exchange, code: number): void {
    if (exchange.state !== 'requested' && exchange.state !== 'replied') return
    if (exchange.state === 'replied') exchange.prove(this.#options.retries)
    if (exchange.retriesLeft === 0) return
    exchange.retriesLeft--
    this.#setDeadline(exchange, nowPs + waitPs(code) + exchange.timeWaitPs)
  }

  #onDisconnect(nowPs: number, exchange: Exchange, message: ConnectionMad<'DREQ'>): void {
    if (message.qp !== exchange.pair?.number) return
    const { state } = exchange
    // In "replied", the RTU was lost. Where both ends disconnect at once, each answers the other.
    const isOn = state === 'connected' || state === 'replied'
    const end = isOn ? ({ cause: 'disconnected', by: 'other end' } as const) : exchange.end
    if (isOn || this.#outbox.partners.takes(nowPs)) this.#outbox.confirm(exchange.peer, message)
    if (isOn || state === 'disconnecting') this.#part(nowPs, exchange, end, null)
  }

  #onDeadline(nowPs: number, exchange: Exchange): void {
    const { state } = exchange
    if (state === 'time wait') this.#close(nowPs, exchange)
    else if (state === 'deciding') this.#refuse(nowPs, exchange, REASON.timeout)
    else if (exchange.retriesLeft > 0) {
      exchange.retriesLeft--
      this.#repeat(exchange)
      this.#setDeadline(exchange, nowPs + exchange.answerPs)
    } else if (state === 'requested') this.#withdraw(nowPs, exchange, { cause: 'unanswered', message: 'REQ' })
    else if (state === 'replied') {
      const farewell = rejectionOf(exchange, REJECTED.nothing, REASON.timeout)
      this.#part(nowPs, exchange, { cause: 'unanswered', message: 'REP' }, farewell)
    } else this.#part(nowPs, exchange, { cause: 'unanswered', message: 'DREQ' }, null)
  }

  /** Active side, before an answer: the other end finds the exchange by the GUID. */
  #withdraw(nowPs: number, exchange: Exchange, end: ExchangeEnd): void {
    const guid = new Uint8Array(8)
    new DataView(guid.buffer).setBigUint64(0, this.#options.caGuid)
    this.#part(nowPs, exchange, end, rejectionOf(exchange, REJECTED.nothing, REASON.timeout, guid))
  }

  /** Moves the queue pair to ready-to-receive, with the agreed values; false: they fit no connection. */
  #prepare(nowPs: number, exchange: Exchange, message: ConnectionMad<'REQ'> | ConnectionMad<'REP'>): boolean {
    const { offered, request, receivePsn } = exchange
    if (offered === null) return false
    const agreed = agreedBy(request, message, offered.values, receivePsn)
    if (connectionIssues(agreed).length > 0) return false
    const values = this.#options.host.prepare(nowPs, exchange, agreed)
    if (!offered.pair.modify(nowPs, 'ready to receive', values)) return false
    exchange.values = values
    // A request of the other end shows that it has the REP, though its RTU is late or lost (IBTA 12.9.7.1).
    offered.pair.listener = {
      onEstablished: (atPs) => {
        if (exchange.state === 'replied') this.#settle(atPs, exchange)
      },
    }
    return true
  }

  #settle(nowPs: number, exchange: Exchange): void {
    this.#halfOpen.delete(exchange)
    exchange.state = 'connected'
    exchange.deadlinePs = NEVER_PS
    exchange.pair?.modify(nowPs, 'ready to send')
    this.#options.host.onChange(nowPs, exchange)
  }

  /** Ends a connection; its numbers are remembered for a time. `farewell` is sent, again for each late REP. */
  #part(nowPs: number, exchange: Exchange, end: ExchangeEnd | null, farewell: AnyConnectionMad | null): void {
    this.#halfOpen.delete(exchange)
    this.#flush(nowPs, exchange)
    exchange.state = 'time wait'
    exchange.end = end
    exchange.last = farewell
    this.#repeat(exchange)
    this.#setDeadline(exchange, nowPs + exchange.timeWaitPs)
    const oldest = this.#exchanges.wait(exchange)
    this.#options.host.onChange(nowPs, exchange)
    if (oldest !== null) this.#close(nowPs, oldest)
  }

  #close(nowPs: number, exchange: Exchange): void {
    this.#halfOpen.delete(exchange)
    this.#exchanges.remove(exchange)
    exchange.state = 'closed'
    exchange.deadlinePs = NEVER_PS
    this.#options.host.onChange(nowPs, exchange)
  }

  #flush(nowPs: number, { pair }: Exchange): void {
    if (pair === null) return
    pair.listener = null
    pair.modify(nowPs, 'error')
  }

  /** Sends a message that has an answer. */
  #ask(nowPs: number, exchange: Exchange, message: AnyConnectionMad): void {
    exchange.last = message
    exchange.retriesLeft = Math.min(this.#options.retries, exchange.request.maxCmRetries)
    this.#repeat(exchange)
    this.#setDeadline(exchange, nowPs + exchange.answerPs)
  }

  #repeat({ peer, last }: Exchange): void {
    if (last !== null) this.#outbox.send(peer, last)
  }

  #setDeadline(exchange: Exchange, atPs: number): void {
    exchange.deadlinePs = atPs
    this.#deadlinePs = Math.min(this.#deadlinePs, atPs)
  }

  #newId(): number {
    let id = 0
    while (id === 0 || this.#exchanges.get(id) !== undefined) id = this.#options.draw(2 ** 32)
    return id
  }

  #newTransaction(): bigint {
    return (BigInt(this.#options.draw(2 ** 32)) << 32n) | BigInt(this.#options.draw(2 ** 32))
  }
}
