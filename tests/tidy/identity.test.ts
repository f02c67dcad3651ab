/** Identity stays data: the product's own labels, conditions and tables are not recognized by their words or columns. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const SRC = path.resolve(import.meta.dirname, '../../src')

const HABITS: Readonly<Record<string, RegExp>> = {
  'a table is known by its columns':
    /\.(?:find|filter|some)\((?:[^;]|\n){0,80}\.every\((?:[^;]|\n){0,80}(?:findColumn|columns\.some)/,
  'a device is known by its name': /\.startsWith\('(?:host|switch|tor|leaf|spine|NIC|port) /,
  'a label is searched for words': /\/\.test\(\w+(?:\.\w+)*\.(?:label|title|remedy)\)/,
  'a condition is taken apart': /\.split\(' \| '\)|condition\.(?:startsWith|endsWith|includes|split)\(/,
}

function habitsOf(text: string): string[] {
  return Object.entries(HABITS).flatMap(([habit, pattern]) => (pattern.test(text) ? [habit] : []))
}

/** Results of versions that wrote words alone. */
const OLD = 'results/stored/old-kinds.ts: a device is known by its name'

test.each([
  [
    "series.find((t) => ['hop', 'queuePs'].every((name) => findColumn(t, name) !== undefined))",
    'a table is known by its columns',
  ],
  ["return origin.startsWith('host ') ? 1 : 2", 'a device is known by its name'],
  ['const isPaused = /paus/.test(first.label)', 'a label is searched for words'],
  ["const [a, b] = condition.split(' | ')", 'a condition is taken apart'],
])('%s is found', (line, habit) => {
  expect(habitsOf(line)).toEqual([habit])
})

test('no source recognizes what it has named itself', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll(path.sep, '/'))
    .filter((name) => name.endsWith('.ts') && !/\.test[^/]*\.ts$/.test(name))
  const found = files.flatMap((name) =>
    habitsOf(readFileSync(path.join(SRC, name), 'utf8')).map((habit) => `${name}: ${habit}`),
  )
  expect(found.toSorted()).toEqual([OLD])
})
