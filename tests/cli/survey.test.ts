/**
 * `list survey` prints [Survey]'s Tables I to III: declarations are compared with the cells of the paper, and the printed
 * tables with the declarations.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { absentSchemes } from '../../src/papers/survey/absent-schemes.ts'
import { congestions } from '../../src/core/transport/congestion/index.ts'
import { recoveries } from '../../src/core/transport/recovery/index.ts'
import type { Needs } from '../../src/core/transport/scheme.ts'
import { type Survey, surveyOf } from '../../src/papers/survey/schemes.ts'
import { schemeSurveyText, surveyText } from '../../src/papers/survey/survey-text.ts'
import { PAPER_SCHEMES } from './paper-schemes.ts'
import { createFolder, rocelab } from './program.ts'
import { lowerCase, PRINTED_ROWS, rowOf } from './survey-rows.ts'

const at = createFolder()
afterAll(() => at.clear())

const schemes = (['recovery', 'congestion'] as const).flatMap((kind) =>
  (kind === 'recovery' ? recoveries : congestions).map(({ name, needs }) => ({
    name: name as string,
    needs: needs as Needs,
    survey: surveyOf(name)!,
  })),
)
const rowed = schemes.flatMap(({ name, survey }) => (survey.row === null ? [] : [{ name, row: survey.row, survey }]))
const printed = rocelab(at.folder, 'list', 'survey')

/** Lines of the printed table with a title. */
function tableOf(title: string): string[] {
  const [, rest = ''] = printed.stdout.split(`${title}\n\n`)
  return rest.slice(0, rest.indexOf('\n\n')).split('\n')
}

describe('declarations of schemes', () => {
  test.each(rowed)('$name is declared as in row $row of [Survey]', ({ row, survey }) => {
    expect(lowerCase(rowOf(survey))).toBe(lowerCase(PRINTED_ROWS[row]))
  })

  test('a scheme with the name of a row of [Survey] is that row, and RoCE is go-back-n without congestion control', () => {
    const named = Object.keys(PRINTED_ROWS).flatMap((row) =>
      schemes.filter(({ name }) => name === row.toLowerCase()).map(({ survey }) => [row, survey.row]),
    )
    expect(named.length).toBeGreaterThan(2)
    expect(named.filter(([row, declared]) => row !== declared)).toEqual([])
    expect(rowed.filter(({ row }) => row === 'RoCE').map(({ name }) => name)).toEqual(['go-back-n', 'none'])
  })

  test('the seven rows are four classes by their way of detection, and two by the unit of adjustment', () => {
    // RoCE is a recovery without control. Losses of DCTCP, and PFC besides another method, do not define a class.
    const byRow = new Map(rowed.map(({ row, survey }) => [row, survey]))
    expect([...byRow.keys()].toSorted()).toEqual(Object.keys(PRINTED_ROWS).toSorted())
    const methods = [...byRow.values()].map(({ detection }) => detection.methods[0])
    const rowsOf = (method: string) =>
      [...byRow].flatMap(([row, { detection }]) => (detection.methods[0] === method ? [row] : [])).toSorted()
    expect([...new Set(methods)].toSorted()).toEqual(['ECN', 'PFC', 'RTT gradient', 'packet loss'])
    expect(rowsOf('PFC')).toEqual(['RoCE'])
    expect(rowsOf('packet loss')).toEqual(['IRN', 'iWARP'])
    expect(rowsOf('ECN')).toEqual(['DCQCN', 'DCTCP', 'MP-RDMA'])
    expect(rowsOf('RTT gradient')).toEqual(['TIMELY'])
    const windowed = [...byRow].filter(([, { adjustment }]) => adjustment.unit === 'congestion window')
    expect(windowed.map(([row]) => row).toSorted()).toEqual(['DCTCP', 'MP-RDMA', 'iWARP'])
    const paced = [...byRow].filter(([, { adjustment }]) => adjustment.unit === 'sending rate')
    expect(paced.map(([row]) => row).toSorted()).toEqual(['DCQCN', 'IRN', 'RoCE', 'TIMELY'])
  })

  test('cells in which the survey contradicts itself have a footnote', () => {
    const noted = schemes.flatMap(({ name, survey }) =>
      survey.row === null
        ? []
        : survey.notes.filter(({ kind }) => kind === 'contradiction').map(({ cell }) => `${name} ${cell}`),
    )
    // VI-A1 against Table I (places of ECN); V-B on CNPs; IV-C against Tables I and II (TIMELY); VI-C2 against itself.
    for (const cell of [
      'dcqcn detection.places',
      'dctcp detection.places',
      'dcqcn notification.signals',
      'timely notification.signals',
      'timely adjustment.increase',
      'dctcp pfcDependency',
    ])
      expect(noted).toContain(cell)
  })

  test('every scheme has a method to detect congestion, and schemes that detect it by PFC depend on PFC', () => {
    expect(schemes.filter(({ survey }) => survey.detection.methods.length === 0)).toEqual([])
    const byPfc = schemes.filter(({ survey }) => survey.detection.methods.includes('PFC'))
    expect(byPfc.filter(({ survey }) => !survey.pfcDependency)).toEqual([])
  })

  test('a scheme that reacts to marks is one whose packets can be marked', () => {
    const controls = schemes.slice(recoveries.length)
    const hears = controls.filter(({ survey }) => survey.detection.methods.includes('ECN')).map(({ name }) => name)
    expect(hears.length).toBeGreaterThan(4)
    expect(hears).toEqual(controls.filter(({ needs }) => needs.ecn === true).map(({ name }) => name))
  })
})

