/**
 * Verbs network: the network of a scenario, with a device of verbs at each host in place of the scenario's messages. For
 * programs that post their own work requests and want to see them go through switches, buffers, pauses and losses.
 * Of the scenario count its topology, switches, PFC, faults, classes and seed. Its messages, with their recovery and
 * congestion control, run beside the verbs if asked for. Verbs have their own recovery; they have the scenario's congestion
 * control around them where it is one that CNPs or switches tell, as on RoCE NICs, and send at line rate elsewhere.
 * Units: picoseconds, bytes.
 */
import { leastOf, mostOf } from '../base/extremes.ts'
import { InputError, inputError, type Issue } from '../base/issue.ts'
import { NEVER_PS } from '../base/params.ts'
import { createRandomStreams, type RandomStream, type RandomStreams } from '../base/random.ts'
import type { Network } from '../fabric/network.ts'
import { verbsFrameLimit, VerbsGuest, VerbsPackets } from '../fabric/verbs-guest.ts'
import { VerbsRateLimiter } from '../fabric/verbs-rate-limiter.ts'
import { classTable, cnpCodepointFor, codepointFor } from '../scenario/class-map.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { bdpPackets, type CongestionDefinition, type SenderView } from '../transport/congestion/congestion.ts'
import { controlFrameBytes, dataFrameBytes } from '../transport/endpoint.ts'
import type { Needs } from '../transport/scheme.ts'
import { CNP } from '../transport/segment.ts'
import { Timers } from '../transport/timers.ts'
import { CONNECTION_DEFAULTS, connectionIssues, type ConnectionValues, Device, type QueuePair } from '../verbs/index.ts'
import { FORMAT_IRN, FORMAT_LSN, FORMAT_ROCE } from '../wire/index.ts'
import { layFaults } from './cables.ts'
import { congestionOf } from './definitions.ts'
import { dataFrameLimit } from './hardware.ts'
import { assertLaws, type Lawful } from './laws.ts'
import { isProvablyLossless } from './lossless.ts'
import { Mistakes } from './mistakes.ts'
import { buildNetwork, type BuiltNetwork } from './network-builder.ts'
import { largestRoundTripPs } from './round-trips.ts'
import { Traffic } from './traffic.ts'
import { type VerbsConnection, verbsConnection } from './verbs-connection.ts'

/** Hosts' address spaces begin so far apart. */
const SPACE_BYTES = 2 ** 40
/** RoCEv2 sends from here on (RFC 6335's ports for anybody), to 4791. */
const FIRST_PORT = 49_152
const ROCE_PORT = 4791
/** Flow numbers of verbs beside a workload, whose pairs count from 0: more than memory has room for. */
const FLOWS_BESIDE = 2 ** 21
/** Of one call of the event loop. */
const SLICE_EVENTS = 100_000
/** Between two looks at the laws, at most. */
const CHECKED_EVENTS = 5000

export interface VerbsNetworkOptions {
  /**
   * Payload of a full packet, all queue pairs alike. With its headers it has to fit into a frame of the scenario.
   * Default: the largest power of two up to 4096, as path MTUs are, that does.
   */
  readonly mtuBytes?: number
  /** Told when something has happened to a queue pair. */
  readonly onActivity?: (nowPs: number, pair: QueuePair) => void
  /** True: the scenario's workload runs in the same network, from time 0 on. */
  readonly hasBackground?: boolean
  /** Conservation laws at instants all over the run. */
  readonly isChecked?: boolean
}

/** How far the scenario's own messages are. */
export interface Background {
  readonly posted: number
  readonly finished: number
  /** When the last of them was whole; NaN: more are there, or may come. */
  readonly drainedPs: number
}

/** What both ends of a connection have alike. */
export type SharedValues = Partial<Omit<ConnectionValues, 'remoteQp' | 'mtuBytes' | 'sendPsn' | 'receivePsn'>>

/** One end of a connection: a queue pair of the device of this host. */
export interface VerbsEnd {
  readonly host: number
  readonly pair: QueuePair
}

