/**
 * Charts over time, drawn by uPlot in place of their pictures: drag or buttons zoom, the pointer shows values in the legend,
 * an entry of the legend leaves its series alone. Print and readers without a script have the pictures.
 */
import uPlot from 'uplot'
import { strokesOf } from '../../figure/drawing/strokes.ts'
import { onDark } from '../../figure/drawing/dark-colours.ts'
import { cellText } from '../cells.ts'
import type { ChartData } from '../page-data.ts'
import { button, darkScheme, element, styleValue } from './dom.ts'

const HEIGHT_PX = 330

/** A chart with its legend and zoom buttons, in an element of its own. */
export function chartElement(data: ChartData, label: string, heightPx = HEIGHT_PX): HTMLElement {
  const canvas = element('div', {
    class: 'canvas',
    role: 'img',
    'aria-label': `${label}, ${data.lines.length} series over time`,
  })
  const legend = element('div', { class: 'series', role: 'group', 'aria-label': `Series of ${label}` })
  const chart = new Chart(data, canvas, legend, heightPx)
  const note = data.note === '' ? [] : [element('p', { class: 'note' }, data.note)]
  const head = element('div', { class: 'head' }, legend, chart.time, zoomButtons(chart, label))
  const root = element('div', { class: 'chart' }, ...note, head, canvas)
  // Drawn as soon as it has a width, and again whenever that changes.
  new ResizeObserver(() => chart.resize()).observe(canvas)
  darkScheme.addEventListener('change', () => chart.draw())
  return root
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

  constructor(data: ChartData, canvas: HTMLElement, legend: HTMLElement, heightPx: number) {
    this.#heightPx = heightPx
    this.#data = data
    this.#canvas = canvas
    const strokes = strokesOf(data.lines, false)
    this.#entries = data.lines.map(({ series }, i) => {
      const swatch = element('span', { class: 'swatch' })
      swatch.style.background = shade(strokes[i]!.colour)
      const onPress = (): void => this.#isolate(i)
      return button({ 'aria-pressed': 'false' }, onPress, swatch, series === '' ? 'value' : series, element('output'))
    })
    legend.append(...this.#entries)
  }

  /** Draws anew, in the colours of the page. */
  draw(): void {
    this.#plot?.destroy()
    const { lines, timeUnit, yLabel, isStep } = this.#data
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
      scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.06 : 1] } },
      axes: [
        { ...axis, label: `time (${timeUnit})`, labelSize: 20, size: 34 },
        { ...axis, label: yLabel, labelSize: 22, size: 52 },
      ],
      cursor: { drag: { x: true, y: false }, points: { size: 7 } },
      series: [
        {},
        ...strokes.map(({ series, colour }, i): uPlot.Series => ({
          label: series,
          stroke: shade(colour),
          width: 1.5,
          show: this.#alone === undefined || this.#alone === i,
          points: { show: false },
          ...(paths === undefined ? {} : { paths }),
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
    const { idx } = plot.cursor
    const time = plot.data[0][idx ?? -1]
    this.time.textContent = time === undefined ? '' : `at ${cellText(time, 'ratio')} ${this.#data.timeUnit}`
    this.#entries.forEach((entry, i) => {
      const values = plot.data[i + 1]
      let at = idx ?? -1
      // Between its own points a series has the value of the one before.
      while (at >= 0 && values?.[at] === undefined) at--
      const value = values?.[at]
      const output = entry.querySelector('output')
      if (output !== null) output.textContent = typeof value === 'number' ? `: ${cellText(value, 'ratio')}` : ''
    })
  }
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
