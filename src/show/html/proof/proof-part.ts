/**
 * Proof: the first screen of a run whose causes were proved. The causes in a sentence each, the network with them and those
 * who suffer, both numbers, and when flows were slow and ports paused.
 */
import { exactCount, humanDuration, humanNumber, humanRate, humanShare } from '../../../core/base/format.ts'
import { type Finding, findingSentence, runCommand } from '../../../core/findings/index.ts'
import {
  type AffectedJson,
  completionsOf,
  isExplained,
  numbersOf,
  type Result,
  type SuspectJson,
  type TriedJson,
  type WhyJson,
  hasTail,
} from '../../../core/results/index.ts'
import { SLOW } from '../../explain/causes.ts'
import { Waits } from '../../explain/waits.ts'
import type { NetworkGraph, ReportedRun } from '../../reported-run.ts'
import { whyLines } from '../../why/why-findings.ts'
import { nameOf } from '../../why/why-text.ts'
import { markup, type Markup, NOTHING } from '../markup.ts'
import { scrollTable } from '../parts/scroll-table.ts'
import { proofPicture } from './proof-picture.ts'
import { slowTimes } from './slow-times.ts'

/** Pairs of hosts that are named. */
const PAIRS_MAX = 8

export function proofPart(run: ReportedRun, why: WhyJson): Markup {
  const slow = slowRows(run.result)
  const graph = run.facts?.graph
  const suspects = why.causes.flatMap((cause) => cause.suspects)
  const picture = graph === undefined ? NOTHING : proofPicture(run, graph, suspects, hostsOf(run.result, slow))
  return markup`<ol class="oddities serious proved">
      ${whyLines(why).map(({ finding, cause }) => proofItem(finding, cause, why, run))}
    </ol>
    <div class="proof">
      ${picture}
      <div>${numbersMarkup(why)} ${slowTimes(run.result, slow)}</div>
    </div>
    ${clearedMarkup(why)}`
}

/** The flows that each cause held: its effect on others. */
export function heldPart(run: ReportedRun, why: WhyJson): Markup {
  const { result, facts } = run
  const graph = facts?.graph
  if (graph === undefined || !isExplained(result)) return NOTHING
  const waits = new Waits(result)
  const slow = slowRows(result)
  const origins = waits.origins(slow)
  const tables = why.causes.flatMap(({ suspects }) =>
    suspects.flatMap((suspect, i) => {
      const node = graph.names.indexOf(suspect.device ?? '')
      const own = origins.filter((origin) => origin.node === node)
      return node < 0 || own.length === 0 ? [] : [heldTable(run, graph, suspect, own, waits, i)]
    }),
  )
  return markup`${tables}`
}

const heldId = (suspect: SuspectJson): string => `held-${(suspect.device ?? '').replace(/\W+/g, '-')}`

function heldTable(
  { result, label }: ReportedRun,
  { hostTitles }: NetworkGraph,
  suspect: SuspectJson,
  origins: ReturnType<Waits['origins']>,
  waits: Waits,
  index: number,
): Markup {
  const [source, destination] = [numbersOf(result.flows, 'source'), numbersOf(result.flows, 'destination')]
  const pairs = new Map<string, { flows: number; heldPs: number }>()
  for (const { flows, spanPs } of origins) {
    const allPs = waits.of(flows)
    for (const flow of flows) {
      const key = `${hostTitles[source[flow]!]!} to ${hostTitles[destination[flow]!]!}`
      const known = pairs.get(key) ?? { flows: 0, heldPs: 0 }
      pairs.set(key, {
        flows: known.flows + 1,
        heldPs: known.heldPs + (allPs === 0 ? 0 : (spanPs * waits.of([flow])) / allPs),
      })
    }
  }
  const rows = [...pairs]
    .toSorted((a, b) => b[1].heldPs - a[1].heldPs)
    .slice(0, PAIRS_MAX)
    .map(
      ([pair, { flows, heldPs }]) =>
        markup`<tr>
          <th scope="row">${pair}</th>
          <td class="count">${exactCount(flows)}</td>
          <td class="duration">${humanDuration(heldPs)}</td>
        </tr> `,
    )
  const name = `Flows that ${suspect.device ?? ''} held`
  return markup`<div id="${heldId(suspect)}">
    ${scrollTable({
      name: `${name}, ${label}`,
      csv: `${name} ${index + 1}`,
      caption: `${name}: ${exactCount(pairs.size)} pairs of hosts, those with most time first`,
      heads: [
        markup`<th scope="col">flows</th>`,
        markup`<th scope="col" class="count">slow ones</th>`,
        markup`<th scope="col" class="duration">held, about</th>`,
      ],
      rows,
    })}
  </div> `
}

