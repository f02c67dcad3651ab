/**
 * Devices: the switches and hosts of a network as a collector sees them, each with its ports and its counters.
 */
import type { Network } from '../../../core/fabric/network.ts'
import type { Port } from '../../../core/fabric/link/port.ts'
import type { Buffer } from '../../../core/fabric/buffer/buffer.ts'
import type { WatchedBuffer } from '../../../core/fabric/buffer/watched.ts'
import type { DeviceNames } from '../../../core/base/device-names.ts'
import { ALL_PRIORITIES } from '../../../core/device-model/index.ts'
import { CLASSES } from '../pauses/classes.ts'
import * as pairs from './pair-counts.ts'
import * as ports from './port-counts.ts'

/** A switch, or a host with all its ports. */
export interface CountedDevice {
  readonly name: string
  /** Position of a host; -1: a switch. */
  readonly host: number
  readonly ports: readonly CountedPort[]
  /** A host that is down answers nobody. */
  isDown(): boolean
}

export interface CountedPort {
  readonly name: string
  readonly port: Port
}

/** Visits one value: '' as a port's name means the whole device. */
export type Visit = (port: string, priority: number, name: string, value: number) => void

export function devicesOf(network: Network, topology: DeviceNames): CountedDevice[] {
  const byHost: CountedPort[][] = Array.from({ length: network.hostCount }, () => [])
  network.nics.forEach(({ port }, endpoint) => {
    const own = byHost[network.hostOf[endpoint]!]!
    own.push({ name: String(own.length + 1), port })
  })
  const switches = network.switches.flatMap((at, node): CountedDevice[] => {
    if (at === null) return []
    const own = at.ports.filter((port) => port !== undefined).map((port) => ({ name: String(port.index), port }))
    return [{ name: topology.names[node]!, host: -1, ports: own, isDown: () => own.every(({ port }) => !port.isUp) }]
  })
  const hosts = byHost.map((own, host): CountedDevice => {
    const nics = network.nics.filter((_, endpoint) => network.hostOf[endpoint] === host)
    const name = own.length === 1 ? topology.names[own[0]!.port.node]! : `host ${host}`
    return { name, host, ports: own, isDown: () => nics.every((nic) => nic.isDown) }
  })
  return [...switches, ...hosts]
}

/** A value of a port and class. */
type ClassValue = (reader: Reader, port: Port, trafficClass: number) => number
type PortValue = (reader: Reader, port: Port) => number

const PS_PER_US = 1e6
const tabled =
  (tableOf: (counts: ports.PortCounts) => Float64Array): ClassValue =>
  ({ portCounts }, { id }, c) =>
    tableOf(portCounts)[id * CLASSES + c]!
const portCount =
  (field: number): PortValue =>
  ({ portCounts }, { id }) =>
    portCounts.ofPort(id, field)

const OF_CLASS: readonly (readonly [string, ClassValue])[] = [
  ['rxBytes', ({ portCounts }, { id }, c) => portCounts.received(id, c, 'bytes')],
  ['txBytes', tabled(({ sent }) => sent.bytes)],
  ['rxPackets', ({ portCounts }, { id }, c) => portCounts.received(id, c, 'packets')],
  ['txPackets', tabled(({ sent }) => sent.packets)],
  ['pfcRxFrames', (_, port, c) => port.openStats().pfcRxPackets[c]!],
  ['pfcTxFrames', (_, port, c) => port.openStats().pfcTx[c]!],
  ['pauseRxUs', ({ nowPs }, port, c) => Math.floor(port.openStats().pausedPs(nowPs, c) / PS_PER_US)],
  ['pauseTxUs', ({ nowPs }, port, c) => Math.floor(port.openStats().holdsPs(nowPs, c) / PS_PER_US)],
  ['pauseRxTransitions', (_, port, c) => port.openStats().on2off[c]!],
  ['dropIn', tabled(({ dropIn }) => dropIn)],
]
const OF_SWITCH_CLASS: typeof OF_CLASS = [
  ['dropOut', tabled(({ dropOut }) => dropOut)],
  ['ecnMarked', (_, port, c) => port.openStats().ecnMarked[c]!],
  ['wdStorms', tabled(({ storms }) => storms)],
  ['wdRestores', tabled(({ restores }) => restores)],
]
const WATERMARKS = ['sharedMax', 'headroomMax', 'queueMax'] as const
const OF_PORT: readonly (readonly [string, PortValue])[] = [
  ['rateBps', (_, { rateBps }) => rateBps],
  ['crcErrors', portCount(ports.CRC_ERRORS)],
  ['dropInPort', portCount(ports.DROP_IN_PORT)],
  ['linkDowns', portCount(ports.LINK_DOWNS)],
]
const receiveOf = ({ network }: Reader, { nic }: Port): Network['receives'][number] => network.receives[nic!.position]
const OF_HOST_PORT: typeof OF_PORT = [
  ['rxBufferHigh', (reader, port) => receiveOf(reader, port)?.counts.pauses ?? 0],
  ['stormCutOff', (reader, port) => ((receiveOf(reader, port)?.counts.gaveUpPs ?? -1) < 0 ? 0 : 1)],
]
/** Counters of a host: sums over its ports, or over its queue pairs. */
const OF_HOST_PORTS: readonly (readonly [string, number])[] = [
  ['ecnSeen', ports.ECN_SEEN],
  ['cnpSent', ports.CNP_SENT],
  ['cnpHandled', ports.CNP_RECEIVED],
  ['seqNaks', ports.NAKS_RECEIVED],
  ['rnrNaks', ports.RNR_NAKS_RECEIVED],
]
const OF_HOST_PAIRS: readonly (readonly [string, number])[] = [
  ['outOfSequence', pairs.OUT_OF_SEQUENCE],
  ['ackTimeouts', pairs.TIMEOUTS],
  ['retransPackets', pairs.RETRANSMISSIONS],
  ['adaptiveRetries', pairs.ADAPTIVE_TIMEOUTS],
  ['slowRestarts', pairs.LOSS_CUTS],
  ['duplicates', pairs.DUPLICATES],
  ['outOfBuffer', pairs.NO_WQE],
  ['retryExceeded', pairs.FAILED],
]

