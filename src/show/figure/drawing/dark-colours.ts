/**
 * Dark colours: for each colour that figures are drawn in, the one that a dark page shows in its place. A figure's own text
 * has the colours for white alone, so that it stays whole outside of a page.
 */
import * as colours from './colours.ts'
import { PART_COLOURS } from './part-colours.ts'

/** The share of white that a colour of a series has on a dark ground. */
const WHITE = 0.35

/** By the colour on white, in small letters. */
export const DARK_COLOURS: ReadonlyMap<string, string> = new Map(
  [
    ...colours.COLOURS.map((colour): readonly [string, string] => [colour, lighter(colour)]),
    ...PART_COLOURS,
    ['white', '#11161b'],
    [colours.INK, '#e4e9ee'],
    [colours.SOFT_INK, '#a4afb9'],
    [colours.FAINT, '#a4afb9'],
    [colours.GRID, '#323c46'],
    [colours.HAIRLINE, '#232b33'],
    [colours.CONNECTOR, '#6b7783'],
    [colours.ALARM, '#ff7d70'],
    [colours.WATCHDOG, '#5cc79f'],
    [colours.IDLE, '#5b755b'],
  ].map(([light, dark]) => [light!.toLowerCase(), dark!]),
)

/** The colour on a dark ground; itself where figures have no such colour. */
export function onDark(colour: string): string {
  return DARK_COLOURS.get(colour.toLowerCase()) ?? colour
}

/** Rules of style that show them, for pictures below `root`. */
export function darkRules(root: string): string {
  return ['fill', 'stroke', 'color']
    .flatMap((name) => [...DARK_COLOURS].map(([light, dark]) => `${root} [${name}='${light}' i] { ${name}: ${dark}; }`))
    .join('\n')
}

function lighter(colour: string): string {
  const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
  const hex = (part: number): string => Math.round(part + (255 - part) * WHITE).toString(16)
  return `#${parts.map((part) => hex(part).padStart(2, '0')).join('')}`
}
