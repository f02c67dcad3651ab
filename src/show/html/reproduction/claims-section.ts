/**
 * Claims of an experiment: counted by what became of them, those that did not come out first, and a table of all checks
 * with the paper's number and ours side by side.
 */
import {
  CLAIM_STATES,
  type ClaimState,
  FAILED_STATES,
  type ReportedCheck,
  type ReportedClaim,
  type ReportedReproduction,
} from '../../reported-reproduction.ts'
import { exactCount } from '../../../core/base/format.ts'
import { markup, type Markup, NOTHING } from '../markup.ts'
import { scrollTable } from '../parts/scroll-table.ts'
import { rangeMarkup } from './claim-range.ts'

/** Claims that the verdict lists; the table has all. */
const LISTED_MAX = 15

/** Anything that a folder calls a verdict and the program does not know comes first. */
function rankOf(verdict: string): number {
  return CLAIM_STATES.findIndex((state) => state === verdict)
}

export function stateCounts(claims: readonly Pick<ReportedClaim, 'state'>[]): ReadonlyMap<ClaimState, number> {
  const counts = CLAIM_STATES.map((state) => [state, claims.filter((claim) => claim.state === state).length] as const)
  return new Map(counts.filter(([, count]) => count > 0))
}

/** "2 not reproduced, 1 undecided and 9 reproduced". */
export function countsText(counts: ReadonlyMap<ClaimState, number>): string {
  const parts = [...counts].map(([state, count]) => `${exactCount(count)} ${state}`)
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)!}`
}

/** Cards with the number of claims in each state. */
export function countCards(counts: ReadonlyMap<ClaimState, number>): Markup {
  const cards = [...counts].map(
    ([state, count]) =>
      markup`<div class="${toneOf(state)}">
        <dt>${state}</dt>
        <dd><strong>${exactCount(count)}</strong></dd>
      </div> `,
  )
  return markup`<dl class="numbers counts">${cards}</dl>`
}

/** Class of a verdict: bad, open, good, or none of these. */
export function toneOf(verdict: string): string {
  if (['not reproduced', 'other direction'].includes(verdict)) return 'bad'
  if (['partly', 'undecided', 'direction undecided'].includes(verdict)) return 'open'
  return ['reproduced', 'direction only'].includes(verdict) ? 'good' : 'aside'
}

export function verdictSection(reported: ReportedReproduction): Markup {
  const { claims, isOurs } = reported
  if (claims.length === 0) return markup`<p class="lead">The experiment is not held against any claim.</p>`
  const counts = stateCounts(claims)
  const failed = CLAIM_STATES.filter((state) => FAILED_STATES.includes(state)).flatMap((state) =>
    claims.filter((claim) => claim.state === state),
  )
  return markup`<p class="lead">${verdictSentence(reported)}</p>
    ${countCards(counts)}
    ${
      failed.length === 0
        ? markup`<p class="calm">Nothing failed: no claim came out otherwise than ${isOurs ? 'expected' : 'in the paper'}.</p>`
        : markup`<h3>Did not come out</h3>
            ${failedList(
              failed.map((claim) => ({ claim, href: `#${claimId(claim.id)}` })),
              isOurs,
            )}`
    }`
}

/** One sentence: how many claims, by what became of them, and of how many comparisons. */
export function verdictSentence({ claims, isOurs, source, size }: ReportedReproduction): string {
  const checks = claims.reduce((sum, claim) => sum + claim.checks.length, 0)
  const what = isOurs
    ? claims.length === 1
      ? 'expectation'
      : 'expectations'
    : claims.length === 1
      ? 'claim'
      : 'claims'
  const where = isOurs || source === '' ? '' : ` of ${source}`
  const cut = size === 'small' ? ' These are runs of small size, which decide less than those of full size.' : ''
  const compared = checks === claims.length ? '' : `, in ${exactCount(checks)} comparisons`
  return `${exactCount(claims.length)} ${what}${where}${compared}: ${countsText(stateCounts(claims))}.${cut}`
}

