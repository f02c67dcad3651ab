/**
 * Page of the doctor: the fabric as a picture, the findings with their lines of files, what nothing tells, what is accepted,
 * and the devices, as one HTML file.
 */
import { shownName } from '../../../core/base/control-characters.ts'
import { exactCount } from '../../../core/base/format.ts'
import { counted, findingText, type Severity, SEVERITIES } from '../../../core/findings/index.ts'
import { markup, type Markup, NOTHING } from '../../../show/html/markup.ts'
import { type PageAssets, pageText, type Section } from '../../../show/html/page.ts'
import { scrollTable } from '../../../show/html/parts/scroll-table.ts'
import { byForm, fabricText, heldText, noFindingText, type ShownDiagnosis } from '../diagnosis-text.ts'
import { notReadIn, notReadText, strangersOf, wholeFilesOf } from '../not-read.ts'
import { excerptsOf } from './excerpts.ts'
import { fabricGraph } from './fabric-graph.ts'
import { fabricPicture } from './fabric-picture.ts'
import { findingList } from './finding-list.ts'

export interface DoctorPageInput {
  readonly shown: ShownDiagnosis
  /** That of the folder. */
  readonly name: string
  /** Text of a file; undefined: it cannot be read. */
  readonly textOf: (file: string) => string | undefined
}

/** Names in a row of a table, and rows of one. */
const NAMES_MAX = 12
const ROWS_MAX = 2000

export function doctorPage({ shown, name, textOf }: DoctorPageInput, assets: PageAssets): string {
  const { fabric, findings, causes, suppressed, waived } = shown
  const graph = fabricGraph(fabric, findings)
  const list = findingList({
    findings,
    causes,
    excerpts: excerptsOf(findings, textOf),
    marksOf: graph.marksOf,
    noneText: noFindingText(shown),
  })
  const sections: Section[] = [
    { id: 'fabric', name: 'Fabric', content: markup`${verdict(shown)} ${fabricPicture(graph)}` },
    { id: 'findings', name: 'Findings', content: markup`<div class="finding-controls"></div>${list}` },
    { id: 'missing', name: 'Cannot tell', content: missingMarkup(shown) },
    ...(suppressed.length + waived.length === 0
      ? []
      : [{ id: 'suppressed', name: 'Accepted', content: suppressedMarkup(shown) }]),
    { id: 'devices', name: 'Devices', content: devicesMarkup(shown) },
  ]
  const title = `Doctor: ${shownName(name)}`
  return pageText({ title, subtitle: fabricText(fabric), sections, data: { charts: {}, runs: [] } }, assets)
}

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MAX).map((each) => shownName(each))
  const more = names.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${exactCount(more)} more` : ''}`
}

/** How many findings, the worst first, and how much holds. */
function verdict({ findings, held, missing }: ShownDiagnosis): Markup {
  const countOf = (severity: Severity): number => findings.filter((each) => each.severity === severity).length
  const counts = SEVERITIES.toReversed().flatMap((severity) => {
    const count = countOf(severity)
    return count === 0 ? [] : [counted(count, severity)]
  })
  const found = counts.length === 0 ? 'No finding' : counts.join(', ')
  return markup`<p class="lead">${found}; ${heldText(held)} hold${missing.length === 0 ? '' : ', and some cannot be judged'}.</p>`
}

function missingMarkup({ missing, waived }: ShownDiagnosis): Markup {
  if (missing.length === 0)
    return markup`<p class="calm">Every rule has the files that it needs${waived.length === 0 ? '' : ', or is accepted without'}.</p>`
  const rows = byForm(missing)
    .slice(0, ROWS_MAX)
    .map(
      ({ form, devices, rules, ports }) =>
        markup`<tr>
        <th scope="row">${form === '' ? 'none that is read' : markup`<code>${form}</code>`}</th>
        <td>${namesText(ports ?? devices)}</td>
        <td>${rules.join(', ')}</td>
      </tr> `,
    )
  return markup`<p class="note">
      Nothing is said of these rules at these devices: a file would decide them. That is no all-clear.
    </p>
    ${scrollTable({
      caption: 'Files that would decide more rules',
      hasHiddenCaption: true,
      heads: ['missing file', 'of', 'rules'].map((head) => markup`<th scope="col">${head}</th>`),
      rows,
      attributes: markup` class="wide"`,
    })}`
}

function suppressedMarkup({ suppressed, waived }: ShownDiagnosis): Markup {
  const all = [
    ...suppressed.map(({ finding, reason }) => [finding.id.toUpperCase(), findingText(finding), reason] as const),
    ...waived.map(({ rule, device, reason }) => [rule, `not judged at ${shownName(device)}`, reason] as const),
  ]
  const rows = all.slice(0, ROWS_MAX).map(
    ([rule, text, reason]) =>
      markup`<tr>
        <th scope="row">${rule}</th>
        <td>${text}</td>
        <td>${reason}</td>
      </tr> `,
  )
  return scrollTable({
    caption: 'Findings that are accepted, with the reason',
    hasHiddenCaption: true,
    heads: ['rule', 'finding', 'reason'].map((head) => markup`<th scope="col">${head}</th>`),
    rows,
    attributes: markup` class="wide"`,
  })
}

function devicesMarkup(shown: ShownDiagnosis): Markup {
  const { fabric } = shown
  const devices = [...fabric.devices.values()]
  const rows = devices.slice(0, ROWS_MAX).map(({ config, forms, unread }) => {
    const languages = new Map(strangersOf(unread).map(({ file, language }) => [file, ` (${language})`]))
    const files = wholeFilesOf(unread, forms).map((file) => `${file}${languages.get(file) ?? ''}`)
    const cut = forms.filter(({ truncated }) => truncated !== null).map(({ file }) => file)
    return markup`<tr>
      <th scope="row">${shownName(config.device)}</th>
      <td>${config.role}${config.language === '' || config.language === 'host' ? '' : `, ${config.language}`}</td>
      <td class="count">${fabric.linksOf(config.device).length}</td>
      <td>${namesText([...new Set(forms.map(({ dialect }) => dialect.title))])}</td>
      <td>${namesText(files)}${cut.length === 0 ? NOTHING : markup` cut: ${namesText(cut)}`}</td>
    </tr> `
  })
  const others = notReadIn(shown)
  const items = others.slice(0, ROWS_MAX).map((each) => markup`<li>${notReadText(each)}</li> `)
  if (others.length > ROWS_MAX) items.push(markup`<li>and ${others.length - ROWS_MAX} more</li> `)
  return markup`${scrollTable({
    caption: 'Devices and the forms that were read of them',
    hasHiddenCaption: true,
    heads: [
      ...['device', 'role'].map((head) => markup`<th scope="col">${head}</th>`),
      markup`<th scope="col" class="count">links</th>`,
      ...['read', 'not read'].map((head) => markup`<th scope="col">${head}</th>`),
    ],
    rows,
    attributes: markup` class="wide" data-sort`,
  })}
    ${
      items.length === 0
        ? NOTHING
        : markup`<h3>Not read</h3>
            <ul>
              ${items}
            </ul>`
    }`
}
