/** Two connection agents joined by a pipe that loses, doubles and delays messages by a script. */
import { createRandomStreams } from '../../core/base/random.ts'
import { NEVER_PS } from '../../core/base/params.ts'
import { CompletionQueue, CONNECTION_DEFAULTS, type ConnectionValues, Device } from '../../core/verbs/index.ts'
import { type AnyConnectionMad, readConnectionMad } from '../../core/wire/index.ts'
import { ConnectionAgent } from './agent.ts'
import type { Answer, Connection, ExchangeState, IncomingRequest, OfferedPair, PairHost } from './host.ts'

export const MS = 1e9
export const PORT = 7174
export const HERE = Uint8Array.of(192, 0, 2, 1)
export const THERE = Uint8Array.of(192, 0, 2, 2)

export function drawOf(seed: number): (below: number) => number {
  const stream = createRandomStreams(seed).stream('cm')
  return (below) => stream.below(below)
}

/** A device and an agent. */
export class End implements PairHost {
  readonly agent: ConnectionAgent
  readonly device: Device
  readonly connections: Connection[] = []
  /** States of all connections, in the order in which they came. */
  readonly states: ExchangeState[] = []
  readonly ip: Uint8Array
  requests = 0
  answer: (request: IncomingRequest, connection: Connection) => Answer = () => this.offer()
  readonly #domain: number
  #orders = 0

  constructor(ip: Uint8Array, seed: number) {
    this.ip = ip
    this.device = new Device({ draw: () => ++this.#orders })
    this.#domain = this.device.allocateDomain()
    this.agent = new ConnectionAgent({ host: this, ip, draw: drawOf(seed), caGuid: BigInt(seed) })
  }

  offer(values: Partial<ConnectionValues> = {}): OfferedPair {
    const queue = new CompletionQueue(16)
    const plan = { domain: this.#domain, sendCompletions: queue, receiveCompletions: queue }
    const pair = this.device.createQueuePair(plan)
    pair.modify(0, 'init')
    return { pair, values: { ...CONNECTION_DEFAULTS, ...values } }
  }

  accept(_nowPs: number, request: IncomingRequest, connection: Connection): Answer {
    this.requests++
    this.connections.push(connection)
    return this.answer(request, connection)
  }

  prepare(_nowPs: number, _connection: Connection, values: ConnectionValues): ConnectionValues {
    return values
  }

  onChange(_nowPs: number, connection: Connection): void {
    this.states.push(connection.state)
  }

  get last(): Connection {
    return this.connections.at(-1)!
  }
}

/** Delays of the copies of a message that arrive, ps; empty: it is lost. `nth` counts messages of its kind, from 1 on. */
export type Path = (message: AnyConnectionMad, nth: number, from: End) => readonly number[]

const STEPS_MAX = 100_000

export class Pipe {
  readonly active = new End(HERE, 1)
  readonly passive = new End(THERE, 2)
  nowPs = 0
  path: Path = () => [MS]
  /** Kinds of all messages sent; in small letters those of the passive end. */
  readonly log: string[] = []
  #flying: { readonly atPs: number; readonly from: End; readonly mad: Uint8Array }[] = []
  readonly #counts = new Map<string, number>()

  connect(values: Partial<ConnectionValues> = {}): Connection {
    this.passive.agent.listen(PORT)
    const connection = this.active.agent.connect(this.nowPs, THERE, PORT, this.active.offer(values))
    this.active.connections.push(connection)
    return connection
  }

  /** Runs until nothing is in flight and no deadline is left, or until a time. */
  run(untilPs = NEVER_PS): void {
    const { active, passive } = this
    for (let step = 0; step < STEPS_MAX; step++) {
      this.#collect()
      const nextPs = Math.min(active.agent.nextPs, passive.agent.nextPs, ...this.#flying.map(({ atPs }) => atPs))
      if (nextPs === NEVER_PS || nextPs > untilPs) {
        if (untilPs !== NEVER_PS) this.nowPs = untilPs
        return
      }
      this.nowPs = Math.max(this.nowPs, nextPs)
      const due = this.#flying.filter(({ atPs }) => atPs <= this.nowPs)
      this.#flying = this.#flying.filter(({ atPs }) => atPs > this.nowPs)
      for (const { from, mad } of due) {
        const to = from === active ? passive : active
        to.agent.onMad(this.nowPs, { ip: from.ip, port: 0xd872 }, mad)
      }
      for (const { agent } of [active, passive]) agent.onTime(this.nowPs)
    }
    throw new Error('the exchange does not end')
  }

  #collect(): void {
    for (const end of [this.active, this.passive]) {
      for (let sent = end.agent.pollMad(this.nowPs); sent !== null; sent = end.agent.pollMad(this.nowPs)) {
        const { mad } = sent
        const message = readConnectionMad(mad)!
        const name = end === this.active ? message.kind : message.kind.toLowerCase()
        this.log.push(name)
        const nth = (this.#counts.get(name) ?? 0) + 1
        this.#counts.set(name, nth)
        for (const delayPs of this.path(message, nth, end)) {
          this.#flying.push({ atPs: this.nowPs + delayPs, from: end, mad })
        }
      }
    }
  }
}