export interface ListedClaim {
  readonly claim: ReportedClaim
  /** Where its row is. */
  readonly href: string
}

/** Claims that did not come out, each with both numbers and a link to its row. */
export function failedList(failed: readonly ListedClaim[], isOurs: boolean): Markup {
  const items = failed.slice(0, LISTED_MAX).map(({ claim, href }) => {
    const { state, checks, id } = claim
    const worst = checks.toSorted((a, b) => rankOf(a.verdict) - rankOf(b.verdict))[0]!
    const held = checks.filter(({ verdict }) => toneOf(verdict) === 'good').length
    const among = checks.length === 1 ? '' : `; ${held} of ${checks.length} comparisons hold, this one does not`
    return markup`<li>
      ${badge(state)} ${worst.statement}
      <span class="both"
        >${isOurs ? 'expected' : 'paper'}: <b>${worst.paper}</b>, here: <b>${worst.measured}</b>${among}.
        <a href="${href}">${id}</a></span
      >
    </li> `
  })
  const left = failed.length - items.length
  return markup`<ul class="oddities">
      ${items}
    </ul>
    ${left > 0 ? markup`<p class="note">${left} more are in <a href="#claims">the table of claims</a>.</p>` : NOTHING}`
}

/** A verdict in its colour. */
export function badge(verdict: string): Markup {
  return markup`<b class="badge ${toneOf(verdict)}">${verdict}</b>`
}

/** The id of a claim's first row. */
export function claimId(id: string): string {
  return `claim-${id.replaceAll(/[^\w.-]+/g, '-')}`
}

/** All checks, those that failed first. */
export function claimsSection({ claims, isOurs, name }: ReportedReproduction): Markup {
  const rows = claims
    .flatMap((claim) => claim.checks.map((check, i) => ({ claim, check, isFirst: i === 0 })))
    .toSorted((a, b) => rankOf(a.check.verdict) - rankOf(b.check.verdict))
  const hasRanges = rows.some(({ check }) => check.range !== undefined)
  const hint = hasRanges
    ? markup`<p class="note">
        The strip below a number: <span class="key band"></span> values that count as the paper's,
        <span class="key ours"></span> ours with its interval. Press a head to sort.
      </p>`
    : markup`<p class="note">Press a head to sort.</p>`
  const claimedBy = isOurs ? 'expected' : 'paper'
  const heads = ['verdict', 'claim', 'statement', claimedBy, 'here', 'why']
  const table = scrollTable({
    caption: isOurs ? 'All expectations' : 'All claims of the paper',
    hasHiddenCaption: true,
    heads: heads.map((head) => markup`<th scope="col">${head}</th>`),
    rows: rows.map((row) => checkRow(row, claimedBy)),
    csv: `${name}-claims`,
    attributes: markup` class="claims" data-sort="texts"`,
  })
  return markup`${hint} ${table}`
}

function checkRow(
  {
    claim,
    check,
    isFirst,
  }: { readonly claim: ReportedClaim; readonly check: ReportedCheck; readonly isFirst: boolean },
  claimedBy: string,
): Markup {
  const { verdict, statement, paper, measured, reason, seeds, range } = check
  const held = seeds === undefined || seeds.of < 2 ? '' : `; holds in ${seeds.held} of ${seeds.of} seeds`
  const id = isFirst ? markup` id="${claimId(claim.id)}"` : NOTHING
  return markup`<tr${id}>
    <td data-key="${rankOf(verdict)}">${badge(verdict)}</td>
    <td class="id">${check.check === '' ? claim.id : `${claim.id} [${check.check}]`}</td>
    <td class="statement">${statement}</td>
    <td class="value" data-head="${claimedBy}">${paper}</td>
    <td class="value ours" data-head="here"><b>${measured}</b>${held}${range === undefined ? NOTHING : rangeMarkup(range)}</td>
    <td class="why">${reason}</td>
  </tr> `
}
