/**
 * Picture: a figure of a page that needs no script, with its heading.
 */
import { markup, type Markup, NOTHING, raw } from '../markup.ts'

export interface Picture {
  readonly id: string
  readonly heading: string
  readonly svg: string
  /** Names the figure to readers that do not see it: heading and subject. */
  readonly label: string
  /** Sentence below the heading, or "". */
  readonly note?: string
  readonly isWide?: boolean
  /** Further attributes of the figure, each with a space before it. */
  readonly attributes?: Markup
}

export function pictureMarkup({
  id,
  heading,
  svg,
  label,
  note = '',
  isWide = false,
  attributes = NOTHING,
}: Picture): Markup {
  return markup`<figure id="${id}" class="${isWide ? 'wide' : 'half'}"${attributes}>
    <figcaption>${heading}</figcaption>
    ${note === '' ? NOTHING : markup`<p class="note">${note}</p>`}
    <div class="scroll" role="region" aria-label="${heading}" tabindex="0">${labelled(svg, label)}</div>
  </figure> `
}

/**
 * A figure as a page has it, which also shows stored ones: it is read out as a whole, and its parts have no roles that
 * could have labels.
 */
export function labelled(svg: string, label: string): Markup {
  const parts = svg.replaceAll(' aria-label="', ' data-mark="')
  return raw(parts.replace(/ data-mark="[^"]*"/, markup` aria-label="${label}"`.html))
}
