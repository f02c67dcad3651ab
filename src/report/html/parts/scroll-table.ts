/**
 * Scroll table: a table that scrolls by itself where the page is narrower than it, also by keyboard.
 */
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
