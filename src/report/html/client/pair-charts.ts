/**
 * Queue pairs between two hosts: a small chart for each measure that the run observed.
 */
import { hostName } from '../../../base/device-names.ts'
import type { PairCharts } from '../page-data.ts'
import { chartElement } from './chart.ts'
import { element } from './dom.ts'

const HEIGHT_PX = 200

export function pairElement({ measures, pairs }: PairCharts, source: number, destination: number): HTMLElement {
  const own = pairs.filter((pair) => pair.source === source && pair.destination === destination)
  const charts = measures.flatMap(({ id, name, yLabel, timeUnit }) => {
    const lines = own.flatMap((pair) => pair.lines[id] ?? [])
    if (lines.length === 0) return []
    const data = { timeUnit, yLabel, note: '', isStep: true, lines }
    const label = `${name}, from ${hostName(source)} to ${hostName(destination)}`
    return [element('div', {}, element('h4', {}, name), chartElement(data, label, HEIGHT_PX))]
  })
  if (charts.length > 0) return element('div', { class: 'charts' }, ...charts)
  return element(
    'p',
    { class: 'note' },
    'No queue pair of these hosts is on this page over time: the observer rates records them, and the page keeps the 60 with most samples.',
  )
}
