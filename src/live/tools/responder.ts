/** Responder of `rocelab ping`: gives each path of a prober a queue pair and memory to WRITE to; the rest is the queue pair's. */
import { CompletionQueue, liveConnection, LOCAL_WRITE, type MemoryRegion, REMOTE_WRITE } from '../../verbs/index.ts'
import type { Application, LiveEndpoint } from '../peer/endpoint.ts'
import type { LivePair } from '../peer/live-pair.ts'
import { readLine, wholeField } from './lines.ts'
import { pathValues, PING_VERSION, PROBE_BYTES } from './prober.ts'

const PATHS_MAX = 256

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
  /** The answer to a line; null: it is refused, and the connection is to end. */
  onLine(nowPs: number, line: string): object | null
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
    const pairs = new Map<number, LivePair>()
    const end = (port: number): void => {
      const live = pairs.get(port)
      if (live === undefined) return
      this.endpoint.destroyPair(live)
      this.#plan.release(ip, port)
      pairs.delete(port)
    }
    return {
      onLine: (nowPs, line) => {
        const fields = readLine(line)
        if (fields === null || fields['rocelab'] !== 'ping' || fields['version'] !== PING_VERSION) return null
        const port = wholeField(fields, 'port', 1, 65_535)
        const [qp, psn] = [wholeField(fields, 'qp', 2, 2 ** 24 - 2), wholeField(fields, 'psn', 0, 2 ** 24 - 1)]
        if (port === null || qp === null || psn === null) return null
        end(port)
        if (pairs.size === PATHS_MAX) return null
        return this.#answer(nowPs, ip, { port, qp, psn }, (live) => pairs.set(port, live))
      },
      close: () => [...pairs.keys()].forEach(end),
    }
  }

  #answer(nowPs: number, ip: Uint8Array, asked: Asked, keep: (live: LivePair) => void): object | null {
    const completions = { sendCompletions: this.#completions, receiveCompletions: this.#completions }
    const live = this.endpoint.createPair({ domain: this.#domain, ...completions, sendDepth: 1, receiveDepth: 1 })
    if (live === null) return null
    keep(live)
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
