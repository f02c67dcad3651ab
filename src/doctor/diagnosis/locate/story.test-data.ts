/**
 * Stories: counters of a small fabric, written down interval by interval, at both ends of each link as devices have them.
 */
import { ALL_PRIORITIES, counterNamed, type Edge, type Reading } from '../../../core/device-model/index.ts'

export const PRIORITY = 3
export const INTERVAL_NS = 5_000_000
const RATE_BPS = 40e9
const FRAME_BYTES = 1048
/** Bytes of an interval at the full rate, without the gaps between frames. */
const FULL_BYTES = (RATE_BPS * INTERVAL_NS) / 8e9 / (1 + 20 / FRAME_BYTES)

export interface TwoTier {
  readonly leaves: number
  readonly spines: number
  readonly hostsPerLeaf: number
}

const edge = (deviceA: string, portA: number, deviceB: string, portB: number): Edge => ({
  deviceA,
  portA: String(portA),
  deviceB,
  portB: String(portB),
  cableM: 5,
})

/** Hosts at the first ports of each leaf, spines at the others. */
export function twoTier({ leaves, spines, hostsPerLeaf }: TwoTier): Edge[] {
  const edges: Edge[] = []
  for (let leaf = 0; leaf < leaves; leaf++) {
    for (let i = 0; i < hostsPerLeaf; i++) edges.push(edge(`host ${leaf * hostsPerLeaf + i}`, 1, `leaf ${leaf}`, i + 1))
    for (let s = 0; s < spines; s++) edges.push(edge(`leaf ${leaf}`, hostsPerLeaf + s + 1, `spine ${s}`, leaf + 1))
  }
  return edges
}

/** Switches in a ring, each with a host at port 1; port 2 leads on, port 3 back. */
export function ring(count: number): Edge[] {
  const switches = Array.from({ length: count }, (_, i) => i)
  return switches.flatMap((i) => [
    edge(`host ${i}`, 1, `switch ${i}`, 1),
    edge(`switch ${i}`, 2, `switch ${(i + 1) % count}`, 3),
  ])
}

/** Counters that every device of the kind has, at zero, as real ones do. */
const SWITCH_ZEROS = ['dropIn', 'dropOut', 'ecnMarked', 'wdStorms']
const HOST_ZEROS = ['outOfSequence', 'seqNaks', 'cnpIgnored']

export class Story {
  readonly edges: readonly Edge[]
  readonly intervals: number
  /** By device, then by port, priority and name as JSON: amounts of each interval. */
  readonly #amounts = new Map<string, Map<string, number[]>>()

  constructor(edges: readonly Edge[], intervals = 4) {
    this.edges = edges
    this.intervals = intervals
    for (const { deviceA, portA, deviceB, portB } of edges) {
      for (const [device, port] of [
        [deviceA, portA],
        [deviceB, portB],
      ] as const) {
        for (let i = 0; i < intervals; i++) this.#set(i, device, port, ALL_PRIORITIES, 'rateBps', RATE_BPS)
        for (const name of ['pauseRxUs', 'pauseTxUs', 'pfcRxFrames', 'pfcTxFrames', 'rxBytes', 'txBytes'])
          this.add(0, device, port, name, 0)
        const isHost = device.startsWith('host')
        for (const name of isHost ? [] : SWITCH_ZEROS) this.add(0, device, port, name, 0)
        for (const name of isHost ? HOST_ZEROS : []) this.addAt(0, device, '', ALL_PRIORITIES, name, 0)
        this.addAt(0, device, port, ALL_PRIORITIES, 'crcErrors', 0)
      }
      this.send(deviceA, deviceB, 0.3)
      this.send(deviceB, deviceA, 0.3)
    }
  }

  /** Sets the share of the rate that a device sends to its neighbour, from an interval on. */
  send(from: string, to: string, use: number, since = 0): this {
    const [out, into] = this.#link(from, to)
    for (let i = since; i < this.intervals; i++) {
      const bytes = use * FULL_BYTES
      for (const [name, at, device] of [
        ['tx', out, from],
        ['rx', into, to],
      ] as const) {
        this.#set(i, device, at, PRIORITY, `${name}Bytes`, bytes)
        this.#set(i, device, at, PRIORITY, `${name}Packets`, bytes / FRAME_BYTES)
      }
    }
    return this
  }

