/**
 * Conformance bench: a real network whose hosts are the ports of a traffic tester, as in sonic-mgmt: each sends streams of
 * equal frames at fixed rates, obeys pauses, counts what it receives, and can send pauses on its own.
 * Links are slow so that simulated seconds cost little; timers of the switch are not scaled. Times picoseconds.
 */
import { INTS } from '../../src/core/base/memory.ts'
import { MS } from '../../src/core/base/params.ts'
import { createRandomStreams } from '../../src/core/base/random.ts'
import { DROP_REASONS } from '../../src/core/fabric/counters.ts'
import type { Port } from '../../src/core/fabric/link/port.ts'
import type { Nic } from '../../src/core/fabric/nic/nic.ts'
import { CODEPOINT, ECN, PSN } from '../../src/core/fabric/packets.ts'
import type { Switch } from '../../src/core/fabric/switch/switch.ts'
import { assertLaws } from '../../src/lab/checks/laws.ts'
import { Mistakes } from '../../src/lab/network/mistakes.ts'
import { buildNetwork, type BuiltNetwork } from '../../src/lab/network/network-builder.ts'
import { scheduleChanges } from '../../src/lab/run/changes.ts'
import { layFaults } from '../../src/lab/run/faults/index.ts'
import { Traffic } from '../../src/lab/run/traffic.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import type { WatchdogEvent, WatchdogRow } from '../../src/core/fabric/watch.ts'
import { CE, DATA, NOT_ECT } from '../../src/core/transport/segment.ts'

export interface StreamText {
  readonly from: number
  readonly to: number
  /** Traffic class, sent as that DSCP. */
  readonly trafficClass?: number
  /** Share of the link rate, with preamble and gap. */
  readonly load?: number
  readonly sizeBytes?: number
  readonly startPs?: number
  readonly stopPs?: number
  /** Number of frames; without it until stopPs. */
  readonly frames?: number
  readonly ecn?: number
}

/** A stream of frames, with what has become of them. */
export class Stream {
  sent = 0
  received = 0
  marked = 0
  /** Marks of the frames in the order of their arrival. */
  readonly marks: boolean[] = []
  readonly arrivalsPs: number[] = []
  /** By reason of the drop. */
  readonly lost = new Map<string, number>()
  nextPs: number
  readonly text: Required<StreamText>
  readonly gapPs: number
  constructor(text: StreamText, gapPs: number) {
    this.text = {
      trafficClass: 3,
      load: 0.5,
      sizeBytes: 1000,
      startPs: 0,
      stopPs: Infinity,
      frames: Infinity,
      ecn: NOT_ECT,
      ...text,
    }
    this.gapPs = gapPs
    this.nextPs = this.text.startPs
  }

  get lostFrames(): number {
    return [...this.lost.values()].reduce((sum, n) => sum + n, 0)
  }

  /** Frames received in a span of time. */
  receivedIn(fromPs: number, toPs: number): number {
    return this.arrivalsPs.filter((ps) => ps >= fromPs && ps < toPs).length
  }

  /** Frames that it offers in a span of time. */
  offeredIn(fromPs: number, toPs: number): number {
    return (toPs - fromPs) / this.gapPs
  }
}

export interface Event extends WatchdogRow {
  readonly ps: number
  readonly event: WatchdogEvent
}

export interface TesterText {
  /** Lines of the scenario besides its name, seed, topology and workload. */
  readonly text?: string
  readonly topology?: string
  readonly seed?: number
}

export interface StormText {
  readonly host: number
  readonly fromPs: number
  readonly toPs: number
  /** A bit per class. */
  readonly classes?: number
  /** Time between two pauses. */
  readonly intervalPs?: number
  /** Pause time; without it two and a half intervals. */
  readonly quanta?: number
}

export class Tester {
  readonly built: BuiltNetwork
  readonly events: Event[] = []
  readonly streams: Stream[] = []
  private reason = 0
  private readonly wakes: number[]

