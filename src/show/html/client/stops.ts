/**
 * Tab stops: the controls of a figure or a table are one stop together, and arrow keys move among them; a box is a stop only
 * while it scrolls.
 */
import { all } from './dom.ts'

/** Pictures behind charts are for paper, and files of figures have a list of their own for the keyboard. */
const CONTROLS = ['button', '[role="button"]', '[role="slider"]']
  .map((one) => `${one}:not(.has-chart > .scroll *, .files *)`)
  .join()
const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }

type Control = HTMLElement | SVGElement

/** For the figures, tables and boxes that are on the page now, whatever comes into them later. */
export function reduceStops(): void {
  for (const group of all(document, 'figure, thead, tbody, .detail', HTMLElement)) makeOneStop(group)
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) stopWhileScrolling(target.closest('.scroll'))
  })
  for (const box of all(document, '.scroll', HTMLElement)) {
    observer.observe(box)
    if (box.firstElementChild !== null) observer.observe(box.firstElementChild)
  }
}

function makeOneStop(group: HTMLElement): void {
  let current: Control | undefined
  const controls = (): Control[] => [...all(group, CONTROLS, HTMLElement), ...all(group, CONTROLS, SVGElement)]
  const choose = (chosen: Control | undefined): void => {
    const own = controls()
    current = own.find((one) => one === chosen) ?? own[0]
    for (const one of own) one.tabIndex = one === current ? 0 : -1
  }
  choose(undefined)
  new MutationObserver(() => choose(current)).observe(group, { childList: true, subtree: true })
  group.addEventListener('focusin', ({ target }) => choose(controls().find((one) => one === target) ?? current))
  group.addEventListener('keydown', (event) => {
    const step = STEPS[event.key]
    const own = controls()
    const at = own.findIndex((one) => one === event.target)
    // A slider that has moved has taken its key.
    if (step === undefined || at < 0 || event.defaultPrevented) return
    event.preventDefault()
    own[(at + step + own.length) % own.length]?.focus()
  })
}

function stopWhileScrolling(box: Element | null): void {
  if (!(box instanceof HTMLElement)) return
  if (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1) box.tabIndex = 0
  else box.removeAttribute('tabindex')
}
