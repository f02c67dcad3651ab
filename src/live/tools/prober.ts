/**
 * Prober: RDMA Pingmesh towards one host. In each interval every path, a queue pair with a UDP source port of its own, WRITEs
 * 64 bytes into the host's memory; the round trip is the time to the completion. Nothing is sent again: a probe without an ACK
 * within the timeout is lost, and its queue pair, which is in error then, is made anew. Sans-IO, but for lines of JSON that go
 * through a control connection.
 * Source: [MS-Scale] section 5.3; R-Pingmesh for source ports.
 */
import { assert, CHECKED } from '../../core/base/assert.ts'
import {
  Completion,
  CompletionQueue,
  liveConnection,
  LOCAL_WRITE,
  type MemoryRegion,
  OP_WRITE,
  RETRY_EXCEEDED,
  FLUSHED,
  SUCCESS,
} from '../../core/verbs/index.ts'
import type { Application, LiveEndpoint } from '../peer/endpoint.ts'
import type { LivePair } from '../peer/live-pair.ts'
import { readLine, wholeField } from './lines.ts'

export const PROBE_BYTES = 64
export const PING_VERSION = 1
const DEPTH = 256
/** Time after which a queue pair is asked for again, and before the first probes. */
const ASK_PS = 1e12
export const PROBE_MTU_BYTES = 1024

export interface Probe {
  readonly port: number
  /** When it was posted. */
  readonly atPs: number
  /** `unreachable`: there was no queue pair; `flushed`: one before it was lost. */
  readonly status: 'ok' | 'retry-exceeded' | 'unreachable' | 'flushed' | 'unfinished' | 'error'
  /** NaN unless the status is ok. */
  readonly rttPs: number
  readonly agePs: number
}

export interface ProberPlan {
  /** Own ports of UDP, one path each. */
  readonly ports: readonly number[]
  readonly intervalPs: number
  readonly timeoutPs: number
  /** Probes of each path; Infinity: until it is stopped. */
  readonly count: number
  /** Address by which the endpoint knows the host, whose packets come from this port. */
  addressFor(port: number): Uint8Array
  onProbe(probe: Probe): void
}

interface Path {
  readonly port: number
  readonly completions: CompletionQueue
  live: LivePair | null
  isReady: boolean
  psn: number
  /** When its queue pair was last asked for. */
  askedPs: number
  remote: { readonly key: number; readonly address: number }
  nextPs: number
  sent: number
  readonly waiting: Map<number, number>
}

export class Prober implements Application {
  readonly #endpoint: LiveEndpoint
  readonly #plan: ProberPlan
  readonly #domain: number
  readonly #region: MemoryRegion
  readonly #entry = new Completion()
  readonly #paths: readonly Path[]
  #lines: object[] = []
  #isOpen = false

