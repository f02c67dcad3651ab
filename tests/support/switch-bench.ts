/**
 * Test bench: a real network of one switch, built as the lab builds it, into which tests put packets by hand.
 * Hosts record and discard the packets that arrive. Times picoseconds.
 */
import { INTS } from '../../src/core/base/memory.ts'
import { createRandomStreams } from '../../src/core/base/random.ts'
import { buildNetwork, type BuiltNetwork } from '../../src/lab/network/network-builder.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { DATA, NOT_ECT } from '../../src/core/transport/segment.ts'
import { DROP_LOSS } from '../../src/core/fabric/counters.ts'
import { SOUND } from '../../src/core/fabric/link/fault.ts'
import { AT, CODEPOINT, DESTINATION, ECN, DIRECTION, KIND, PFC, SIZE } from '../../src/core/fabric/packets.ts'
import type { Port } from '../../src/core/fabric/link/port.ts'
import type { Switch } from '../../src/core/fabric/switch/switch.ts'

export interface Given {
  readonly to: number
  readonly sizeBytes?: number
  readonly codepoint?: number
  readonly ecn?: number
  readonly kind?: number
}

export interface Arrival {
  readonly ps: number
  readonly host: number
  readonly kind: number
  readonly codepoint: number
  readonly ecn: number
  readonly sizeBytes: number
  /** PFC only: quanta, and a bit for each of their classes. */
  readonly quanta: number
  readonly classes: number
}

export class Bench {
  readonly built: BuiltNetwork
  readonly arrivals: Arrival[] = []
  readonly hub: Switch

  /**
   * @param text lines of the scenario besides its name, its topology (a star) and its workload.
   * @param link its topology without the number of hosts; of a graph, the first switch is the hub and has the first hosts.
   */
  constructor(hosts: number, text: string, link = '{kind: star, linkRate: 40Gbps, linkDelay: 2us') {
    const scenario = parseScenario(`
name: bench
topology: ${link}${link.includes('kind: graph') ? '' : `, hosts: ${hosts}`}}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
${text}`)
    const nothing = (): void => {}
    const sink = { onDelivered: nothing, onAcknowledged: nothing, onFailed: nothing }
    this.built = buildNetwork(scenario, createRandomStreams(1), sink)
    this.hub = this.built.network.switches.find((at) => at !== null)!
    this.built.network.nics.forEach(({ port }, host) => {
      port.fault = {
        verdict: (packet) => {
          const kind = INTS[packet | KIND]!
          this.arrivals.push({
            ps: this.nowPs,
            host,
            kind,
            codepoint: INTS[packet | CODEPOINT]!,
            ecn: INTS[packet | ECN]!,
            sizeBytes: INTS[packet | SIZE]!,
            quanta: kind === PFC ? INTS[packet | DESTINATION]! : 0,
            classes: kind === PFC ? INTS[packet | DIRECTION]! : 0,
          })
          return kind === PFC ? SOUND : DROP_LOSS
        },
      }
    })
    this.built.network.recordTargets()
  }

  get nowPs(): number {
    return this.built.network.fabric.queue.nowPs
  }
  get counters() {
    return this.built.network.fabric.counters
  }
  /** The switch's port towards a host. */
  portTo(host: number): Port {
    return this.hub.ports[host + 1]!
  }

  /** Does something at a time. */
  at(timePs: number, act: () => void): void {
    const { network } = this.built
    network.actAt(timePs, network.addActor({ onEvent: act }))
  }

  run(untilPs = Infinity): this {
    this.built.network.advance(Infinity, untilPs)
    return this
  }

  /** A packet from a host has arrived at the switch now. */
  arriveFrom(host: number, given: Given): void {
    const { packets } = this.built.network.fabric
    const packet = packets.alloc()
    INTS[packet | KIND] = given.kind ?? DATA
    INTS[packet | SIZE] = given.sizeBytes ?? 1086
    INTS[packet | CODEPOINT] = given.codepoint ?? 3
    INTS[packet | ECN] = given.ecn ?? NOT_ECT
    INTS[packet | DESTINATION] = given.to
    INTS[packet | DIRECTION] = 0
    INTS[packet | AT] = this.portTo(host).id
    this.hub.receive(packet, this.portTo(host).index)
  }

  /** A PFC frame has arrived at a port now, which obeys pauses of its classes, whatever the scenario's `pfc.classes`. */
  pauseArrives(port: Port, classVector: number, quanta: number): void {
    const { devices, values } = this.built
    const rules = devices.pfc(values.ofPort(port.node, port.index))
    port.usePfc({ ...rules, lossless: port.lossless | classVector })
    const { packets } = this.built.network.fabric
    const packet = packets.alloc()
    INTS[packet | KIND] = PFC
    INTS[packet | SIZE] = 64
    INTS[packet | AT] = port.id
    INTS[packet | DIRECTION] = classVector
    INTS[packet | DESTINATION] = quanta
    port.onPfc(packet)
  }

  /** Frames on the link to a host, by the start of their transmission. */
  startsTo(host: number, codepoint = 3): number[] {
    const port = this.portTo(host)
    return this.arrivals
      .filter((arrival) => arrival.host === host && arrival.kind !== PFC && arrival.codepoint === codepoint)
      .map(({ ps }) => ps - port.delayPs - port.transmitPs[1086]!)
  }

  /** PFC frames received by a host: "pause" and "resume". */
  pfcAt(host: number): string[] {
    return this.arrivals
      .filter((arrival) => arrival.host === host && arrival.kind === PFC)
      .map(({ quanta }) => (quanta > 0 ? 'pause' : 'resume'))
  }
}

/** Switch of the IRN paper: 240 KB per input port. */
export const INPUT_QUEUED = 'switch: {buffer: {kind: input-queued}}'
