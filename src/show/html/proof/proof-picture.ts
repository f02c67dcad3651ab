/**
 * The network with its proved causes and with those who suffer: links have the colour of what was observed at their ports.
 */
import type { SuspectJson } from '../../../core/results/index.ts'
import type { NetworkGraph, ReportedRun } from '../../reported-run.ts'
import { stepOf } from '../cells.ts'
import { markup, type Markup, NOTHING } from '../markup.ts'
import { layoutOf, type PlacedNode } from '../network-layout.ts'
import { portMeasures } from '../port-measures.ts'

/** Share of the slow flows from which a host is shown as one that suffers. */
const SUFFERS = 0.02

/** Names of more switches of a tier would overlap. */
const NAMES_MOST = 10

/** @param suffer by host: its share of the slow flows */
export function proofPicture(
  { result }: ReportedRun,
  graph: NetworkGraph,
  suspects: readonly SuspectJson[],
  suffer: ReadonlyMap<number, number>,
): Markup {
  const [measure] = portMeasures(result)
  const layout = layoutOf(graph, (key) => measure?.values.get(key) ?? 0)
  const nodeNamed = (name: string | null): number => (name === null ? -1 : graph.names.indexOf(name))
  const culprits = new Map<number, SuspectJson>()
  const ends = new Set<string>()
  for (const suspect of suspects) {
    const [node, peer] = [nodeNamed(suspect.device), nodeNamed(suspect.port)]
    if (node >= 0 && peer < 0) culprits.set(node, suspect)
    if (node >= 0 && peer >= 0) ends.add(`${node} ${peer}`).add(`${peer} ${node}`)
    for (const name of suspect.others) if (nodeNamed(name) >= 0) culprits.set(nodeNamed(name), suspect)
  }
  const victims = new Set(
    [...suffer].filter(([, share]) => share >= SUFFERS).flatMap(([host]) => graph.hostNodes[host] ?? []),
  )
  const links = layout.ports.map(({ keys, path, port }) => {
    const value = Math.max(0, ...keys.map((key) => measure?.values.get(key) ?? 0))
    const step = measure === undefined ? undefined : stepOf(value, measure.about.steps)
    const isCulprit = ends.has(`${port.node} ${port.peerNode}`)
    const classes = ['link', ...(isCulprit ? ['culprit'] : step === undefined ? [] : [`s${step}`])].join(' ')
    return markup`<path d="${path}" class="${classes}" />`
  })
  const inTier = (tier: number): number => layout.nodes.filter((node) => node.tier === tier).length
  const nodes = layout.nodes.map((node) =>
    nodeMarkup(node, culprits, victims, node.tier > 0 && inTier(node.tier) <= NAMES_MOST),
  )
  const what = measure === undefined ? '' : ` Links by ${measure.about.name}.`
  return markup`<figure class="network proved">
    <svg
      class="picture"
      viewBox="0 0 ${layout.width} ${layout.height + LABEL_PX}"
      role="img"
      aria-label="The network: ${suspects.map(({ device, port }) => [device, port].filter(Boolean).join(' - ')).join(', ')} marked as the cause"
    >
      <g class="links">${links}</g>
      <g class="nodes">${nodes}</g>
    </svg>
    <figcaption class="note"><b class="mark culprit"></b> cause <b class="mark victim"></b> slow flows go there.${what}</figcaption>
  </figure>`
}

const LABEL_PX = 14
const ROUND = 10
const at = (value: number): number => Math.round(value * ROUND) / ROUND

function nodeMarkup(
  { nodes, name, title, tier, x, y }: PlacedNode,
  culprits: ReadonlyMap<number, SuspectJson>,
  victims: ReadonlySet<number>,
  hasName: boolean,
): Markup {
  const suspect = nodes.map((node) => culprits.get(node)).find((one) => one !== undefined)
  const isVictim = nodes.some((node) => victims.has(node))
  const classes = [
    'node',
    tier === 0 ? 'host' : 'switch',
    suspect === undefined ? '' : 'culprit',
    isVictim ? 'victim' : '',
  ]
  const r = suspect === undefined ? 7 : 11
  const shape =
    tier === 0
      ? markup`<circle cx="${at(x)}" cy="${at(y)}" r="${r}" />`
      : markup`<rect x="${at(x - 1.6 * r)}" y="${at(y - r)}" width="${at(3.2 * r)}" height="${2 * r}" rx="3" />`
  const isNamed = suspect !== undefined || hasName
  const text = isNamed
    ? markup`<text x="${at(x)}" y="${at(tier === 0 ? y + r + 16 : y - r - 6)}">${nodes.length > 1 ? `${nodes.length} hosts` : name}</text>`
    : NOTHING
  const body = markup`<g class="${classes.filter((one) => one !== '').join(' ')}"><title>${title}</title>${shape}${text}</g>`
  if (suspect === undefined) return body
  return markup`<a href="#held-${(suspect.device ?? '').replace(/\W+/g, '-')}">${body}</a>`
}
