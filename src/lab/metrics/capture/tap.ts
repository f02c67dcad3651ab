/**
 * Tap: sees the frames that start and arrive at ports, and follows them through the device behind the port, so that a frame
 * is distinguished from the same frame before it was marked, trimmed or dropped. It changes nothing.
 * Arrivals are seen at every port of a device with a captured port, and at the other end of captured links.
 * Once the log is full, frames are counted, and only those of the log are followed to their end.
 */
import type { DevicePort } from '../../../core/fabric/link/device.ts'
import type { Port } from '../../../core/fabric/link/port.ts'
import type { Network } from '../../../core/fabric/network.ts'
import type { LocatedPort } from '../port-selector.ts'
import type { FrameLog } from './frame-log.ts'
import type { PacketFrames } from '../packet-frames.ts'

/** In place of the number of a frame: it is not captured. */
const NONE = -1

interface TapOptions {
  readonly network: Network
  readonly packets: PacketFrames
  readonly ports: readonly LocatedPort[]
  readonly log: FrameLog
  /** Frames are captured whose first bit is at the port from then on, and before `toPs`. */
  readonly fromPs: number
  readonly toPs: number
  /** Words for a reason of drops. */
  reasonOf(reason: number): string
}

/** A packet inside a device, as it came in. */
interface Inside {
  readonly node: number
  readonly mark: number
  readonly isMarked: boolean
  readonly isTrimmed: boolean
  /** Number of its frame at the port it came in by; NONE: not captured. */
  readonly frame: number
}

/** A frame that left by a captured port and has not arrived yet. */
interface Leaving {
  readonly mark: number
  readonly to: number
  readonly frame: number
}

export class Tap {
  readonly #options: TapOptions
  /** By port: index among the captured ports. */
  readonly #indexOf = new Map<number, number>()
  readonly #nodes: ReadonlySet<number>
  /** By key of the packet. */
  readonly #inside = new Map<number, Inside>()
  readonly #leaving = new Map<number, Leaving>()

  constructor(options: TapOptions) {
    this.#options = options
    const { network, ports } = options
    ports.forEach(({ port }, i) => this.#indexOf.set(port.id, i))
    this.#nodes = new Set(ports.map(({ node }) => node))
    const own = network.ports.filter(({ node }) => this.#nodes.has(node))
    const others = ports.map(({ port }) => port.peer).filter(({ node }) => !this.#nodes.has(node))
    const intake = {
      takes: (packet: number, port: DevicePort): boolean => {
        this.#onArrival(packet, port)
        return false
      },
    }
    for (const port of new Set<Port>([...own, ...others])) port.addIntake(intake, true)
    network.recordTargets()
    const watch = {
      onStart: (nowPs: number, port: number, packet: number): void => this.#onStart(nowPs, port, packet),
    }
    for (const { id } of own) network.fabric.transmitter.watch(id, watch)
  }

  onDrop(nowPs: number, node: number, reason: number, packet: number): void {
    const { packets, network, log } = this.#options
    if (log.isFull && this.#inside.size + this.#leaving.size === 0 && reason !== packets.damageReason) return
    const key = packets.keyOf(packet)
    const mark = packets.markOf(packet)
    const why = this.#options.reasonOf(reason)
    const inside = this.#inside.get(key)
    if (inside !== undefined && inside.node === node && inside.mark === mark) {
      this.#inside.delete(key)
      if (inside.frame !== NONE) log.frames.comment(inside.frame, `dropped here: ${why}`)
      return
    }
    const at = packets.arrivalPort(packet)
    const leaving = this.#leaving.get(key)
    if (leaving !== undefined && leaving.mark === mark && leaving.to === at && network.nodeOf(at) === node) {
      this.#leaving.delete(key)
      log.frames.comment(leaving.frame, `lost on the link: ${why}`)
    }
    // A frame that is damaged on the link arrives, and its port drops it; a switch that cuts through may do so later.
    if (reason !== packets.damageReason || network.nodeOf(at) !== node || network.fabric.cutThrough !== null) return
    const port = network.ports[at]!
    const frame = this.#capture(nowPs - port.transmitPs[packets.sizeOf(packet)]!, packet, port, 'in')
    if (frame === NONE) return
    log.frames.damage(frame)
    log.frames.comment(frame, `dropped here: ${why}`)
  }

  #onArrival(packet: number, { id, node }: DevicePort): void {
    const { packets, network } = this.#options
    const isFull = this.#options.log.isFull
    const isFollowed = !isFull || this.#leaving.size + this.#inside.size > 0
    const key = isFollowed ? packets.keyOf(packet) : -1
    if (isFollowed) this.#leaving.delete(key)
    if (!this.#nodes.has(node)) return
    const { fabric } = network
    const port = network.ports[id]!
    const restPs = fabric.cutThrough?.leadPs(packet, port) ?? 0
    const firstPs = fabric.queue.nowPs + restPs - port.transmitPs[packets.sizeOf(packet)]!
    const frame = this.#capture(firstPs, packet, port, 'in')
    // A PFC frame ends at its port.
    if (packets.isPfc(packet)) return
    if (isFull) {
      // The packet of an earlier frame with this key has gone.
      if (isFollowed) this.#inside.delete(key)
      return
    }
    const isMarked = packets.isMarked(packet)
    const isTrimmed = packets.isTrimmed(packet)
    this.#inside.set(key, { node, mark: packets.markOf(packet), isMarked, isTrimmed, frame })
  }

  #onStart(nowPs: number, id: number, packet: number): void {
    const { packets, network, log } = this.#options
    const port = network.ports[id]!
    const frame = this.#capture(nowPs, packet, port, 'out')
    if (packets.isPfc(packet)) return
    if (frame === NONE && this.#inside.size === 0) return
    const key = packets.keyOf(packet)
    const mark = packets.markOf(packet)
    const inside = this.#inside.get(key)
    this.#inside.delete(key)
    if (frame === NONE) return
    this.#leaving.set(key, { mark, to: port.peer.id, frame })
    if (inside === undefined || inside.node !== port.node || inside.mark !== mark) return
    if (!inside.isMarked && packets.isMarked(packet)) log.frames.comment(frame, 'ECN-marked here')
    if (!inside.isTrimmed && packets.isTrimmed(packet)) log.frames.comment(frame, 'trimmed here')
  }

  /** Number of the frame; NONE: the port is not captured, or not at this time, or the log is full. */
  #capture(timePs: number, packet: number, port: Port, direction: 'in' | 'out'): number {
    const { packets, log, fromPs, toPs } = this.#options
    const index = this.#indexOf.get(port.id)
    if (index === undefined || timePs < fromPs || timePs >= toPs || !log.hasRoom(index)) return NONE
    const [from, to] = direction === 'in' ? [port.peer, port] : [port, port.peer]
    return log.frames.add(packets.encode(packet, from.id, to.id), index, timePs, direction, packets.sizeOf(packet))
  }
}
