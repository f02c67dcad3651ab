/**
 * Page of a capture: what it shows, its findings, its connections, and of some of them the story and diagrams, as one HTML file.
 */
import { shownName } from '../../../core/base/control-characters.ts'
import { exactCount, humanBytes, humanDuration, humanRate, humanShare } from '../../../core/base/format.ts'
import {
  type ConnectionFacts,
  type Decoded,
  type FollowedConnection,
  isOf,
  type StoryEvent,
} from '../../decode/index.ts'
import {
  capital,
  counted,
  type Finding,
  FINDING_KINDS,
  findingSentence,
  SEVERITIES,
  type Suppressed,
  totalOf,
} from '../../../core/findings/index.ts'
import { markup, type Markup, NOTHING } from '../../../show/html/markup.ts'
import { type PageAssets, pageText } from '../../../show/html/page.ts'
import { labelled } from '../../../show/html/parts/picture.ts'
import { scrollTable } from '../../../show/html/parts/scroll-table.ts'
import { fileLines, JOINED, verdictText } from '../decoded-text.ts'
import { costText, secondsText, storyLines } from '../story-text.ts'
import { eventText } from '../story-words.ts'
import { type ConnectionChart, connectionCharts } from './connection-charts.ts'
import { findingItems } from './finding-items.ts'

export interface CapturePageInput {
  /** Name of the file. */
  readonly name: string
  readonly decoded: Decoded
  /** Those that are not accepted, and those that are. */
  readonly findings: readonly Finding[]
  readonly suppressed: readonly Suppressed[]
  /** Connections with story and diagrams, in the order of the page. */
  readonly stories: readonly FollowedConnection[]
}

/** Rows of the table of connections; events that stand open. */
const ROWS_MAX = 2000
const EVENTS_OPEN = 14

export function capturePage(input: CapturePageInput, assets: PageAssets): string {
  const { name, decoded, findings, suppressed, stories } = input
  const charts = stories.map((story) => connectionCharts(story))
  const drawn = new Set(stories.map(({ connection }) => connection.number))
  const numberOf = (finding: Finding): number | undefined =>
    decoded.connections.find((one) => isOf(finding.subject, one))?.number
  const sections = [
    { id: 'verdict', name: 'Verdict', content: verdictMarkup(decoded, findings, stories) },
    {
      id: 'findings',
      name: 'Findings',
      content: markup`<div class="finding-controls"></div>
        ${findingItems(findings, (finding) => linkTo(numberOf(finding), drawn))} ${acceptedMarkup(suppressed)}`,
    },
    { id: 'connections', name: 'Connections', content: connectionsMarkup(decoded, drawn) },
    {
      id: 'figures',
      name: 'One by one',
      content: markup`${leftMarkup(decoded, drawn)} ${stories.map((story, i) => storyMarkup(story, charts[i]!))}`,
    },
  ]
  const data = { charts: Object.fromEntries(charts.flat().map((chart) => [chart.name, chart.data])), runs: [] }
  const [head = '', counts = ''] = fileLines(name, decoded)
  return pageText({ title: `Capture: ${shownName(name)}`, subtitle: `${head}; ${counts}`, sections, data }, assets)
}

/** The first, in the order of kinds, of the highest severity: what sending again cost before where it was lost. */
function gravestOf(findings: readonly Finding[]): Finding | undefined {
  const [first] = findings.toSorted(
    (a, b) =>
      SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) ||
      FINDING_KINDS.indexOf(a.kind) - FINDING_KINDS.indexOf(b.kind),
  )
  return first
}

function verdictMarkup(decoded: Decoded, findings: readonly Finding[], stories: readonly FollowedConnection[]): Markup {
  const first = gravestOf(findings)
  const story = first === undefined ? undefined : stories.find(({ connection }) => isOf(first.subject, connection))
  const gravest =
    first === undefined || first.severity === 'note'
      ? ''
      : ` The gravest: ${findingSentence(first)}${story === undefined || story.cost.recoveries === 0 ? '' : ` ${costText(story)}`}`
  return markup`<p class="lead">${capital(verdictText(decoded, findings))}.${gravest}</p>`
}

function linkTo(number: number | undefined, drawn: ReadonlySet<number>): Markup {
  if (number === undefined) return NOTHING
  const href = drawn.has(number) ? `#connection-${number}` : `#row-${number}`
  return markup`<a href="${href}">connection #${number}</a>`
}

function acceptedMarkup(suppressed: readonly Suppressed[]): Markup {
  if (suppressed.length === 0) return NOTHING
  const items = suppressed.slice(0, ROWS_MAX).map(({ finding, reason }) => markup`<li>${finding.id}: ${reason}</li> `)
  return markup`<details class="more">
    <summary>${counted(suppressed.length, 'finding')} accepted</summary>
    <ul>
      ${items}
    </ul>
  </details>`
}

const HEADS = ['packets', 'payload', 'rate', 'again', 'NAKs', 'RNRs', 'RTT p50', 'p99', 'CE', 'CNPs', 'DSCP', 'MTU']

