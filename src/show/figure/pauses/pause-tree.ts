/**
 * Pause tree of an instant as a picture: roots on the left, and each device to the right of the one that pauses it. The
 * branches with the most hosts are drawn; of the rest the figure says how much there is.
 */
import { type Result, tableOfKind } from '../../../core/results/index.ts'
import { exactCount, humanDuration } from '../../../core/base/format.ts'
import { counted } from '../../../core/findings/index.ts'
import { ALARM, COLOURS, CONNECTOR, FAINT } from '../drawing/colours.ts'
import type { FigureText } from '../drawing/figure-text.ts'
import type { FigureGroup } from '../drawing/figure-table.ts'
import type { ResultFigure } from '../result-figure.ts'
import { textWidth } from '../drawing/frame.ts'
import { type Box, drawCanvas, fitText, type Rule, SMALL, type Word } from './canvas.ts'
import { fullestTree, type Vertex } from './tree-vertices.ts'

const ROWS_MAX = 36
const ROW_PX = 34
const BOX_PX = 28
const LEFT = 16
const HEAD_PX = 26
/** Between a device and those that it pauses. */
const GAP_PX = 34
const BOX_WIDTH_PX = 152
/** Several devices in one box. */
const SEVERAL = COLOURS.at(-1)!
/** Children of one device that are drawn, by its depth. */
const CHILDREN = [8, 6, 6, 4, 3] as const
const CHILDREN_MIN = 3
/** Hosts of one switch that are drawn each for itself. */
const HOSTS_MAX = 3

/** The tree at the sample with the most hosts paused; undefined: the result has no tree. */
export function pauseTreeFigure(
  result: Result,
  about: Omit<FigureText, 'yLabel'>,
): Omit<ResultFigure, 'name'> | undefined {
  const table = tableOfKind(result, 'pause-tree')
  const tree = table === undefined ? undefined : fullestTree(table)
  if (tree === undefined) return undefined
  const { roots, pauses, hosts, timePs } = tree
  const shown = choose(roots)
  const sketch: Sketch = { boxes: [], rules: [], words: [] }
  let row = 0
  let deepest = 0
  const draw = (node: Shown, depth: number): number => {
    deepest = Math.max(deepest, depth)
    const first = row
    const centres = node.children.map((child) => draw(child, depth + 1))
    if (centres.length === 0) row++
    const y = centres.length === 0 ? first : (centres[0]! + centres.at(-1)!) / 2
    drawNode(sketch, node, depth, y, centres)
    return y
  }
  for (const root of shown) draw(root, 0)
  for (let depth = 0; depth <= deepest; depth++) {
    const label = depth === 0 ? 'root' : counted(depth, 'hop')
    sketch.words.push({ x: leftOf(depth), y: 10, label, size: SMALL, fill: FAINT })
  }
  const width = Math.max(about.width ?? 720, leftOf(deepest) + BOX_WIDTH_PX + LEFT)
  const facts = [
    `at ${humanDuration(timePs)}: ${counted(pauses, 'port')} paused, ${counted(hosts, 'host')} among them, ${counted(roots.length, 'root')}`,
    'each device stands behind the one that pauses it',
  ]
  const subtitle = [...(about.subtitle === undefined ? [] : [about.subtitle]), ...facts].join('; ')
  const svg = drawCanvas({ ...about, subtitle }, { ...sketch, width, height: HEAD_PX + row * ROW_PX + 8 })
  const groups = shown.flatMap((root) => groupsOf(root, ''))
  return { svg, data: { keys: ['device', 'paused by'], numbers: ['ports', 'sincePs', 'hosts'], groups } }
}

/** A row for each box. */
function groupsOf({ vertex, label, children }: Shown, pausedBy: string): FigureGroup[] {
  const numbers =
    vertex === null ? [[null], [null], [null]] : [[vertex.ports], [finiteOr(vertex.sincePs)], [vertex.hosts]]
  return [{ keys: [label, pausedBy], numbers }, ...children.flatMap((child) => groupsOf(child, label))]
}

const finiteOr = (value: number): number | null => (Number.isFinite(value) ? value : null)

interface Sketch {
  readonly boxes: Box[]
  readonly rules: Rule[]
  readonly words: Word[]
}

/** A vertex, or what stands for several, with the children that are drawn. */
interface Shown {
  readonly vertex: Vertex | null
  readonly label: string
  readonly detail: string
  children: readonly Shown[]
}

/** Opens the vertices with the most hosts below them first, as long as there are rows. */
function choose(roots: readonly Vertex[]): readonly Shown[] {
  const top = shownOf(roots, CHILDREN[0])
  let rows = top.length
  const closed = top.map((node) => ({ node, depth: 0 }))
  for (;;) {
    closed.sort((a, b) => reachOf(b.node) - reachOf(a.node) || a.depth - b.depth)
    const next = closed.shift()
    if (next === undefined) return top
    const { node, depth } = next
    if (node.vertex === null || node.vertex.children.length === 0) continue
    const most = CHILDREN[depth + 1] ?? CHILDREN_MIN
    const children = shownOf(node.vertex.children, Math.min(most, Math.max(1, ROWS_MAX - rows)))
    node.children = children
    rows += children.length - 1
    closed.push(...children.map((child) => ({ node: child, depth: depth + 1 })))
  }
}