function proofItem(
  finding: Finding,
  row: number | null,
  { causes, remedies }: WhyJson,
  { folder }: ReportedRun,
): Markup {
  const remedy = remedies.find((one) => one.cause === row)
  const file = `${folder}/scenario.yaml`
  const word = finding.severity === 'error' ? markup`<b class="fault">Fault</b> ` : NOTHING
  const how =
    remedy !== undefined
      ? markup`Remedy, tried: <code>${runCommand(file, remedy.sets)}</code>`
      : row === 0
        ? markup`Run without it: <code>${runCommand(file, causes[0]!.sets)}</code>`
        : NOTHING
  return markup`<li>${word}${findingSentence(finding)} <small>${how}</small></li> `
}

/** Rows of measured flows that were slow or did not finish. */
function slowRows(result: Result): Set<number> {
  const { slowdown } = completionsOf(result)
  const measured = numbersOf(result.flows, 'measured')
  return new Set([...slowdown.keys()].filter((row) => measured[row] === 1 && !(slowdown[row]! < SLOW)))
}

/** Hosts that most of the slow flows go to, by share. */
function hostsOf({ flows }: Result, rows: ReadonlySet<number>): ReadonlyMap<number, number> {
  const destination = numbersOf(flows, 'destination')
  const counts = new Map<number, number>()
  for (const row of rows) counts.set(destination[row]!, (counts.get(destination[row]!) ?? 0) + 1)
  return new Map([...counts].map(([host, count]) => [host, count / rows.size]))
}

/** Both numbers, of those who suffer. */
function numbersMarkup({ causes, all }: WhyJson): Markup {
  const [first] = causes
  const before = first?.before ?? all
  const after = first?.after
  const tail = hasTail(before.flows) ? '99th percentile' : 'slowest'
  const row = (name: string, of: (numbers: AffectedJson) => string): Markup => {
    const then = after === undefined ? NOTHING : markup`<span class="then">${of(after)}</span>`
    return markup`<div>
      <dt>${name}</dt>
      <dd><strong>${of(before)}</strong> ${then}</dd>
    </div> `
  }
  const known = (value: number | null, show: (value: number) => string): string => (value === null ? '-' : show(value))
  return markup`<dl class="both">
      ${row(`${tail}, completion`, ({ tailPs }) => known(tailPs, (ps) => humanDuration(ps)))}
      ${row('mean slowdown', ({ meanSlowdown }) => known(meanSlowdown, (value) => humanNumber(value)))}
      ${row('did not finish', ({ unfinished }) => exactCount(unfinished))}
      ${stepMarkup(first)}
      ${row('goodput', ({ goodputBps }) => known(goodputBps, (bps) => humanRate(bps)))}
    </dl>
    <p class="note">
      ${exactCount(before.flows)} of ${exactCount(all.flows)} flows:
      ${first === undefined ? 'all that were measured' : 'those that are slow or do not end'}${after === undefined ? '' : '; to the right the same run without the first cause'}
    </p>`
}

function stepMarkup(first: TriedJson | undefined): Markup {
  if (first === undefined || first.step === null) return NOTHING
  const { tag, beforePs, afterPs } = first.step
  const shown = (timePs: number | null): string => (timePs === null ? 'no end' : humanDuration(timePs))
  return markup`<div>
    <dt>${tag}</dt>
    <dd><strong>${shown(beforePs)}</strong> <span class="then">${shown(afterPs)}</span></dd>
  </div> `
}

const STANDINGS = {
  also: 'Without these it would be as much better',
  small: 'They hold some flows up',
  cleared: 'Cleared',
} as const

function clearedMarkup({ cleared, untried }: WhyJson): Markup {
  const texts = (['also', 'small', 'cleared'] as const).flatMap((standing) => {
    const own = cleared.filter((tried) => tried.standing === standing)
    const named = own.map(
      ({ suspects, share }) => `${suspects.map(nameOf).join(', ')} (${humanShare(Math.max(0, share ?? 0), 2)})`,
    )
    return named.length === 0 ? [] : [`${STANDINGS[standing]}: ${named.join('; ')}.`]
  })
  const left = untried.length === 0 ? [] : [`Not tried: ${untried.map(nameOf).join('; ')}.`]
  return texts.length + left.length === 0 ? NOTHING : markup`<p class="note">${[...texts, ...left].join(' ')}</p>`
}
