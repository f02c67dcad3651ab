/**
 * Message pairs: the queue pair that carries a message of a workload. Messages of one connection have one; a message
 * without a connection has one of its own, or, as a work request, shares one with similar messages.
 */
import { inputError } from '../../core/base/issue.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import { PortClasses } from '../scenario/class-map.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { isAnswered, type Message } from '../../core/workload/workload.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import type { PairMaker } from '../pairs/pairs.ts'
import type { PathTimes } from '../times/path-times.ts'
import type { WorkRequests } from './work-requests.ts'

export class MessagePairs {
  readonly #classes: PortClasses
  readonly #built: BuiltNetwork
  readonly #maker: PairMaker
  /** By workload. */
  readonly #pathsOf: readonly PathTimes[]
  readonly #connections = new Map<string, QueuePair>()

  constructor(scenario: Scenario, built: BuiltNetwork, maker: PairMaker, pathsOf: readonly PathTimes[]) {
    this.#classes = new PortClasses(scenario)
    this.#built = built
    this.#maker = maker
    this.#pathsOf = pathsOf
  }

  /**
   * The queue pair for a message of a workload.
   * @param work null: it is no work request
   * @throws InputError for a connection that joined other hosts before
   */
  pairFor(i: number, m: Message, work: WorkRequests | null): QueuePair {
    const isRead = isAnswered(m.operation)
    const key = m.connection < 0 ? '' : `${i}/${m.connection}/${isRead}/${work === null}`
    const known = m.connection < 0 ? undefined : this.#connections.get(key)
    const { hostOf } = this.#built.hostPorts
    // A server that comes back has lost its queue pairs: the connection is made again.
    const isLost = known?.isReset === true && !this.#isDown(known)
    if (known !== undefined && !isLost) {
      if (hostOf[known.source] === m.source && hostOf[known.destination] === m.destination) return known
      throw inputError(
        `workload.${i}`,
        `connection ${m.connection} to join hosts ${hostOf[known.source]} and ${hostOf[known.destination]} as before`,
        `hosts ${m.source} and ${m.destination}`,
      )
    }
    if (work !== null && m.connection < 0) return this.#pooledFor(i, m, work)
    if (work !== null) {
      const pair = work.create(i, m)
      this.#connections.set(key, pair)
      return pair
    }
    const home = this.#built.hostPorts.homeOf(m.source, m.port)
    const pair = this.#maker.create({
      workload: i,
      source: m.source,
      home,
      destination: m.destination,
      trafficClass: m.trafficClass < 0 ? this.#classes.of(m.destinationPort) : m.trafficClass,
      sourcePort: m.sourcePort,
      destinationPort: m.destinationPort,
      isRead,
      isOneShot: m.connection < 0,
      baseRttPs: this.#pathsOf[i]!.between(m.source, m.destination, home).baseRttPs,
    })
    if (m.connection >= 0) this.#connections.set(key, pair)
    return pair
  }

  #isDown({ source, destination }: QueuePair): boolean {
    const { nics } = this.#built.network
    return nics[source]!.isDown || nics[destination]!.isDown
  }

  /** A verbs queue pair for a message without a connection. */
  #pooledFor(i: number, m: Message, work: WorkRequests): QueuePair {
    const key = [
      i,
      m.source,
      m.destination,
      m.trafficClass,
      m.sourcePort,
      m.destinationPort,
      isAnswered(m.operation),
    ].join()
    const known = work.pooled(key)
    if (known !== null) return known
    const pair = work.create(i, m)
    work.pool(key, pair)
    return pair
  }
}
