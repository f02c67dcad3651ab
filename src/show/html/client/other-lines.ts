/**
 * Other lines: the ports and queue pairs for which a chart has no room at first, and which a reader adds to it.
 */
import { cellText } from '../cells.ts'
import type { ChartData } from '../page-data.ts'
import { element } from './dom.ts'

const NONE = 'none'

/** The choice of another line; nothing where the chart has no others. @param onChoice gets all that are added then, by index */
export function otherLines(
  { others }: ChartData,
  label: string,
  added: readonly number[],
  onChoice: (added: readonly number[]) => void,
): HTMLElement[] {
  if (others.length === 0) return []
  const options = others.flatMap(({ series }, i) =>
    added.includes(i) ? [] : [element('option', { value: String(i) }, series)],
  )
  const select = element(
    'select',
    { class: 'others', 'aria-label': `Add a line to ${label}` },
    element('option', { value: '' }, `add one of ${cellText(options.length, 'count')} others`),
    ...(added.length === 0 ? [] : [element('option', { value: NONE }, 'take the added ones away')]),
    ...options,
  )
  select.addEventListener('change', () => onChoice(select.value === NONE ? [] : [...added, Number(select.value)]))
  return [select]
}
