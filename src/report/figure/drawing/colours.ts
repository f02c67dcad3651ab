/**
 * Colours of figures.
 */

export const INK = '#1f2328'

/** Colours that stay apart for colour-blind readers and in print (Paul Tol's "bright", then darker and deeper ones). */
export const COLOURS: readonly string[] = [
  '#4477AA',
  '#EE6677',
  '#228833',
  '#CCBB44',
  '#66CCEE',
  '#AA3377',
  '#555555',
  '#994F00',
  '#332288',
  '#F4A582',
  '#44AA99',
  '#B0B0B0',
]

/** Series names in order of appearance, each with its colour. */
export function colourSeries(names: Iterable<string>): Map<string, string> {
  const colours = new Map<string, string>()
  for (const name of names) {
    if (!colours.has(name)) colours.set(name, COLOURS[colours.size % COLOURS.length] as string)
  }
  return colours
}
