/**
 * Network: the topology as a picture whose links have the colour of what was observed at each port, and the ports with
 * most as a table.
 */
import { dropsByNode } from '../figure/index.ts'
import { exactCount, humanRate } from '../../core/base/format.ts'
import type { NetworkGraph, ReportedRun } from '../reported-run.ts'
import { cellText, stepOf, stepTexts } from './cells.ts'
import { markup, type Markup, NOTHING } from './markup.ts'
import { type Layout, layoutOf, type PlacedNode } from './network-layout.ts'
import type { MeasureData, NetworkData, PortData } from './page-data.ts'
import { scrollTable } from './parts/scroll-table.ts'
import { portKey, portMeasures } from './port-measures.ts'

/** Ports with a series over time. */
const SERIES_MAX = 128
/** Rows of the table of ports. */
const PORTS_MAX = 12

export interface NetworkPart {
  readonly content: Markup
  readonly data: NetworkData | null
}

export const networkId = (run: number): string => `network-${run + 1}`

export function networkPart({ result, facts, label }: ReportedRun, index: number, runs: number): NetworkPart {
  const heading = runs > 1 ? markup`<h3>${label}</h3>` : NOTHING
  if (facts === null) {
    return {
      content: markup`<div class="network" id="${networkId(index)}">
        ${heading}
        <p class="note">No picture: the scenario is of a version that this one cannot read.</p>
      </div>`,
      data: null,
    }
  }
  const { graph } = facts
  const measured = portMeasures(result)
  const most = measured.map(({ values }) => [...values.values()].reduce((high, value) => Math.max(high, value), 0))
  /** Each measure in shares of its largest value, so that they add up. */
  const weightOf = (key: string): number =>
    measured.reduce((sum, { values }, i) => sum + (most[i]! > 0 ? (values.get(key) ?? 0) / most[i]! : 0), 0)
  const layout = layoutOf(graph, weightOf)
  const ranked = [...new Set(measured.flatMap(({ values }) => [...values.keys()]))]
    .filter((key) => weightOf(key) > 0)
    .toSorted((a, b) => weightOf(b) - weightOf(a))
  const withSeries = new Set(ranked.slice(0, SERIES_MAX))
  const ports: Record<string, PortData> = {}
  for (const { port, keys } of layout.ports) {
    const values = Object.fromEntries(
      measured.flatMap(({ about, values: byPort }) => {
        const known = keys.flatMap((key) => byPort.get(key) ?? [])
        return known.length === 0 ? [] : [[about.id, short(Math.max(...known))]]
      }),
    )
    const [key] = keys as [string]
    const series = measured.map(({ about, seriesOf }) => [about.id, seriesOf(key).map(short)] as const)
    ports[key] = {
      name: portName(graph, port.node, port.port, keys.length),
      node: port.node,
      peerName: graph.names[port.peerNode]!,
      peerKey: portKey(port.peerNode, port.peerPort),
      rateBps: port.rateBps,
      values,
      ...(keys.length === 1 && withSeries.has(key) ? { series: Object.fromEntries(series) } : {}),
    }
  }
  const data: NetworkData = {
    measures: measured.map(({ about }) => about),
    ports,
    drops: dropsByNumber(graph, dropsByNode(result)),
    endPs: result.simulatedPs,
    hostNodes: graph.hostNodes,
    hostTitles: graph.hostTitles,
  }
  return {
    content: markup`<div class="network" id="${networkId(index)}" data-run="${index}">
      ${heading} ${notes(layout, data)} ${picture(layout, data, label)}
      ${portTable(ranked.slice(0, PORTS_MAX), graph, data, ranked.length, label)}
    </div> `,
    data,
  }
}

const short = (value: number): number => Number(value.toPrecision(3))

function portName({ names, tiers }: NetworkGraph, node: number, port: number, count: number): string {
  if (count > 1)
    return tiers[node] === 0 ? `${count} hosts from ${names[node]!} on` : `${names[node]!}, ${count} ports to hosts`
  return tiers[node] === 0 ? names[node]! : `${names[node]!} port ${port}`
}

function dropsByNumber({ names }: NetworkGraph, byName: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries(names.flatMap((name, node) => (byName.has(name) ? [[node, byName.get(name)!]] : [])))
}

function notes({ linksLeftOut, isGrouped }: Layout, { measures, drops }: NetworkData): Markup {
  const shown =
    measures.length === 0
      ? 'Nothing was observed at ports: add the observers link-use, pause-intervals or queue-depth to the scenario.'
      : `Each half of a link is the port at its end, coloured by ${measures[0]!.name}.`
  const texts = [
    shown,
    ...(Object.keys(drops).length > 0 ? ['Devices that dropped packets have a ring.'] : []),
    ...(isGrouped ? ['Hosts of one switch are drawn as one; a value is the largest of its ports.'] : []),
    ...(linksLeftOut > 0 ? [`${exactCount(linksLeftOut)} links with the smallest values are left out.`] : []),
  ]
  return markup`<p class="note">${texts.join(' ')}</p>`
}

