/**
 * Port selector: which ports a text names.
 *     all | busiest | NODE:PORT | NODE:*      the last two also as a list: "8:1, tor 1:*"
 * NODE is a device (base/device-names.ts), PORT its port from 1. Ports come in the order of the text, none twice.
 */
import { type DeviceNames, isNamed } from '../../core/base/device-names.ts'
import { inputError, InputError, type Issue } from '../../core/base/issue.ts'
import type { Port } from '../../core/fabric/link/port.ts'
import type { MetricContext } from './metric.ts'

export const PORTS_HELP = '"all"; "busiest": at each sample the one that has most; or a list of NODE:PORT and NODE:*'

/** A port and where it is. */
export interface LocatedPort {
  readonly port: Port
  readonly node: number
  readonly nodeName: string
}

export interface PortSelection {
  /** Only the busiest of the ports. */
  readonly isBusiest: boolean
  readonly ports: readonly LocatedPort[]
}

/**
 * @param where path of the param, for errors
 * @param isEligible ports that can be observed; `what` says which they are
 * @param mayBeBusiest the busiest of the ports can be observed
 */
export function selectPorts(
  text: string,
  context: MetricContext,
  where: string,
  isEligible: (located: LocatedPort) => boolean,
  what: string,
  mayBeBusiest = true,
): PortSelection {
  const { network, topology } = context
  const every = network.ports.map((port): LocatedPort => {
    const node = network.nodeOf(port.id)
    return { port, node, nodeName: topology.names[node] ?? '' }
  })
  const eligible = every.filter(isEligible)
  const isBusiest = mayBeBusiest && text.trim() === 'busiest'
  if (isBusiest || text.trim() === 'all') {
    if (eligible.length === 0) throw inputError(where, `a network with ${what}s`, 'none')
    return { isBusiest, ports: eligible }
  }
  const chosen = new Set<LocatedPort>()
  const issues: Issue[] = []
  for (const item of text.split(',').map((part) => part.trim())) {
    const found = portsOf(item, eligible)
    if (typeof found === 'string')
      issues.push({ path: where, expected: found, received: `"${item}"`, hint: hint(item) })
    else for (const located of found) chosen.add(located)
  }
  if (issues.length > 0) throw new InputError(issues)
  return { isBusiest: false, ports: [...chosen] }

  function hint(item: string): string {
    const { names } = topology
    const [node] = nodesOf(item.slice(0, item.lastIndexOf(':')), topology)
    if (node === undefined) return `nodes are 0 to ${names.length - 1}, or "${names.at(-1) ?? ''}"`
    const indexes = eligible.filter((located) => located.node === node).map((located) => located.port.index)
    return indexes.length === 0 ? `${names[node]!} has no ${what}` : `${names[node]!} has ports 1 to ${indexes.at(-1)!}`
  }

  function portsOf(item: string, among: readonly LocatedPort[]): readonly LocatedPort[] | string {
    const colon = item.lastIndexOf(':')
    const nodes = colon < 0 ? [] : nodesOf(item.slice(0, colon), topology)
    if (nodes.length === 0)
      return `"all"${mayBeBusiest ? ', "busiest"' : ''}, or NODE:PORT and NODE:* of nodes that are there`
    const index = item.slice(colon + 1).trim()
    const found = among.filter(
      (located) => nodes.includes(located.node) && (index === '*' || String(located.port.index) === index),
    )
    return found.length > 0 ? found : `the number of a ${what}, or *`
  }
}

/** Nodes that a text names. */
function nodesOf(text: string, devices: DeviceNames): number[] {
  const word = text.trim().replaceAll(/\s+/g, ' ')
  return [...devices.names.keys()].filter((node) => isNamed(word, node, devices))
}
