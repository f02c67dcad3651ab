/**
 * Site: reports of several experiments, with the claims of each paper counted once, however many experiments check them.
 * Runs of small size count only for a paper that has no others.
 */
import type { ReportedReproduction, ReportedSite, SitePage, SitePaper } from '../../../show/index.ts'
import { claimState } from './claim-state.ts'
import { PAPERS } from './reproduction.ts'

/** @param reports each with the folder that it is of; names of pages follow from those. */
export function siteOf(folders: readonly string[], reports: readonly ReportedReproduction[]): ReportedSite {
  const taken = new Set(['index.html'])
  const pages = reports.map((report): SitePage => {
    const last = report.folder.split(/[/\\]/).findLast((part) => !['', '.', '..'].includes(part)) ?? report.name
    const plain = last.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+/, '') || 'experiment'
    let file = `${plain}.html`
    for (let copy = 2; taken.has(file.toLowerCase()); copy++) file = `${plain}-${copy}.html`
    taken.add(file.toLowerCase())
    return { file, report }
  })
  const names = [...new Set(reports.map(paperOf))]
  const papers = names.map((name) => sitePaper(name, pages))
  return { folders, pages, papers: papers.toSorted((a, b) => Number(a.isOurs) - Number(b.isOurs)) }
}

/** The paper whose claims a report checks. */
function paperOf({ claims, isOurs }: ReportedReproduction): string {
  if (isOurs) return 'Own expectations'
  return PAPERS.find(({ prefix }) => claims[0]?.id.startsWith(prefix))?.name ?? 'Other'
}

function sitePaper(name: string, pages: readonly SitePage[]): SitePaper {
  const own = pages.filter(({ report }) => paperOf(report) === name)
  const full = own.filter(({ report }) => report.size !== 'small')
  const counted = full.length > 0 ? full : own
  const byId = new Map<string, SitePaper['claims'][number][]>()
  for (const { file, report } of counted) {
    for (const claim of report.claims) byId.set(claim.id, [...(byId.get(claim.id) ?? []), { claim, file }])
  }
  const claims = [...byId].map(([id, found]) => {
    const checks = found.flatMap(({ claim }) => claim.checks)
    const state = claimState(checks.map(({ verdict }) => verdict))
    return { claim: { id, state, checks }, file: found[0]!.file }
  })
  return { name, isOurs: own.every(({ report }) => report.isOurs), claims }
}
