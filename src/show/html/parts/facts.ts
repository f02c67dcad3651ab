/**
 * Facts: a list of names, each with what there is to say of it.
 */
import { markup, type Markup } from '../markup.ts'

export function factsMarkup(facts: readonly (readonly [name: string, text: string | Markup])[]): Markup {
  const items = facts.map(
    ([name, text]) =>
      markup`<div>
        <dt>${name}</dt>
        <dd>${text}</dd>
      </div> `,
  )
  return markup`<dl class="facts">${items}</dl>`
}
