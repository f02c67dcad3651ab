/**
 * Markup: HTML as text in which every value is escaped, unless it is markup itself.
 */
import { escapeControls } from '../../core/base/control-characters.ts'

/** Text that is HTML already. */
export interface Markup {
  readonly html: string
}

type Value = string | number | Markup | readonly Markup[]

/** A template whose values are escaped: markup`<p>${text}</p>`. */
export function markup(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return { html: strings.reduce((text, piece, i) => text + (i === 0 ? '' : textOf(values[i - 1]!)) + piece, '') }
}

/** Text that is known to be HTML, such as a figure. */
export function raw(text: string): Markup {
  return { html: text }
}

export const NOTHING: Markup = { html: '' }

function textOf(value: Value): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return escapeHtml(value)
  return 'html' in value ? value.html : value.map((one) => one.html).join('')
}

function escapeHtml(text: string): string {
  return escapeControls(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** JSON for a data block of a page: no "<", so that nothing in it ends the block. */
export function dataBlock(id: string, value: unknown): Markup {
  const json = JSON.stringify(value).replaceAll('<', '\\u003c')
  return raw(`<script type="application/json" id="${id}">${json}</script>`)
}
