/**
 * Verbs network: the network of a scenario, with a verbs device at each host in place of the scenario's messages. For
 * programs that post their own work requests and want them to go through switches, buffers, pauses and losses.
 * It uses the scenario's topology, switches, PFC, faults, classes and seed, and its recovery and congestion control unless
 * a connection names another recovery. Work requests that a scenario posts itself are a workload and do not need this.
 * Units: picoseconds, bytes.
 */
import { InputError, inputError, type Issue } from '../core/base/issue.ts'
import { NEVER_PS } from '../core/base/params.ts'
import { createRandomStreams, type RandomStream } from '../core/base/random.ts'
import type { Network } from '../core/fabric/network.ts'
import type { CompletionSink } from '../core/fabric/pairs/queue-pair.ts'
import type { Scenario } from './scenario/scenario.ts'
import {
  CONNECTION_DEFAULTS,
  connectionIssues,
  type ConnectionValues,
  Device,
  type QueuePair,
} from '../core/verbs/index.ts'
import { layFaults } from './run/faults/index.ts'
import { ForeignFrames } from './checks/foreign-frames.ts'
import { assertLaws, type Lawful } from './checks/laws.ts'
import { isProvablyLossless } from './checks/lossless.ts'
import { assertWaking } from './checks/waking.ts'
import { Mistakes } from './network/mistakes.ts'
import { buildNetwork, type BuiltNetwork } from './network/network-builder.ts'
import { ROCE_PORT } from '../core/wire/frame.ts'
import { RANDOM_PORTS_FROM } from './pairs/pairs.ts'
import { type VerbsConnection, verbsConnection } from './run/verbs-connection.ts'
import { type LinkEnd, type SharedValues, VerbsLinks } from './pairs/verbs-links.ts'

/** Distance between the address spaces of two hosts. */
const SPACE_BYTES = 2 ** 40
/** Events between two checks of the laws, at most. */
const CHECKED_EVENTS = 5000

export interface VerbsNetworkOptions {
  /**
   * Payload of a full packet, the same for all queue pairs, at most frames.payload of the scenario.
   * Default: the largest path MTU, a power of two up to 4096, that fits.
   */
  readonly mtuBytes?: number
  /** Called after each event of a queue pair. */
  readonly onActivity?: (nowPs: number, pair: QueuePair) => void
  /** Checks conservation laws at many instants of the run. */
  readonly isChecked?: boolean
}

export class VerbsNetwork {
  readonly network: Network
  readonly mtuBytes: number
  private readonly scenario: Scenario
  private readonly built: BuiltNetwork
  private readonly devices: Device[]
  private readonly links: VerbsLinks
  /** Number of UDP source ports given out. */
  private ports = 0
  private readonly connections: VerbsConnection[] = []
  /** null: laws are not checked. */
  private readonly lawful: Lawful | null
  private readonly instants: RandomStream

  /** @throws InputError where a full packet is longer than the scenario's frames. */
  constructor(scenario: Scenario, options: VerbsNetworkOptions = {}) {
    const random = createRandomStreams(scenario.seed)
    this.scenario = scenario
    this.built = buildNetwork(scenario, random, NOBODY, { hasVerbs: true })
    const mistakes = new Mistakes()
    layFaults(scenario, this.built, random, mistakes)
    mistakes.settle()
    const { network, frames } = this.built
    const most = frames.payloadBytes
    this.mtuBytes = options.mtuBytes ?? pathMtuBytes(most)
    if (!Number.isInteger(this.mtuBytes) || this.mtuBytes < 1) {
      throw inputError('mtuBytes', `a whole number from 1 to ${most}`, `${this.mtuBytes}`)
    }
    if (this.mtuBytes > most) {
      const expected = `at most ${most}, which frames of the scenario carry`
      throw inputError('mtuBytes', expected, `${this.mtuBytes}`, 'set frames.payload')
    }
    this.network = network
    const foreign = options.isChecked === true ? new ForeignFrames(network) : null
    if (foreign !== null) network.fabric.watch = foreign.watch
    this.lawful =
      foreign !== null
        ? {
            built: this.built,
            isLossless: isProvablyLossless(scenario, this.built),
            traffic: null,
            causes: null,
            connections: this.connections,
            foreign,
          }
        : null
    this.instants = random.stream('check')
    const { built, mtuBytes } = this
    const { onActivity = () => {} } = options
    this.links = new VerbsLinks({
      scenario,
      built,
      frames: built.frames,
      random,
      mtuBytes,
      hasPayload: true,
      onActivity,
    })
    const { queue } = network.fabric
    this.devices = network.nics.map((_, host) => new Device({ draw: () => queue.draw() }, (host + 1) * SPACE_BYTES))
  }

  get nowPs(): number {
    return this.network.fabric.queue.nowPs
  }

  /** Frees the network's part of the thread's memory; nothing else may be called after it. */
  close(): void {
    this.network.fabric.memory.release()
  }

  /**
   * The device of a host, by index.
   * @throws InputError for a host that does not exist
   */
  device(host: number): Device {
    const device = this.devices[host]
    if (device === undefined) throw inputError('host', `a host from 0 to ${this.devices.length - 1}`, `${host}`)
    return device
  }