export class VerbsNetwork {
  readonly network: Network
  readonly mtuBytes: number
  private readonly scenario: Scenario
  private readonly built: BuiltNetwork
  private readonly devices: Device[]
  private readonly guests: (VerbsGuest | undefined)[] = []
  private readonly packets: VerbsPackets
  private readonly onActivity: (nowPs: number, pair: QueuePair) => void
  private readonly rateControl: CongestionDefinition | null
  private readonly limiters: VerbsRateLimiter[] = []
  private flows = 0
  private readonly traffic: Traffic | null
  private drainedPs = NaN
  private readonly connections: VerbsConnection[] = []
  /** null: nobody asks for laws. */
  private readonly lawful: Lawful | null
  private readonly instants: RandomStream

  /** @throws InputError where a full packet is longer than the scenario's frames. */
  constructor(scenario: Scenario, options: VerbsNetworkOptions = {}) {
    const random = createRandomStreams(scenario.seed)
    this.scenario = scenario
    this.onActivity = options.onActivity ?? (() => {})
    this.traffic = options.hasBackground === true ? new Traffic(scenario) : null
    this.built = buildNetwork(
      scenario,
      random,
      this.traffic ?? { onDelivered() {}, onAcknowledged() {}, onFailed() {} },
    )
    const mistakes = new Mistakes()
    layFaults(scenario, this.built, random, mistakes)
    this.startTraffic(random, mistakes)
    mistakes.settle()
    const { network, frames } = this.built
    const most = dataFrameLimit(frames) - verbsFrameLimit(0)
    this.mtuBytes = options.mtuBytes ?? pathMtuBytes(most)
    if (!Number.isInteger(this.mtuBytes) || this.mtuBytes < 1) {
      throw inputError('mtuBytes', `a whole number from 1 to ${most}`, `${this.mtuBytes}`)
    }
    if (this.mtuBytes > most) {
      const expected = `at most ${most}, as frames of the scenario carry ${frames.payloadBytes} bytes, without the headers of verbs`
      throw inputError('mtuBytes', expected, `${this.mtuBytes}`, 'set frames.payload')
    }
    this.network = network
    this.lawful =
      options.isChecked === true
        ? {
            built: this.built,
            isLossless: isProvablyLossless(scenario, this.built),
            traffic: this.traffic,
            causes: null,
            connections: this.connections,
          }
        : null
    this.instants = random.stream('check')
    this.rateControl = rateControlOf(scenario)
    this.packets = new VerbsPackets(this.mtuBytes)
    const { queue } = network.fabric
    this.devices = network.nics.map((_, host) => new Device({ draw: () => queue.draw() }, (host + 1) * SPACE_BYTES))
  }

  /** null: there is none. */
  get background(): Background | null {
    const { traffic, drainedPs } = this
    if (traffic === null) return null
    return { posted: traffic.outstanding + traffic.finished, finished: traffic.finished, drainedPs }
  }

  /** CNPs that answered marked packets of queue pairs. */
  get cnpsSent(): number {
    return this.limiters.reduce((sum, limiter) => sum + limiter.cnpsSent, 0)
  }

  /** Name of the congestion control around each queue pair; null: they send at line rate. */
  get congestionName(): string | null {
    return this.rateControl === null ? null : this.rateControl.name
  }

  get hostCount(): number {
    return this.devices.length
  }

  get slowestHostBps(): number {
    return leastOf(this.network.nics.map(({ port }) => port.rateBps))
  }

  /** No packet can be lost, whatever is sent; false where that is not proved. */
  get isLossless(): boolean {
    return isProvablyLossless(this.scenario, this.built)
  }

  /** Full packets that fill the fastest host's line over the longest path and back (S3 3.2); 1 where no two are connected. */
  bdpPackets(): number {
    const rttPs = largestRoundTripPs(this.built)
    const fastestBps = mostOf(this.network.nics.map(({ port }) => port.rateBps))
    return bdpPackets(fastestBps, Number.isNaN(rttPs) ? 0 : rttPs, dataFrameBytes(this.built.frames, this.mtuBytes, 0))
  }

  get nowPs(): number {
    return this.network.fabric.queue.nowPs
  }

  /** Ends it: what it takes of the thread's memory is free for others, and it cannot run any more. */
  close(): void {
    this.network.fabric.memory.release()
  }

