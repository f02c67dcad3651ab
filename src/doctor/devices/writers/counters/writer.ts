/**
 * Writer of counters: readings of one device at one time in the forms of a vendor, the other direction of the readers of
 * counters (dialects/). A form has the vendor's names, units and widths and nothing that the vendor does not count.
 * A vendor is one file, and one entry in index.ts.
 */
import { ALL_PRIORITIES } from '../../../../core/device-model/index.ts'

/** A value of a port; port '' is the whole device. */
export interface PortCount {
  readonly port: string
  /** 0 to 7, or ALL_PRIORITIES. */
  readonly priority: number
  /** One of COUNTERS. */
  readonly name: string
  /** At least 0. */
  readonly value: number
}

export interface CounterFile {
  /** Name in the folder of the device: "ethtool-S-eth1.txt". */
  readonly file: string
  readonly text: string
  /** That prints it: "ethtool -S eth1". */
  readonly command: string
  /** counters: another text at each poll. settings: the same at all. */
  readonly of: 'counters' | 'settings'
}

/** own: as it is, by priority where it is counted so. total: the sum over all priorities. */
export type Saying = 'own' | 'total'

export interface CounterWriter {
  readonly vendor: string
  readonly devices: 'hosts' | 'switches'
  /** Name of a port by its number, from 1. */
  readonly portName: (number: number) => string
  /** By name of COUNTERS. What is not here the forms have no words for. */
  readonly says: ReadonlyMap<string, Saying>
  /** @param lossless classes of the device's ports: some forms have PFC frames of these alone, or say which they are */
  write(counts: readonly PortCount[], lossless: readonly number[]): readonly CounterFile[]
}

export const saying = (own: readonly string[], total: readonly string[] = []): ReadonlyMap<string, Saying> =>
  new Map([
    ...own.map((name): [string, Saying] => [name, 'own']),
    ...total.map((name): [string, Saying] => [name, 'total']),
  ])

const BITS = 64
export const WIDEST = 2 ** BITS

/** A counter of 64 bits as it is printed. */
export const digits = (value: number): string => BigInt.asUintN(BITS, BigInt(Math.round(value))).toString()

/** Counts of one port. */
export class PortCounts {
  readonly port: string
  readonly counts: readonly PortCount[]
  readonly #values: ReadonlyMap<string, number>

  constructor(port: string, counts: readonly PortCount[]) {
    this.port = port
    this.counts = counts
    this.#values = new Map(counts.map(({ name, priority, value }) => [`${name} ${priority}`, value]))
  }

  value(name: string, priority = ALL_PRIORITIES): number | undefined {
    return this.#values.get(`${name} ${priority}`)
  }

  /** Sum over all priorities; undefined: none is counted. */
  total(name: string): number | undefined {
    const own = this.counts.filter((count) => count.name === name)
    return own.length === 0 ? undefined : own.reduce((sum, { value }) => sum + value, 0)
  }

  /** Priorities that something is counted of, in ascending order. */
  priorities(names: readonly string[]): number[] {
    const own = this.counts.filter(({ name, priority }) => priority !== ALL_PRIORITIES && names.includes(name))
    return [...new Set(own.map(({ priority }) => priority))].sort((a, b) => a - b)
  }
}

/** Ports in the order in which they are first named, without the device as a whole. */
export function portsOf(counts: readonly PortCount[]): PortCounts[] {
  const ports = new Map<string, PortCount[]>()
  for (const count of counts) {
    const own = ports.get(count.port)
    if (own !== undefined) own.push(count)
    else if (count.port !== '') ports.set(count.port, [count])
  }
  return [...ports].map(([port, own]) => new PortCounts(port, own))
}