  /** A device holds its neighbour for a share of the time, from an interval on. @param frames of an interval */
  hold(holder: string, held: string, share: number, since = 0, frames = 12): this {
    const [out, into] = this.#link(holder, held)
    for (let i = since; i < this.intervals; i++) {
      this.#set(i, holder, out, PRIORITY, 'pauseTxUs', (share * INTERVAL_NS) / 1000)
      this.#set(i, held, into, PRIORITY, 'pauseRxUs', (share * INTERVAL_NS) / 1000)
      this.#set(i, holder, out, PRIORITY, 'pfcTxFrames', frames)
      this.#set(i, held, into, PRIORITY, 'pfcRxFrames', frames)
    }
    return this
  }

  /** Adds to a counter of the priority, in one interval. */
  add(interval: number, device: string, port: string, name: string, amount: number): this {
    return this.addAt(interval, device, port, PRIORITY, name, amount)
  }

  addAt(interval: number, device: string, port: string, priority: number, name: string, amount: number): this {
    const key = JSON.stringify([port, priority, name])
    const before = this.#amounts.get(device)?.get(key)?.[interval] ?? 0
    return this.#set(interval, device, port, priority, name, before + amount)
  }

  /** A watermark or gauge of all intervals. */
  level(device: string, port: string, name: string, value: number): this {
    for (let i = 0; i < this.intervals; i++) this.#set(i, device, port, PRIORITY, name, value)
    return this
  }

  /** The port of a device that leads to a neighbour. */
  port(device: string, neighbour: string): string {
    return this.#link(device, neighbour)[0]
  }

  /**
   * Readings of all devices at the begin and at the end of each interval.
   * @param startOf value of a cumulative counter at the first reading
   */
  readings(startOf: (device: string, name: string) => number = () => 0, bits = 64): Reading[] {
    const readings: Reading[] = []
    for (const [device, counters] of this.#amounts) {
      for (const [key, amounts] of counters) {
        const [port, priority, name] = JSON.parse(key) as [string, number, string]
        const isSum = counterNamed(name)!.kind === 'sum'
        let value = isSum ? startOf(device, name) : 0
        for (let i = 0; i <= this.intervals; i++) {
          if (!isSum) value = amounts[Math.max(0, i - 1)] ?? 0
          const shown = isSum ? value % 2 ** bits : value
          readings.push({ device, port, priority, name, value: shown, bits, timeNs: i * INTERVAL_NS })
          if (isSum) value += Math.round(amounts[i] ?? 0)
        }
      }
    }
    return readings
  }

  #set(interval: number, device: string, port: string, priority: number, name: string, amount: number): this {
    const counters = this.#amounts.get(device) ?? new Map<string, number[]>()
    this.#amounts.set(device, counters)
    const key = JSON.stringify([port, priority, name])
    const amounts = counters.get(key) ?? []
    counters.set(key, amounts)
    amounts[interval] = amount
    return this
  }

  #link(from: string, to: string): [string, string] {
    for (const { deviceA, portA, deviceB, portB } of this.edges) {
      if (deviceA === from && deviceB === to) return [portA, portB]
      if (deviceA === to && deviceB === from) return [portB, portA]
    }
    throw new Error(`no link from ${from} to ${to}`)
  }
}

/** A storm of host 0 below leaf 0, from the second interval on: leaf 0 holds all spines and its hosts, spines the other leaves. */
export function stormStory(): Story {
  const story = new Story(twoTier({ leaves: 3, spines: 2, hostsPerLeaf: 3 }))
  story.hold('host 0', 'leaf 0', 1, 1).send('leaf 0', 'host 0', 0, 1).send('host 0', 'leaf 0', 0, 1)
  for (const spine of ['spine 0', 'spine 1']) {
    story.hold('leaf 0', spine, 0.8, 1).send(spine, 'leaf 0', 0.1, 1)
    for (const leaf of ['leaf 1', 'leaf 2']) story.hold(spine, leaf, 0.6, 1)
  }
  for (const host of ['host 1', 'host 2']) story.hold('leaf 0', host, 0.7, 1)
  for (let host = 3; host < 9; host++) story.hold(`leaf ${host < 6 ? 1 : 2}`, `host ${host}`, 0.5, 1)
  return story
}

/** Eight hosts of three leaves send to host 0, whose port at leaf 0 is full. */
export function incastStory(): Story {
  const story = new Story(twoTier({ leaves: 3, spines: 2, hostsPerLeaf: 3 }))
  story.send('leaf 0', 'host 0', 0.99)
  for (const host of ['host 1', 'host 2']) story.hold('leaf 0', host, 0.4)
  for (const spine of ['spine 0', 'spine 1']) {
    story.hold('leaf 0', spine, 0.3)
    for (const leaf of ['leaf 1', 'leaf 2']) story.hold(spine, leaf, 0.1)
  }
  return story
}
