/**
 * Findings of a page: each with its ports, values, consequence and remedy, its lines of files, and those that follow from it.
 */
import {
  capital,
  counted,
  type Cited,
  type Finding,
  findingSentence,
  adviceText,
  fabricWords,
  SEVERITIES,
} from '../../../core/findings/index.ts'
import { exactCount } from '../../../core/base/format.ts'
import { markup, type Markup, NOTHING } from '../../../show/html/markup.ts'
import type { Excerpt } from './excerpts.ts'

/** Findings of a page, and places of a finding that are written out. */
const FINDINGS_MAX = 2000
const SPOTS_MAX = 100
const DEPTH_MAX = 8

const BADGES = { error: 'bad', warning: 'open', note: 'note' } as const

export interface ListedFindings {
  readonly findings: readonly Finding[]
  /** By finding, the one that it follows from. */
  readonly causes: ReadonlyMap<Finding, Finding>
  readonly excerpts: ReadonlyMap<Finding, readonly Excerpt[]>
  readonly marksOf: (finding: Finding) => readonly string[]
  /** Where there is no finding. */
  readonly noneText: string
}

/** The worst first; those that follow from others stand under them. */
export function findingList(listed: ListedFindings): Markup {
  const { findings, causes } = listed
  if (findings.length === 0) return markup`<p class="calm">${listed.noneText}</p>`
  const effects = new Map<Finding, Finding[]>()
  for (const [effect, cause] of causes) effects.set(cause, [...(effects.get(cause) ?? []), effect])
  const rank = ({ severity }: Finding): number => -SEVERITIES.indexOf(severity)
  const roots = findings.filter((finding) => !causes.has(finding)).toSorted((a, b) => rank(a) - rank(b))
  let left = FINDINGS_MAX
  const item = (finding: Finding, depth: number): Markup => {
    if (left-- <= 0) return NOTHING
    const under = depth >= DEPTH_MAX ? [] : (effects.get(finding) ?? []).map((each) => item(each, depth + 1))
    const follows =
      under.length === 0 ? NOTHING : markup`<p class="follows">Follows from it:</p><ul class="findings">${under}</ul>`
    return markup`<li
      class="finding ${finding.severity}"
      data-severity="${finding.severity}"
      data-at="${listed.marksOf(finding).join(' ')}"
    >
      <div class="own">${ownMarkup(finding, listed.excerpts.get(finding) ?? [])}</div>
      ${follows}
    </li> `
  }
  const items = roots.map((finding) => item(finding, 0))
  const rest = findings.length - FINDINGS_MAX
  const more = rest > 0 ? markup`<p class="note">${exactCount(rest)} more: --format json has all.</p>` : NOTHING
  return markup`<ul class="findings">${items}</ul>${more}`
}

const endText = (device: string, port: string): string => (port === '' ? device : `${device} ${port}`)

function ownMarkup(finding: Finding, excerpts: readonly Excerpt[]): Markup {
  const { severity, subject, id } = finding
  const words = fabricWords(finding)
  const { device = '', interface: port = '' } = subject
  const cited = words?.cited ?? []
  const ends = [...new Set([endText(device, port), ...cited.map((each) => endText(each.device, each.port))])]
  const fact = words === undefined ? findingSentence(finding) : `${capital(words.fact)}.`
  return markup`<div class="head">
      <span class="badge ${BADGES[severity]}">${severity}</span>
      <b class="rule">${words?.rule ?? id}</b>
      <span class="ends">${ends
        .filter((end) => end !== '')
        .slice(0, 4)
        .join(' · ')}</span>
    </div>
    <p class="fact">${fact}</p>
    ${words === undefined ? NOTHING : markup`<p class="consequence">${capital(words.consequence)}.</p>`}
    ${remedyMarkup(finding)} ${valuesMarkup(cited)} ${alsoMarkup(finding)} ${excerptsMarkup(excerpts)}`
}

/** Commands for each device, or the remedy in words. */
function remedyMarkup(finding: Finding): Markup {
  const typed = fabricWords(finding)?.typed ?? []
  if (typed.length > 0)
    return markup`${typed.slice(0, SPOTS_MAX).map(
      ({ device, lines, choice = 0 }) => markup`<div class="remedy">
        <span>${choice === 0 ? 'To do' : choice === 1 ? 'Either' : 'Or'} at ${device}:</span>
        <code class="line">${lines.join('\n') || 'the same as at the other end'}</code>
      </div>`,
    )}`
  const advice = adviceText(finding)
  return advice === '' ? NOTHING : markup`<p class="remedy">To do: ${advice}.</p>`
}

function valueText(value: Cited['value']): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(String).join(', ')
  if (value === null) return 'unknown'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The values of both ends, and where they stand. */
function valuesMarkup(cited: readonly Cited[]): Markup {
  if (cited.length === 0) return NOTHING
  const rows = cited.slice(0, SPOTS_MAX).map(
    ({ device, port, value, file, line }) =>
      markup`<tr>
        <th scope="row">${endText(device, port)}</th>
        <td class="found">${valueText(value)}</td>
        <td class="place">${file === '' ? 'not written' : `${file}:${line}`}</td>
      </tr> `,
  )
  return markup`<table class="values">
    <thead class="unseen">
      <tr>
        <th scope="col">port</th>
        <th scope="col">found</th>
        <th scope="col">file and line</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`
}

function alsoMarkup({ also }: Finding): Markup {
  if (also.length === 0) return NOTHING
  const items = also
    .slice(0, SPOTS_MAX)
    .map(({ subject: { device = '', interface: port = '', file = '', line = 0 } }) => {
      return markup`<li>${endText(device, port)}${file === '' ? '' : ` (${file}:${line})`}</li> `
    })
  const rest = also.length - items.length
  const more = rest > 0 ? markup`<li>and ${exactCount(rest)} more</li>` : NOTHING
  return markup`<details class="also">
    <summary>The same at ${counted(also.length, 'more place')}</summary>
    <ul>
      ${items}${more}
    </ul>
  </details>`
}

function excerptsMarkup(excerpts: readonly Excerpt[]): Markup {
  if (excerpts.length === 0) return NOTHING
  const files = excerpts.map(({ file, lines }) => {
    let last = lines[0]!.number - 1
    const rows = lines.map(({ number, text, isCited }) => {
      const gap = number > last + 1 ? markup`<span class="gap">…</span>` : NOTHING
      last = number
      const row = markup`<span class="number">${number}</span>${text}`
      return isCited ? markup`${gap}<mark>${row}</mark>` : markup`${gap}<span>${row}</span>`
    })
    return markup`<p class="file">${file}</p>
      <pre class="excerpt">${rows}</pre> `
  })
  return markup`<details class="excerpts">
    <summary>Lines of ${counted(excerpts.length, 'file')}</summary>
    ${files}
  </details>`
}
