/** Programs that `peer` runs at an endpoint, and their results in words. */
import type { Server, Socket } from 'node:net'
import {
  acceptOne,
  connectTo,
  type FrameLink,
  runRping,
  runSession,
  systemDraw,
  type TcpAddress,
} from '../../../live/drivers/index.ts'
import {
  type Connection,
  LiveEndpoint,
  type LivePair,
  type Party,
  PerfMeter,
  type RpingFailure,
  RpingPeer,
  type RpingSession,
  Session,
  type SessionFailure,
  type SessionPlan,
  type StationOptions,
} from '../../../live/index.ts'
import { exactCount, humanDuration } from '../../../show/index.ts'
import { STATUS_NAMES } from '../../../core/verbs/index.ts'
import { rejectReason } from '../../../core/wire/index.ts'
import type { RpingPlan } from './peer-flags.ts'

/** A queue pair, and what its program completed. */
export interface PairRow {
  readonly live: LivePair
  readonly completions: { readonly sends: number; readonly receives: number } | null
}

/** A program at an endpoint. */
export interface PeerRun {
  readonly endpoint: LiveEndpoint
  /** Until its end or the signal. @param party the endpoint, or what is wrapped around it */
  run(party: Party, link: FrameLink, signal: AbortSignal): Promise<void>
  /** Ends the connection, as the program's end would. */
  close(nowPs: number): void
  readonly isDone: boolean
  /** In words; null: it has not come to an end. */
  readonly outcome: string | null
  readonly pairs: readonly PairRow[]
  /** Times of its requests, as lines; only a client has them. */
  readonly figures: readonly string[]
  /** For --json. */
  readonly facts: object
}

/** Where the other end of a session's exchange comes from. */
export type Stream = { readonly server: Server } | { readonly connect: TcpAddress }

export class SessionRun implements PeerRun {
  readonly endpoint: LiveEndpoint
  readonly #session: Session
  readonly #plan: SessionPlan
  readonly #meter: PerfMeter
  readonly #stream: Stream
  readonly #closing = new AbortController()

  constructor(station: StationOptions, plan: SessionPlan, stream: Stream) {
    this.endpoint = new LiveEndpoint({ ...station, draw: systemDraw })
    this.#session = new Session(this.endpoint, plan)
    this.#plan = plan
    this.#meter = new PerfMeter(this.endpoint, this.#session, plan)
    this.#stream = stream
  }

