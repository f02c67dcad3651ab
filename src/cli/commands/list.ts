/**
 * list [KIND] [NAME]: what there is, and what can be set on it.
 */
import { buildCommand } from '@stricli/core'
import { InputError } from '../../base/issue.ts'
import { textTable } from '../../report/index.ts'
import { suggestion } from '../../scenario/wording.ts'
import { catalog, type Entry, type Kind } from '../catalog.ts'
import type { Context } from '../context.ts'
import { guarded } from '../failure.ts'
import { givenFlag } from '../flags.ts'
import { anyText } from '../parsers.ts'

interface ListFlags {
  readonly json?: boolean
}

export const list = buildCommand<ListFlags, string[], Context>({
  docs: {
    brief: 'List topologies, workloads, schemes and all else, with their parameters',
    fullDescription: [
      'Without arguments everything there is; with a KIND what is of that kind; with a NAME (or KIND NAME) its',
      'parameters: type, default, range, meaning and source.',
      '',
      'Examples:',
      '  rocelab list',
      '  rocelab list congestion',
      '  rocelab list dcqcn',
      '  rocelab list group switch',
      '  rocelab list --json',
    ].join('\n'),
    customUsage: ['[--json] [KIND] [NAME]'],
  },
  parameters: {
    positional: {
      kind: 'array',
      maximum: 2,
      parameter: { brief: 'A kind, a name, or both', placeholder: 'KIND|NAME', parse: anyText },
    },
    flags: { json: givenFlag('Print JSON') },
  },
  func: guarded(printList),
})

function printList(this: Context, flags: ListFlags, ...words: string[]): void {
  const kinds = catalog()
  const [first, second] = words
  const kind = kinds.find(({ name }) => first !== undefined && [name, `${name}s`, PLURALS[name]].includes(first))
  const named = kind === undefined ? first : second
  const among = kind === undefined ? kinds : [kind]
  if (second !== undefined && kind === undefined)
    throw unknownWord(
      first ?? '',
      kinds.map(({ name }) => name),
    )
  const entries = among.flatMap((each) => each.entries)
  const found = named === undefined ? entries : entries.filter(({ name }) => name === named)
  if (found.length === 0 && named !== undefined) {
    const names = kind === undefined ? [...kinds.map(({ name }) => name), ...entries.map(({ name }) => name)] : []
    throw unknownWord(named, names.length > 0 ? names : entries.map(({ name }) => name), kind?.name)
  }
  const { stdout } = this.process
  if (flags.json === true) {
    stdout.write(`${JSON.stringify(found, null, 2)}\n`)
  } else if (named === undefined) {
    stdout.write(overviewText(this, among))
  } else {
    stdout.write(found.map((entry) => entryText(this, entry, kinds)).join('\n'))
  }
}

const PLURALS: Readonly<Record<string, string>> = { topology: 'topologies', recovery: 'recoveries' }

/** Everything of some kinds, a line each. */
function overviewText(context: Context, kinds: readonly Kind[]): string {
  const rows = kinds.flatMap(({ name, entries }) =>
    entries.map((entry, index) => [index === 0 ? name : '', entry.name, entry.help]),
  )
  return textTable([{ head: 'kind' }, { head: 'name' }, { head: 'what it is' }], rows, context.text)
}

/** One thing with its parameters. */
function entryText(context: Context, entry: Entry, kinds: readonly Kind[]): string {
  const usage = kinds.find(({ name }) => name === entry.kind)?.usage ?? ''
  const head = [
    [entry.kind, entry.name],
    ['what it is', entry.help],
    ['source', entry.source],
    ['in a scenario', usage.replace('NAME', entry.name)],
  ].filter(([, value]) => value !== '')
  const title = textTable([{ head: '' }, { head: '' }], head, context.text)
  if (entry.params.length === 0) return `${title}\nno parameters\n`
  const rows = entry.params.map((row) => [
    row.path,
    row.type,
    row.default,
    row.range === '' ? row.unit : row.range,
    row.help,
    row.source,
  ])
  const columns = ['parameter', 'type', 'default', 'range or unit', 'what it is', 'source'].map((text) => ({
    head: text,
  }))
  return `${title}\n${textTable(columns, rows, context.text)}`
}

function unknownWord(word: string, names: readonly string[], kind?: string): InputError {
  const expected = kind === undefined ? 'a kind or a name' : `a ${kind}: ${names.join(', ')}`
  const hint = suggestion(word, names) || 'rocelab list shows all'
  return new InputError([{ path: 'list', expected, received: JSON.stringify(word), hint }])
}
