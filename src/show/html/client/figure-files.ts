/**
 * Figure files: each picture of the page as an SVG file, and its values as CSV. The buttons beside a picture are for the
 * pointer; by keyboard the same buttons are reached in a list behind the figures, so that they are no stops on the way.
 */
import { writeCsv } from '../../../core/results/csv.ts'
import { type FigureData, figureTable } from '../../figure/drawing/figure-table.ts'
import type { ChartData, PageData } from '../page-data.ts'
import { all, button, element } from './dom.ts'
import { download, saveText } from './download.ts'

/** A picture that can be saved. */
export interface Saved {
  /** Name of both files, without .svg and .csv. */
  readonly name: string
  /** For people. */
  readonly caption: string
  readonly svg: SVGSVGElement
  readonly data: FigureData | undefined
}

export function offerFigures({ charts, figures = {} }: PageData): void {
  const saved = all(document, 'figure', HTMLElement).flatMap((figure): Saved[] => {
    const caption = figure.querySelector('figcaption')
    const [svg] = all(figure, '.scroll > svg', SVGSVGElement)
    if (caption === null || svg === undefined) return []
    const id = figure.id.replace(/^figure-/, '')
    const chart = charts[id]
    const data = chart === undefined ? figures[id] : chartValues(chart)
    const one = { name: `${document.title}-${id}`, caption: caption.textContent.trim(), svg, data }
    caption.after(saveButtons(one, false))
    return [one]
  })
  const [last] = all(document, '#figures', HTMLElement)
  if (saved.length === 0 || last === undefined) return
  const items = saved.map((one) => element('li', {}, `${one.caption} `, saveButtons(one, true)))
  const summary = element('summary', {}, 'Save figures and their values')
  last.append(element('details', { class: 'saved' }, summary, element('ul', {}, ...items)))
}

/** Buttons that save a picture and its values. @param isStop whether the keyboard stops there */
export function saveButtons({ name, caption, svg, data }: Saved, isStop: boolean): HTMLElement {
  const stop = isStop ? {} : { tabindex: '-1' }
  const one = (kind: string, onPress: () => void): HTMLButtonElement =>
    button({ class: 'save', 'aria-label': `Save as ${kind}: ${caption}`, ...stop }, onPress, kind)
  return element(
    'span',
    { class: 'files' },
    one('SVG', () => saveText(`${name}.svg`, plainText(svg), 'image/svg+xml')),
    ...(data === undefined ? [] : [one('CSV', () => download(name, writeCsv(figureTable(data))))]),
  )
}

/** The picture as it was before the page made it answer: nothing hidden, nothing to press. */
function plainText(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement
  for (const ground of all(copy, '[data-ground]', SVGElement)) ground.remove()
  for (const part of [copy, ...all(copy, '*', SVGElement)]) {
    for (const name of ['class', 'role', 'tabindex', 'aria-pressed']) part.removeAttribute(name)
  }
  copy.setAttribute('role', 'img')
  // One that fits its place on the page has no width of its own.
  if (copy.getAttribute('width') === '100%') copy.setAttribute('width', String(Math.round(svg.clientWidth)))
  return new XMLSerializer().serializeToString(copy)
}

function chartValues({ timeUnit, yLabel, lines }: ChartData): FigureData {
  return {
    keys: ['series'],
    numbers: [`time (${timeUnit})`, yLabel],
    groups: lines.map(({ series, x, y }) => ({ keys: [series], numbers: [x, y] })),
  }
}
