/**
 * Shared time: one instant of the simulated time that the pointer or a key chose in one figure, and that all figures over
 * time show.
 */
import { all } from './dom.ts'

/** Picoseconds; undefined: none. */
type ShowInstant = (timePs: number | undefined) => void

const shown = new Map<Element, ShowInstant>()

/** @param show called when another element has chosen an instant, as long as this one is on the page */
export function followTime(at: Element, show: ShowInstant): void {
  shown.set(at, show)
}

/** @param from the element that has chosen it and shows it already */
export function shareTime(timePs: number | undefined, from: Element): void {
  for (const [element, show] of shown) {
    if (!element.isConnected) shown.delete(element)
    else if (element !== from) show(timePs)
  }
}

const UNITS_PS: Readonly<Record<string, number>> = { ps: 1, ns: 1e3, us: 1e6, ms: 1e9, s: 1e12 }

/** Picoseconds of a unit of an axis of time. */
export function unitPs(name: string): number {
  return UNITS_PS[name] ?? NaN
}

/** Picoseconds at both ends of the axis of time of a picture, and the pixels of these; undefined: it has no such axis. */
function timeAxisOf(drawing: SVGGElement): number[] | undefined {
  const { time, x = '' } = drawing.dataset
  if (time !== undefined) return time.split(' ').map(Number)
  const scale = Number(drawing.closest('figure')?.dataset['xUnitPs'] ?? NaN)
  const [, ...ends] = x.split(' ')
  return Number.isNaN(scale) ? undefined : ends.map((end, i) => (i < 2 ? Number(end) * scale : Number(end)))
}

/** Pictures with an axis of time that are no charts: a line at the instant. */
export function markPictures(): void {
  for (const drawing of all(document, 'figure:not(.has-chart) svg :is([data-time], [data-x])', SVGGElement)) {
    const axis = timeAxisOf(drawing)
    if (axis === undefined) continue
    const [fromPs = 0, toPs = 0, left = 0, right = 0] = axis
    const line = document.createElementNS('http://www.w3.org/2000/svg', 'line')
    const { y, height } = drawing.getBBox()
    line.setAttribute('y1', String(y))
    line.setAttribute('y2', String(y + height))
    line.setAttribute('class', 'instant')
    const show: ShowInstant = (timePs) => {
      line.remove()
      if (timePs === undefined || timePs < fromPs || timePs > toPs) return
      const x = String(left + ((timePs - fromPs) / (toPs - fromPs)) * (right - left))
      line.setAttribute('x1', x)
      line.setAttribute('x2', x)
      drawing.append(line)
    }
    followTime(drawing, show)
    const svg = drawing.ownerSVGElement
    svg?.addEventListener('pointermove', ({ clientX, clientY }) => {
      const inverse = drawing.getScreenCTM()?.inverse()
      if (inverse === undefined) return
      const { x } = new DOMPoint(clientX, clientY).matrixTransform(inverse)
      const isInside = x >= left && x <= right
      const timePs = isInside ? fromPs + ((x - left) / (right - left)) * (toPs - fromPs) : undefined
      show(timePs)
      shareTime(timePs, drawing)
    })
    svg?.addEventListener('pointerleave', () => {
      show(undefined)
      shareTime(undefined, drawing)
    })
  }
}
