/**
 * Text tables of a page: rows of texts as an experiment wrote them, sorted by their heads and downloaded as CSV; and
 * paragraphs in which words between back quotes are code.
 */
import type { ReportedTable } from '../../reported-reproduction.ts'
import { markup, type Markup } from '../markup.ts'
import { cellTable } from '../parts/scroll-table.ts'

/** Head of a column that has none: heads are buttons that sort. */
const UNNAMED = 'case'

/** @param file name of the CSV file, without its ending. */
export function textTableMarkup({ title, columns, rows }: ReportedTable, file: string): Markup {
  const cells = columns.map(({ head, align }) => ({
    head: head || UNNAMED,
    kind: align === 'right' ? 'count' : 'text',
  }))
  const attributes = markup` data-sort="texts"`
  return markup`<div class="texts">
    <h3>${title}</h3>
    ${cellTable({ caption: title, hasHiddenCaption: true, columns: cells, rows, csv: file, attributes })}
  </div> `
}

/** A paragraph; links are left as their words, since a page has no addresses. */
export function paragraph(text: string, className = 'prose'): Markup {
  const plain = text.replace(/\[([^\]]+)\]\([^()\s]+\)/g, '$1')
  const parts = plain.split('`').map((part, i) => (i % 2 === 1 ? markup`<code>${part}</code>` : markup`${part}`))
  return markup`<p class="${className}">${parts}</p> `
}