  /**
   * By position of the host.
   * @throws InputError for a host that is not there.
   */
  device(host: number): Device {
    const device = this.devices[host]
    if (device === undefined) throw inputError('host', `a host from 0 to ${this.devices.length - 1}`, `${host}`)
    return device
  }

  /**
   * Brings two queue pairs, which are new or reset, to "ready to send" against each other.
   * @param values what both agree on; what is left out is CONNECTION_DEFAULTS, but readsOut, which is no more than
   * readsIn. Packets are numbered from 0.
   * @throws InputError for values that no connection can have, and for ends that cannot be connected.
   */
  connect(a: VerbsEnd, b: VerbsEnd, values: SharedValues = {}): void {
    const { nowPs, mtuBytes } = this
    const { readsIn = CONNECTION_DEFAULTS.readsIn } = values
    const shared = {
      ...CONNECTION_DEFAULTS,
      mtuBytes,
      readsOut: Math.min(CONNECTION_DEFAULTS.readsOut, readsIn),
      ...values,
    }
    this.expectSound(a, b, shared)
    const sourcePort = FIRST_PORT + (((this.flows % FLOWS_BESIDE) / 2) % (2 ** 16 - FIRST_PORT))
    this.place(a, b, { sourcePort, destinationPort: ROCE_PORT }, values)
    this.place(b, a, { sourcePort: ROCE_PORT, destinationPort: sourcePort }, values)
    for (const [end, other] of [
      [a, b],
      [b, a],
    ] as const) {
      end.pair.modify(nowPs, 'init')
      const remoteQp = other.pair.number
      end.pair.modify(nowPs, 'ready to receive', { ...shared, remoteQp })
    }
    for (const { pair } of [a, b]) pair.modify(nowPs, 'ready to send')
    const others = this.connections.filter(({ a: { pair }, b: { pair: peer } }) =>
      [pair, peer].every((each) => each !== a.pair && each !== b.pair),
    )
    this.connections.length = 0
    for (const other of others) this.connections.push(other)
    this.connections.push(verbsConnection(a.pair, b.pair))
  }

  /** Looks at what was posted from outside. */
  wake(): void {
    for (const guest of this.guests) guest?.wake()
  }

  /** Calls it once, after what else stands at that time already. */
  at(timePs: number, call: (nowPs: number) => void): void {
    this.network.actAt(timePs, this.network.addActor({ onEvent: call }))
  }

  /** Runs about so many events; true while there is more to do. @throws Bug for a broken law. */
  advance(events: number): boolean {
    return this.step(events, NEVER_PS)
  }

  /** Runs until nothing is left to do or this time is reached, and looks at once at what was posted since. The events. */
  run(limitPs: number = NEVER_PS): number {
    this.wake()
    const before = this.network.events
    while (this.step(SLICE_EVENTS, limitPs));
    return this.network.events - before
  }

  /** Laws are looked at after some number of events, so that none holds at round numbers alone. */
  private step(events: number, limitPs: number): boolean {
    if (this.lawful === null) return this.network.advance(events, limitPs)
    const hasMore = this.network.advance(1 + this.instants.below(Math.min(events, CHECKED_EVENTS)), limitPs)
    assertLaws(this.lawful)
    return hasMore
  }

