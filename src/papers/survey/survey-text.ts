/**
 * [Survey]'s Tables I to III for every recovery and congestion control, as text.
 */
import { type TextColumn, type TextOptions, textTable } from '../../show/index.ts'
import { NEEDS } from '../../lab/scenario/rules/needs.ts'
import type { Needs } from '../../core/transport/scheme.ts'
import type { Survey, SurveyCell } from './schemes.ts'

/** A scheme as the tables show it. */
export interface SurveyedScheme {
  readonly kind: string
  readonly name: string
  readonly needs: Needs
  /** Undefined if there is no description in the survey's terms. */
  readonly survey: Survey | undefined
}

type CellOf = readonly [head: string, cell: SurveyCell, text: (survey: Survey) => string]

/** Columns of the three tables, in the survey's order. */
const TABLES: readonly { readonly title: string; readonly cells: readonly CellOf[] }[] = [
  {
    title: 'Table I: detection and notification of congestion',
    cells: [
      ['category', 'category', (survey) => survey.category],
      ['detected by', 'detection.methods', ({ detection }) => detection.methods.join(', ')],
      ['detected at', 'detection.places', ({ detection }) => detection.locations.join(', ')],
      ['signaled by', 'notification.signals', ({ notification }) => notification.signals.join(', ')],
      ['signaled at', 'notification.places', ({ notification }) => notification.locations.join(', ')],
    ],
  },
  {
    title: 'Table II: adjustment to congestion',
    cells: [
      ['adjusted', 'adjustment.unit', ({ adjustment }) => adjustment.unit],
      ['increased by', 'adjustment.increase', ({ adjustment }) => adjustment.increase.join(', ')],
      ['decreased by', 'adjustment.decrease', ({ adjustment }) => adjustment.decrease.join(', ')],
      ['at', 'adjustment.places', ({ adjustment }) => adjustment.locations.join(', ')],
    ],
  },
  {
    title: 'Table III: performance and components',
    cells: [
      ['granularity', 'granularity', (survey) => survey.granularity],
      ['quick start', 'quickStart', (survey) => yesNo(survey.quickStart)],
      // "-": available in products.
      ['implementation', 'implementation', (survey) => survey.implementation.join(', ') || '-'],
      ['resource', 'resources', (survey) => survey.resources.join(', ')],
      ['PFC dependency', 'pfcDependency', (survey) => yesNo(survey.pfcDependency)],
    ],
  },
]

const INTRODUCTION =
  'Recoveries and congestion controls in the terms of [Survey] section VI. A scheme with a name in the column Survey is printed as ' +
  'the row of that name in the paper; the entries of the others are ours. "?": not described yet.'

/** The three tables, the classes of [Survey] Figure 16, and the footnotes. */
export function surveyText(schemes: readonly SurveyedScheme[], options: TextOptions): string {
  const notes: string[] = []
  const parts = TABLES.map(({ title, cells }, i) => {
    const isLast = i === TABLES.length - 1
    const heads = ['kind', 'scheme', 'Survey', ...cells.map(([head]) => head), ...(isLast ? ['needs here'] : [])]
    const rows = schemes.map(({ kind, name, needs, survey }) => [
      kind,
      name,
      survey?.row ?? '-',
      ...cells.map(([, cell, text]) => (survey === undefined ? '?' : text(survey) + marksOf(survey, cell, notes))),
      ...(isLast ? [needsText(needs) || '-'] : []),
    ])
    return `${title}\n\n${textTable(columnsOf(heads), rows, options)}`
  })
  const footnotes = notes.map((note, i) => [`[${i + 1}]`, note])
  return [
    textTable([{ head: '' }], [[INTRODUCTION]], options),
    ...parts,
    `Figure 16: classes by method of detection\n\n${textTable(columnsOf(['class', 'schemes']), classesOf(schemes), options)}`,
    textTable([{ head: '' }, { head: '' }], footnotes, options),
  ].join('\n')
}

/** One scheme, one line per cell, with its notes in full. */
export function schemeSurveyText({ survey, needs }: SurveyedScheme, options: TextOptions): string {
  const needed = ['needs here', needsText(needs) || '-']
  if (survey === undefined)
    return textTable(columnsOf(['[Survey] Tables I to III', 'not described in their terms']), [needed], options)
  const rows = TABLES.flatMap(({ cells }) =>
    cells.map(([head, cell, text]) => [
      head,
      text(survey),
      survey.notes
        .filter((note) => note.cell === cell)
        .map((note) => `${note.kind}: ${note.text}`)
        .join(' '),
    ]),
  )
  return textTable(
    columnsOf(['[Survey] Tables I to III', survey.row ?? 'no row', '']),
    [...rows, [...needed, '']],
    options,
  )
}

/** "ECN, CNP" */
function needsText(needs: Needs): string {
  return Object.entries(NEEDS)
    .filter(([need]) => needs[need as keyof Needs] === true)
    .map(([, { name }]) => name)
    .join(', ')
}

/** " [1] [3]": footnote marks. A new note is added to `notes`. */
function marksOf(survey: Survey, cell: SurveyCell, notes: string[]): string {
  return survey.notes
    .filter((note) => note.cell === cell)
    .map((note) => {
      const text = `${note.kind}: ${note.text}`
      if (!notes.includes(text)) notes.push(text)
      return ` [${notes.indexOf(text) + 1}]`
    })
    .join('')
}

/** Schemes by their first method of detecting congestion, as the survey classifies them. */
function classesOf(schemes: readonly SurveyedScheme[]): string[][] {
  const classes = new Map<string, string[]>()
  for (const { name, survey } of schemes) {
    const method = survey?.detection.methods[0] ?? 'not described'
    classes.set(method, [...(classes.get(method) ?? []), name])
  }
  return [...classes].map(([method, names]) => [method, names.join(', ')])
}

function columnsOf(heads: readonly string[]): TextColumn[] {
  return heads.map((head) => ({ head }))
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no'
}