function picture(layout: Layout, data: NetworkData, label: string): Markup {
  const [measure] = data.measures
  const links = layout.ports.map(({ keys, path }) => {
    const [key] = keys as [string]
    const step = measure === undefined ? undefined : stepOf(data.ports[key]!.values[measure.id], measure.steps)
    return markup`<path d="${path}" data-port="${key}" class="${step === undefined ? 'link' : `link s${step}`}" />`
  })
  const nodes = layout.nodes.map((node) => nodeMarkup(node, layout.roomPx.get(node.tier)!, data))
  return markup`<div class="scroll" role="region" aria-label="Picture of the network of ${label}" tabindex="0">
      <svg
        class="picture"
        viewBox="0 0 ${layout.width} ${layout.height}"
        width="${layout.width}"
        height="${layout.height}"
        role="img"
        aria-label="Network of ${label}: hosts below, switches above"
      >
        <g class="links">${links}</g>
        <g class="nodes">${nodes}</g>
      </svg>
    </div>
    ${measure === undefined ? NOTHING : legend(measure)}`
}

/** Letters of about this number of pixels each fit beside a node. */
const LETTER_PX = 7

function nodeMarkup({ nodes, name, title, tier, x, y }: PlacedNode, roomPx: number, data: NetworkData): Markup {
  const dropped = nodes.reduce((sum, one) => sum + (data.drops[one] ?? 0), 0)
  const word = dropped > 0 ? `${title}, ${exactCount(dropped)} packets dropped` : title
  const classes = ['node', tier === 0 ? 'host' : 'switch', ...(dropped > 0 ? ['dropped'] : [])].join(' ')
  const r = Math.max(2.5, Math.min(tier === 0 ? 7 : 9, roomPx / 2.6))
  const shape =
    tier === 0
      ? markup`<circle cx="${round(x)}" cy="${round(y)}" r="${round(r)}" />`
      : markup`<rect
          x="${round(x - 1.6 * r)}"
          y="${round(y - r)}"
          width="${round(3.2 * r)}"
          height="${round(2 * r)}"
          rx="3"
        />`
  const brief = nodes.length > 1 ? `${nodes.length} hosts` : tier === 0 ? name.replace(/^host /, '') : name
  const isFitting = brief.length * LETTER_PX <= roomPx
  const text = isFitting
    ? markup`<text x="${round(x)}" y="${round(tier === 0 ? y + r + 14 : y - r - 6)}">${brief}</text>`
    : NOTHING
  return markup`<g class="${classes}" data-nodes="${nodes.join(' ')}"><title>${word}</title>${shape}${text}</g>`
}

const round = (value: number): number => Math.round(value * 10) / 10

function legend({ name, steps, format }: MeasureData): Markup {
  const bounds = stepTexts(steps, format)
  const items = bounds.map((text, step) => markup`<li><span class="swatch s${step}"></span>${text}</li>`)
  return markup`<div class="legend">
    <span class="measure">${name}</span>
    <ul>
      ${items}
    </ul>
  </div>`
}

function portTable(
  keys: readonly string[],
  graph: NetworkGraph,
  data: NetworkData,
  total: number,
  label: string,
): Markup {
  if (keys.length === 0) return NOTHING
  const byKey = new Map(graph.ports.map((port) => [portKey(port.node, port.port), port]))
  const rows = keys.flatMap((key) => {
    const port = byKey.get(key)
    if (port === undefined) return []
    const of = data.ports[key]
    const cells = data.measures.map(({ id, format }) => {
      const value = of?.values[id]
      return markup`<td class="${format}">${value === undefined ? '-' : cellText(value, format)}</td>`
    })
    return [
      markup`<tr data-port="${key}">
        <th scope="row">${portName(graph, port.node, port.port, 1)}</th>
        <td>${graph.names[port.peerNode]!}</td>
        <td class="rate">${humanRate(port.rateBps)}</td>
        ${cells}
      </tr> `,
    ]
  })
  const heads = data.measures.map(({ name, format }) => markup`<th scope="col" class="${format}">${name}</th>`)
  const caption =
    total > keys.length
      ? `The ${keys.length} of ${exactCount(total)} ports with the highest values`
      : 'Ports that were observed'
  const fixed = [
    markup`<th scope="col">port</th>`,
    markup`<th scope="col">to</th>`,
    markup`<th scope="col" class="rate">rate</th>`,
  ]
  return scrollTable({
    name: `Ports of ${label}`,
    csv: `ports of ${label}`,
    caption,
    heads: [...fixed, ...heads],
    rows,
  })
}
