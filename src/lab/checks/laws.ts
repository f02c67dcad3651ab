/**
 * Laws: what must hold at any instant of any run, recomputed from scratch.
 * Packets made = freed + held somewhere; trimmed packets were received, dropped, or are in flight, and their missing
 * bytes add up; buffer charges = bytes in queues; pauses in force = pauses that somebody has sent; every message byte is delivered once; no lossless packet is dropped
 * for lack of buffer where the headroom is enough; no host takes a frame of another; every timeout has one cause; verbs queue pairs complete a request
 * once, after the other end has executed it.
 */
import { idName } from '../../core/base/device-names.ts'
import { BrokenLaw } from '../../core/base/assert.ts'
import { INTS } from '../../core/base/memory.ts'
import type { Fabric } from '../../core/fabric/fabric.ts'
import { TRIMMED_BYTES, KIND } from '../../core/fabric/packets.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import { TRIMMED } from '../../core/transport/segment.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import type { ForeignFrames } from './foreign-frames.ts'
import type { TimeoutCauses } from './timeout-causes.ts'
import type { Traffic } from '../run/traffic.ts'
import { brokenConnectionLaws, type VerbsConnection } from '../run/verbs-connection.ts'

/** The parts of a network that laws are checked on. */
export interface Lawful {
  readonly built: BuiltNetwork
  /** The headroom is enough, so that nothing lossless may be dropped. */
  readonly isLossless: boolean
  /** A scenario's messages; null: there are none. */
  readonly traffic: Traffic | null
  /** Causes of the messages' timeouts; null: they are not counted. */
  readonly causes: TimeoutCauses | null
  readonly connections: readonly VerbsConnection[]
  /** null: frames at hosts are not watched. */
  readonly foreign: ForeignFrames | null
}

/** Throws a Bug that names every broken law. */
export function assertLaws({ built, isLossless, traffic, causes, connections, foreign }: Lawful): void {
  const broken = [
    ...brokenNetworkLaws(built, isLossless),
    ...(traffic === null ? [] : brokenMessageLaws(built, traffic)),
    ...(causes === null ? [] : brokenCauseLaws(built, causes)),
    ...(foreign === null ? [] : foreign.broken()),
    ...[...connections, ...(traffic === null ? [] : traffic.connections)].flatMap(brokenConnectionLaws),
  ]
  expectNone(broken, built)
}

/** Throws a Bug for a queue pair that breaks a law when it is released. */
export function assertPairLaws(pair: QueuePair, traffic: Traffic, built: BuiltNetwork): void {
  expectNone(brokenPairLaws(pair, traffic), built)
}

function expectNone(broken: readonly string[], { network }: BuiltNetwork): void {
  if (broken.length === 0) return
  const { nowPs } = network.fabric.queue
  throw new BrokenLaw(nowPs, network.events, broken)
}

/** Laws of packets and buffers, whoever sent the packets. */
function brokenNetworkLaws({ network }: BuiltNetwork, isLossless: boolean): string[] {
  const { fabric } = network
  const broken: string[] = []

  let held = fabric.inPipeline
  let sentFrames = 0
  for (const port of network.ports) {
    sentFrames += port.sentFrames
    held += port.waitingPfc
  }
  for (const nic of network.nics) held += nic.waitingControl
  network.receives.forEach((receive, endpoint) => {
    if (receive === undefined) return
    held += receive.packetsHeld
    for (const wrong of receive.audit()) broken.push(`NIC ${endpoint}: ${wrong}`)
  })
  const onWire = sentFrames - fabric.counters.packetHops
  if (onWire < 0) broken.push(`${-onWire} packets arrived that were never sent`)
  held += onWire
  for (const at of network.switches) {
    if (at === null) continue
    // Copies of a flooded packet are stored once.
    let bytes = at.pipelineBytes + at.heldBytes - at.duplicateBytes
    for (const port of at.ports) {
      if (port === undefined) continue
      const { queue } = port
      held += queue.packetCount
      for (let c = 0; c < 8; c++) bytes += queue.bytesOf(c)
    }
    if (bytes !== at.buffer.usedBytes)
      broken.push(`${idName(at.node)}: ${at.buffer.usedBytes} bytes charged, ${bytes} stored`)
    for (const wrong of at.buffer.audit()) broken.push(`${idName(at.node)}: ${wrong}`)
    const pausing = at.ports.reduce((sum, port) => sum + (port === undefined ? 0 : bitsOf(port.xoffSent)), 0)
    if (pausing !== at.xoffCount) broken.push(`${idName(at.node)}: ${at.xoffCount} pauses counted, ${pausing} in force`)
  }
  broken.push(...brokenPauseLaws(network))
  if (fabric.packets.alive !== held)
    broken.push(`${fabric.packets.made} packets made, ${fabric.packets.freed} freed, but ${held} held`)
  if (isLossless && fabric.counters.losslessDrops > 0)
    broken.push(`${fabric.counters.losslessDrops} lossless packets dropped although the headroom is enough`)
  if (fabric.counters.trimmed > 0) broken.push(...brokenTrimmingLaws(fabric))
  return broken
}

