/**
 * Colours of figures, as drawn on white. A page has others for them where it is dark: dark-colours.ts.
 */

export const INK = '#1f2328'
/** Subtitles. */
export const SOFT_INK = '#57606a'
/** Words beside others. */
export const FAINT = '#6e7781'
export const GRID = '#d8dee4'
export const HAIRLINE = '#eceff2'
/** Lines between boxes. */
export const CONNECTOR = '#9aa4ad'
export const ALARM = '#b42318'
export const WATCHDOG = '#1f6f54'
export const IDLE = '#b9ddb9'

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
