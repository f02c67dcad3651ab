/**
 * Page of the doctor: the fabric as a picture, the findings with their lines of files, what nothing tells, what is accepted,
 * and the devices, as one HTML file.
 */
import { shownName } from '../../../base/control-characters.ts'
import { exactCount } from '../../../base/format.ts'
import { counted, findingText, type Severity, SEVERITIES, type Suppressed } from '../../../findings/index.ts'
import { markup, type Markup, NOTHING } from '../../../report/html/markup.ts'
import { type PageAssets, pageText, type Section } from '../../../report/html/page.ts'
import { scrollTable } from '../../../report/html/parts/scroll-table.ts'
import { fabricText, type ShownDiagnosis } from '../diagnosis-text.ts'
import { excerptsOf } from './excerpts.ts'
import { fabricGraph } from './fabric-graph.ts'
import { fabricPicture } from './fabric-picture.ts'
import { findingList } from './finding-list.ts'

export interface DoctorPageInput {
  readonly shown: ShownDiagnosis
  readonly suppressed: readonly Suppressed[]
  /** That of the folder. */
  readonly name: string
  /** Text of a file; undefined: it cannot be read. */
  readonly textOf: (file: string) => string | undefined
}

/** Names in a row of a table, and rows of one. */
const NAMES_MAX = 12
const ROWS_MAX = 2000

export function doctorPage({ shown, suppressed, name, textOf }: DoctorPageInput, assets: PageAssets): string {
  const { fabric, findings, causes } = shown
  const graph = fabricGraph(fabric, findings)
  const list = findingList({
    findings,
    causes,
    excerpts: excerptsOf(findings, textOf),
    marksOf: graph.marksOf,
  })
  const sections: Section[] = [
    { id: 'fabric', name: 'Fabric', content: markup`${verdict(shown)} ${fabricPicture(graph)}` },
    { id: 'findings', name: 'Findings', content: markup`<div class="finding-controls"></div>${list}` },
    { id: 'missing', name: 'Cannot tell', content: missingMarkup(shown) },
    ...(suppressed.length === 0 ? [] : [{ id: 'suppressed', name: 'Accepted', content: suppressedMarkup(suppressed) }]),
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
function verdict({ findings, held }: ShownDiagnosis): Markup {
  const countOf = (severity: Severity): number => findings.filter((each) => each.severity === severity).length
  const counts = SEVERITIES.toReversed().flatMap((severity) => {
    const count = countOf(severity)
    return count === 0 ? [] : [counted(count, severity)]
  })
  const rules = Object.values(held).filter((count) => count > 0).length
  const spots = Object.values(held).reduce((sum, count) => sum + count, 0)
  const found = counts.length === 0 ? 'No finding' : counts.join(', ')
  return markup`<p class="lead">${found}; ${counted(rules, 'rule')} hold at ${counted(spots, 'place')}.</p>`
}

function missingMarkup({ missing }: ShownDiagnosis): Markup {
  if (missing.length === 0) return markup`<p class="calm">Every rule has the files that it needs.</p>`
  const rows = missing.slice(0, ROWS_MAX).map(
    ({ form, devices, rules }) =>
      markup`<tr>
        <th scope="row">${form === '' ? 'none that is read' : markup`<code>${form}</code>`}</th>
        <td>${namesText(devices)}</td>
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

function suppressedMarkup(suppressed: readonly Suppressed[]): Markup {
  const rows = suppressed.slice(0, ROWS_MAX).map(
    ({ finding, reason }) =>
      markup`<tr>
        <th scope="row">${finding.id.toUpperCase()}</th>
        <td>${findingText(finding)}</td>
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

function devicesMarkup({ fabric, unreadable, skipped }: ShownDiagnosis): Markup {
  const devices = [...fabric.devices.values()]
  const rows = devices.slice(0, ROWS_MAX).map(({ config, forms, unread }) => {
    const cut = forms.filter(({ truncated }) => truncated !== null).map(({ file }) => file)
    return markup`<tr>
      <th scope="row">${shownName(config.device)}</th>
      <td>${config.role}${config.language === '' || config.language === 'host' ? '' : `, ${config.language}`}</td>
      <td class="count">${fabric.linksOf(config.device).length}</td>
      <td>${namesText([...new Set(forms.map(({ dialect }) => dialect.title))])}</td>
      <td>${namesText(unread)}${cut.length === 0 ? NOTHING : markup` cut: ${namesText(cut)}`}</td>
    </tr> `
  })
  const others = [...unreadable.map((file) => `${file}: no text`), ...skipped.map(({ file, why }) => `${file}: ${why}`)]
  const items = others.slice(0, ROWS_MAX).map((each) => markup`<li>${each}</li> `)
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
