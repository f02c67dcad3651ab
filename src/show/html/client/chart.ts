/**
 * Charts over time, drawn by uPlot in place of their pictures: drag or buttons zoom, the pointer shows values in the legend,
 * an entry of the legend leaves its series alone. Print and readers without a script have the pictures.
 */
import uPlot from 'uplot'
import { mostOf } from '../../../core/base/extremes.ts'
import { strokesOf } from '../../figure/drawing/strokes.ts'
import { SHAPES } from '../../figure/drawing/shapes.ts'
import { onDark } from '../../figure/drawing/dark-colours.ts'
import { cellText } from '../cells.ts'
import type { ChartData, LineLook } from '../page-data.ts'
import { otherLines } from './other-lines.ts'
import { button, darkScheme, element, styleValue } from './dom.ts'
import { followTime, shareTime, unitPs } from './shared-time.ts'

const HEIGHT_PX = 330
/** Steps of a key over what is shown. */
const STEPS = 100
/** Steps of an axis of whole numbers. */
const WHOLE_STEPS = Array.from({ length: 8 }, (_, k) => [1, 2, 5].map((step) => step * 10 ** k)).flat()
const NOWHERE = { left: -10, top: -10 }

/** A chart with its legend, zoom buttons and choice of other lines, in an element of its own. */
export function chartElement(data: ChartData, label: string, heightPx = HEIGHT_PX): HTMLElement {
  const root = element('div', { class: 'chart' })
  const note = data.note === '' ? [] : [element('p', { class: 'note' }, data.note)]
  const show = (added: readonly number[]): HTMLElement[] => {
    const lines = [...data.lines, ...added.flatMap((i) => data.others[i] ?? [])]
    const choice = otherLines(data, label, added, (chosen) => show(chosen).forEach((each) => each.focus()))
    root.replaceChildren(...note, ...chartParts({ ...data, lines }, label, heightPx, choice))
    return choice
  }
  show([])
  return root
}

function chartParts(data: ChartData, label: string, heightPx: number, choice: readonly HTMLElement[]): HTMLElement[] {
  const canvas = element('div', {
    class: 'canvas',
    role: 'slider',
    tabindex: '0',
    'aria-valuemin': '0',
    'aria-valuemax': String(mostOf(data.lines.map(({ x }) => x.at(-1) ?? 0))),
    'aria-valuenow': '0',
    'aria-valuetext': 'none',
    'aria-label': `Instant of ${label}, ${data.lines.length} series over time`,
  })
  const legend = element('div', { class: 'series', role: 'group', 'aria-label': `Series of ${label}` })
  const chart = new Chart(data, canvas, legend, heightPx)
  // Drawn as soon as it has a width, and again whenever that changes.
  new ResizeObserver(() => chart.resize()).observe(canvas)
  canvas.addEventListener('keydown', (event) => {
    if (chart.moveInstant(event.key, event.shiftKey)) event.preventDefault()
  })
  canvas.addEventListener('blur', () => chart.choose(undefined))
  followTime(canvas, (timePs) => chart.showInstant(timePs))
  darkScheme.addEventListener('change', () => chart.draw())
  return [element('div', { class: 'head' }, legend, ...choice, chart.time, zoomButtons(chart, label)), canvas]
}

class Chart {
  readonly #data: ChartData
  readonly #canvas: HTMLElement
  readonly #heightPx: number
  readonly #entries: readonly HTMLButtonElement[]
  /** Time under the pointer. */
  readonly time: HTMLElement = element('span', { class: 'time' })
  #plot: uPlot | undefined
  #alone: number | undefined
  /** True while the instant of another figure is shown. */
  #isFollowing = false
  /** The instant that keys chose, in the unit of the axis. */
  #instant: number | undefined

