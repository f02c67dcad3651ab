/**
 * Counters of a run as the monitoring of [MS-Scale] 5.2 reads them: of each device what it has counted until a time.
 */
import { numbersOf, type Table, textsOf } from '../../core/results/index.ts'

/** One value of a device. */
export interface Counted {
  readonly port: string
  /** -1: of the whole port or device. */
  readonly priority: number
  readonly name: string
  readonly value: number
}
export type CountedDevices = ReadonlyMap<string, readonly Counted[]>

/** The values that were polled at a time, by the name of their device. */
export function countersAt(table: Table, atPs: number): CountedDevices {
  const [times, priorities, values] = ['timeNs', 'priority', 'value'].map((name) => numbersOf(table, name))
  const [devices, ports, names] = ['device', 'port', 'name'].map((name) => textsOf(table, name))
  const polled = new Map<string, Counted[]>()
  const atNs = Math.round(atPs / 1000)
  for (let row = 0; row < table.rowCount; row++) {
    if (times![row] !== atNs) continue
    const device = devices![row]!
    const known = polled.get(device) ?? []
    if (known.length === 0) polled.set(device, known)
    known.push({ port: ports![row]!, priority: priorities![row]!, name: names![row]!, value: values![row]! })
  }
  return polled
}

/** The devices of a tier that answered, in the order of their nodes; hosts are tier 0. */
export function devicesOfTier(
  devices: CountedDevices,
  { names, tiers }: { readonly names: readonly string[]; readonly tiers: readonly number[] },
  tier: number,
): (readonly [string, readonly Counted[]])[] {
  return names.flatMap((name, node) => {
    const device = tiers[node] === tier ? devices.get(name) : undefined
    return device === undefined ? [] : [[name, device] as const]
  })
}

/** Sum over all ports and priorities. */
export function sumOf(device: readonly Counted[], name: string): number {
  return device.reduce((sum, each) => (each.name === name ? sum + each.value : sum), 0)
}

/** The largest value of a port and priority. */
export function mostOfPorts(device: readonly Counted[], name: string): number {
  return device.reduce((most, each) => (each.name === name ? Math.max(most, each.value) : most), 0)
}
