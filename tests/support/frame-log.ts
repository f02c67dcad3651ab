/**
 * Frame log: runs a scenario and records all arrivals at hosts, all losses and all PFC frames.
 * Times picoseconds.
 */
import { INTS } from '../../src/core/base/memory.ts'
import { createRandomStreams } from '../../src/core/base/random.ts'
import { layFaults } from '../../src/lab/run/faults/index.ts'
import { Mistakes } from '../../src/lab/network/mistakes.ts'
import { buildNetwork, type BuiltNetwork } from '../../src/lab/network/network-builder.ts'
import { Traffic } from '../../src/lab/run/traffic.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { HOP_RECORD, HOP_TIME, Hops } from '../../src/core/transport/hops.ts'
import { DATA } from '../../src/core/transport/segment.ts'
import { DROP_REASONS } from '../../src/core/fabric/counters.ts'
import { SOUND } from '../../src/core/fabric/link/fault.ts'
import { AT, DESTINATION, DIRECTION, KIND, PFC, PSN, SIZE } from '../../src/core/fabric/packets.ts'

export interface SeenArrival {
  readonly host: number
  /** Host that it comes from. */
  readonly from: number
  readonly psn: number
  readonly ps: number
  /** Times when the frame left each switch, by its telemetry. */
  readonly leftPs: readonly number[]
}

export interface SeenLoss {
  readonly node: number
  readonly reason: string
  readonly ps: number
}

export interface SeenPause {
  /** Node that received it. */
  readonly node: number
  readonly isPause: boolean
  readonly ps: number
}

export interface Seen {
  readonly built: BuiltNetwork
  /** Arrivals of data packets. */
  readonly arrivals: readonly SeenArrival[]
  readonly losses: readonly SeenLoss[]
  readonly pauses: readonly SeenPause[]
}

/** A pause that is put at a port by hand, of class 3. */
export interface GivenPause {
  readonly node: number
  readonly towards: number
  readonly quanta: number
}

/** Runs a scenario, given without its name, up to a time; a given pause holds from the start. */
export function watch(text: string, untilPs: number, pause?: GivenPause): Seen {
  const scenario = parseScenario(`name: watched\n${text}`)
  const random = createRandomStreams(scenario.seed)
  const traffic = new Traffic(scenario)
  const built = buildNetwork(scenario, random, traffic)
  const { network } = built
  const { fabric } = network
  const arrivals: SeenArrival[] = []
  const losses: SeenLoss[] = []
  const pauses: SeenPause[] = []
  network.nics.forEach(({ port }, host) => {
    port.fault = {
      verdict(packet) {
        if (INTS[packet | KIND] !== DATA) return SOUND
        const hops = new Hops()
        fabric.telemetry?.load(packet, hops)
        const leftPs = Array.from({ length: hops.count }, (_, i) => hops.values[i * HOP_RECORD + HOP_TIME]!)
        const from = network.sourceOf(INTS[packet | DIRECTION]!)
        arrivals.push({ host, from, psn: INTS[packet | PSN]!, ps: fabric.queue.nowPs, leftPs })
        return SOUND
      },
    }
  })
  layFaults(scenario, built, random, new Mistakes())
  fabric.watch = {
    onDrop: (ps, node, reason) => losses.push({ node, reason: DROP_REASONS[reason]!, ps }),
    onPauseChanged: () => {},
    onPfcReceived: (ps, port, _vector, isPause) => pauses.push({ node: network.nodeOf(port), isPause, ps }),
  }
  traffic.start(built, random, new Mistakes())
  if (pause !== undefined) pausePort(built, pause)
  network.advance(Infinity, untilPs)
  return { built, arrivals, losses, pauses }
}

function pausePort({ network }: BuiltNetwork, { node, towards, quanta }: GivenPause): void {
  const port = network.ports.find((one) => one.node === node && one.peer.node === towards)!
  const { packets } = network.fabric
  const packet = packets.alloc()
  INTS[packet | KIND] = PFC
  INTS[packet | SIZE] = 64
  INTS[packet | AT] = port.id
  INTS[packet | DIRECTION] = 1 << 3
  INTS[packet | DESTINATION] = quanta
  port.onPfc(packet)
}
