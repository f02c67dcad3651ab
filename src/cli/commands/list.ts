/**
 * list [KIND] [NAME]: everything that a scenario can name, with its parameters.
 */
import { InputError, inputError } from '../../core/base/issue.ts'
import type { FindingKind } from '../../core/findings/index.ts'
import { factsTable, textTable } from '../../show/index.ts'
import { type ParamRow, scenarioParams, variableParams } from '../../lab/scenario/index.ts'
import { suggestion } from '../../lab/scenario/text/wording.ts'
import { catalog, type Entry, type Kind } from '../../catalog.ts'
import { findingIds, findingKinds } from '../../lab/advice/notes/notes.ts'
import { command, type FlagsOf } from '../command.ts'
import { givenFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { anyText } from '../parsers.ts'
import { type LIST_TOPICS, proposeListed } from '../proposals.ts'
import { DIALECTS } from '../../doctor/devices/dialects/index.ts'
import { matrixText, schemeMatrix } from '../../lab/advice/scheme-matrix.ts'
import { schemeSurveyText, surveyText, type SurveyedScheme } from '../../papers/survey/survey-text.ts'

const FLAGS = { json: givenFlag('Print JSON') }
type ListFlags = FlagsOf<typeof FLAGS>

export const list = command({
  brief: 'List topologies, workloads, schemes and everything else to choose from, with parameters',
  about: [
    'Without arguments lists all names; with a KIND describes each entry of that kind; with a NAME (or KIND NAME) lists',
    'its parameters: type, default, range, meaning and source. Recoveries and congestion controls come with their',
    "entries in the survey's Tables I to III; `survey` prints these tables alone. `matrix` shows which recovery runs with",
    'which congestion control, and which need is not met otherwise. `absent` lists schemes that the papers name and that',
    'are not modelled, with the reason. `changes` shows which parameters may differ between devices or change at a time.',
    '`findings` explains what check, import, explain and report find, and `findings ID` one of them. `forms` has the forms',
    'of files that doctor and drift read, and what is not read of each.',
    '',
    'Examples:',
    '  rocelab list',
    '  rocelab list congestion',
    '  rocelab list dcqcn',
    '  rocelab list group switch',
    '  rocelab list survey',
    '  rocelab list matrix',
    '  rocelab list findings ecn01',
    '  rocelab list --json',
  ],
  usage: ['[--json] [KIND] [NAME]'],
  manyArgs: {
    brief: 'A kind, a name, or both',
    placeholder: 'KIND|NAME',
    parse: anyText,
    proposeCompletions: proposeListed,
    maximum: 2,
  },
  flags: FLAGS,
  run: printList,
})

function printList(this: Context, flags: ListFlags, ...words: string[]): void {
  const kinds = catalog()
  const [first, second] = words
  const { stdout } = this.process
  const topic = first !== undefined && isTopic(first) ? TOPICS[first] : undefined
  if (topic !== undefined) {
    if (second !== undefined && first !== 'findings')
      throw inputError('list', `nothing after ${first}`, JSON.stringify(second))
    const { values, text } = topic(this, kinds, second)
    stdout.write(flags.json === true ? `${JSON.stringify(values, null, 2)}\n` : text)
    return
  }
  const kind = kinds.find(({ name }) => first !== undefined && [name, `${name}s`, PLURALS[name]].includes(first))
  const named = kind === undefined ? first : second
  const among = kind === undefined ? kinds : [kind]
  if (second !== undefined && kind === undefined) {
    if (among.some((each) => each.entries.some(({ name }) => name === first))) {
      throw inputError(
        'list',
        `nothing after the name ${first}`,
        JSON.stringify(second),
        'the kind comes first: rocelab list KIND NAME',
      )
    }
    throw unknownWord(
      first ?? '',
      kinds.map(({ name }) => name),
    )
  }
  const entries = among.flatMap((each) => each.entries)
  const found = named === undefined ? entries : entries.filter(({ name }) => name === named)
  if (found.length === 0 && named !== undefined) {
    const names =
      kind === undefined
        ? [...Object.keys(TOPICS), ...kinds.map(({ name }) => name), ...entries.map(({ name }) => name)]
        : []
    const other = kinds.find((each) => each.entries.some(({ name }) => name === named))
    const hint = other === undefined ? '' : `${named} is of kind ${other.name}: rocelab list ${other.name} ${named}`
    throw unknownWord(named, names.length > 0 ? names : entries.map(({ name }) => name), kind?.name, hint)
  }
  if (flags.json === true) {
    stdout.write(`${JSON.stringify(found, null, 2)}\n`)
  } else if (named === undefined) {
    stdout.write(kind === undefined ? namesText(this, kinds) : overviewText(this, [kind]))
  } else {
    stdout.write(found.map((entry) => entryText(this, entry, kinds)).join('\n'))
  }
}

/** Tables that are not a kind of entry. */
const TOPICS: Readonly<
  Record<(typeof LIST_TOPICS)[number], (context: Context, kinds: readonly Kind[], name?: string) => Topic>
> = {
  survey: (context, kinds) => {
    const schemes = schemesOf(kinds)
    return { values: schemes, text: surveyText(schemes, context.text) }
  },
  matrix: (context) => {
    const cells = schemeMatrix()
    return { values: cells, text: matrixText(cells, context.text) }
  },
  changes: (context) => {
    const rows = variableParams(scenarioParams)
    return { values: rows, text: variableText(context, rows) }
  },
  findings: (context, _, name) => {
    const all = findingKinds()
    const ids = findingIds()
    const one = name === undefined ? undefined : ids.get(name.toLowerCase())
    if (name !== undefined && one === undefined) throw unknownWord(name, [...ids.keys()], 'finding')
    const found = all.filter(({ id }) => name === undefined || id === one)
    const values = found.map(
      ({ id, formerIds = [], severity, meaning, formula = '', source, remedy, evidence = [] }) => {
        return { id, formerIds, severity, meaning, formula, source, remedy, evidence }
      },
    )
    return { values, text: name === undefined ? findingsText(context, found) : findingKindText(context, found[0]!) }
  },
  forms: (context) => {
    const values = DIALECTS.map(({ title, leavesOut }) => ({ form: title, notRead: leavesOut }))
    const rows = values.map(({ form, notRead }) => [form, notRead.join('; ')])
    return { values, text: textTable(['form', 'not read'], rows, context.text) }
  },
}

/** All kinds of findings, one line each. */
function findingsText(context: Context, found: readonly FindingKind[]): string {
  const rows = found.map(({ id, severity, meaning }) => [id, severity, meaning])
  const columns = ['finding', 'severity', 'meaning']
  return textTable(columns, rows, context.text)
}

/** A kind of finding with its formula, source and remedy. */
function findingKindText(context: Context, kind: FindingKind): string {
  const { id, severity, meaning, formula = '', source, remedy, evidence = [] } = kind
  const rows = [
    ['finding', id],
    ['severity', severity],
    ['meaning', meaning],
    ['found where', formula],
    ['source', source],
    ['what to do', remedy],
    ['shown by', evidence.join(', ')],
  ].filter(([, value]) => value !== '')
  return factsTable(rows, context.text)
}

function isTopic(word: string): word is keyof typeof TOPICS {
  return Object.hasOwn(TOPICS, word)
}

interface Topic {
  readonly values: unknown
  readonly text: string
}

const PLURALS: Readonly<Record<string, string>> = { topology: 'topologies', recovery: 'recoveries' }

/** Line width if the output is not a terminal. */
const USUAL_WIDTH = 80

/** Kinds that a scenario does not name: mentioned in the hints only, so that the output fits 24 lines. */
const ASIDE: readonly string[] = ['importer', 'exporter', 'experiment', 'hardware', 'absent']

/** Names only, one kind per line, so that they fit a screen. */
function namesText(context: Context, kinds: readonly Kind[]): string {
  const shown = kinds.filter(({ name }) => !ASIDE.includes(name))
  const rows = shown.map(({ name, entries }) => [name, entries.map((entry) => entry.name).join(', ')])
  const width = context.text.width ?? USUAL_WIDTH
  const hints = [
    ['rocelab list KIND', `also ${ASIDE.slice(0, -1).join(', ')} or ${ASIDE.at(-1)}`],
    ['rocelab list NAME', 'its parameters, with defaults and sources'],
    ['rocelab list matrix', 'which schemes go together; also survey, changes, findings'],
  ]
  const names = factsTable(rows, { ...context.text, width })
  return `${names}\n${factsTable(hints, context.text)}`
}

/** Parameters that `changes` may vary; a group or variant stands for all below it. */
function variableText(context: Context, rows: readonly ParamRow[]): string {
  const columns = ['parameter', 'its own value by', 'at a time', 'description']
  const lines = rows.map(({ path, per, live, help }) => [path, per === 'pair' ? '' : per, live ? 'yes' : 'no', help])
  return textTable(columns, lines, context.text)
}

/** All entries of some kinds, one line each. */
function overviewText(context: Context, kinds: readonly Kind[]): string {
  const rows = kinds.flatMap(({ name, entries }) =>
    entries.map((entry, index) => [index === 0 ? name : '', entry.name, helpOf(entry)]),
  )
  return textTable(['kind', 'name', 'description'], rows, context.text)
}

/** Description, with the reason if the entry is not modelled. */
function helpOf({ help, reason }: Entry): string {
  return reason === undefined ? help : `${help}. Not modelled: ${reason}`
}

/** Schemes in [Survey]'s tables, recoveries first. */
function schemesOf(kinds: readonly Kind[]): SurveyedScheme[] {
  return kinds.flatMap(({ entries }) => entries.flatMap((entry) => surveyedOf(entry)))
}

function surveyedOf({ kind, name, needs, survey }: Entry): SurveyedScheme[] {
  return needs === undefined ? [] : [{ kind, name, needs, survey }]
}

/** One entry with its parameters. */
function entryText(context: Context, entry: Entry, kinds: readonly Kind[]): string {
  const usage = kinds.find(({ name }) => name === entry.kind)?.usage ?? ''
  const head = [
    [entry.kind, entry.name],
    ['description', entry.help],
    ['not modelled', entry.reason ?? ''],
    ['source', entry.source],
    ['in a scenario', usage.replace('NAME', entry.name)],
  ].filter(([, value]) => value !== '')
  const parts = [
    factsTable(head, context.text),
    ...surveyedOf(entry).map((scheme) => schemeSurveyText(scheme, context.text)),
  ]
  if (entry.kind === 'absent') return parts.join('\n')
  if (entry.params.length === 0) return [...parts, 'no parameters\n'].join('\n')
  const rows = entry.params.map((row) => [row.path, row.type, row.default, rangeOrUnit(row), row.help, row.source])
  const columns = ['parameter', 'type', 'default', 'range or unit', 'description', 'source'].map((text) => ({
    head: text,
  }))
  return [...parts, textTable(columns, rows, context.text)].join('\n')
}

/** Limits if there are any, else the units. */
function rangeOrUnit({ range, unit }: ParamRow): string {
  if (unit === '') return range
  return range === 'off' ? `${unit}, or off` : range || unit
}

function unknownWord(word: string, names: readonly string[], kind?: string, elsewhere = ''): InputError {
  const expected = kind === undefined ? 'a kind or a name' : `a ${kind}: ${names.join(', ')}`
  const hint = elsewhere || suggestion(word, names) || 'rocelab list shows all names'
  return inputError('list', expected, JSON.stringify(word), hint)
}