/**
 * Laws of pauses: a port pauses its peer in lossless classes only; and with nothing in flight, a pause that does not end by
 * itself is one that the peer knows of. Pauses are lost with their link, and are sent by hand in a storm.
 */
function brokenPauseLaws({ ports, fabric, receives }: BuiltNetwork['network']): string[] {
  const broken: string[] = []
  for (const port of ports) {
    const { peer } = port
    const wrong = port.xoffSent & ~port.lossless
    if (wrong !== 0) broken.push(`port ${port.index} of ${idName(port.node)}: pauses lossy classes ${wrong}`)
    const isSound =
      port.fault === null && port.cutPs < 0 && (peer.nic === null || receives[peer.nic.position] === undefined)
    const unknown = isSound && fabric.packets.alive === 0 ? port.endlessPauses & ~peer.xoffSent : 0
    if (unknown !== 0)
      broken.push(`port ${port.index} of ${idName(port.node)}: classes ${unknown} are paused by nobody`)
  }
  return broken
}

function bitsOf(mask: number): number {
  let count = 0
  for (let bits = mask; bits !== 0; bits &= bits - 1) count++
  return count
}

/** Laws of trimmed packets. */
function brokenTrimmingLaws({ counters, packets }: Fabric): string[] {
  const broken: string[] = []
  const inFlight = packets.living().filter((packet) => INTS[packet | KIND] === TRIMMED)
  const ended = counters.trimmed - inFlight.length
  if (counters.trimmedEnded !== ended)
    broken.push(`${counters.trimmed} packets trimmed, ${inFlight.length} in flight, but ${counters.trimmedEnded} ended`)
  const bytes = inFlight.reduce((sum, packet) => sum + INTS[packet | TRIMMED_BYTES]!, counters.trimmedBytesEnded)
  if (counters.trimmedBytes !== bytes)
    broken.push(`${counters.trimmedBytes} bytes cut off, ${bytes} are missing in packets`)
  return broken
}

/** Laws of the scenario's own queue pairs. */
function brokenMessageLaws({ network }: BuiltNetwork, traffic: Traffic): string[] {
  const { fabric } = network
  const broken: string[] = []
  const cnmsReceived = network.pairs.released.cnms + network.pairs.sum(({ sender }) => sender.cnms)
  for (const pair of network.pairs) if (traffic.knows(pair)) broken.push(...brokenPairLaws(pair, traffic))
  if (cnmsReceived > fabric.counters.cnms)
    broken.push(`${cnmsReceived} messages of switches received, ${fabric.counters.cnms} sent`)
  return broken
}

/** Laws of one queue pair of the scenario. */
function brokenPairLaws(pair: QueuePair, traffic: Traffic): string[] {
  const broken: string[] = []
  const { receiver, sender } = pair
  const due = traffic.below(pair, receiver.expectedPsn)
  // Beyond the packet expected there may be more, where packets are taken out of order.
  const most = receiver.isReordering ? traffic.below(pair, sender.highest).bytes : due.bytes
  if (receiver.delivered.bytes < due.bytes || receiver.delivered.bytes > most)
    broken.push(
      `QP ${pair.id}: ${receiver.delivered.bytes} bytes delivered, ${due.bytes} below PSN ${receiver.expectedPsn}`,
    )
  if (receiver.deliveredMessages !== due.messages)
    broken.push(`QP ${pair.id}: ${receiver.deliveredMessages} messages delivered, ${due.messages} whole`)
  if (sender.nxt > sender.end || sender.una > sender.end)
    broken.push(`QP ${pair.id}: una ${sender.una}, nxt ${sender.nxt}, end ${sender.end}`)
  if (receiver.expectedPsn > sender.end)
    broken.push(`QP ${pair.id}: receiver expects ${receiver.expectedPsn}, only ${sender.end} posted`)
  if (pair.messagesAcknowledged > receiver.deliveredMessages)
    broken.push(
      `QP ${pair.id}: ${pair.messagesAcknowledged} messages acknowledged, ${receiver.deliveredMessages} delivered`,
    )
  return broken
}

function brokenCauseLaws({ network }: BuiltNetwork, { counts }: TimeoutCauses): string[] {
  const { pairs } = network
  const timeouts = pairs.released.timeouts + pairs.sum(({ sender, receiver }) => sender.timeouts + receiver.timeouts)
  const explained = counts.reduce((sum, count) => sum + count, 0)
  return timeouts === explained ? [] : [`${timeouts} timeouts, ${explained} with a cause`]
}
