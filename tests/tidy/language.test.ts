/**
 * The project's words, held against docs/glossary.md: no phrase with a private sense, no sentence that begins "What" or
 * "Of" where a noun would do, no replaced word in an identifier, one spelling for a name.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { findingsIn, IDENTIFIER_WORDS, PHRASES, readable, ROOT, SPELLINGS, type Finding } from './findings.ts'

/** Beginnings with "What" or "Of" that may stand, all together. */
const BEGINNINGS_MAX = 20

/** The checker's own files quote what they look for. */
const OWN = /^tests\/tidy\//

const names = [
  ...['src', 'tests', 'bench', 'scripts/score', 'docs'].flatMap(readable),
  'README.md',
  'ARCHITECTURE.md',
  'STYLE.md',
  'CONTRIBUTING.md',
].filter((name) => !OWN.test(name))

const findings = names.flatMap((name) => findingsIn(name, readFileSync(path.join(ROOT, name), 'utf8')))
const shown = (kind: Finding['kind']): string[] =>
  findings.filter((finding) => finding.kind === kind).map(({ where, text }) => `${where}: ${text}`)

test('there is something to read', () => {
  expect(names.length).toBeGreaterThan(900)
  expect(PHRASES.length).toBeGreaterThan(20)
  expect(SPELLINGS.length).toBeGreaterThan(10)
  expect(IDENTIFIER_WORDS.size).toBeGreaterThan(15)
})

test('no phrase that the glossary lists as a private sense', () => {
  expect(shown('phrase')).toEqual([])
})

test('no replaced word in an identifier', () => {
  expect(shown('identifier')).toEqual([])
})

test('no name in a second spelling', () => {
  expect(shown('spelling')).toEqual([])
})

test(`at most ${BEGINNINGS_MAX} sentences begin with "What" or "Of"`, () => {
  const found = shown('beginning')
  expect(found.length > BEGINNINGS_MAX ? found : []).toEqual([])
})

describe('the checker', () => {
  const kindsIn = (name: string, text: string): string[] =>
    findingsIn(name, text).map(({ kind, where }) => `${kind} ${where}`)

  test.each([
    ['a comment', '// the rate is reckoned anew\nconst x = 1\n', 'phrase a.ts:1'],
    ['a comment over two lines', '/**\n * Packets stay in\n * line.\n */\n', 'phrase a.ts:1'],
    ['the second of two line comments', 'f()\n// first\n// the turn comes\n', 'phrase a.ts:2'],
    ['a message', "throw new Error('the port was mended')\n", 'phrase a.ts:1'],
    ['a template', 'const x = `${n} cables are cut`\n', 'phrase a.ts:1'],
    ['a comment that begins with What', '/** What a port holds. */\nconst x = 1\n', 'beginning a.ts:1'],
    ['a comment behind code', 'const x = 1 // Of the port.\n', 'beginning a.ts:1'],
    ['a message that begins with Of', "note('Of the ports none is up')\n", 'beginning a.ts:1'],
    ['an identifier', 'const leftOfTurn = 1\n', 'identifier a.ts:1'],
    ['a private field', 'class A { #news = 1 }\n', 'identifier a.ts:1'],
    ['a spelling', 'const timeOut = 1\n', 'spelling a.ts:1'],
  ])('finds %s', (_, text, found) => expect(kindsIn('a.ts', text)).toEqual([found]))

  test.each([
    ['a paragraph', 'First.\n\nPackets are put in line.\n', 'phrase a.md:3'],
    ['a heading', '# What answers\n', 'phrase a.md:1'],
    ['an item', '- Of these none is paused.\n', 'beginning a.md:1'],
    ['a cell', '| a | What it holds |\n', 'beginning a.md:1'],
  ])('finds in pages %s', (_, text, found) => expect(kindsIn('a.md', text)).toContain(found))

  test.each([
    [
      'a.ts',
      '// ordinary: returns, in turn, online, replaced, always, hardwareless prose\nconst returned = alwaysPlaced()\n',
    ],
    ['a.ts', 'const isOneWay = packetsPerTurn\n'],
    ['a.ts', '/** What does a pause cost? */\nconst x = 1\n'],
    ['a.md', 'What does a pause cost?\n'],
    ['a.md', '```\nWhat answers: in line, told, reckon\n```\n'],
    ['a.md', 'The field `news of the turn` is code.\n'],
  ])('lets pass in %s: %s', (name, text) => expect(kindsIn(name, text)).toEqual([]))
})
