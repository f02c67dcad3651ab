/**
 * Vocabulary of the conformance suite: one switch under test, as sonic-mgmt's QoS tests see it. Packets arrive at its ports
 * by hand, whether they are paused or not, as those of a traffic generator; counters and watermarks are read.
 * Sizes in cells of 208 bytes and packets of 64, one cell each, as on Tomahawk 2 (sonic-mgmt qos_params.th2). Times are
 * those of links of 100 Gb/s.
 */
import { assert } from '../../src/core/base/assert.ts'
import { US } from '../../src/core/base/params.ts'
import { WatchedBuffer } from '../../src/core/fabric/buffer/watched.ts'
import { Scheduler } from '../../src/core/fabric/link/scheduler.ts'
import { PFC } from '../../src/core/fabric/packets.ts'
import { Bench, type Given } from '../support/switch-bench.ts'

export const CELL = 208
export const PACKET_BYTES = 64
/** Tolerance of sonic-mgmt's thresholds, packets. */
export const MARGIN = 2

/** SONiC's default maps. Source: qos_config.j2, AZURE. */
export const AZURE_DSCP: readonly number[] = Array.from({ length: 64 }, (_, dscp) => {
  const named: Readonly<Record<number, number>> = { 3: 3, 4: 4, 5: 2, 8: 0, 46: 5, 48: 6 }
  return named[dscp] ?? 1
})
export const AZURE_GROUPS: readonly number[] = [0, 0, 0, 3, 4, 0, 0, 7]

export interface Setup {
  readonly hosts?: number
  /** Fields of the memory manager. */
  readonly buffer?: string
  /** Fields of `switch` beside its buffer. */
  readonly at?: string
  /** Further lines. */
  readonly more?: string
  /** 40 m: 200 ns; 300 m: 1500 ns. */
  readonly delay?: string
  readonly classes?: string
}

export class Device {
  readonly bench: Bench
  readonly buffer: WatchedBuffer

  constructor({ hosts = 4, buffer = '', at = '', more = '', delay = '200ns', classes }: Setup = {}) {
    const map = AZURE_DSCP.map((c, dscp) => `"${dscp}: ${c}"`).join(', ')
    const text = `
switch: {buffer: {kind: memory-manager, groups: [${AZURE_GROUPS.join(', ')}]${buffer === '' ? '' : `, ${buffer}`}}${at === '' ? '' : `, ${at}`}}
pfc: {classes: [3, 4], expiry: false}
classes: ${classes ?? `{dscpMap: [${map}]}`}
observe: [{kind: watermarks}]
${more}`
    this.bench = new Bench(hosts, text, `{kind: star, linkRate: 100Gbps, linkDelay: ${delay}`)
    const own = this.bench.hub.buffer
    assert(own instanceof WatchedBuffer, 'the switch under test is watched')
    this.buffer = own
  }

  /** Packets arrive at the switch now. */
  send(from: number, to: number, packets: number, given: Partial<Given> = {}): this {
    for (let i = 0; i < packets; i++)
      this.bench.arriveFrom(from, { sizeBytes: PACKET_BYTES, codepoint: 3, to, ...given })
    return this
  }

  /** Stops the lossless queues towards a host. */
  hold(host: number): this {
    this.bench.pauseArrives(this.bench.portTo(host), 0xff, 65_535)
    return this.settle()
  }

  /** Keeps the port towards a host busy with one long frame, so that queues of all classes wait behind it. */
  block(host: number, from = 0): this {
    return this.send(from, host, 1, { sizeBytes: 1086, codepoint: 0 })
  }

  /** Lets the lossless queues towards a host go on. */
  free(host: number): this {
    this.bench.pauseArrives(this.bench.portTo(host), 0xff, 0)
    return this
  }

  /** Time passes, until pauses sent now have arrived. */
  settle(us = 5): this {
    this.bench.run(this.bench.nowPs + us * US)
    return this
  }

  /** Pause frames that a host has received for a class. */
  pauses(host: number, trafficClass: number): number {
    return this.frames(host, trafficClass).filter((kind) => kind === 'pause').length
  }

  /** PFC frames that a host has received for a class, in turn. */
  frames(host: number, trafficClass: number): string[] {
    return this.bench.arrivals
      .filter((a) => a.host === host && a.kind === PFC && (a.classes & (1 << trafficClass)) !== 0)
      .map(({ quanta }) => (quanta > 0 ? 'pause' : 'resume'))
  }

  /** Packets of a class from a host for which its priority group had no room. */
  ingressDrops(host: number, trafficClass: number): number {
    return this.buffer.ingressDrops[this.indexOf(host, trafficClass)]!
  }

  egressDrops(host: number, trafficClass: number): number {
    return this.buffer.egressDrops[this.indexOf(host, trafficClass)]!
  }

  /** Drops of all priority groups, and of all queues. */
  get drops(): { readonly ingress: number; readonly egress: number } {
    const sum = (table: Float64Array): number => table.reduce((all, packets) => all + packets, 0)
    return { ingress: sum(this.buffer.ingressDrops), egress: sum(this.buffer.egressDrops) }
  }

  /** Watermarks in cells. */
  sharedPeak(host: number, trafficClass: number): number {
    return this.buffer.sharedPeak[this.indexOf(host, trafficClass)]! / CELL
  }

  headroomPeak(host: number, trafficClass: number): number {
    return this.buffer.headroomPeak[this.indexOf(host, trafficClass)]! / CELL
  }

  queuePeak(host: number, trafficClass: number): number {
    return this.buffer.queuePeak[this.indexOf(host, trafficClass)]! / CELL
  }

  poolPeak(pool: string): number {
    return this.buffer.poolPeak[this.buffer.pools.indexOf(pool)]! / CELL
  }

  /** Cells in use now: by the priority group of packets from a host, by the queue towards it. */
  groupCells(host: number, trafficClass: number): number {
    return this.buffer.usedBy(host + 1, trafficClass) / CELL
  }

  queueCells(host: number, trafficClass: number): number {
    return this.buffer.queueBytes[this.indexOf(host, trafficClass)]! / CELL
  }

  /** New weights for the port towards a host. */
  weigh(host: number, weights: readonly number[]): this {
    const { fabric } = this.bench.built.network
    const quantumBytes = Float64Array.from(weights, (weight) => weight * PACKET_BYTES)
    this.bench.portTo(host).useScheduler(new Scheduler({ strict: 0, quantumBytes }, fabric.records, fabric.queues))
    return this
  }

  private indexOf(host: number, trafficClass: number): number {
    return (host + 1) * 8 + trafficClass
  }
}
