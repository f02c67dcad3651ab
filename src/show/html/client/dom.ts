/**
 * Elements: made with their attributes and children, without any HTML text and without style attributes, which the page's
 * policy refuses.
 */
import { escapeControls } from '../../../core/base/control-characters.ts'

type Child = Node | string

/** A new element. An attribute of value true is there without a value; of false or undefined, absent. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string | boolean | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, '')
    else if (typeof value === 'string') made.setAttribute(key, value)
  }
  made.append(...children.map((child) => (typeof child === 'string' ? escapeControls(child) : child)))
  return made
}

/** A button that calls `onPress`. */
export function button(
  attributes: Readonly<Record<string, string | undefined>>,
  onPress: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, ...children)
  made.addEventListener('click', onPress)
  return made
}

/** A button with the name of a port or host, which opens it in the picture of the network. */
export function openButton(name: string, onPress: () => void): HTMLButtonElement {
  return button({ class: 'open', 'aria-label': `${name}: open in the network` }, onPress, name)
}

/** All elements of a kind below another, in the order of the page. */
export function all<E extends Element>(root: ParentNode, selector: string, kind: abstract new () => E): E[] {
  return [...root.querySelectorAll(selector)].filter((found): found is E => found instanceof kind)
}

/** Brings a piece of a picture that is wider than its box into view, without moving the page. */
export function showInBox(piece: Element | undefined): void {
  const box = piece?.closest('.scroll')
  if (piece === undefined || box === null || box === undefined) return
  const [own, view] = [piece.getBoundingClientRect(), box.getBoundingClientRect()]
  box.scrollLeft += own.left + own.width / 2 - view.left - view.width / 2
}

/** Whether the reader's system asks for a dark page, now and whenever it changes its mind. */
export const darkScheme: MediaQueryList = matchMedia('(prefers-color-scheme: dark)')

/** Value of a custom property of the page's style. */
export function styleValue(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}
