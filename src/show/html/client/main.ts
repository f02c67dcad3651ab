/**
 * Script of reports: makes figures, network and tables answer to the reader. The page reads well without it.
 */
import type { PageData } from '../page-data.ts'
import { chartElement } from './chart.ts'
import { linkCosts } from './cost-links.ts'
import { all } from './dom.ts'
import { offerTables } from './download.ts'
import { offerFigures } from './figure-files.ts'
import { enhanceFabric } from './fabric.ts'
import { enhanceFlows } from './flow-table.ts'
import { enhanceNetworks } from './network.ts'
import { enhancePoints } from './paged-table.ts'
import { enhanceStaticTables } from './static-table.ts'
import { markPictures } from './shared-time.ts'
import { reduceStops } from './stops.ts'
import { enhanceFigures } from './svg-figure.ts'
import { offerTraces } from './trace.ts'

const block = document.querySelector('#report-data')
// Written by the same program as this script.
const data = JSON.parse(block?.textContent ?? '') as PageData
for (const figure of all(document, 'figure[data-name]', HTMLElement)) {
  const chart = data.charts[figure.dataset['name'] ?? '']
  const caption = figure.querySelector('figcaption')?.textContent ?? ''
  if (chart === undefined) continue
  figure.append(chartElement(chart, caption))
  figure.classList.add('has-chart')
}
enhanceFigures()
markPictures()
linkCosts(data.runs, enhanceNetworks(data.runs))
enhanceFlows(data.runs)
enhanceFabric()
enhancePoints(data.tables ?? {})
enhanceStaticTables()
offerTables()
offerFigures(data)
offerTraces(data.runs)
document.documentElement.classList.add('is-live')
reduceStops()
