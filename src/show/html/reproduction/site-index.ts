/**
 * Site index: all reproductions of a site, counted by paper and by experiment, with what did not come out first.
 */
import {
  CLAIM_STATES,
  type ClaimState,
  FAILED_STATES,
  type ReportedSite,
  type SitePage,
  type SitePaper,
} from '../../reported-reproduction.ts'
import { exactCount } from '../../../core/base/format.ts'
import { counted, shellWord } from '../../../core/findings/index.ts'
import { sum } from '../../../core/results/index.ts'
import { markup, type Markup, NOTHING } from '../markup.ts'
import { cellTable, scrollTable } from '../parts/scroll-table.ts'
import { type PageAssets, pageText } from '../page.ts'
import { badge, claimId, countCards, countsText, failedList, stateCounts, toneOf } from './claims-section.ts'

/** The page as one HTML file, which links to the others by their names. */
export function siteIndex(site: ReportedSite, assets: PageAssets): string {
  const sections = [
    { id: 'verdict', name: 'Verdict', content: verdictPart(site) },
    { id: 'failed', name: 'Did not come out', content: failedPart(site) },
    { id: 'experiments', name: 'Experiments', content: experimentsPart(site) },
    { id: 'claims', name: 'Claims', content: claimsPart(site) },
    { id: 'source', name: 'Source', content: sourcePart(site) },
  ]
  const versions = [...new Set(site.pages.map(({ report }) => report.version).filter((version) => version !== ''))]
  const made = versions.length === 0 ? '' : ` of rocelab ${versions.join(', ')}`
  const subtitle = `${counted(site.pages.length, 'experiment')}${made}`
  return pageText({ title: 'Reproductions', subtitle, sections, data: { charts: {}, runs: [] } }, assets)
}

const claimsOf = ({ claims }: SitePaper): SitePaper['claims'][number]['claim'][] => claims.map(({ claim }) => claim)

function verdictPart({ papers, pages }: ReportedSite): Markup {
  const ofPapers = papers.filter(({ isOurs }) => !isOurs)
  const all = ofPapers.flatMap(claimsOf)
  const counts = stateCounts(all)
  const own = stateCounts(papers.filter(({ isOurs }) => isOurs).flatMap(claimsOf))
  const states = CLAIM_STATES.filter((state) => counts.has(state) || own.has(state))
  const hasSmall = pages.some(({ report }) => report.size === 'small')
  const lead =
    all.length === 0
      ? `${countsText(own)} expectations of our own.`
      : `${exactCount(all.length)} claims of ${counted(ofPapers.length, 'paper')} were run: ${countsText(counts)}.`
  return markup`<p class="lead">${lead}</p>
    ${countCards(all.length === 0 ? own : counts)}
    ${countTable(
      'Claims by paper and by what became of them',
      'papers',
      states,
      papers.map((paper) => ({ heads: [markup`${paper.name}`], counts: stateCounts(claimsOf(paper)) })),
      ['paper'],
    )}
    <p class="note">
      A claim is reproduced if all its comparisons are, and partly if some are, in whatever experiments.
      ${hasSmall ? 'Runs of small size are counted here only for papers that have no others.' : ''}
    </p>`
}

interface CountRow {
  readonly heads: readonly Markup[]
  readonly counts: ReadonlyMap<ClaimState, number>
}

const totalOf = (counts: CountRow['counts']): number => sum([...counts.values()])

function countTable(
  caption: string,
  csv: string,
  states: readonly ClaimState[],
  rows: readonly CountRow[],
  heads: readonly string[],
): Markup {
  return cellTable({
    caption,
    columns: [...heads, ...[...states, 'all'].map((head) => ({ head, kind: 'count' }))],
    rows: rows.map(({ heads: own, counts }) => [
      ...own,
      ...[...states.map((state) => counts.get(state) ?? 0), totalOf(counts)].map(String),
    ]),
    csv,
    attributes: markup` class="wide" data-sort="texts"`,
  })
}