  async run(party: Party, link: FrameLink, signal: AbortSignal): Promise<void> {
    const socket = await this.#open(signal)
    const either = AbortSignal.any([signal, this.#closing.signal])
    if (socket !== null) await runSession(this.#session, party, link, socket, either)
  }

  close(nowPs: number): void {
    for (const { live } of this.pairs) live.modify(nowPs, 'error')
    this.#closing.abort()
  }

  get isDone(): boolean {
    return this.#session.isDone
  }

  get outcome(): string | null {
    const { failure, isDone, elapsedPs } = this.#session
    if (isDone) return Number.isNaN(elapsedPs) ? 'done' : `done, ${humanDuration(elapsedPs)}`
    if (this.#closing.signal.aborted) return CLOSED
    return failure === null ? null : failureText(failure)
  }

  get pairs(): readonly PairRow[] {
    const { livePairs, workers } = this.#session
    return livePairs.map((live, at) => ({ live, completions: workers[at]?.completions ?? null }))
  }

  get figures(): readonly string[] {
    const { role, sizeBytes } = this.#plan
    return role === 'client' ? figureLines(this.#meter, sizeBytes, this.#session.elapsedPs) : []
  }

  get facts(): object {
    const { failure, elapsedPs } = this.#session
    const isClosed = this.#closing.signal.aborted
    const figures = this.#plan.role === 'client' ? figuresOf(this.#meter, elapsedPs) : {}
    const elapsed = Number.isNaN(elapsedPs) ? null : elapsedPs
    return { failure: isClosed ? { kind: 'script' } : failure, elapsedPs: elapsed, ...figures }
  }

  #open(signal: AbortSignal): Promise<Socket | null> {
    return 'server' in this.#stream ? acceptOne(this.#stream.server, signal) : connectTo(this.#stream.connect)
  }
}

export class RpingRun implements PeerRun {
  readonly endpoint: LiveEndpoint
  readonly #peer: RpingPeer
  readonly #plan: RpingPlan
  #session: RpingSession | null = null
  #isClosed = false

  constructor(station: StationOptions, plan: RpingPlan) {
    const caGuid = BigInt(systemDraw(2 ** 32))
    this.#plan = plan
    this.#peer = new RpingPeer({ ip: plan.ip, draw: systemDraw, caGuid, mtuBytes: plan.mtuBytes })
    this.endpoint = new LiveEndpoint({ ...station, draw: systemDraw, agent: this.#peer.agent })
    this.#peer.attach(this.endpoint)
  }

  async run(party: Party, link: FrameLink, signal: AbortSignal): Promise<void> {
    const { target, iterations: count, sizeBytes } = this.#plan
    const wanted = target === null ? null : { ...target, count, sizeBytes }
    this.#session = await runRping(this.#peer, party, link, wanted, signal)
  }

  close(nowPs: number): void {
    this.#isClosed = true
    this.#peer.disconnect(nowPs)
  }

  get isDone(): boolean {
    const { rping, connection, role } = this.#session ?? {}
    if (rping === undefined || rping.failure !== null || this.#isClosed) return false
    if (role === 'client') return rping.isFinished
    return connection?.end?.cause === 'disconnected' && connection.end.by === 'other end'
  }

  get outcome(): string | null {
    if (this.#session === null) return null
    const { rping, connection } = this.#session
    const pings = `${exactCount(rping.pings)} ping${rping.pings === 1 ? '' : 's'}`
    if (this.isDone) return `done, ${pings}`
    const why = this.#isClosed
      ? CLOSED
      : rping.failure === null
        ? this.#endOf(connection)
        : RPING_FAILURES[rping.failure]
    return why === null ? null : `${why}, after ${pings}`
  }

  get pairs(): readonly PairRow[] {
    return this.#session === null ? [] : [{ live: this.#session.live, completions: null }]
  }

  get figures(): readonly string[] {
    return []
  }

  get facts(): object {
    const { rping, connection } = this.#session ?? {}
    const failure = rping?.failure ?? null
    const end = connection?.end ?? null
    return { failure: this.#isClosed ? 'script' : failure, pings: rping?.pings ?? 0, connectionEnd: end }
  }

  #endOf({ end, peer }: Connection): string | null {
    if (end === null) return null
    switch (end.cause) {
      case 'rejected': {
        const reason = rejectReason(end.reason)
        const words = reason === null ? '' : ` (${reason})`
        return `${end.by === 'this end' ? 'this end' : 'the other end'} rejected the connection: ${end.reason}${words}`
      }
      case 'unanswered':
        return this.endpoint.station.hasFailed(peer.ip) ? UNRESOLVED : `nobody answered the ${end.message}`
      case 'disconnected':
        return `${end.by === 'this end' ? 'this end' : 'the other end'} disconnected`
      default:
        return 'the request was dropped for newer ones'
    }
  }
}

const CLOSED = 'closed by the script'
const UNRESOLVED = 'nobody answers for the IP address of the other end'

const RPING_FAILURES: Readonly<Record<RpingFailure, string>> = {
  protocol: 'the other end sent a message that rping does not have there',
  buffer: 'the other end named a buffer longer than 65,535 bytes',
  data: 'other bytes came back than were sent',
  status: 'a request failed',
}

export function failureText(failure: SessionFailure): string {
  switch (failure.kind) {
    case 'version':
      return `the other end speaks version ${JSON.stringify(failure.theirs)} of perftest's exchange, this one ${failure.ours}`
    case 'content':
      return `the exchange has ${JSON.stringify(failure.received)} where ${failure.expected} is expected`
    case 'closed':
      return `the other end closed the TCP connection before ${failure.waitingFor}`
    case 'status':
      return `a request failed: ${STATUS_NAMES[failure.status]} (${failure.status})`
    case 'bytes':
      return `message ${failure.message + 1} does not have the bytes that were sent`
    case 'address':
      return 'the other end has another version of IP than this one'
    default:
      return UNRESOLVED
  }
}

const BANDWIDTH_HEAD = ' #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]'
const LATENCY_HEAD =
  ' #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]' +
  '   99% percentile[usec]   99.9% percentile[usec]'

/** The table of perftest. @param elapsedPs from the first post to the last completion; NaN: not done */
export function figureLines(meter: PerfMeter, sizeBytes: number, elapsedPs: number): readonly string[] {
  const cell = (value: number, width: number): string => (Number.isNaN(value) ? '-' : value.toFixed(2)).padEnd(width)
  const start = ` ${`${sizeBytes}`.padEnd(11)}${`${meter.completed}`.padEnd(15)}`
  if (meter.kind === 'bandwidth') {
    const { peakMBps, averageMBps, mpps } = meter.bandwidth(elapsedPs)
    return [BANDWIDTH_HEAD, `${start}${cell(peakMBps, 19)}${cell(averageMBps, 21)}${mpps.toFixed(6)}`]
  }
  const { minUs, maxUs, typicalUs, averageUs, stdevUs, p99Us, p999Us } = meter.latency()
  const values = [minUs, maxUs, typicalUs, averageUs, stdevUs].map((us) => cell(us, 15)).join('')
  return [LATENCY_HEAD, `${start}${values}${cell(p99Us, 23)}${cell(p999Us, 12)}`.trimEnd()]
}

/** JSON.stringify turns the NaN of a test without requests into null. */
export function figuresOf(meter: PerfMeter, elapsedPs: number): object {
  return meter.kind === 'latency' ? { latency: meter.latency() } : { bandwidth: meter.bandwidth(elapsedPs) }
}
