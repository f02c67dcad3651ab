/**
 * Strokes: lines differ in colour, dash pattern and marker shape, so that a reader who
 * sees no colour, or prints without it, can still distinguish them.
 */
import { COLOURS, colourSeries, INK } from './colours.ts'
import { type Shape, SHAPES } from './shapes.ts'

/** Seven shapes and five patterns: the pair of both comes again after 35 lines. */
const DASHES: readonly (string | undefined)[] = [undefined, '7 3', '2 3', '9 3 2 3', '4 2 1 2 1 2']
/** In figures whose markers stand at every point: only where colours come again. */
const AGAIN_DASHES = '6 2 2 2'

export interface Stroke {
  readonly series: string
  readonly colour: string
  readonly shape: Shape
  readonly isPaper: boolean
  readonly dashes: { readonly strokeDasharray?: string }
}

interface Stroked {
  readonly series: string
  readonly isPaper?: boolean
  readonly of?: string
}

/** By order of series. `isDashed` gives each line a dash pattern; without it only lines whose colour comes again have one. */
export function strokesOf(lines: readonly Stroked[], isDashed: boolean): Stroke[] {
  const colours = colourSeries(lines.map((each) => each.of ?? each.series))
  const names = [...colours.keys()]
  return lines.map((each) => {
    const name = each.of ?? each.series
    const index = names.indexOf(name)
    const isPaper = each.isPaper === true
    const pattern = isDashed ? DASHES[index % DASHES.length] : index >= COLOURS.length ? AGAIN_DASHES : undefined
    return {
      series: each.series,
      colour: colours.get(name) ?? INK,
      shape: SHAPES[index % SHAPES.length] as Shape,
      isPaper,
      dashes: pattern === undefined ? {} : { strokeDasharray: pattern },
    }
  })
}
