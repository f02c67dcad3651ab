/**
 * Figures that are pictures: the pointer shows the values of all lines below it, and an entry of the legend leaves its
 * series alone. The scales stand in the picture, as "kind from to pixel pixel".
 */
import { cellText } from '../cells.ts'
import { all, element } from './dom.ts'

interface Scale {
  readonly kind: string
  readonly from: number
  readonly to: number
  readonly fromPx: number
  readonly toPx: number
}

interface DrawnLine {
  readonly series: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

/** Makes every picture of the page answer to pointer and keyboard. */
export function enhanceFigures(): void {
  for (const svg of all(document, 'figure svg', SVGSVGElement)) {
    isolateByLegend(svg)
    showValues(svg)
  }
}

/** A clear rectangle below an entry of a legend, so that the gap between its mark and its name can be pressed, too. */
function groundOf(entry: SVGElement): SVGRectElement {
  const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  if (!(entry instanceof SVGGraphicsElement)) return ground
  const { x, y, width, height } = entry.getBBox()
  for (const [name, value] of Object.entries({ x, y, width, height })) ground.setAttribute(name, String(value))
  ground.setAttribute('fill', 'transparent')
  ground.dataset['ground'] = ''
  return ground
}

/** Entries of the legend that have marks become buttons. */
function isolateByLegend(svg: SVGSVGElement): void {
  const marks = all(svg, '[data-series]', SVGElement)
  const names = new Set(marks.map((mark) => mark.dataset['series']))
  const entries = all(svg, '[data-legend]', SVGElement).filter((entry) => names.has(entry.dataset['legend']))
  if (entries.length < 2) return
  // A picture has no parts for a screen reader; a group has.
  svg.setAttribute('role', 'group')
  let alone: string | undefined
  const show = (name: string | undefined): void => {
    alone = alone === name ? undefined : name
    for (const mark of marks) mark.classList.toggle('faded', alone !== undefined && mark.dataset['series'] !== alone)
    for (const entry of entries) {
      const isAlone = entry.dataset['legend'] === alone
      entry.setAttribute('aria-pressed', String(isAlone))
      entry.classList.toggle('faded', alone !== undefined && !isAlone)
    }
  }
  for (const entry of entries) {
    const name = entry.dataset['legend']
    entry.prepend(groundOf(entry))
    entry.setAttribute('role', 'button')
    entry.setAttribute('tabindex', '0')
    entry.setAttribute('aria-pressed', 'false')
    entry.setAttribute('aria-label', `only ${name ?? ''}`)
    entry.addEventListener('click', () => show(name))
    entry.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return
      event.preventDefault()
      show(name)
    })
  }
}

function showValues(svg: SVGSVGElement): void {
  const [drawing] = all(svg, '[data-x]', SVGGElement)
  const figure = svg.closest('figure')
  if (drawing === undefined || figure === null) return
  const [x, y] = [scaleOf(drawing.dataset['x']), scaleOf(drawing.dataset['y'])]
  const lines = all(drawing, 'g[data-mark="line"][data-series] path', SVGPathElement).map((path) => ({
    path,
    series: path.parentElement?.dataset['series'] ?? '',
    points: pointsOf(path.getAttribute('d') ?? ''),
  }))
  if (lines.length === 0) return
  const xLabel = drawing.querySelector('[data-mark="x-axis label"]')?.textContent ?? ''
  const tip = element('div', { class: 'tip', 'aria-hidden': 'true', hidden: true })
  figure.append(tip)
  svg.addEventListener('pointerleave', () => (tip.hidden = true))
  svg.addEventListener('pointermove', (event) => {
    const inverse = drawing.getScreenCTM()?.inverse()
    if (inverse === undefined) return
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(inverse)
    const shown = lines.flatMap((line): string[][] => {
      const isFaded = line.path.parentElement?.classList.contains('faded') === true
      const height = isFaded ? undefined : heightAt(line, at.x)
      return height === undefined ? [] : [[line.series, cellText(valueAt(y, height), 'ratio')]]
    })
    tip.hidden = shown.length === 0 || at.x < x.fromPx - 4 || at.x > x.toPx + 4
    if (tip.hidden) return
    const head = x.kind !== 'order' ? [element('p', {}, `${cellText(valueAt(x, at.x), 'ratio')} · ${xLabel}`)] : []
    const rows = shown.map(([series = '', value = '']) => {
      return element('p', {}, series === '' ? '' : `${series}: `, element('b', {}, value))
    })
    tip.replaceChildren(...head, ...rows)
    moveTip(tip, figure, event)
  })
}

/** Beside the pointer, on the side where there is room. */
export function moveTip(tip: HTMLElement, within: Element, event: PointerEvent): void {
  const box = within.getBoundingClientRect()
  const left = event.clientX - box.left
  const isRight = left > box.width / 2
  tip.style.left = isRight ? 'auto' : `${left + 14}px`
  tip.style.right = isRight ? `${box.width - left + 14}px` : 'auto'
  tip.style.top = `${event.clientY - box.top - 12}px`
}

function scaleOf(text = ''): Scale {
  const [kind = 'linear', ...numbers] = text.split(' ')
  const [from = 0, to = 1, fromPx = 0, toPx = 1] = numbers.map(Number)
  return { kind, from, to, fromPx, toPx }
}

/** The value of a pixel. */
function valueAt({ kind, from, to, fromPx, toPx }: Scale, px: number): number {
  const share = (px - fromPx) / (toPx - fromPx)
  return kind === 'log' ? from * (to / from) ** share : from + share * (to - from)
}

/** Corners of a path of straight lines; a break begins with NaN. */
function pointsOf(path: string): (readonly [number, number])[] {
  const points: (readonly [number, number])[] = []
  let [x, y] = [0, 0]
  for (const [, command, rest = ''] of path.matchAll(/([MLHV])([^MLHVZ]*)/g)) {
    const numbers = rest
      .split(/[ ,]+/)
      .filter((word) => word !== '')
      .map(Number)
    if (command === 'M' && points.length > 0) points.push([NaN, NaN])
    const step = command === 'H' || command === 'V' ? 1 : 2
    for (let i = 0; i < numbers.length; i += step) {
      if (command === 'V') y = numbers[i] ?? y
      else x = numbers[i] ?? x
      if (step === 2) y = numbers[i + 1] ?? y
      points.push([x, y])
    }
  }
  return points
}

/** Where a line is at a pixel; undefined where it is not. */
function heightAt({ points }: DrawnLine, x: number): number | undefined {
  for (let i = 1; i < points.length; i++) {
    const [from, to] = [points[i - 1]!, points[i]!]
    if (x < Math.min(from[0], to[0]) || x > Math.max(from[0], to[0])) continue
    const span = to[0] - from[0]
    const height = span === 0 ? to[1] : from[1] + ((x - from[0]) / span) * (to[1] - from[1])
    if (Number.isFinite(height)) return height
  }
  return undefined
}
