/** Findings do not depend on how files are written, named and ordered, and fewer files never make more errors. */
import { describe, expect, test } from 'vitest'
import { BUFFER_FAULTS } from './planted/buffers.test-data.ts'
import { type Files, SONIC } from './planted/clean.test-data.ts'
import { HOST_FAULTS } from './planted/hosts.test-data.ts'
import { MIXED } from './planted/mixed.test-data.ts'
import { diagnosisOf, edited, spotsOf } from './planted/planted.test-data.ts'
import { SWITCH_FAULTS } from './planted/switches.test-data.ts'

const FABRICS: readonly (readonly [string, Files])[] = [
  ['SONiC', SONIC],
  ['other languages', MIXED],
  ...[...HOST_FAULTS, ...SWITCH_FAULTS, ...BUFFER_FAULTS].map(
    ({ rule, files, edits }, i) => [`${rule} (${i})`, edited(files, edits)] as const,
  ),
]

const mapped = (files: Files, change: (text: string, file: string) => string): Files =>
  Object.fromEntries(
    Object.entries(files).map(([file, text]) => [file, file === 'edges.csv' ? text : change(text, file)]),
  )

/** Objects of JSON with their keys from the last to the first. */
function turned(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toReversed()
  return Object.fromEntries(entries.map(([key, inner]) => [key, turned(inner)]))
}

/** Blocks of a configuration from the last to the first, behind the lines that say what it is. */
function turnedBlocks(text: string): string {
  const lines = text.trimEnd().split('\n')
  const head = lines.findIndex((line) => line.startsWith('hostname'))
  const end = lines.at(-1) === 'end' ? ['end'] : []
  const blocks: string[][] = []
  for (const line of lines.slice(head + 1, lines.length - end.length))
    if (/^[^\s}]/.test(line) || blocks.length === 0) blocks.push([line])
    else blocks.at(-1)!.push(line)
  return `${[...lines.slice(0, head + 1), ...blocks.toReversed().flat(), ...end].join('\n')}\n`
}

function turnedChildren(text: string): string {
  const [head = '', body = ''] = text.split('- set:\n')
  const children = body.split(/(?=^ {4}\S)/m)
  return `${head}- set:\n${children.toReversed().join('')}`
}

function reordered(text: string, file: string): string {
  if (file.endsWith('.json')) return JSON.stringify(turned(JSON.parse(text)), null, 4)
  if (file.endsWith('.cfg') || file.endsWith('.conf')) return turnedBlocks(text)
  return file.endsWith('.yaml') ? turnedChildren(text) : text
}

const CHANGES: Readonly<Record<string, (files: Files) => Files>> = {
  'ends of lines': (files) => mapped(files, (text) => text.replaceAll('\n', '\r\n')),
  'order of files': (files) => Object.fromEntries(Object.entries(files).toReversed()),
  'names of files': (files) =>
    Object.fromEntries(
      // A number alone says nothing but by its name.
      Object.entries(files).map(([file, text], i) => [
        file === 'edges.csv' || file.includes('cma_roce_tos') ? file : file.replace(/\/.*/, `/${i}`),
        text,
      ]),
    ),
  'order of keys and blocks': (files) => mapped(files, reordered),
}

const said = (files: Files): string[] => spotsOf(diagnosisOf(files).findings)

describe.each(FABRICS.slice(0, 2))('a clean fabric of %s', (_name, files) => {
  test.each(Object.keys(CHANGES))('%s', (change) => {
    expect(said(CHANGES[change]!(files))).toEqual(said(files))
  })
})

test.each(FABRICS)('%s reads alike in all changes', (_name, files) => {
  // All of them at once.
  expect(said(Object.values(CHANGES).reduce((changed, change) => change(changed), files))).toEqual(said(files))
})

const errorsOf = (files: Files): string[] =>
  spotsOf(diagnosisOf(files).findings, ({ severity }) => severity === 'error')

test.each(FABRICS)('%s has no more errors without one of its files', (_name, files) => {
  const before = new Set(errorsOf(files))
  const names = Object.keys(files).filter((file) => file !== 'edges.csv')
  const changed = names.filter((file) => files[file] !== SONIC[file] && files[file] !== MIXED[file])
  // For a mistake: its own files, and some of the others.
  const left = changed.length === 0 ? names : [...changed, ...names.filter((_, i) => i % 31 === changed.length)]
  for (const file of left) {
    const { [file]: _gone, ...others } = files
    expect(errorsOf(others).filter((spot) => !before.has(spot))).toEqual([])
  }
})
