/**
 * Server state: what each host did in an interval, as a watcher of services would see it.
 *     working  payload that it sent or was sent to it arrived in the interval, and was not taken back
 *     paused   none did, and PFC kept its ports from sending for at least half of the interval (time of all its ports and
 *              classes over the number of its ports)
 *     waiting  none did, it was not paused, and it has messages under way, as a sender or as a receiver
 *     idle     it has nothing to do and may send
 * A server is available while it works or is idle. Source: "servers became unavailable", [MS-Scale 6.2], figure 9(a), which
 * counts servers without saying how one is found unavailable: this definition is ours. managed-states.ts has the states that
 * a management system holds of them.
 * Where samples are thinned the intervals get longer; "under way" is then that of their ends.
 */
import { duration, flag, MS } from '../../../core/base/params.ts'
import type { Network } from '../../../core/fabric/network.ts'
import { type ColumnSpec, TableBuilder } from '../../../core/results/table.ts'
import { rowLimit, sampleParams, tableName } from '../limits.ts'
import { MANAGED_STATES, ManagedStates } from './managed-states.ts'
import { defineMetric } from '../metric.ts'
import { OpenPairs } from '../open-pairs.ts'
import { Totals } from '../totals.ts'

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'fromPs', type: 'integer' },
  { name: 'toPs', type: 'integer' },
  { name: 'host', type: 'integer' },
  { name: 'available', type: 'integer' },
  { name: 'working', type: 'integer' },
  { name: 'paused', type: 'integer' },
  { name: 'waiting', type: 'integer' },
  { name: 'idle', type: 'integer' },
  { name: 'healthy', type: 'integer' },
  { name: 'failing', type: 'integer' },
  { name: 'probation', type: 'integer' },
]
/** In place of a host's position: all hosts together. */
const ALL_HOSTS = -1
/** Numbers of a sample per host: payload bytes that arrived, paused time of its ports, and whether it has work. */
const WIDTH = 3
/** Share of an interval from which on a host that moves nothing counts as paused. */
const PAUSED_SHARE = 0.5
/** Samples kept of all hosts together come to this many rows of one host each, over `maxRows`. */
const TOGETHER = 4

const STATES = ['working', 'paused', 'waiting', 'idle'] as const

export const serverState = defineMetric({
  name: 'server-state',
  help: 'hosts that work, are paused, wait or are idle, per interval, and those that a management system holds healthy, failing or on probation; host -1 is all hosts together',
  params: {
    perHost: flag({ default: false, help: 'also a row for each host, with 1 for the state that it is in' }),
    ...sampleParams,
    interval: duration({ default: 1 * MS, min: 1, help: 'time between two samples' }),
    failAfter: duration({
      default: 10 * MS,
      min: 1,
      help: 'a host that is not available for so long is failing',
      source: 'ours; [MS-Scale] figure 9(a) names the states',
    }),
    repair: duration({
      default: 20 * MS,
      help: 'time from its failure to the end of its repair',
      source: 'ours, so that it fits into a run; [MS-Scale] 4.3 has tens of minutes',
    }),
    probation: duration({
      default: 20 * MS,
      help: 'time from the end of its repair until a host is healthy again',
      source: 'ours; [MS-Scale] figure 9(a) names the state',
    }),
  },
  create(values, context) {
    const name = tableName(values, 'server-state')
    const { network } = context
    const { hostCount } = network
    const hosts = new Hosts(network)
    const rows = (values.perHost ? 1 : TOGETHER) * rowLimit(values, context)
    const totals = new Totals(WIDTH * hostCount, WIDTH * rows, (into) => hosts.read(into))
    return {
      name,
      intervalPs: values.interval,
      sample: (nowPs) => totals.sample(nowPs),
      table(nowPs) {
        const builder = new TableBuilder(name, COLUMNS)
        const managed = new ManagedStates(hostCount, values)
        totals.eachInterval(nowPs, (fromPs, toPs, before, after) => {
          const states = Array.from({ length: hostCount }, (_, host) =>
            stateOf(before, after, WIDTH * host, (toPs - fromPs) * hosts.portsOf(host)),
          )
          const held = states.map((state, host) => managed.next(host, isAvailable(state), toPs))
          const add = (host: number, from: number, to: number): void => {
            const counts = countsIn(STATES, states.slice(from, to))
            builder.add(
              fromPs,
              toPs,
              host,
              counts[0]! + counts[3]!,
              ...counts,
              ...countsIn(MANAGED_STATES, held.slice(from, to)),
            )
          }
          add(ALL_HOSTS, 0, hostCount)
          if (values.perHost) states.forEach((_, host) => add(host, host, host + 1))
        })
        return builder.build()
      },
    }
  },
})

const isAvailable = (state: (typeof STATES)[number]): boolean => state === 'working' || state === 'idle'

/** How many are in each of the states. */
function countsIn(states: readonly string[], among: readonly string[]): number[] {
  return states.map((state) => among.filter((is) => is === state).length)
}

/** @param portPs length of the interval times the ports of the host */
function stateOf(before: Float64Array, after: Float64Array, at: number, portPs: number): (typeof STATES)[number] {
  if (after[at]! > before[at]!) return 'working'
  if (after[at + 1]! - before[at + 1]! >= PAUSED_SHARE * portPs) return 'paused'
  return after[at + 2]! > 0 ? 'waiting' : 'idle'
}

/** Reads the numbers of all hosts. */
class Hosts {
  readonly #network: Network
  readonly #pairs: OpenPairs
  /** By host: payload bytes of pairs that are done. */
  readonly #doneBytes: Float64Array
  readonly #ports: Int32Array

  constructor(network: Network) {
    this.#network = network
    this.#pairs = new OpenPairs(network, (pair) => pair.receiver.deliveredMessages > 0)
    this.#doneBytes = new Float64Array(network.hostCount)
    this.#ports = new Int32Array(network.hostCount)
    for (const { position } of network.nics) this.#ports[network.hostOf[position]!]!++
  }

  portsOf(host: number): number {
    return this.#ports[host]!
  }

  read(into: Float64Array): void {
    const { hostOf, nics, fabric } = this.#network
    const done = this.#doneBytes
    into.fill(0)
    this.#pairs.each((pair, isDone) => {
      const { bytes } = pair.receiver.delivered
      const isOpen = !isDone && !pair.sender.isFailed && !pair.sender.isIdle
      for (const endpoint of [pair.source, pair.destination]) {
        const host = hostOf[endpoint]!
        if (isDone) done[host]! += bytes
        else into[WIDTH * host]! += bytes
        if (isOpen) into[WIDTH * host + 2] = 1
      }
    })
    for (const { position, port } of nics) into[WIDTH * hostOf[position]! + 1]! += port.pausedPs(fabric.queue.nowPs)
    done.forEach((bytes, host) => (into[WIDTH * host]! += bytes))
  }
}
