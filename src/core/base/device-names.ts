/**
 * Device names: the text by which people know a device, and the devices that a text means.
 *
 *     host 3           the third host after host 0, as workloads and results number hosts: all its ports
 *     host 3 rail 1    one port of a host with several
 *     leaf 2, switch 7 a switch: by its place in a generated network, by its node id in a graph, which has no other number
 *     node 7           the node with that id, as a graph writes it and the column `node` of a table holds it
 *     host 3 (node 7)  both
 *     leaf-a           the name that a graph gives it; the device is printed as "switch 7 (leaf-a)" then
 *     leaf             all nodes whose names begin with that word
 *
 * A bare number is a node id, but the number of a host in a list of hosts (`hostWord`).
 */

/** The names of a network. */
export interface DeviceNames {
  /** By node. */
  readonly names: readonly string[]
  /** Nodes that a graph writes with the id of another: further ports of a host, by their own ids. */
  readonly writtenAs: ReadonlyMap<number, number>
  /** By node: what its people call it, where a graph says so. */
  readonly ownNames?: ReadonlyMap<number, string>
}

/** By host: the positions of its ports in `endpoints`; and the nodes of all ports of hosts. */
interface HostDevices extends DeviceNames {
  readonly hostPorts: readonly (readonly number[])[]
  readonly endpoints: readonly number[]
}

export const hostName = (host: number): string => `host ${host}`

/** One of several ports of a host; `word` is "rail", "plane" or "port". */
export const hostPortName = (host: number, word: string, port: number): string => `${hostName(host)} ${word} ${port}`

/** "tor" of "tor 0.1": for names in tables that were stored, where no topology is; else a node's kind is in `Topology`. */
export const kindOfName = (name: string): string => name.replace(/ [\d.]+.*$/, '')

export const idName = (node: number): string => `node ${node}`

/** By host: its name, with what its people call it, or the id that a graph has for it where that is another number: "host 1 (node 2)". */
export function hostNamesWithIds({ hostPorts, endpoints, writtenAs, ownNames }: HostDevices): string[] {
  return hostPorts.map((ports, host) => {
    const own = ownNames?.get(endpoints[ports[0]!]!)
    if (own !== undefined) return `${hostName(host)} (${own})`
    const ids = new Set(ports.map((port) => writtenAs.get(endpoints[port]!) ?? endpoints[port]!))
    const [id = host] = ids
    return ids.size > 1 || id === host ? hostName(host) : `${hostName(host)} (${idName(id)})`
  })
}

/** Words that mean sets of devices or ports. */
const SETS: ReadonlySet<string> = new Set([
  'all',
  'hosts',
  'switches',
  'fabric',
  'up',
  'down',
  'host',
  'switch',
  'node',
])
const OWN_NAME = /^[A-Za-z][\w.@+-]{0,63}$/

/** Whether a graph may say that people call a node so. */
export const isOwnName = (name: string): boolean => OWN_NAME.test(name) && !SETS.has(name)

/** A word of a list of hosts, where a bare number is that of a host. */
export function hostWord(word: string): string {
  return /^\d+$/.test(word) ? hostName(Number(word)) : word
}

/** Whether a word, single spaces between its parts, means a node. */
export function isNamed(word: string, node: number, devices: DeviceNames): boolean {
  const [, name, both] = /^(.+) \((node \d+)\)$/.exec(word) ?? []
  if (name !== undefined && both !== undefined) return isNamed(name, node, devices) && isNamed(both, node, devices)
  const [, id] = /^(?:node )?(\d+)$/.exec(word) ?? []
  if (id !== undefined) return Number(id) === node || Number(id) === devices.writtenAs.get(node)
  const full = devices.names[node]!
  if (word === devices.ownNames?.get(node)) return true
  return full === word || full.startsWith(`${word} `)
}