  /** All that is wrong, at once. */
  private expectSound(a: VerbsEnd, b: VerbsEnd, shared: Omit<ConnectionValues, 'remoteQp'>): void {
    const issues: Issue[] = connectionIssues({ ...shared, remoteQp: 0 })
    const add = (path: string, expected: string, received: string, hint = ''): void =>
      void issues.push({ path, expected, received, hint })
    // Types let a whole set of values through.
    for (const [path, own] of Object.entries({ mtuBytes: this.mtuBytes, sendPsn: 0, receivePsn: 0 })) {
      const given = shared[path as 'mtuBytes']
      if (given !== own) add(path, `${own}, which is the network's, or nothing`, `${given}`)
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

  private startTraffic(random: RandomStreams, mistakes: Mistakes): void {
    const { traffic, built } = this
    if (traffic === null) return
    this.flows = FLOWS_BESIDE
    traffic.onDrained = () => (this.drainedPs = this.nowPs)
    traffic.start(built, random, mistakes)
  }

  private place(
    { host, pair }: VerbsEnd,
    other: VerbsEnd,
    ports: { readonly sourcePort: number; readonly destinationPort: number },
    { mode = CONNECTION_DEFAULTS.mode, lsnWindowBytes = null }: Partial<ConnectionValues>,
  ): void {
    const { scenario, built } = this
    const flow = this.flows++
    built.balance.addFlow(flow, {
      sourceAddress: built.addresses[host]!,
      destinationAddress: built.addresses[other.host]!,
      ...ports,
    })
    const { data } = scenario.classes
    const classes = classTable(scenario.classes)
    const format = (mode === 'irn' ? FORMAT_IRN : FORMAT_ROCE) | (lsnWindowBytes === null ? 0 : FORMAT_LSN)
    this.guestAt(host).add({
      pair,
      destination: other.host,
      flow,
      format,
      codepoint: codepointFor(classes, data, 'classes.data'),
      trafficClass: data,
      limiter: this.limiterFor(host),
    })
  }

  private limiterFor(host: number): VerbsRateLimiter | null {
    const { scenario, built, network, mtuBytes } = this
    const { fabric, nics } = network
    if (this.rateControl === null) return null
    const { needs } = this.rateControl
    const { frames, serialization } = built
    const { congestion, classes, qp } = scenario
    const lineRateBps = nics[host]!.port.rateBps
    const timers = new Timers(fabric.queue, fabric.memory)
    const frameBytes = dataFrameBytes(frames, mtuBytes, 0)
    const rttPs = largestRoundTripPs(built)
    const limiter = new VerbsRateLimiter({
      congestion: this.rateControl.create(congestion as never, {
        sender: DEAF,
        lineRateBps,
        payloadBytes: mtuBytes,
        timers,
        wholeRates: qp.rateRounding === 'bps',
        baseRttPs: rttPs,
        bdpPackets: bdpPackets(lineRateBps, rttPs, frameBytes),
        startPackets: bdpPackets(lineRateBps, rttPs, frameBytes),
        packetWireBytes: frameBytes + frames.gapBytes,
        largestRttPs: () => rttPs,
      }),
      timers,
      serialization,
      gapBytes: frames.gapBytes,
      isEcnCapable: needs.ecn === true,
      cnpIntervalPs: needs.cnp === true ? this.rateControl.cnpIntervalPs(congestion as never) : null,
      cnpBytes: controlFrameBytes(frames, CNP, 0),
      cnpCodepoint: cnpCodepointFor(classTable(classes), classes),
      movesDeadline: qp.pacing !== 'fixed',
    })
    this.limiters.push(limiter)
    return limiter
  }

  private guestAt(host: number): VerbsGuest {
    const { network, packets, mtuBytes, onActivity } = this
    const nic = network.nics[host]!
    return (this.guests[host] ??= new VerbsGuest({ network, nic, packets, mtuBytes, onActivity }))
  }
}

/** A rate limiter knows nothing of what its queue pair has under way. */
const DEAF: SenderView = { una: 0, nxt: 0, end: 0, highest: 0, waitingPackets: 0, nextSendPs: NEVER_PS }
/** What a rate limiter is told. */
const HEARD: readonly (keyof Needs)[] = ['ecn', 'cnp', 'qcn']

/** The scenario's congestion control, where CNPs or switches tell it all that it hears; else null. */
function rateControlOf(scenario: Scenario): CongestionDefinition | null {
  const definition = congestionOf(scenario)
  const needs = Object.entries(definition.needs).filter(([, isNeeded]) => isNeeded === true)
  const isTold = needs.length > 0 && needs.every(([need]) => HEARD.some((heard) => heard === need))
  return isTold && (definition.needs.cnp !== true || scenario.qp.ecnEcho === 'cnp') ? definition : null
}

/** A path MTU that packets of so many bytes have room for; 1 where none has. Source: IBTA 14.2.5.6 (256 to 4096). */
function pathMtuBytes(most: number): number {
  let mtuBytes = 4096
  while (mtuBytes > most && mtuBytes > 1) mtuBytes /= 2
  return mtuBytes
}