describe('list survey', () => {
  const titles = [
    'Table I: detection and notification of congestion',
    'Table II: adjustment to congestion',
    'Table III: performance and components',
  ]

  test.each(titles)('%s has a line for every recovery and every congestion control', (title) => {
    const names = tableOf(title)
      .slice(2)
      .map((line) => line.split(/ +/)[1])
    expect(names).toEqual(schemes.map(({ name }) => name))
  })

  test('every cell of the paper is printed in the row of its scheme', () => {
    for (const { name, row } of rowed) {
      const [one = [], two = [], three = []] = titles.map((title) =>
        (tableOf(title).find((line) => line.split(/ +/)[1] === name) ?? '')
          .replaceAll(/ \[\d+\]/g, '')
          .toLowerCase()
          .split(/ {2,}/),
      )
      const { detection, notification, adjustment, performance, components } = PRINTED_ROWS[row]
      const cells = (...values: readonly (string | boolean)[]): string[] =>
        [row, ...values].map((value) => (typeof value === 'string' ? value.toLowerCase() : value ? 'yes' : 'no'))
      expect(one.slice(2)).toEqual(cells(...detection, ...notification))
      expect(two.slice(2)).toEqual(cells(...adjustment))
      expect(three.slice(2, -1)).toEqual(cells(...performance, ...components))
    }
  })

  test('every note is a footnote, and every mark has one', () => {
    const [, footnotes = ''] = printed.stdout.split(/\n\n(?=\[1\])/)
    const numbers = footnotes
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')[0] ?? '')
    const marks = new Set(printed.stdout.match(/\[\d+\]/g))
    expect(numbers.length).toBeGreaterThan(8)
    expect(new Set(numbers)).toEqual(marks)
    for (const { survey } of schemes) for (const { text } of survey.notes) expect(footnotes).toContain(text)
  })

  test('Figure 16 classifies the schemes of [Survey] as its text does', () => {
    const classes = tableOf('Figure 16: classes by method of detection').join('\n')
    expect(classes).toMatch(/^PFC .*go-back-n.*none/m)
    expect(classes).toMatch(/^ECN .*dcqcn.*dctcp/m)
    expect(classes).toMatch(/^RTT gradient .*timely/m)
  })

  test('is mentioned by `list`, and `list SCHEME` shows the row of the scheme', () => {
    expect(rocelab(at.folder, 'list').stdout).toContain('survey')
    expect(rocelab(at.folder, 'list', 'dcqcn').stdout).toMatch(/signaled by +CNP, PFC +contradiction: \[Survey\] V-B/)
    expect(rocelab(at.folder, 'list', 'congestion').stdout).not.toContain('Table I')
  })

  test('a scheme without a description is listed with its needs, and marked as not described', () => {
    const newcomer = { kind: 'congestion', name: 'newcomer', needs: { ecn: true }, survey: undefined }
    const lines = surveyText([newcomer], {}).split('\n')
    expect(lines.find((line) => line.startsWith('congestion  newcomer  -'))).toMatch(/( +\?){5}$/)
    expect(lines).toContain('not described  newcomer')
    expect(schemeSurveyText(newcomer, {})).toMatch(/not described in their terms[^]*needs here +ECN/)
  })

  test('has the declarations as JSON, alone and in `list --json`', () => {
    const declared = schemes.map(({ name, needs, survey }) => ({ name, needs, survey }))
    const alone = JSON.parse(rocelab(at.folder, 'list', 'survey', '--json').stdout) as unknown[]
    expect(alone).toMatchObject(declared)
    expect(alone).toHaveLength(declared.length)
    const all = JSON.parse(rocelab(at.folder, 'list', '--json').stdout) as { survey?: Survey }[]
    expect(all.filter(({ survey }) => survey !== undefined)).toMatchObject(declared)
  })
})

describe('schemes of the papers', () => {
  const registered = schemes.map(({ name }) => name)
  const absent = absentSchemes.map(({ name }) => name)

  test.each(PAPER_SCHEMES)('$name ($papers) is implemented, or listed with the reason why not', ({ name, here }) => {
    const missing = here.length > 0 ? here.filter((each) => !registered.includes(each)) : [name]
    expect(missing.filter((each) => !absent.includes(each))).toEqual([])
  })

  test('no scheme is both implemented and absent, and each absent one has a source and a reason', () => {
    expect(absent.filter((name) => registered.includes(name.toLowerCase()))).toEqual([])
    expect(
      absentSchemes.every(
        ({ source, reason }) => /^\[(IGBN|Survey|MS-Scale|IRN|LDCP)\]/.test(source) && reason.length > 20,
      ),
    ).toBe(true)
    expect(absent.filter((name) => !PAPER_SCHEMES.some((scheme) => scheme.name === name))).toEqual([])
  })

  test('`list MELO` shows why it is not modelled', () => {
    const { code, stdout } = rocelab(at.folder, 'list', 'MELO')
    expect(code).toBe(0)
    expect(stdout).toMatch(/not modelled +\[IRN\] gives neither latency nor bandwidth/)
    expect(rocelab(at.folder, 'list', 'absent').stdout).toContain('MELO')
  })
})