/** Reads devices as they are now. */
export class Reader {
  readonly network: Network
  readonly portCounts: ports.PortCounts
  readonly pairCounts: pairs.PairCounts
  nowPs = 0
  /** Classes that have been used anywhere, or that PFC protects somewhere. */
  #classes = 0

  constructor(network: Network) {
    this.network = network
    this.portCounts = new ports.PortCounts(network)
    this.pairCounts = new pairs.PairCounts(network)
  }

  /** Has all that follows read as of now. */
  begin(nowPs: number): void {
    this.nowPs = nowPs
    this.pairCounts.read()
    this.portCounts.read()
    for (const port of this.network.ports) {
      this.#classes |= port.lossless
      for (let c = 0; c < CLASSES; c++)
        if (this.portCounts.sent.packets[port.id * CLASSES + c]! > 0) this.#classes |= 1 << c
    }
  }

  /** Every value of a device. @param clears watermarks begin anew, as the reading that clears them does */
  read(device: CountedDevice, clears: boolean, visit: Visit): void {
    const isHost = device.host >= 0
    for (const { name, port } of device.ports) {
      for (const [counter, value] of OF_PORT) visit(name, ALL_PRIORITIES, counter, value(this, port))
      if (isHost) for (const [counter, value] of OF_HOST_PORT) visit(name, ALL_PRIORITIES, counter, value(this, port))
      for (let c = 0; c < CLASSES; c++) if ((this.#classes & (1 << c)) !== 0) this.#readClass(name, port, c, visit)
    }
    if (isHost) this.#readHost(device, visit)
    else if (clears) collect(this.#bufferOf(device.ports[0]!.port))
  }

  #readClass(name: string, port: Port, c: number, visit: Visit): void {
    for (const [counter, value] of OF_CLASS) visit(name, c, counter, value(this, port, c))
    if (port.at === null) return
    for (const [counter, value] of OF_SWITCH_CLASS) visit(name, c, counter, value(this, port, c))
    const buffer = this.#bufferOf(port)
    if (!isWatched(buffer)) return
    const at = (port.index << 3) | c
    const peaks = [buffer.sharedPeak[at]!, buffer.headroomPeak[at]!, buffer.queuePeak[at]!]
    WATERMARKS.forEach((counter, i) => visit(name, c, counter, peaks[i]!))
  }

  #readHost({ host, ports: own }: CountedDevice, visit: Visit): void {
    for (const [counter, field] of OF_HOST_PORTS) {
      let sum = 0
      for (const { port } of own) sum += this.portCounts.ofPort(port.id, field)
      // A NIC with slow restart makes CNPs of its losses.
      if (counter === 'cnpHandled') sum += this.pairCounts.of(host, pairs.LOSS_CUTS)
      visit('', ALL_PRIORITIES, counter, sum)
    }
    for (const [counter, field] of OF_HOST_PAIRS) visit('', ALL_PRIORITIES, counter, this.pairCounts.of(host, field))
  }

  #bufferOf(port: Port): Buffer {
    return this.network.switches[port.node]!.buffer
  }
}

function isWatched(buffer: Buffer): buffer is WatchedBuffer {
  return 'queuePeak' in buffer
}

function collect(buffer: Buffer): void {
  if (isWatched(buffer)) buffer.collect()
}
