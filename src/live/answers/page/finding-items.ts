/** Findings of a capture's page: each with its place, sentence, further places, meaning and remedy. */
import { exactCount, humanDuration } from '../../../core/base/format.ts'
import { adviceText, capital, type Finding, findingSentence, type Value } from '../../../core/findings/index.ts'
import { markup, type Markup, NOTHING } from '../../../show/html/markup.ts'
import { secondsText } from '../story-text.ts'

/** Findings that are written out. */
const FINDINGS_MAX = 1000
const BADGES = { error: 'bad', warning: 'open', note: 'note' } as const

/** @param linkOf its connection */
export function findingItems(findings: readonly Finding[], linkOf: (finding: Finding) => Markup): Markup {
  if (findings.length === 0) return markup`<p class="calm">There are no findings.</p>`
  const items = findings.slice(0, FINDINGS_MAX).map(
    (finding) =>
      markup`<li class="finding ${finding.severity}" data-severity="${finding.severity}" data-at="">
        <div class="own">${ownMarkup(finding, linkOf(finding))}</div>
      </li> `,
  )
  const rest = findings.length - FINDINGS_MAX
  const more =
    rest > 0 ? markup`<p class="note">${exactCount(rest)} more: --findings and --json have all.</p>` : NOTHING
  return markup`<ul class="findings">
      ${items}
    </ul>
    ${more}`
}

function ownMarkup(finding: Finding, link: Markup): Markup {
  const { id, severity, subject, kind } = finding
  const { device = '', queuePair, atPs, frame } = subject
  const ends = device === '' ? '' : `${device}${queuePair === undefined ? '' : ` QP ${queuePair}`}`
  const where = [
    ...(atPs === undefined ? [] : [`at ${secondsText(atPs)} s`]),
    ...(frame === undefined ? [] : [`frame ${frame}`]),
  ].join(', ')
  const advice = adviceText(finding)
  const source = kind.source === '' ? '' : ` Source: ${kind.source}.`
  const rule = kind.formula === undefined ? '' : ` Rule: ${kind.formula}.`
  return markup`<div class="head">
      <span class="badge ${BADGES[severity]}">${severity}</span>
      <b class="rule">${id}</b>
      ${ends === '' ? NOTHING : markup`<span class="ends">${ends}</span>`} ${link}
      <span>${where}</span>
    </div>
    <p class="fact">${findingSentence(finding)}</p>
    ${advice === '' ? NOTHING : markup`<p class="remedy">To do: ${advice}.</p>`} ${sightsMarkup(finding)}
    <details>
      <summary>Meaning</summary>
      <p class="consequence">${capital(kind.meaning)}${rule}${source}</p>
    </details>`
}

/** Further places: the first few are known. */
function sightsMarkup({ values }: Finding): Markup {
  const { sights, count } = values
  if (!Array.isArray(sights) || sights.length < 2 || typeof count !== 'number') return NOTHING
  const words = sights.slice(1).map((sight: Value) => sightText(sight))
  const more = count - sights.length
  return markup`<p class="consequence">
    Also at ${words.join('; ')}${more > 0 ? ` and ${exactCount(more)} more` : ''}.
  </p>`
}

function sightText(sight: Value): string {
  if (sight === null || typeof sight !== 'object' || !('frame' in sight)) return ''
  const { frame, timePs, psn } = sight
  const time = typeof timePs === 'number' ? humanDuration(timePs, 7) : ''
  return `frame ${typeof frame === 'number' ? frame : '-'} (${time}${typeof psn === 'string' ? `, PSN ${psn}` : ''})`
}