  constructor(data: ChartData, canvas: HTMLElement, legend: HTMLElement, heightPx: number) {
    this.#heightPx = heightPx
    this.#data = data
    this.#canvas = canvas
    const strokes = strokesOf(data.lines, false)
    this.#entries = data.lines.map(({ series }, i) => {
      const swatch = element('span', { class: 'swatch' })
      swatch.style.background = shade(data.lines[i]!.look?.colour ?? strokes[i]!.colour)
      const onPress = (): void => this.#isolate(i)
      return button({ 'aria-pressed': 'false' }, onPress, swatch, series === '' ? 'value' : series, element('output'))
    })
    legend.append(...this.#entries)
  }

  /** Draws anew, in the colours of the page. */
  draw(): void {
    this.#plot?.destroy()
    const { lines, timeUnit, yLabel, isStep, isFitted = false } = this.#data
    const strokes = strokesOf(lines, false)
    const [ink, grid] = [styleValue('--ink-soft'), styleValue('--line')]
    const axis = {
      stroke: ink,
      grid: { stroke: grid, width: 1 },
      ticks: { stroke: grid, width: 1 },
      font: '12px sans-serif',
      labelFont: '12px sans-serif',
    }
    const paths = isStep ? uPlot.paths.stepped?.({ align: 1 }) : undefined
    const options: uPlot.Options = {
      width: this.#canvas.clientWidth,
      height: this.#heightPx,
      legend: { show: false },
      scales: {
        x: { time: false },
        y: { range: (_, low, high) => (isFitted ? fitted(low, high) : fromZero(low, high)) },
      },
      axes: [
        { ...axis, label: `time (${timeUnit})`, labelSize: 20, size: 34 },
        { ...axis, label: yLabel, labelSize: 22, size: 52, ...(isFitted ? { incrs: WHOLE_STEPS } : {}) },
      ],
      cursor: { y: false, drag: { x: true, y: false }, points: { size: 7 } },
      series: [
        {},
        ...strokes.map(({ series, colour }, i): uPlot.Series => ({
          label: series,
          show: this.#alone === undefined || this.#alone === i,
          ...(lines[i]?.look === undefined
            ? { stroke: shade(colour), width: 1.5, points: { show: false }, ...(paths === undefined ? {} : { paths }) }
            : pointSeries(lines[i].look, shade(lines[i].look.colour))),
        })),
      ],
      hooks: { setCursor: [(plot) => this.#showValues(plot)] },
    }
    this.#plot = new uPlot(options, joined(this.#data), this.#canvas)
  }

  resize(): void {
    const width = this.#canvas.clientWidth
    if (width === 0) return
    if (this.#plot === undefined) this.draw()
    else if (this.#plot.width !== width) this.#plot.setSize({ width, height: this.#heightPx })
  }

  /** Shows `factor` of the span, moved by `shift` of it; everything without a factor. */
  zoom(factor?: number, shift = 0): void {
    const plot = this.#plot
    const x = plot?.data[0]
    if (plot === undefined || x === undefined || x.length === 0) return
    const [first, last] = [x[0]!, x.at(-1)!]
    const { min = first, max = last } = plot.scales['x'] ?? {}
    if (factor === undefined) return plot.setScale('x', { min: first, max: last })
    const [low, high] = [min ?? first, max ?? last]
    const middle = (low + high) / 2 + shift * (high - low)
    const half = Math.min((factor * (high - low)) / 2, (last - first) / 2)
    const centre = Math.min(last - half, Math.max(first + half, middle))
    plot.setScale('x', { min: centre - half, max: centre + half })
  }

  /** Shows an instant of the run; undefined: none. */
  showInstant(timePs: number | undefined): void {
    const plot = this.#plot
    if (plot === undefined) return
    this.#isFollowing = true
    const left = timePs === undefined ? -1 : plot.valToPos(timePs / unitPs(this.#data.timeUnit), 'x')
    plot.setCursor(left >= 0 && left <= plot.bbox.width / devicePixelRatio ? { left, top: 0 } : NOWHERE)
    this.#isFollowing = false
  }

  /** The instant that a key chooses, here and in all figures, within what is shown; true if the key is one of these. */
  moveInstant(key: string, isFar: boolean): boolean {
    const { min, max } = this.#plot?.scales['x'] ?? {}
    if (typeof min !== 'number' || typeof max !== 'number') return false
    const step = (max - min) / (isFar ? 10 : STEPS)
    const now = this.#instant ?? min
    const to: Readonly<Record<string, number | undefined>> = {
      ArrowLeft: now - step,
      ArrowRight: now + step,
      Home: min,
      End: max,
      Escape: undefined,
    }
    if (!Object.hasOwn(to, key)) return false
    const wanted = to[key]
    this.choose(wanted === undefined ? undefined : Math.min(max, Math.max(min, wanted)))
    return true
  }

  choose(instant: number | undefined): void {
    if (instant === undefined && this.#instant === undefined) return
    this.#instant = instant
    const timePs = instant === undefined ? undefined : instant * unitPs(this.#data.timeUnit)
    this.showInstant(timePs)
    shareTime(timePs, this.#canvas)
    const said = this.#entries.map((entry) => entry.textContent ?? '').join(', ')
    this.#canvas.setAttribute('aria-valuenow', String(instant ?? 0))
    this.#canvas.setAttribute('aria-valuetext', instant === undefined ? 'none' : `${this.time.textContent}: ${said}`)
  }

  #isolate(index: number): void {
    this.#alone = this.#alone === index ? undefined : index
    this.#entries.forEach((entry, i) => {
      const isShown = this.#alone === undefined || this.#alone === i
      entry.setAttribute('aria-pressed', String(this.#alone === i))
      entry.classList.toggle('faded', !isShown)
      this.#plot?.setSeries(i + 1, { show: isShown })
    })
  }

  #showValues(plot: uPlot): void {
    const { idx, left = -1 } = plot.cursor
    const time = left < 0 ? undefined : plot.posToVal(left, 'x')
    if (!this.#isFollowing) {
      shareTime(time === undefined ? undefined : time * unitPs(this.#data.timeUnit), this.#canvas)
    }
    this.time.textContent = time === undefined ? '' : `at ${cellText(time, 'ratio')} ${this.#data.timeUnit}`
    this.#entries.forEach((entry, i) => {
      const values = plot.data[i + 1]
      let at = idx ?? -1
      // The nearest point; a step has the value of the last one.
      if (this.#data.isStep && time !== undefined && (plot.data[0][at] ?? -1) > time) at--
      // Between its own points a series has the value of the one before.
      while (at >= 0 && values?.[at] === undefined) at--
      const value = values?.[at]
      const output = entry.querySelector('output')
      if (output !== null) output.textContent = typeof value === 'number' ? `: ${cellText(value, 'ratio')}` : ''
    })
  }
}

const fromZero = (low: number, high: number): [number, number] => [Math.min(0, low), high > 0 ? high * 1.06 : 1]

function fitted(low: number, high: number): [number, number] {
  const room = Math.max(0.5, (high - low) * 0.04)
  return [low - room, high + room]
}

/** One column of times for all series: undefined where a series has no point of its own. */
function joined({ lines }: ChartData): uPlot.AlignedData {
  return uPlot.join(lines.map(({ x, y }): uPlot.AlignedData => [[...x], [...y]]))
}

function zoomButtons(chart: Chart, label: string): HTMLElement {
  const one = (text: string, name: string, onPress: () => void): HTMLButtonElement =>
    button({ 'aria-label': `${name}: ${label}`, title: name }, onPress, text)
  return element(
    'div',
    { class: 'zoom', role: 'group', 'aria-label': `Zoom of ${label}` },
    one('−', 'Zoom out', () => chart.zoom(2)),
    one('+', 'Zoom in', () => chart.zoom(0.5)),
    one('‹', 'Earlier', () => chart.zoom(1, -0.5)),
    one('›', 'Later', () => chart.zoom(1, 0.5)),
    one('all', 'all of the time', () => chart.zoom()),
  )
}

const shade = (colour: string): string => (darkScheme.matches ? onDark(colour) : colour)

const STEP_WIDTH = 1.2

/** A kind of points, with its shape as in the picture. @param colour as the page shows it */
function pointSeries({ shape, radius, isStep }: LineLook, colour: string): Omit<uPlot.Series, 'label' | 'show'> {
  const steps = isStep ? uPlot.paths.stepped?.({ align: 1 }) : undefined
  return {
    stroke: colour,
    width: STEP_WIDTH,
    paths: steps ?? (() => null),
    points: { show: true, fill: colour, stroke: colour, size: 2 * radius, width: 0, paths: pointPaths(shape, radius) },
  }
}

function pointPaths(shape: number, radius: number): uPlot.Series.Points.PathBuilder {
  const outline = SHAPES[shape] ?? []
  return (plot, index, first, last) => {
    const path = new Path2D()
    const r = radius * devicePixelRatio
    const [times, values = []] = [plot.data[0], plot.data[index]]
    for (let i = first; i <= last; i++) {
      const value = values[i]
      if (typeof value !== 'number') continue
      const [x, y] = [plot.valToPos(times[i]!, 'x', true), plot.valToPos(value, 'y', true)]
      if (outline.length === 0) {
        path.moveTo(x + r, y)
        path.arc(x, y, r, 0, 2 * Math.PI)
      } else outline.forEach(([dx, dy], k) => path[k === 0 ? 'moveTo' : 'lineTo'](x + dx * r, y + dy * r))
      path.closePath()
    }
    return { stroke: null, fill: path, flags: 3 }
  }
}
