/**
 * Picture of a fabric: hosts below, switches above, links between, in the colour and stroke of their worst finding. It is as
 * wide as its names need, and scrolls; many hosts of one switch are drawn as one.
 */
import { exactCount } from '../../../core/base/format.ts'
import { shownName } from '../../../core/base/control-characters.ts'
import { counted, type Severity } from '../../../core/findings/index.ts'
import { markup, type Markup, NOTHING } from '../../../show/html/markup.ts'
import { layoutOf, type PlacedNode, type PlacedPort } from '../../../show/html/network-layout.ts'
import { type FabricGraph, worseOf } from './fabric-graph.ts'

/** Room of a name along a row; of a letter; letters that are shown of a name. */
const HOST_ROOM_PX = 26
const SWITCH_ROOM_PX = 46
const LETTER_PX = 7.2
const LETTERS_MAX = 18
/** Devices of a picture that may shrink; halves of links of one whose links are drawn fine. */
const SMALL_MAX = 24
const MANY_HALVES = 400
/** Names that do not fit are turned by this angle. */
const ANGLE_DEGREES = 50
const WEIGHTS: Readonly<Record<Severity, number>> = { error: 100, warning: 10, note: 1 }

const round = (value: number): number => Math.round(value * 10) / 10

export function fabricPicture(fabric: FabricGraph): Markup {
  const { graph, worstOfLink } = fabric
  if (graph.names.length === 0) return NOTHING
  const linkOf = (key: string): number => Number(key.split(':')[1]) - 1
  const severityAt = (key: string): Severity | undefined => worstOfLink.get(linkOf(key))
  const layout = layoutOf(
    graph,
    (key) => 0.1 + (WEIGHTS[severityAt(key) ?? 'note'] ?? 0) * (severityAt(key) === undefined ? 0 : 1),
    (tier) => (tier === 0 ? HOST_ROOM_PX : SWITCH_ROOM_PX),
  )
  const turnedPx = (tier: number): number => {
    const letters = Math.max(...layout.nodes.filter((node) => node.tier === tier).map((node) => briefOf(node).length))
    return isTurned(tier) ? Math.ceil(letters * LETTER_PX * Math.sin((ANGLE_DEGREES / 180) * Math.PI)) : 0
  }
  const isTurned = (tier: number): boolean =>
    layout.nodes.some((node) => node.tier === tier && !isFitting(node, layout.roomPx.get(tier)!))
  const [top, bottom] = [turnedPx(Math.max(...graph.tiers)), turnedPx(Math.min(...graph.tiers))]
  const halves = layout.ports.map((half) => linkMarkup(half, linkOf, severityAt))
  const nodes = layout.nodes.map((node) => nodeMarkup(node, layout.roomPx.get(node.tier)!, isTurned(node.tier), fabric))
  const height = layout.height + top + bottom
  const size = layout.nodes.length <= SMALL_MAX ? 'small' : layout.ports.length > MANY_HALVES ? 'many' : 'usual'
  return markup`<figure class="fabric ${size}">
    <div class="scroll" role="region" aria-label="Picture of the fabric" tabindex="0">
      <svg
        class="picture"
        viewBox="0 ${-top} ${layout.width} ${height}"
        width="${layout.width}"
        height="${height}"
        role="img"
        aria-label="Fabric: hosts below, switches above"
      >
        <g class="links">${halves}</g>
        <g class="nodes">${nodes}</g>
      </svg>
    </div>
    ${legend()} ${note(layout.isGrouped, layout.linksLeftOut)}
  </figure>`
}

const briefOf = ({ nodes, name }: PlacedNode): string =>
  nodes.length > 1 ? `${nodes.length} hosts` : shownName(name, LETTERS_MAX)

const isFitting = (node: PlacedNode, roomPx: number): boolean => briefOf(node).length * LETTER_PX <= roomPx

function linkMarkup(
  { keys, path }: PlacedPort,
  linkOf: (key: string) => number,
  severityAt: (key: string) => Severity | undefined,
): Markup {
  const worst = keys.map(severityAt).reduce(worseOf, undefined)
  const marks = keys.map((key) => `l${linkOf(key)}`).join(' ')
  return markup`<path d="${path}" data-at="${marks}" class="${['link', worst ?? 'fine'].join(' ')}" />`
}

function nodeMarkup(node: PlacedNode, roomPx: number, isTurned: boolean, fabric: FabricGraph): Markup {
  const { nodes, title, tier, x, y } = node
  const worst = nodes.map((each) => fabric.worstOfNode.get(each)).reduce(worseOf, undefined)
  const count = nodes.reduce((sum, each) => sum + (fabric.countOfNode.get(each) ?? 0), 0)
  const isUnknown = nodes.every((each) => !fabric.hasFiles[each])
  const word = `${title}: ${isUnknown ? 'no files' : count === 0 ? 'no finding' : counted(count, 'finding')}`
  const classes = ['node', tier === 0 ? 'host' : 'switch', worst ?? 'fine', ...(isUnknown ? ['without-files'] : [])]
  const r = Math.max(4, Math.min(tier === 0 ? 7 : 9, roomPx / 2.8))
  const shape =
    tier === 0
      ? markup`<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}" />`
      : markup`<rect x="${round(x - 1.8 * r)}" y="${round(y - r)}" width="${round(3.6 * r)}" height="${round(2 * r)}" rx="3" />`
  return markup`<g class="${classes.join(' ')}" data-at="${nodes.map((each) => `n${each}`).join(' ')}">
    <title>${word}</title>${shape}${nameMarkup(node, r, isTurned)}
  </g> `
}

function nameMarkup(node: PlacedNode, r: number, isTurned: boolean): Markup {
  const { tier, x } = node
  const y = tier === 0 ? node.y + r + 14 : node.y - r - 6
  if (!isTurned) return markup`<text x="${round(x)}" y="${round(y)}">${briefOf(node)}</text>`
  const rotation = markup`rotate(${-ANGLE_DEGREES} ${round(x)} ${round(y)})`.html
  return markup`<text class="${tier === 0 ? 'turned below' : 'turned'}" transform="${rotation}" x="${round(x)}" y="${round(y)}">${briefOf(node)}</text>`
}

function legend(): Markup {
  const kinds = [
    ['error', 'error'],
    ['warning', 'warning'],
    ['note', 'note'],
    ['fine', 'no finding'],
    ['without-files', 'no files'],
  ] as const
  const items = kinds.map(
    ([kind, text]) =>
      markup`<li>
        <svg class="picture key" viewBox="0 0 44 16" width="44" height="16" aria-hidden="true">
          <path d="M14,8L44,8" class="link ${kind}" />
          <g class="node host ${kind}"><circle cx="9" cy="8" r="6" /></g></svg
        >${text}
      </li> `,
  )
  return markup`<div class="legend">
    <span>Worst finding</span>
    <ul>
      ${items}
    </ul>
  </div>`
}

function note(isGrouped: boolean, linksLeftOut: number): Markup {
  const texts = [
    ...(isGrouped ? ['Hosts of one switch are drawn as one, with the worst finding of all.'] : []),
    ...(linksLeftOut > 0 ? [`${exactCount(linksLeftOut)} links are left out, those with findings last.`] : []),
  ]
  return texts.length === 0 ? NOTHING : markup`<p class="note">${texts.join(' ')}</p>`
}
