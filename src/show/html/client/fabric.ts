/**
 * Fabric of the doctor: its picture chooses findings by device and link, a search box and severities choose among them, and
 * the lines of remedies can be copied.
 */
import { all, button, element, showInBox } from './dom.ts'

const SEVERITIES = ['error', 'warning', 'note'] as const

interface Choice {
  text: string
  readonly severities: Set<string>
  /** Marks of a device or link; empty: all. */
  at: readonly string[]
  atName: string
}

export function enhanceFabric(): void {
  const controls = document.querySelector('.finding-controls')
  const section = document.querySelector('#findings')
  if (!(controls instanceof HTMLElement) || section === null) return
  const items = all(section, 'li.finding', HTMLLIElement)
  if (items.length === 0) return
  offerCopies(section)
  const choice: Choice = { text: '', severities: new Set(SEVERITIES), at: [], atName: '' }
  const texts = new Map(items.map((item) => [item, textOf(item)]))
  const count = element('p', { class: 'count', role: 'status' })
  const chosen = element('span', {})
  const show = (): void => {
    filter(items, texts, choice, count)
    const clear = button({ class: 'plain' }, () => choose([], ''), `at ${choice.atName}: show all`)
    chosen.replaceChildren(...(choice.at.length === 0 ? [] : [clear]))
  }
  const pieces = all(document, '.fabric > .scroll [data-at]', SVGElement)
  const nodes = pieces.filter((piece) => piece.classList.contains('node'))
  showInBox(SEVERITIES.flatMap((worst) => nodes.find((node) => node.classList.contains(worst)) ?? [])[0])
  const choose = (at: readonly string[], name: string): void => {
    choice.at = at
    choice.atName = name
    for (const piece of pieces) piece.classList.toggle('chosen', isAt(piece, at))
    show()
  }
  controls.append(...controlsOf(choice, show), chosen, count)
  controls.classList.add('controls')
  enhancePicture(pieces, (at, name) => {
    choose(at, name)
    section.scrollIntoView({ block: 'start' })
  })
  offerShowing(items, (at) => {
    for (const piece of pieces) piece.classList.toggle('chosen', isAt(piece, at))
    const first = pieces.find((piece) => piece.classList.contains('chosen') && piece.classList.contains('node'))
    first?.scrollIntoView({ block: 'center', inline: 'center' })
  })
  show()
}

const marksOf = (piece: Element): string[] => (piece.getAttribute('data-at') ?? '').split(' ')
const isAt = (piece: Element, at: readonly string[]): boolean => marksOf(piece).some((mark) => at.includes(mark))

const textOf = (item: Element): string => (item.querySelector(':scope > .own')?.textContent ?? '').toLowerCase()

/** A finding is shown if it fits or one under it does. */
function filter(
  items: readonly HTMLLIElement[],
  texts: ReadonlyMap<Element, string>,
  { text, severities, at }: Choice,
  count: HTMLElement,
): void {
  const words = text.toLowerCase().split(/\s+/)
  const fitting = new Set<Element>(
    items.filter(
      (item) =>
        severities.has(item.dataset['severity'] ?? '') &&
        (at.length === 0 || isAt(item, at)) &&
        words.every((word) => texts.get(item)?.includes(word) === true),
    ),
  )
  for (const item of items) {
    item.hidden = !fitting.has(item) && !all(item, 'li.finding', HTMLLIElement).some((inner) => fitting.has(inner))
    item.classList.toggle('beside', !fitting.has(item))
  }
  count.textContent =
    fitting.size === items.length ? `${items.length} findings` : `${fitting.size} of ${items.length} findings`
}

function controlsOf(choice: Choice, show: () => void): HTMLElement[] {
  const search = element('input', { type: 'search', placeholder: 'device, port, rule, word' })
  search.addEventListener('input', () => {
    choice.text = search.value
    show()
  })
  const boxes = SEVERITIES.map((severity) => {
    const box = element('input', { type: 'checkbox', checked: true })
    box.addEventListener('change', () => {
      if (box.checked) choice.severities.add(severity)
      else choice.severities.delete(severity)
      show()
    })
    return element('label', {}, box, ` ${severity}s`)
  })
  return [element('label', {}, 'Search ', search), ...boxes]
}

/** Devices, and links with findings, are buttons; the picture is one stop of the keyboard. */
function enhancePicture(pieces: readonly SVGElement[], choose: (at: readonly string[], name: string) => void): void {
  const [first] = pieces
  first?.closest('svg')?.setAttribute('role', 'group')
  for (const piece of pieces) {
    const title = piece.querySelector('title')?.textContent ?? ''
    const isNode = piece.classList.contains('node')
    const act = (): void => choose(marksOf(piece), isNode ? title.replace(/: [^:]*$/, '') : 'this link')
    piece.addEventListener('click', act)
    if (!isNode) continue
    piece.setAttribute('role', 'button')
    piece.setAttribute('aria-label', title)
    piece.setAttribute('tabindex', '-1')
    piece.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return
      event.preventDefault()
      act()
    })
  }
}

/** A button of each finding that shows its devices and links in the picture. */
function offerShowing(items: readonly HTMLLIElement[], mark: (at: readonly string[]) => void): void {
  for (const item of items) {
    if (marksOf(item)[0] === '') continue
    const ends = item.querySelector(':scope > .own .ends')
    const name = ends?.textContent ?? ''
    ends?.after(
      button({ class: 'save', 'aria-label': `Show ${name} in the picture` }, () => mark(marksOf(item)), 'show'),
    )
  }
}

/** A button behind each line of a remedy. */
function offerCopies(section: Element): void {
  for (const line of all(section, 'code.line', HTMLElement)) {
    const text = line.textContent ?? ''
    const copy = button({ class: 'plain copy', 'aria-label': `Copy: ${text}` }, () => void copyText(line, copy), 'Copy')
    line.after(copy)
  }
}

/** Where there is no clipboard, the line is selected instead. */
async function copyText(line: HTMLElement, copy: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(line.textContent ?? '')
    copy.textContent = 'Copied'
    setTimeout(() => void (copy.textContent = 'Copy'), 2000)
  } catch {
    getSelection()?.selectAllChildren(line)
  }
}
