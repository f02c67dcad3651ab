/**
 * Verdict: each run in a sentence, its key numbers beside those of an idle network, and what is odd, with links.
 */
import { causeFindings, type Finding, findingSentence, shellWord } from '../../core/findings/index.ts'
import { hasTail } from '../../core/results/index.ts'
import { SLOW } from '../explain/causes.ts'
import type { ReportedRun } from '../reported-run.ts'
import { heldPart, proofPart } from './proof/proof-part.ts'
import { type SeedGroup, seedGroups } from '../seed-groups.ts'
import { haveTails, type KeyNumber, keyNumbers } from '../verdict/key-numbers.ts'
import { findingsOfRun, isFast } from '../verdict/run-findings.ts'
import { runSentence, runSentences, seedsSentence } from '../verdict/sentence.ts'
import { markup, type Markup, NOTHING } from './markup.ts'
import { scrollTable } from './parts/scroll-table.ts'

/** Part of a page that shows the evidence of a finding. */
export type PageSection = 'flows' | 'drops' | 'pauses' | 'links' | 'scenario'

/** Where a page shows something: the id of the element, and its heading. */
export interface Target {
  readonly id: string
  readonly name: string
}

export function verdictSection(
  runs: readonly ReportedRun[],
  targetOf: (section: PageSection, run: number) => Target,
): Markup {
  const [only] = runs
  if (only === undefined) return NOTHING
  if (runs.length === 1) {
    const findings = findingsOfRun(only)
    const one = { run: only, index: 0, targetOf }
    const isSerious = ({ severity }: Finding): boolean => severity !== 'note'
    const [serious, others] = [findings.filter(isSerious), findings.filter((finding) => !isSerious(finding))]
    const { why } = only
    if (why !== undefined)
      return markup`${proofPart(only, why)}
        <p class="lead">${runSentence(only)}</p>
        ${numberCards(keyNumbers([only]))} ${heldPart(only, why)}
        ${findingList(
          findings.filter((finding) => !isSuspicion(finding)),
          one,
        )}`
    return markup`${findingList(serious, one, 'oddities serious')}
      ${serious.some(isSuspicion) ? suspectedMarkup(only) : NOTHING}
      <p class="lead">${runSentence(only)}</p>
      ${numberCards(keyNumbers([only]))}
      ${findings.length === 0 ? calmText(only) : findingList(others, one)}`
  }
  const groups = seedGroups(runs)
  const lists = runs.map(
    (run, i) =>
      markup`<div class="card">
        <h3>${run.label}</h3>
        ${oddityList({ run, index: i, targetOf })}
      </div> `,
  )
  return markup`${sentencesMarkup(groups)} ${groups.length === 1 ? numberCards(keyNumbers(runs)) : numberTable(groups)}
    <div class="columns">${lists}</div>`
}

/** The sentences of the runs, with what ran and how it ended: once for all where there is one group of seeds, else for each group. */
function sentencesMarkup(groups: readonly SeedGroup<ReportedRun>[]): Markup {
  const [only] = groups
  if (groups.length === 1) return markup`<p class="lead">${seedsSentence(only!.runs)}</p>`
  const { shared, each } = groups.every(({ runs }) => runs.length === 1)
    ? runSentences(groups.flatMap(({ runs }) => runs))
    : { shared: '', each: groups.map(({ runs }) => seedsSentence(runs)) }
  const sentences = groups.map(
    ({ label }, i) =>
      markup`<div>
        <dt>${label}</dt>
        <dd>${each[i]!}</dd>
      </div> `,
  )
  return markup`${shared === '' ? NOTHING : markup`<p class="lead">${shared}</p>`}
    <dl class="sentences">${sentences}</dl>`
}