  constructor(endpoint: LiveEndpoint, plan: ProberPlan) {
    this.#endpoint = endpoint
    this.#plan = plan
    this.#domain = endpoint.device.allocateDomain()
    this.#region = endpoint.device.register(this.#domain, LOCAL_WRITE, new Uint8Array(PROBE_BYTES))
    this.#paths = plan.ports.map((port, at) => ({
      port,
      completions: new CompletionQueue(2 * DEPTH),
      live: null,
      isReady: false,
      psn: 0,
      askedPs: 0,
      remote: { key: 0, address: 0 },
      // Paths are spread over the interval.
      nextPs: ASK_PS + (plan.intervalPs * at) / plan.ports.length,
      sent: 0,
      waiting: new Map(),
    }))
    endpoint.application = this
  }

  /** The control connection is there, or is there again. */
  onOpen(nowPs: number): void {
    this.#isOpen = true
    for (const path of this.#paths) this.#ask(nowPs, path)
  }

  onClose(): void {
    this.#isOpen = false
    this.#lines = []
    for (const path of this.#paths) if (!path.isReady) this.#drop(path)
  }

  /** False: the line is not an answer. */
  onLine(nowPs: number, line: string): boolean {
    const fields = readLine(line)
    const path = this.#paths.find(({ port }) => port === fields?.['path'])
    if (fields === null || fields['rocelab'] !== 'ping' || fields['version'] !== PING_VERSION) return false
    const [qp, psn] = [wholeField(fields, 'qp', 2, 2 ** 24 - 2), wholeField(fields, 'psn', 0, 2 ** 24 - 1)]
    const [key, address] = [wholeField(fields, 'key', 0, 2 ** 32 - 1), wholeField(fields, 'address', 0, 2 ** 53 - 1)]
    const port = wholeField(fields, 'port', 1, 65_535)
    if (qp === null || psn === null || key === null || address === null || port === null) return false
    // An answer may be that to a question before the last.
    if (path === undefined || path.live === null || path.isReady || fields['asked'] !== path.live.number) return true
    const { live } = path
    this.#endpoint.setPartner(nowPs, live, { ip: this.#plan.addressFor(port), port: path.port, trafficClass: 0 })
    const values = {
      ...pathValues(qp, path.psn, psn),
      retryLimit: 0,
      rnrRetryLimit: 0,
      ackTimeoutPs: this.#plan.timeoutPs,
    }
    live.modify(nowPs, 'ready to receive', liveConnection(values, {}, this.#endpoint.order))
    live.modify(nowPs, 'ready to send')
    path.remote = { key, address }
    path.isReady = true
    // The first probe does not wait longer for its queue pair than it has to.
    if (path.sent === 0) path.nextPs = Math.min(path.nextPs, nowPs + (path.nextPs - ASK_PS))
    return true
  }

  takeLines(): readonly object[] {
    const lines = this.#lines
    this.#lines = []
    return lines
  }

  get isDone(): boolean {
    return this.#paths.every(({ sent, waiting }) => sent >= this.#plan.count && waiting.size === 0)
  }

  get nextPs(): number {
    const { count } = this.#plan
    return this.#paths.reduce((least, { sent, nextPs }) => (sent < count ? Math.min(least, nextPs) : least), Infinity)
  }

  advance(nowPs: number): void {
    while (this.#endpoint.device.pollEvent() !== null);
    for (const path of this.#paths) {
      this.#poll(nowPs, path)
      if (path.sent < this.#plan.count && path.nextPs <= nowPs) this.#probe(nowPs, path)
    }
  }

  /** Probes without an end are unfinished. */
  finish(nowPs: number): void {
    for (const { port, waiting } of this.#paths) {
      for (const atPs of waiting.values()) this.#report(nowPs, port, atPs, 'unfinished')
      waiting.clear()
    }
  }

  #probe(nowPs: number, path: Path): void {
    const { intervalPs } = this.#plan
    // Probes that a late round of the event loop has missed are not made up for.
    path.nextPs += intervalPs * (1 + Math.floor((nowPs - path.nextPs) / intervalPs))
    const id = path.sent++
    const isPosted =
      path.isReady &&
      path.live?.pair.postSend(nowPs, {
        id,
        operation: OP_WRITE,
        region: this.#region,
        address: this.#region.address,
        lengthBytes: PROBE_BYTES,
        remoteKey: path.remote.key,
        remoteAddress: path.remote.address,
      }) === 'posted'
    assert(path.sent <= this.#plan.count, 'prober: a probe too many')
    if (isPosted) path.waiting.set(id, nowPs)
    else this.#report(nowPs, path.port, nowPs, 'unreachable')
    assert(path.waiting.size <= DEPTH, 'prober: more probes wait than are posted')
    // An answer may have been lost with the process that was to give it.
    if (!path.isReady && this.#isOpen && nowPs - path.askedPs >= ASK_PS) this.#ask(nowPs, path)
  }

  #poll(nowPs: number, path: Path): void {
    const entry = this.#entry
    let hasFailed = false
    while (path.completions.poll(entry)) {
      const atPs = path.waiting.get(entry.id)
      path.waiting.delete(entry.id)
      hasFailed ||= entry.status !== SUCCESS
      if (atPs !== undefined) this.#report(nowPs, path.port, atPs, STATUS_OF.get(entry.status) ?? 'error')
    }
    if (!hasFailed) return
    this.#drop(path)
    if (this.#isOpen) this.#ask(nowPs, path)
  }

  #report(nowPs: number, port: number, atPs: number, status: Probe['status']): void {
    const agePs = nowPs - atPs
    if (CHECKED) assert(agePs >= 0, 'prober: a probe ends before it was sent')
    this.#plan.onProbe({ port, atPs, status, rttPs: status === 'ok' ? agePs : NaN, agePs })
  }

  #drop(path: Path): void {
    if (path.live !== null) this.#endpoint.destroyPair(path.live)
    path.live = null
    path.isReady = false
  }

  /** Makes a queue pair and asks for its partner. */
  #ask(nowPs: number, path: Path): void {
    this.#drop(path)
    for (const atPs of path.waiting.values()) this.#report(nowPs, path.port, atPs, 'flushed')
    path.waiting.clear()
    const { completions, port } = path
    const plan = { sendCompletions: completions, receiveCompletions: completions, sendDepth: DEPTH, receiveDepth: 1 }
    path.live = this.#endpoint.createPair({ domain: this.#domain, ...plan })
    if (path.live === null) return
    path.live.modify(nowPs, 'init')
    path.askedPs = nowPs
    path.psn = this.#endpoint.draw(2 ** 24)
    this.#lines.push({ rocelab: 'ping', version: PING_VERSION, port, qp: path.live.number, psn: path.psn })
  }
}

const STATUS_OF: ReadonlyMap<number, Probe['status']> = new Map([
  [SUCCESS, 'ok'],
  [RETRY_EXCEEDED, 'retry-exceeded'],
  [FLUSHED, 'flushed'],
])

export function pathValues(remoteQp: number, sendPsn: number, receivePsn: number) {
  return { remoteQp, sendPsn, receivePsn, mtuBytes: PROBE_MTU_BYTES, readsOut: 1, readsIn: 1 }
}