function failedPart({ papers }: ReportedSite): Markup {
  const parts = papers.flatMap(({ name, isOurs, claims }) => {
    const failed = CLAIM_STATES.filter((state) => FAILED_STATES.includes(state)).flatMap((state) =>
      claims.filter(({ claim }) => claim.state === state),
    )
    if (failed.length === 0) return []
    const listed = failed.map(({ claim, file }) => ({ claim, href: `${file}#${claimId(claim.id)}` }))
    return [
      markup`<h3>${name}: ${countsText(stateCounts(failed.map(({ claim }) => claim)))}</h3>
        ${failedList(listed, isOurs)}`,
    ]
  })
  return parts.length === 0 ? markup`<p class="calm">Nothing failed.</p>` : markup`${parts}`
}

function experimentsPart({ pages }: ReportedSite): Markup {
  const present = stateCounts(pages.flatMap(({ report }) => report.claims))
  const rows = pages.map(({ file, report }: SitePage): CountRow => {
    const { title, source, size, storedWhy } = report
    const mark = storedWhy === '' ? NOTHING : markup` <small>as stored</small>`
    return {
      heads: [markup`<a href="${file}">${title}</a>${mark}`, markup`${source}`, markup`${size}`],
      counts: stateCounts(report.claims),
    }
  })
  const worstFirst = rows.toSorted((a, b) => failedShare(b) - failedShare(a))
  return markup`<p class="note">Those with most that did not come out first. Press a head to sort.</p>
    ${countTable('Experiments, each with its page', 'experiments', [...present.keys()], worstFirst, [
      'experiment',
      'source',
      'size',
    ])}`
}

/** Share of claims that did not come out at all, and then of those that did in part. */
function failedShare({ counts }: CountRow): number {
  const total = totalOf(counts)
  const none = (counts.get('not reproduced') ?? 0) + (counts.get('other direction') ?? 0)
  return total === 0 ? 0 : (none + (counts.get('partly') ?? 0) / 1000) / total
}

/** Every claim once, those that did not come out first. */
function claimsPart({ papers }: ReportedSite): Markup {
  const all = papers.flatMap(({ name, claims }) => claims.map(({ claim, file }) => ({ name, claim, file })))
  const rankOf = (state: ClaimState): number => CLAIM_STATES.indexOf(state)
  const rows = all
    .toSorted((a, b) => rankOf(a.claim.state) - rankOf(b.claim.state))
    .map(({ name, claim, file }) => {
      const { id, state, checks } = claim
      const held = checks.filter(({ verdict }) => toneOf(verdict) === 'good').length
      return markup`<tr>
        <td data-key="${rankOf(state)}">${badge(state)}</td>
        <td>${name}</td>
        <td class="id"><a href="${file}#${claimId(id)}">${id}</a></td>
        <td class="statement">${checks[0]?.statement ?? ''}</td>
        <td class="count" data-key="${held / (checks.length || 1)}">${held} of ${checks.length}</td>
      </tr> `
    })
  const heads = ['state', 'paper', 'claim', 'statement of the first comparison']
  return scrollTable({
    caption: 'All claims',
    hasHiddenCaption: true,
    heads: [
      ...heads.map((head) => markup`<th scope="col">${head}</th>`),
      markup`<th scope="col" class="count">hold</th>`,
    ],
    rows,
    csv: 'claims',
    attributes: markup` class="claims" data-sort="texts"`,
  })
}

function sourcePart({ folders, pages }: ReportedSite): Markup {
  const commands = pages.flatMap(({ report }) => (report.command === '' ? [] : [report]))
  const items = commands.map(({ name, command }) => markup`<li>${name}: <code>${command}</code></li> `)
  return markup`<div class="source">
    <p>This makes the pages again: <code>rocelab report ${folders.map(shellWord).join(' ')} --out DIRECTORY</code></p>
    <details>
      <summary>Commands that make the runs again</summary>
      <ul class="axes">
        ${items}
      </ul>
    </details>
  </div> `
}