function numberCards(numbers: readonly KeyNumber[]): Markup {
  const cards = numbers.map(
    ({ name, text, rangeText, idleText, note }) =>
      markup`<div>
        <dt>${name}</dt>
        <dd><strong>${text}</strong> ${rangeMarkup(rangeText)}${idleMarkup('idle network', idleText)}<small>${note}</small></dd>
      </div> `,
  )
  return markup`<dl class="numbers">${cards}</dl>`
}

/** The interval of a mean over seeds; nothing for one run. */
function rangeMarkup(text: string): Markup {
  return text === '' ? NOTHING : markup`<span class="idle range">${text}</span> `
}

/** Nothing where the number has no value in an idle network. */
function idleMarkup(word: string, text: string): Markup {
  return text === '' ? NOTHING : markup`<span class="idle">${word}: ${text}</span> `
}

/** A row for each number, a column for each run, or for each group of seeds. */
function numberTable(groups: readonly SeedGroup<ReportedRun>[]): Markup {
  const areTails = haveTails(groups.flatMap(({ runs }) => runs))
  const columns = groups.map(({ runs }) => keyNumbers(runs, areTails))
  const heads = groups.map(({ label }) => markup`<th scope="col">${label}</th>`)
  const rows = (columns[0] ?? []).map(({ name }, row) => {
    const cells = columns.map((numbers) => {
      const { text, rangeText, idleText, note } = numbers[row]!
      return markup`<td title="${note}"><strong>${text}</strong> ${rangeMarkup(rangeText)}${idleMarkup('idle', idleText)}</td>`
    })
    return markup`<tr>
      <th scope="row">${name}</th>
      ${cells}
    </tr> `
  })
  return scrollTable({
    name: 'Key numbers of each run',
    caption: 'Key numbers, each with its value in an idle network',
    heads: [markup`<td></td>`, ...heads],
    rows,
    csv: 'numbers',
    attributes: markup` class="compared"`,
  })
}

/** Kinds that an autopsy suspects; runs prove them. */
const SUSPICIONS: ReadonlySet<string> = new Set(Object.values(causeFindings).map(({ id }) => id))
const isSuspicion = ({ id }: Finding): boolean => SUSPICIONS.has(id)

function suspectedMarkup({ folder }: ReportedRun): Markup {
  return markup`<p class="note">
    Suspected, not proved: <code>rocelab why ${shellWord(folder)}</code> runs it without each; then make this page again.
  </p>`
}

/** A run, its number on the page, and where its sections are. */
interface RunOnPage {
  readonly run: ReportedRun
  readonly index: number
  readonly targetOf: (section: PageSection, run: number) => Target
}

function oddityList(one: RunOnPage): Markup {
  const findings = findingsOfRun(one.run)
  return findings.length === 0 ? calmText(one.run) : findingList(findings, one)
}

/** A run without any finding. Where no flow has a slowdown, nothing is said of speed. */
function calmText(run: ReportedRun): Markup {
  const { flows } = run.summary
  const rest = 'nothing was dropped, no port was paused, no sender timed out'
  return isFast(run)
    ? markup`<p class="calm">Nothing is odd: all flows finished, ${hasTail(flows.measuredFinished - flows.withoutIdeal) ? '99 % of them' : 'each'} in less than ${SLOW} times their ideal time, ${rest}.</p>`
    : markup`<p class="calm">All flows finished, ${rest}; no flow has a slowdown.</p>`
}

function findingList(findings: readonly Finding[], { index, targetOf }: RunOnPage, classes = 'oddities'): Markup {
  if (findings.length === 0) return NOTHING
  const items = findings.map((finding) => {
    const { id, name } = targetOf((finding.evidence[0] ?? 'scenario') as PageSection, index)
    const word = finding.severity === 'error' ? markup`<b class="fault">Fault</b> ` : NOTHING
    return markup`<li id="${`finding-${index}-${finding.id}`}">${word}${findingSentence(finding)} <a href="#${id}">See “${name}”</a></li> `
  })
  return markup`<ul class="${classes}">
    ${items}
  </ul>`
}
