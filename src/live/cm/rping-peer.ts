/**
 * rping at a live endpoint: listens as the server, for any number of clients, and connects as a client.
 * Order of making: this, then the endpoint with its `agent`, then attach().
 */
import { NEVER_PS } from '../../core/base/params.ts'
import { CompletionQueue, CONNECTION_DEFAULTS, type ConnectionValues, liveSchemes } from '../../core/verbs/index.ts'
import type { Application, LiveEndpoint } from '../peer/endpoint.ts'
import type { LivePair } from '../peer/live-pair.ts'
import { ConnectionAgent } from './agent.ts'
import type { Answer, Connection, ConnectionAgentOptions, OfferedPair, PairHost, PairValues } from './host.ts'
import { Rping, RPING_BYTES, RPING_BYTES_MAX, type RpingRole } from './rping.ts'

const REASON_RESOURCES = 3
/** 4.096 us, doubled 14 times: the usual timeout of programs. */
const ACK_TIMEOUT_PS = 67_108_864_000
/** Two SENDs, a READ or WRITE, and receives, at each moment. */
const COMPLETIONS = 16
/** Sessions at a time, each with 64 KiB of memory, and sessions that have ended, of which the results are kept. */
const SESSIONS_MAX = 256
const RESULTS_MAX = 64

export interface RpingOptions extends Omit<ConnectionAgentOptions, 'host'> {
  readonly mtuBytes: number
  /** Reason with which all requests are rejected; null: they are accepted. */
  readonly rejects?: number | null
  readonly values?: Partial<PairValues>
}

/** A connection that runs rping. */
export interface RpingSession {
  readonly role: RpingRole
  readonly connection: Connection
  readonly rping: Rping
  readonly live: LivePair
}

export class RpingPeer implements PairHost, Application {
  readonly agent: ConnectionAgent
  readonly nextPs = NEVER_PS
  /** Sessions that have ended, the oldest first. */
  readonly ended: RpingSession[] = []
  readonly #options: RpingOptions
  readonly #open = new Map<Connection, RpingSession>()
  #endpoint: LiveEndpoint | null = null
  /** Made while its request is on the way. */
  #domain = 0

  constructor(options: RpingOptions) {
    this.#options = options
    this.agent = new ConnectionAgent({ ...options, host: this })
  }

  attach(endpoint: LiveEndpoint): void {
    this.#endpoint = endpoint
    this.#domain = endpoint.device.allocateDomain()
    endpoint.application = this
  }

  get sessions(): readonly RpingSession[] {
    return [...this.#open.values()]
  }

  /** Server: from now on. */
  listen(port: number): void {
    this.agent.listen(port)
  }

  /** Client; null: there are too many queue pairs. */
  connect(nowPs: number, ip: Uint8Array, port: number, count: number, sizeBytes = RPING_BYTES): RpingSession | null {
    const made = this.#make('client', count, sizeBytes)
    if (made === null) return null
    this.#endpoint?.station.resolve(nowPs, ip)
    const connection = this.agent.connect(nowPs, ip, port, this.#offer(made.live))
    const session = { ...made, connection }
    this.#open.set(connection, session)
    return session
  }

  /** Ends all connections, as a program does that is killed: DREQ. */
  disconnect(nowPs: number): void {
    for (const connection of this.#open.keys()) this.agent.disconnect(nowPs, connection)
  }

  accept(_nowPs: number, _request: unknown, connection: Connection): Answer {
    const { rejects = null } = this.#options
    if (rejects !== null) return { reason: rejects }
    const made = this.#open.size < SESSIONS_MAX ? this.#make('server', Infinity, RPING_BYTES_MAX) : null
    if (made === null) return { reason: REASON_RESOURCES }
    this.#open.set(connection, { ...made, connection })
    return this.#offer(made.live)
  }

  prepare(nowPs: number, connection: Connection, values: ConnectionValues): ConnectionValues {
    const session = this.#open.get(connection)
    const partner = { ip: connection.peer.ip, port: connection.udpPort, trafficClass: 0 }
    const endpoint = this.#endpoint
    if (session === undefined || endpoint === null) return values
    endpoint.setPartner(nowPs, session.live, partner)
    return { ...values, schemes: liveSchemes({}, values, endpoint.order) }
  }

  onChange(nowPs: number, connection: Connection): void {
    const session = this.#open.get(connection)
    if (session === undefined) return
    if (connection.state === 'connected') session.rping.start(nowPs)
    if (connection.state !== 'time wait' && connection.state !== 'closed') return
    // Its number was drawn, so that it needs no reservation while the agent keeps the IDs.
    this.#open.delete(connection)
    session.rping.close()
    this.#endpoint?.destroyPair(session.live)
    this.ended.push(session)
    if (this.ended.length > RESULTS_MAX) this.ended.shift()
  }

  advance(nowPs: number): void {
    for (const { rping, connection } of this.#open.values()) {
      if (connection.state !== 'connected') continue
      rping.advance(nowPs)
      if (rping.isFinished || rping.failure !== null) this.agent.disconnect(nowPs, connection)
    }
  }

  #make(role: RpingRole, count: number, sizeBytes: number): Omit<RpingSession, 'connection'> | null {
    const endpoint = this.#endpoint
    const completions = new CompletionQueue(COMPLETIONS)
    const plan = { domain: this.#domain, sendCompletions: completions, receiveCompletions: completions }
    const live = endpoint?.createPair({ ...plan, sendDepth: COMPLETIONS, receiveDepth: 1 }) ?? null
    if (endpoint === null || live === null) return null
    live.modify(0, 'init')
    const { device } = endpoint
    const { pair } = live
    return {
      role,
      live,
      rping: new Rping({ role, device, domain: this.#domain, pair, completions, sizeBytes, count }),
    }
  }

  #offer(pair: LivePair): OfferedPair {
    const { mtuBytes, values } = this.#options
    const own = { mtuBytes, ackTimeoutPs: ACK_TIMEOUT_PS, ackInterval: 16, capPackets: 32, readsOut: 1, readsIn: 1 }
    return { pair, values: { ...CONNECTION_DEFAULTS, ...own, hasCredits: false, ...values } }
  }
}
