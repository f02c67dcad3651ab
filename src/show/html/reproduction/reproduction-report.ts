/**
 * Report of a reproduction: verdict, claims, figures with the paper's values and ours, tables, and the source.
 */
import type { ReportedReproduction } from '../../reported-reproduction.ts'
import { readCsv } from '../../../core/results/index.ts'
import { unitOf, withoutUnit } from '../../../core/base/format.ts'
import { markup, type Markup, NOTHING } from '../markup.ts'
import type { ColumnData, TableData } from '../page-data.ts'
import { type PageAssets, pageText } from '../page.ts'
import { dataTableMarkup } from '../parts/data-table.ts'
import { factsMarkup } from '../parts/facts.ts'
import { pictureMarkup } from '../parts/picture.ts'
import { isPlainSvg } from '../parts/plain-svg.ts'
import { claimOverview } from './claim-overview.ts'
import { claimsSection, verdictSection } from './claims-section.ts'
import { paragraph, textTableMarkup } from './text-table.ts'

/** A link at the top of the page, to the site that it belongs to. */
export interface PageLink {
  readonly href: string
  readonly text: string
}

/** The report as one HTML file. */
export function reproductionReport(reported: ReportedReproduction, assets: PageAssets, up?: PageLink): string {
  const { title, name, claims, tables, figures, remarks } = reported
  const runs = runsTable(reported)
  const back = up === undefined ? NOTHING : markup`<p class="up"><a href="${up.href}">${up.text}</a></p>`
  const remarkPart = markup`${remarks.map((text) => paragraph(text))}`
  const tablePart = markup`${tables.map((table, i) => textTableMarkup(table, `${name}-table-${i + 1}`))}`
  const sections = [
    { id: 'verdict', name: 'Verdict', content: markup`${back} ${verdictSection(reported)} ${aboutPart(reported)}` },
    ...(claims.length === 0
      ? []
      : [{ id: 'claims', name: reported.isOurs ? 'Expectations' : 'Claims', content: claimsSection(reported) }]),
    ...(figures.length === 0 ? [] : [{ id: 'figures', name: 'Figures', content: figuresPart(reported) }]),
    ...(tables.length === 0 ? [] : [{ id: 'tables', name: 'Tables', content: tablePart }]),
    ...(remarks.length === 0 ? [] : [{ id: 'remarks', name: 'Remarks', content: remarkPart }]),
    { id: 'runs', name: 'Runs', content: runsPart(runs, reported) },
    { id: 'source', name: 'Source', content: sourcePart(reported) },
  ]
  const data = { charts: {}, runs: [], tables: { runs } }
  return pageText({ title, subtitle: subtitleOf(reported), sections, data }, assets)
}

export function subtitleOf({ source, size, version }: ReportedReproduction): string {
  const parts = [
    ...(source === '' ? [] : [source]),
    ...(size === 'unknown' ? [] : [`${size} size`]),
    ...(version === '' ? [] : [`rocelab ${version}`]),
  ]
  return parts.join(', ')
}

/** A few words on the runs, and whether the page shows tables and figures as they were stored. */
function aboutPart({ help, storedWhy }: ReportedReproduction): Markup {
  const stored =
    storedWhy === ''
      ? NOTHING
      : markup`<p class="note">
          Tables and figures are shown as they were stored, and not drawn from the runs: ${storedWhy}.
        </p>`
  return markup`${help.map((text) => paragraph(text, 'prose about'))} ${stored}`
}

function figuresPart(reported: ReportedReproduction): Markup {
  const { figures, name } = reported
  const shown = figures.filter(({ svg }) => isPlainSvg(svg))
  const left = figures.filter((figure) => !shown.includes(figure))
  const pictures = shown.map(({ name: id, title, svg }) =>
    pictureMarkup({ id: `figure-${id}`, heading: title, svg, label: `${title}: ${name}`, isWide: widthOf(svg) > 760 }),
  )
  const note =
    left.length === 0
      ? NOTHING
      : markup`<p class="note">
          Not shown, since they hold more than this program draws: ${left.map((figure) => figure.name).join(', ')}.
        </p>`
  return markup`${note}
    <div class="figures">${claimOverview(reported)} ${pictures}</div>`
}

function widthOf(svg: string): number {
  return Number(/ width="([\d.]+)"/.exec(svg)?.[1] ?? 0)
}

/** The measures of every run, as in the folder. */
function runsTable({ runsCsv, name }: ReportedReproduction): TableData {
  const table = readCsv('runs', runsCsv, { types: { condition: 'text', digest: 'text', seed: 'integer' } })
  const columns = table.columns.map(({ name: head, type, data }): ColumnData => {
    if (type === 'text') return { name: head, head, format: 'text', values: [...data].map(String) }
    const values = Array.from(data, (value) => (Number.isFinite(value) ? value : null))
    const format = unitOf(head) === 'Ps' ? 'duration' : head === 'seed' ? 'count' : 'mean'
    return { name: head, head: format === 'duration' ? withoutUnit(head) : head, format, values }
  })
  return { name: `${name}-runs`, columns }
}

function runsPart(table: TableData, { name, folder }: ReportedReproduction): Markup {
  return markup`<p class="note">
      The measures of every run, from which claims, tables and figures follow: ${name}.csv in ${folder}.
    </p>
    ${dataTableMarkup({ id: 'runs', caption: `Runs of ${name}`, table, words: ['run', 'runs'] })}`
}

function sourcePart({ name, folder, source, command, size, seeds, version }: ReportedReproduction): Markup {
  const facts = [
    ['experiment', name],
    ['paper', source],
    ['size', size],
    ['seeds', seeds],
    ['rocelab', version],
    ['folder', folder],
  ] as const
  const again =
    command === ''
      ? markup`<p>The folder does not say by which command it was made.</p>`
      : markup`<p>This makes it again: <code>${command}</code></p>`
  return markup`<div class="source">
    ${factsMarkup(facts.map(([head, text]) => [head, text === '' ? 'not kept' : text]))}
    ${again}
  </div> `
}
