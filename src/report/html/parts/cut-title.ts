/**
 * Title of a cell: the whole of a text that the cell shows without its middle.
 */
import { cutName } from '../cells.ts'
import { markup, type Markup, NOTHING } from '../markup.ts'

/** The attribute, with a space before it. */
export function titleMarkup(value: number | string | null): Markup {
  const whole = cutName(value)
  return whole === undefined ? NOTHING : markup` title="${whole}"`
}
