/**
 * Scroll table: a table that scrolls by itself where the page is narrower than it, also by keyboard.
 */
import { cutName } from '../cells.ts'
import { markup, type Markup, NOTHING } from '../markup.ts'

export interface ScrollTable {
  /** For screen readers; the caption where it is absent. */
  readonly name?: string
  readonly caption: string
  /** The caption is for screen readers alone: a heading above the table says the same. */
  readonly hasHiddenCaption?: boolean
  /** The cells of its first row. */
  readonly heads: readonly Markup[]
  readonly rows: readonly Markup[]
  /** Name of the CSV file that the page offers, without its ending. */
  readonly csv?: string
  /** Further attributes of the table, each with a space before it. */
  readonly attributes?: Markup
}

export function scrollTable({
  caption,
  name = caption,
  hasHiddenCaption = false,
  heads,
  rows,
  csv,
  attributes = NOTHING,
}: ScrollTable): Markup {
  const file = csv === undefined ? NOTHING : markup` data-csv="${csv}"`
  const hidden = hasHiddenCaption ? markup` class="unseen"` : NOTHING
  return markup`<div class="scroll" role="region" aria-label="${name}" tabindex="0">
    <table${file}${attributes}>
      <caption${hidden}>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`
}

/** A column of a table whose cells are given as texts. */
export interface CellColumn {
  readonly head: string
  /** Class of its cells: "count", "duration". */
  readonly kind?: string
}

interface CellTable extends Omit<ScrollTable, 'heads' | 'rows'> {
  /** A text is a column of no kind. */
  readonly columns: readonly (CellColumn | string)[]
  readonly rows: readonly (readonly (string | Markup)[])[]
  /** Attributes of the first cell, which then is the head of its row. */
  readonly rowHead?: Markup
}

/** A table by its columns and the contents of its cells. */
export function cellTable({ columns, rows, rowHead, ...table }: CellTable): Markup {
  const kinds = columns.map((column) => (typeof column === 'string' ? undefined : column.kind))
  const classes = kinds.map((kind) => (kind === undefined ? NOTHING : markup` class="${kind}"`))
  const heads = columns.map((column, i) => {
    return markup`<th scope="col"${classes[i]!}>${typeof column === 'string' ? column : column.head}</th>`
  })
  const cellOf = (cell: string | Markup, i: number): Markup =>
    i === 0 && rowHead !== undefined
      ? markup`<th scope="row"${rowHead}>${cell}</th>`
      : markup`<td${classes[i]!}>${cell}</td>`
  return scrollTable({ ...table, heads, rows: rows.map((row) => markup`<tr>${row.map(cellOf)}</tr> `) })
}

/** The whole of a text that a cell shows without its middle, as an attribute with a space before it. */
export function titleMarkup(value: number | string | null): Markup {
  const whole = cutName(value)
  return whole === undefined ? NOTHING : markup` title="${whole}"`
}