const reachOf = ({ vertex }: Shown): number => (vertex === null ? -1 : vertex.hosts * 1000 + vertex.ports)

/** At most `most` nodes for these vertices; the last one stands for the rest. */
function shownOf(vertices: readonly Vertex[], most: number): Shown[] {
  const hosts = vertices.filter(({ tier, children }) => tier === 0 && children.length === 0)
  const others = vertices.filter((vertex) => !hosts.includes(vertex))
  const isFew = hosts.length <= HOSTS_MAX && vertices.length <= most
  const single = isFew ? vertices : others
  const room = Math.max(0, most - (isFew || hosts.length === 0 ? 0 : 1))
  const kept = single.length <= room ? single : single.slice(0, Math.max(0, room - 1))
  const rest = single.slice(kept.length)
  const nodes = kept.map((vertex): Shown => ({ vertex, label: vertex.label, detail: detailOf(vertex), children: [] }))
  if (rest.length > 0)
    nodes.push(together(kept.length > 0 ? `and ${exactCount(rest.length)} more` : namesOf(rest), rest))
  if (!isFew && hosts.length > 0) nodes.push(together(namesOf(hosts), hosts))
  return nodes
}

function together(label: string, vertices: readonly Vertex[]): Shown {
  const hosts = vertices.reduce((sum, vertex) => sum + vertex.hosts, 0)
  const first = vertices.reduce((least, { sincePs }) => Math.min(least, sincePs), Infinity)
  const since = Number.isFinite(first) ? [`from ${humanDuration(first)}`] : []
  const isHosts = vertices.every(({ tier }) => tier === 0)
  const reach = hosts > 0 && !isHosts ? [counted(hosts, 'host')] : []
  return { vertex: null, label, detail: [...reach, ...since].join(', '), children: [] }
}

/** "24 hosts"; of several kinds "7 devices". */
function namesOf(vertices: readonly Vertex[]): string {
  if (vertices.length === 1) return vertices[0]!.label
  const kinds = new Set(vertices.map(({ kind }) => kind))
  return kinds.size === 1 && kinds.has('host')
    ? `${exactCount(vertices.length)} hosts`
    : `${exactCount(vertices.length)} devices`
}

function detailOf({ ports, sincePs, hosts, tier, kind }: Vertex): string {
  if (ports === 0) {
    const what = kind === 'host' ? 'pauses its switch' : kind === 'circle' ? 'wait for each other' : 'more in than out'
    return hosts > 0 ? `${counted(hosts, 'host')} held up` : what
  }
  const since = `from ${humanDuration(sincePs)}`
  return tier === 0 ? since : `${counted(ports, 'port')}, ${since}`
}

const leftOf = (depth: number): number => LEFT + depth * (BOX_WIDTH_PX + GAP_PX)

function drawNode(
  { boxes, rules, words }: Sketch,
  node: Shown,
  depth: number,
  row: number,
  centres: readonly number[],
): void {
  const yOf = (at: number): number => HEAD_PX + at * ROW_PX + BOX_PX / 2
  const x = leftOf(depth)
  const y = yOf(row)
  const { vertex } = node
  const colour = vertex === null ? SEVERAL : vertex.tier < 0 ? ALARM : COLOURS[vertex.tier % COLOURS.length]!
  boxes.push({ x1: x, x2: x + BOX_WIDTH_PX, y1: y - BOX_PX / 2, y2: y + BOX_PX / 2, fill: colour, opacity: 0.2 })
  boxes.push({ x1: x, x2: x + 4, y1: y - BOX_PX / 2, y2: y + BOX_PX / 2, fill: colour })
  const room = BOX_WIDTH_PX - 16
  const label = fitText(node.label, room, (text) => textWidth(text, 12))
  words.push({ x: x + 10, y: y - 6, label, size: 12, isBold: vertex !== null })
  const detail = fitText(node.detail, room, (text) => textWidth(text, 10))
  words.push({ x: x + 10, y: y + 7, label: detail, size: 10, fill: FAINT })
  if (centres.length === 0) return
  const [middle, end] = [x + BOX_WIDTH_PX + GAP_PX / 2, leftOf(depth + 1)]
  rules.push({ x1: x + BOX_WIDTH_PX, x2: middle, y1: y, y2: y, stroke: CONNECTOR })
  const [first, last] = [yOf(centres[0]!), yOf(centres.at(-1)!)]
  if (last > first) rules.push({ x1: middle, x2: middle, y1: first, y2: last, stroke: CONNECTOR })
  for (const centre of centres) rules.push({ x1: middle, x2: end, y1: yOf(centre), y2: yOf(centre), stroke: CONNECTOR })
}
