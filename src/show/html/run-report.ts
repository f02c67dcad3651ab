/**
 * Report of runs: verdict, figures, network, flows and source of one or several results, in this order.
 */
import { HEADING_MAX, shownName } from '../../core/base/control-characters.ts'
import { dropsOf, pauseSpansOf } from '../../core/results/index.ts'
import type { NamedResult } from '../figure/index.ts'
import type { ReportedRun } from '../reported-run.ts'
import { figuresOf } from './figures-section.ts'
import { flowLives } from './flow-lives.ts'
import { flowsId, flowsSection, flowTable } from './flows-section.ts'
import { hasJobs, jobsSection } from './jobs-section.ts'
import { markup } from './markup.ts'
import { networkId, networkPart } from './network-section.ts'
import { type PageAssets, pageText } from './page.ts'
import type { RunData } from './page-data.ts'
import { pairCharts } from './pair-charts.ts'
import { sourceSection } from './source-section.ts'
import { type PageSection, type Target, verdictSection } from './verdict-section.ts'
import { whySection } from './why-section.ts'

/** Pauses and drops that all runs of a page have together, for a trace. */
const PAUSES_MAX = 6000
const DROPS_MAX = 2000

/** The report as one HTML file. At least one run. */
export function runReport(stored: readonly ReportedRun[], assets: PageAssets): string {
  const runs = stored.map((run): ReportedRun => ({ ...run, label: shownName(run.label) }))
  const named = runs.map(({ label, result }): NamedResult => ({ label, result }))
  const names = [...new Set(runs.map(({ result }) => shownName(result.name, HEADING_MAX)))].join(' and ')
  const figures = figuresOf(named, names)
  const networks = runs.map((run, i) => networkPart(run, i, runs.length))
  const tables = runs.map((run) => flowTable(run, runs.length))
  const targetOf = (section: PageSection, run: number): Target => {
    const first = (...ids: readonly string[]): string | undefined => ids.find((id) => figures.headings.has(id))
    const ofRun = runs.length === 1 ? '' : ` of ${runs[run]!.label}`
    const flows = { id: flowsId(run), name: `Flows${ofRun}` }
    const network = { id: networkId(run), name: `Network${ofRun}` }
    if (section === 'scenario') return { id: 'source', name: 'Source' }
    if (section === 'flows') return flows
    const figure =
      section === 'drops'
        ? first('figures-drops')
        : section === 'pauses'
          ? first('figure-pauses', 'figures-pauses')
          : first('figure-link-use')
    return figure === undefined ? network : { id: figure, name: figures.headings.get(figure)! }
  }
  const sections = [
    { id: 'verdict', name: 'Verdict', content: verdictSection(runs, targetOf) },
    { id: 'network', name: 'Network', content: markup`${networks.map(({ content }) => content)}` },
    { id: 'why', name: 'Why', content: whySection(runs) },
    ...(hasJobs(runs) ? [{ id: 'jobs', name: 'Jobs', content: jobsSection(runs) }] : []),
    { id: 'figures', name: 'Figures', content: figures.content },
    { id: 'flows', name: 'Flows', content: flowsSection(runs, tables) },
    { id: 'source', name: 'Source', content: sourceSection(runs) },
  ]
  const data = {
    charts: figures.charts,
    figures: figures.data,
    runs: runs.map((run, i): RunData => {
      return {
        label: run.label,
        flows: tables[i]!,
        network: networks[i]!.data,
        pauses: pauseSpansOf(run.result, Math.floor(PAUSES_MAX / runs.length)),
        lost: dropsOf(run.result, Math.floor(DROPS_MAX / runs.length)),
        endPs: run.result.simulatedPs,
        lives: flowLives(run, runs.length),
        pairCharts: pairCharts(run.result),
      }
    }),
  }
  const versions = [...new Set(runs.map(({ result }) => result.version))].join(', ')
  const subtitle = `${runs.length === 1 ? 'One run' : `${runs.length} runs`} of rocelab ${versions}, ${seedsText(runs)}`
  return pageText({ title: names, subtitle, sections, data }, assets)
}

function seedsText(runs: readonly ReportedRun[]): string {
  const seeds = [...new Set(runs.map(({ result }) => result.seed))]
  return `${seeds.length === 1 ? 'seed' : 'seeds'} ${seeds.join(', ')}`
}