  constructor({
    text = '',
    topology = 'kind: star, hosts: 3, linkRate: 100Mbps, linkDelay: 1us',
    seed = 1,
  }: TesterText) {
    const scenario = parseScenario(`
name: conformance
seed: ${seed}
topology: {${topology}}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
${text}`)
    const nothing = (): void => {}
    const random = createRandomStreams(scenario.seed)
    this.built = buildNetwork(scenario, random, { onDelivered: nothing, onAcknowledged: nothing, onFailed: nothing })
    const { network } = this.built
    const mistakes = new Mistakes()
    layFaults(scenario, this.built, random, mistakes)
    mistakes.settle()
    network.fabric.watch = {
      onPfcReceived: nothing,
      onPauseChanged: nothing,
      onDrop: (_nowPs, _node, reason) => (this.reason = reason),
      onWatchdog: (ps, event, _rule, row) => this.events.push({ ...row, ps, event }),
    }
    network.fabric.losses = {
      onTimeout: nothing,
      onLoss: (packet) => {
        const { lost } = this.streams[INTS[packet | PSN]!]!
        const reason = DROP_REASONS[this.reason]!
        lost.set(reason, (lost.get(reason) ?? 0) + 1)
      },
    }
    this.wakes = network.nics.map((nic) => {
      this.takeOver(nic)
      return network.addActor({ onEvent: () => nic.port.kick() })
    })
    for (const port of network.ports) port.openStats()
    const changes = new Mistakes()
    scheduleChanges(scenario, this.built, new Traffic(scenario), changes)
    changes.settle()
    this.built.watchdogs.start()
  }

  get nowPs(): number {
    return this.built.network.fabric.queue.nowPs
  }
  get counters() {
    return this.built.network.fabric.counters
  }
  get hub(): Switch {
    return this.built.network.switches.find((at) => at !== null)!
  }
  /** The port of a host, and the switch's port towards it. */
  hostPort(host: number): Port {
    return this.built.network.nics[host]!.port
  }
  portTo(host: number): Port {
    return this.hostPort(host).peer
  }

  stream(text: StreamText): Stream {
    const { load = 0.5, sizeBytes = 1000, from } = text
    const stream = new Stream(text, Math.round(this.hostPort(from).transmitPs[sizeBytes]! / load))
    this.streams.push(stream)
    this.at(stream.text.startPs, () => this.hostPort(from).kick())
    return stream
  }

  at(timePs: number, act: (nowPs: number) => void): void {
    const { network } = this.built
    network.actAt(timePs, network.addActor({ onEvent: act }))
  }

  /** A host pauses classes again and again, and resumes them at the end. */
  storm({ host, fromPs, toPs, classes = 1 << 3, intervalPs = 1 * MS, quanta }: StormText): void {
    const { network } = this.built
    const port = this.hostPort(host)
    const lasting = quanta ?? Math.ceil((2.5 * intervalPs * port.rateBps) / 512e12)
    const actor = network.addActor({
      onEvent: (nowPs) => {
        port.sendPfc(classes, nowPs >= toPs ? 0 : lasting)
        if (nowPs < toPs) network.actAt(Math.min(toPs, nowPs + intervalPs), actor)
      },
    })
    network.actAt(fromPs, actor)
  }

  /** Runs up to a time, and checks the laws of packets and buffers there. */
  run(untilPs: number): this {
    this.built.network.advance(Infinity, untilPs)
    assertLaws({
      built: this.built,
      isLossless: false,
      traffic: null,
      causes: null,
      connections: [],
      foreign: null,
    })
    return this
  }

  eventsOf(host: number, event: WatchdogEvent): Event[] {
    return this.events.filter((row) => row.port === this.portTo(host).id && row.event === event)
  }

  /** The host's port sends the streams that start there, and counts what arrives. */
  private takeOver(nic: Nic): void {
    const { network } = this.built
    const { fabric } = network
    nic.nextPacket = () => {
      const { nowPs } = fabric.queue
      const { pausedMask } = nic.port
      let due: Stream | null = null
      for (const stream of this.streams) {
        const { text, nextPs } = stream
        if (text.from !== nic.position || stream.sent >= text.frames || nextPs >= text.stopPs) continue
        if ((pausedMask & (1 << text.trafficClass)) !== 0) continue
        if (due === null || nextPs < due.nextPs) due = stream
      }
      if (due === null) return -1
      if (due.nextPs > nowPs) {
        network.actAt(due.nextPs, this.wakes[nic.position]!)
        return -1
      }
      const { to, sizeBytes, trafficClass, ecn } = due.text
      const packet = fabric.makePacket(DATA, 0, to, sizeBytes, trafficClass)
      INTS[packet | PSN] = this.streams.indexOf(due)
      INTS[packet | ECN] = ecn
      due.sent++
      // Frames that a pause has held back are not caught up with.
      due.nextPs = Math.max(due.nextPs + due.gapPs, nowPs)
      return packet
    }
    nic.hasWaiting = () => true
    nic.receive = (packet) => {
      const stream = this.streams[INTS[packet | PSN]!]!
      const isMarked = INTS[packet | ECN] === CE
      stream.received++
      if (isMarked) stream.marked++
      stream.marks.push(isMarked)
      stream.arrivalsPs.push(this.nowPs)
      if (INTS[packet | CODEPOINT] !== stream.text.trafficClass) throw new Error('codepoint changed on the way')
      fabric.packets.free(packet)
    }
  }
}
