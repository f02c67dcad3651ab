/** Responder of `rocelab ping`: gives each path of a prober a queue pair and memory to WRITE to; the rest is the queue pair's. */
import {
  CompletionQueue,
  liveConnection,
  LOCAL_WRITE,
  type MemoryRegion,
  REMOTE_WRITE,
} from '../../core/verbs/index.ts'
import { RateLimit } from '../link/rate-limit.ts'
import type { Application, LiveEndpoint } from '../peer/endpoint.ts'
import type { LivePair } from '../peer/live-pair.ts'
import { readLine, wholeField } from './lines.ts'
import { pathValues, PING_VERSION, PROBE_BYTES } from './prober.ts'

const PATHS_MAX = 256
/** Paths that a prober may ask for in a second, so that no one of them has all that the rate of the responder allows. */
const ASKED_PER_SECOND = PATHS_MAX

export interface ResponderPlan {
  /** Port of UDP that packets come to. */
  readonly port: number
  /** Address by which the endpoint knows a prober, whose packets come from this port. */
  addressFor(ip: Uint8Array, port: number): Uint8Array
  /** It is needed no more. */
  release(ip: Uint8Array, port: number): void
}

/** A prober's end of a path. */
interface Asked {
  readonly port: number
  readonly qp: number
  readonly psn: number
}

/** A prober that has a control connection. */
export interface Visitor {
  /** The answer to a line; null: it is refused, and the connection is to end; `later`: too many were asked for, ask again. */
  onLine(nowPs: number, line: string): object | 'later' | null
  /** The connection has ended. */
  close(): void
}

export class Responder implements Application {
  readonly nextPs = Infinity
  readonly endpoint: LiveEndpoint
  readonly #plan: ResponderPlan
  readonly #domain: number
  readonly #region: MemoryRegion
  readonly #completions = new CompletionQueue(16)
  /** By address and port of the prober, whose connection may be another one now. */
  readonly #pairs = new Map<string, LivePair>()
  readonly #asked = new RateLimit()

  constructor(endpoint: LiveEndpoint, plan: ResponderPlan) {
    this.endpoint = endpoint
    this.#plan = plan
    this.#domain = endpoint.device.allocateDomain()
    const bytes = new Uint8Array(PROBE_BYTES)
    this.#region = endpoint.device.register(this.#domain, LOCAL_WRITE | REMOTE_WRITE, bytes)
    endpoint.application = this
  }

  advance(): void {
    while (this.endpoint.device.pollEvent() !== null);
  }

  open(ip: Uint8Array): Visitor {
    const ports = new Map<number, LivePair>()
    const asked = new RateLimit(ASKED_PER_SECOND)
    return {
      onLine: (nowPs, line) => {
        const fields = readLine(line)
        if (fields === null || fields['rocelab'] !== 'ping' || fields['version'] !== PING_VERSION) return null
        const port = wholeField(fields, 'port', 1, 65_535)
        const [qp, psn] = [wholeField(fields, 'qp', 2, 2 ** 24 - 2), wholeField(fields, 'psn', 0, 2 ** 24 - 1)]
        if (port === null || qp === null || psn === null) return null
        if (!ports.has(port) && ports.size === PATHS_MAX) return null
        if (!asked.takes(nowPs) || !this.#asked.takes(nowPs)) return 'later'
        this.#end(ip, port)
        return this.#answer(nowPs, ip, { port, qp, psn }, (live) => ports.set(port, live))
      },
      close: () => ports.forEach((live, port) => this.#end(ip, port, live)),
    }
  }

  /** @param only the queue pair that is to end, unless the prober has a newer one for the port */
  #end(ip: Uint8Array, port: number, only?: LivePair): void {
    const key = `${ip.join('.')} ${port}`
    const live = this.#pairs.get(key)
    if (live === undefined || (only !== undefined && live !== only)) return
    this.#pairs.delete(key)
    this.endpoint.destroyPair(live)
    this.#plan.release(ip, port)
  }

  #answer(nowPs: number, ip: Uint8Array, asked: Asked, keep: (live: LivePair) => void): object | null {
    const completions = { sendCompletions: this.#completions, receiveCompletions: this.#completions }
    const live = this.endpoint.createPair({ domain: this.#domain, ...completions, sendDepth: 1, receiveDepth: 1 })
    if (live === null) return null
    keep(live)
    this.#pairs.set(`${ip.join('.')} ${asked.port}`, live)
    const psn = this.endpoint.draw(2 ** 24)
    const { port } = this.#plan
    live.modify(nowPs, 'init')
    this.endpoint.setPartner(nowPs, live, { ip: this.#plan.addressFor(ip, asked.port), port, trafficClass: 0 })
    const values = liveConnection(pathValues(asked.qp, psn, asked.psn), {}, this.endpoint.order)
    live.modify(nowPs, 'ready to receive', values)
    live.modify(nowPs, 'ready to send')
    const { key, address } = this.#region
    const own = { port, qp: live.number, psn, key, address }
    return { rocelab: 'ping', version: PING_VERSION, path: asked.port, asked: asked.qp, ...own }
  }
}
