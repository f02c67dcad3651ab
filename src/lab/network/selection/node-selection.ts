/**
 * Node selection: the nodes and the ports of a network that the texts of a scenario select.
 */
import { isNamed } from '../../../core/base/device-names.ts'
import { InputError } from '../../../core/base/issue.ts'
import { parsePropagation, parseQuantity } from '../../../core/base/units.ts'
import { oneOf, quote, suggestion } from '../../scenario/text/wording.ts'
import type { Topology } from '../../../core/topology/topology.ts'

/** A port by its node and its 1-based index there. */
export interface PortAt {
  readonly node: number
  readonly index: number
  /** Node at the other end of the link. */
  readonly peer: number
}

/** A port and its link; the delay is one way. */
export interface PortOf extends PortAt {
  readonly rateBps: number
  readonly delayPs: number
}

/** Ports of all nodes, in their order. */
export function portsByNode({ nodeCount, links }: Topology): PortOf[][] {
  const ports: PortOf[][] = Array.from({ length: nodeCount }, () => [])
  for (const { a, b, rateBps, delayPs } of links) {
    ports[a]!.push({ node: a, index: ports[a]!.length + 1, peer: b, rateBps, delayPs })
    ports[b]!.push({ node: b, index: ports[b]!.length + 1, peer: a, rateBps, delayPs })
  }
  return ports
}

const NODE_SETS = ['all', 'hosts', 'switches']

/**
 * Nodes by "all", "hosts", "switches", or a comma-separated list of devices (base/device-names.ts).
 * @param meaningOf what a word of the list means; `hostWord` in a list of hosts
 * @throws InputError at `path` for each word that selects none
 */
export function selectNodes(
  text: string,
  topology: Topology,
  path: string,
  meaningOf = (word: string): string => word,
): number[] {
  const { nodeCount, tiers } = topology
  const all = Array.from({ length: nodeCount }, (_, node) => node)
  const words = wordsOf(text)
  const wrong: InputError[] = []
  const found = words.flatMap((word) => {
    if (word === 'all') return all
    if (word === 'hosts') return all.filter((node) => tiers[node] === 0)
    if (word === 'switches') return all.filter((node) => tiers[node] !== 0)
    const nodes = all.filter((node) => isNamed(meaningOf(word), node, topology))
    if (nodes.length === 0) wrong.push(noNode(word, topology, path, NODE_SETS))
    return nodes
  })
  if (words.length === 0) wrong.push(noNode('', topology, path, NODE_SETS))
  if (wrong.length > 0) throw new InputError(wrong.flatMap(({ issues }) => [...issues]))
  return [...new Set(found)].toSorted((a, b) => a - b)
}

const PORT_SETS = ['all', 'hosts', 'fabric', 'up', 'down']

/** Ports of one rate, of one cable, or both; null: of any. */
interface LinkKind {
  readonly rateBps: number | null
  readonly delayPs: number | null
}

/** "400Gbps", "40m" (or "200ns"), or "400Gbps 40m"; undefined: the word says something else. */
function linkKindOf(word: string): LinkKind | undefined {
  const [first = '', second, ...more] = word.split(' ')
  const rateBps = parseQuantity('rate', first)
  const delayPs = parsePropagation(second ?? first)
  if (more.length > 0) return undefined
  if (rateBps !== undefined && second === undefined) return { rateBps, delayPs: null }
  if (delayPs === undefined) return undefined
  return second === undefined ? { rateBps: null, delayPs } : rateBps === undefined ? undefined : { rateBps, delayPs }
}

/**
 * Those of a node's ports that "all", "hosts", "fabric", "up", "down", a rate and a length of cable, or a list of
 * neighbours selects.
 * @returns none where the node has no such neighbour
 */
export function selectPorts(text: string, ports: readonly PortOf[], topology: Topology): PortOf[] {
  const { tiers } = topology
  const words = wordsOf(text)
  return ports.filter(({ node, peer, rateBps, delayPs }) =>
    words.some((word) => {
      switch (word) {
        case 'all':
          return true
        case 'hosts':
          return tiers[peer] === 0
        case 'fabric':
          return tiers[peer] !== 0 && tiers[node] !== 0
        case 'up':
          return tiers[peer]! > tiers[node]!
        case 'down':
          return tiers[peer]! < tiers[node]!
        default: {
          const kind = linkKindOf(word)
          if (kind === undefined) return isNamed(word, peer, topology)
          return [null, rateBps].includes(kind.rateBps) && [null, delayPs].includes(kind.delayPs)
        }
      }
    }),
  )
}

/** @throws InputError at `path` for a word of a port selection that is no node of the network */
export function expectPorts(text: string, topology: Topology, path: string): void {
  const wrong = wordsOf(text).filter(
    (word) =>
      !PORT_SETS.includes(word) &&
      linkKindOf(word) === undefined &&
      !topology.names.some((_, node) => isNamed(word, node, topology)),
  )
  if (wordsOf(text).length === 0) wrong.push('')
  if (wrong.length > 0)
    throw new InputError(
      wrong.flatMap((word) => [
        ...noNode(word, topology, path, PORT_SETS, ', or a rate or a length of cable ("400Gbps 40m")').issues,
      ]),
    )
}

function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim().replaceAll(/\s+/g, ' '))
    .filter((word) => word !== '')
}

function noNode(word: string, topology: Topology, path: string, sets: readonly string[], more = ''): InputError {
  const { names } = topology
  const kinds = [...new Set(topology.kinds)]
  const hint = suggestion(word, [...sets, ...kinds, ...names]) || `names such as ${names[0]}, ${names.at(-1)}`
  return new InputError([
    {
      path,
      expected: `${oneOf([...sets, ...kinds])}, or names or numbers of nodes${more}`,
      received: quote(word),
      hint,
    },
  ])
}