function connectionsMarkup({ connections, connectionsUnlisted }: Decoded, drawn: ReadonlySet<number>): Markup {
  if (connections.length === 0) return markup`<p class="calm">No RoCEv2 packet is in the file.</p>`
  const shown = connections.slice(0, ROWS_MAX)
  const left = connections.length - shown.length + connectionsUnlisted
  const rows = shown.flatMap((one) => one.directions.map((_, i) => directionRow(one, i, drawn)))
  return markup`${scrollTable({
    caption: 'Directions of connections, those with the gravest findings and most bytes first',
    hasHiddenCaption: true,
    heads: [
      markup`<th scope="col" class="count">#</th>`,
      markup`<th scope="col">direction</th>`,
      ...HEADS.map((head) => markup`<th scope="col" class="count">${head}</th>`),
      markup`<th scope="col">joined by</th>`,
    ],
    rows,
    csv: 'connections',
    attributes: markup` data-sort`,
  })}
  ${left > 0 ? markup`<p class="note">${counted(left, 'more connection')}: --json and --out have those that are listed.</p>` : NOTHING}`
}

function directionRow(one: ConnectionFacts, i: number, drawn: ReadonlySet<number>): Markup {
  const direction = one.directions[i]!
  const { packets, goodputBytes, goodputBps, roundTrips, requests, responses, cePackets } = direction
  const again = direction.requestsAgain + direction.responsesAgain
  const number = drawn.has(one.number) ? markup`<a href="#connection-${one.number}">${one.number}</a>` : one.number
  const cells: readonly (readonly [text: string, key: number])[] = [
    [exactCount(packets), packets],
    [humanBytes(goodputBytes), goodputBytes],
    [goodputBps === null ? '-' : humanRate(goodputBps), goodputBps ?? 0],
    [again === 0 ? '0' : humanShare(again / (requests + responses), 2), again / Math.max(1, requests + responses)],
    [exactCount(totalOf(direction.naks)), totalOf(direction.naks)],
    [exactCount(totalOf(direction.rnrNaks)), totalOf(direction.rnrNaks)],
    [roundTrips === null ? '-' : humanDuration(roundTrips.p50Ps), roundTrips?.p50Ps ?? 0],
    [roundTrips === null ? '-' : humanDuration(roundTrips.p99Ps), roundTrips?.p99Ps ?? 0],
    [humanShare(cePackets / packets, 2), cePackets / packets],
    [exactCount(direction.cnps), direction.cnps],
    [String(direction.dscp), direction.dscp],
    [one.mtuBytes === null ? '-' : String(one.mtuBytes), one.mtuBytes ?? 0],
  ]
  const id = i === 0 ? markup` id="row-${one.number}"` : NOTHING
  return markup`<tr${id}>
    <td class="count" data-key="${one.number}">${number}</td>
    <th scope="row">${direction.source} to ${direction.destination} QP ${direction.destinationQp}</th>
    ${cells.map(([text, key]) => markup`<td class="count" data-key="${key}">${text}</td> `)}
    <td>${one.joinedBy === null ? 'one direction' : JOINED[one.joinedBy]}</td>
  </tr> `
}

function leftMarkup({ connections }: Decoded, drawn: ReadonlySet<number>): Markup {
  const left = connections.length - drawn.size
  return left <= 0
    ? NOTHING
    : markup`<p class="note">
        ${counted(drawn.size, 'connection')} of ${exactCount(connections.length)}: those with the gravest findings, then
        those with most bytes. --flow N draws another one.
      </p>`
}

function storyMarkup(story: FollowedConnection, charts: readonly ConnectionChart[]): Markup {
  const [head = '', ...lines] = storyLines(story)
  const { number } = story.connection
  return markup`<section id="connection-${number}" class="connection" aria-labelledby="connection-${number}-heading">
    <h3 id="connection-${number}-heading">Connection ${head}</h3>
    <p class="prose">${lines.join(' ')}</p>
    ${eventsMarkup(story)}
    <div class="figures">${charts.map(chartMarkup)}</div>
  </section> `
}

function eventsMarkup({ connection, events, eventsLeftOut }: FollowedConnection): Markup {
  const heads = ['time (s)', 'after', 'frames']
  const rowOf = (event: StoryEvent): Markup =>
    markup`<tr class="${event.kind === 'packets' || event.kind === 'refusal' ? 'noted' : 'regular'}">
      <td class="count">${secondsText(event.timePs)}</td>
      <td class="count">${event.quietPs === null ? '' : humanDuration(event.quietPs)}</td>
      <td class="count">
        ${event.frame === event.endFrame ? String(event.frame) : `${event.frame}–${event.endFrame}`}
      </td>
      <td>${eventText(event, events)}</td>
    </tr> `
  const table = scrollTable({
    caption: `Story of connection #${connection.number}`,
    hasHiddenCaption: true,
    heads: [
      ...heads.map((head) => markup`<th scope="col" class="count">${head}</th>`),
      markup`<th scope="col">event</th>`,
    ],
    rows: events.map(rowOf),
    attributes: markup` class="wide story"`,
  })
  const left =
    eventsLeftOut === 0
      ? NOTHING
      : markup`<p class="note">${counted(eventsLeftOut, 'event')} in the middle left out.</p>`
  if (events.length <= EVENTS_OPEN) return markup`${table}${left}`
  return markup`<details class="more">
    <summary>Story: ${counted(events.length, 'event')}</summary>
    ${table}${left}
  </details>`
}

function chartMarkup({ name, heading, note, svg, unitPs }: ConnectionChart): Markup {
  return markup`<figure id="figure-${name}" class="wide" data-name="${name}" data-x-unit-ps="${unitPs}">
    <figcaption>${heading}</figcaption>
    ${note === '' ? NOTHING : markup`<p class="note on-paper">${note}</p>`}
    <div class="scroll" role="region" aria-label="${heading}" tabindex="0">${labelled(svg, heading)}</div>
  </figure> `
}