  /**
   * Brings two queue pairs, which are new or reset, to "ready to send" against each other.
   * @param values of both ends. Values that are left out are CONNECTION_DEFAULTS; readsOut is at most readsIn. Packets are
   * numbered from 0
   * @throws InputError for values that no connection can have, and for ends that cannot be connected
   */
  connect(a: LinkEnd, b: LinkEnd, values: SharedValues = {}): void {
    const { mtuBytes } = this
    const { readsIn = CONNECTION_DEFAULTS.readsIn, mode = this.links.mode } = values
    const shared = {
      ...CONNECTION_DEFAULTS,
      mode,
      mtuBytes,
      readsOut: Math.min(CONNECTION_DEFAULTS.readsOut, readsIn),
      ...values,
    }
    this.expectSound(a, b, values, shared)
    const sourcePort = RANDOM_PORTS_FROM + (this.ports++ % (2 ** 16 - RANDOM_PORTS_FROM))
    const { readsOut } = shared
    this.links.connect(
      a,
      b,
      { ...values, readsOut },
      {
        trafficClass: this.scenario.classes.data,
        sourcePort,
        destinationPort: ROCE_PORT,
        isTwoWay: true,
        hasReads: true,
      },
    )
    const others = this.connections.filter(({ a: { pair }, b: { pair: peer } }) =>
      [pair, peer].every((each) => each !== a.pair && each !== b.pair),
    )
    this.connections.length = 0
    for (const other of others) this.connections.push(other)
    this.connections.push(verbsConnection(a.pair, b.pair))
  }

  /** Sends work requests that were posted since the last event. */
  wake(): void {
    this.links.wake()
  }

  /** Schedules a call, after the events that are already scheduled for that time. */
  at(timePs: number, call: (nowPs: number) => void): void {
    this.network.actAt(timePs, this.network.addActor({ onEvent: call }))
  }

  /** Runs about `events` events; true while there is more to do. @throws Bug for a broken law. */
  advance(events: number): boolean {
    return this.step(events, NEVER_PS)
  }

  /** Calls wake(), and runs until nothing is left to do or `limitPs` is reached. Returns the number of events. */
  run(limitPs: number = NEVER_PS): number {
    this.wake()
    const before = this.network.events
    while (this.step(Infinity, limitPs));
    return this.network.events - before
  }

  /** Laws are checked after random numbers of events, so that they hold not only at round ones. */
  private step(events: number, limitPs: number): boolean {
    if (this.lawful === null) return this.network.advance(events, limitPs)
    const hasMore = this.network.advance(1 + this.instants.below(Math.min(events, CHECKED_EVENTS)), limitPs)
    assertLaws(this.lawful)
    assertWaking(this.network)
    return hasMore
  }

  /** Collects all issues and throws them together. */
  private expectSound(a: LinkEnd, b: LinkEnd, values: SharedValues, shared: Omit<ConnectionValues, 'remoteQp'>): void {
    const issues: Issue[] = connectionIssues({ ...shared, remoteQp: 0 })
    const add = (path: string, expected: string, received: string, hint = ''): void =>
      void issues.push({ path, expected, received, hint })
    // The type lets an object with more keys through.
    for (const [path, own] of Object.entries({ mtuBytes: this.mtuBytes, sendPsn: 0, receivePsn: 0 })) {
      const given = shared[path as 'mtuBytes']
      if (given !== own) add(path, `${own}, which is the network's, or nothing`, `${given}`)
    }
    // Without a mode the recovery is the scenario's, and values of a mode's recovery would be ignored.
    if (values.mode === undefined) {
      const unread = MODE_VALUES.filter((name) => values[name] !== undefined)
      for (const name of unread)
        add(
          name,
          'nothing, as the scenario has it, where values name no mode',
          JSON.stringify(values[name]),
          "add mode: 'roce' or 'irn'",
        )
    }
    if (shared.readsOut > shared.readsIn) {
      add('readsOut', `at most readsIn, ${shared.readsIn}, which the other end has too`, `${shared.readsOut}`)
    }
    for (const [path, { host, pair }] of Object.entries({ a, b })) {
      const device = this.devices[host]
      if (device === undefined) add(`${path}.host`, `a host from 0 to ${this.devices.length - 1}`, `${host}`)
      else if (device.pairOf(pair.number) !== pair) {
        add(`${path}.pair`, `a queue pair of device(${host})`, `queue pair ${pair.number} of another device`)
      } else if (pair.state !== 'reset') {
        add(
          `${path}.pair`,
          'a queue pair that is new, or reset',
          `one that is in "${pair.state}"`,
          "modify(nowPs, 'reset')",
        )
      }
    }
    if (a.pair === b.pair) add('b.pair', 'another queue pair than that of a', 'the same')
    if (issues.length > 0) throw new InputError(issues)
  }
}

/** Values of a connection that only a mode of its own reads. */
const MODE_VALUES = ['retryLimit', 'ackTimeoutPs', 'selectiveRepeat', 'lsnWindowBytes'] as const

/** Observer of messages, of which there are none. */
const NOBODY: CompletionSink = { onDelivered() {}, onAcknowledged() {}, onFailed() {} }

/** The largest path MTU of at most `most` bytes. Source: IBTA 14.2.5.6 (256 to 4096); smaller powers of two below. */
function pathMtuBytes(most: number): number {
  let mtuBytes = 4096
  while (mtuBytes > most && mtuBytes > 1) mtuBytes /= 2
  return mtuBytes
}
