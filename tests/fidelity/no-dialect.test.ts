/**
 * Compatibility with other simulators is in parameters, and in profiles: no line of a model depends on the name of a
 * simulator, and one table has the profiles.
 * Names are allowed in comments, and in the `help` and `source` of a parameter.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const SRC = path.resolve(import.meta.dirname, '../../src')
/** Rooms about other simulators, rooms whose output is for people, and `doctor`, whose dialects are languages of devices. */
const FREE =
  'importers exporters papers core/findings core/device-model show lab/advice live/answers cli doctor catalog.ts'.split(
    ' ',
  )
const FOREIGN = /hpcc|conweave|ns-?3\b|ns3|htsim|simai|qbb|dialect/i
/** HPCC is also a congestion control, whose own files name it. */
const OWN = /\bhpcc\b/gi
const isSchemes = (file: string): boolean =>
  ['hpcc.ts', 'index.ts'].some((name) => file === path.join('core', 'transport', 'congestion', name))
/** A preset of parameters may be named after its origin, as long as no code compares the name. */
const PRESET = /^ {2}name: 'dcqcn-hpcc',$|\b(dcqcnHpcc|dcqcnHpccParams)\b/gm
const PROFILES = path.join('lab', 'scenario', 'compat.ts')
const COMMENTS = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g
const TEXTS = /\b(?:help|source):\s*(?:'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|"(?:\\.|[^"\\])*")/g

function foreignLines(text: string): string[] {
  const code = text.replace(COMMENTS, '').replace(TEXTS, '').replace(PRESET, '')
  return code.split('\n').filter((line) => FOREIGN.test(line))
}

test('no model names another simulator outside comments, help and source', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      name.endsWith('.ts') &&
      !/\.test(?:-\w+)?\.ts$/.test(name) &&
      !FREE.some((free) => name === free || name.startsWith(path.join(free, path.sep))) &&
      name !== PROFILES,
  )
  expect(files.length).toBeGreaterThan(60)
  const found = files.flatMap((file) => {
    const text = readFileSync(path.join(SRC, file), 'utf8')
    return foreignLines(isSchemes(file) ? text.replaceAll(OWN, '') : text).map((line) => `${file}: ${line.trim()}`)
  })
  expect(files.filter(isSchemes)).toHaveLength(2)
  expect(foreignLines(readFileSync(path.join(SRC, PROFILES), 'utf8'))).toEqual(['  hpcc: {', '  conweave: {'])
  expect(found).toEqual([])
})

test('a branch on a name is found, and a source is not taken for one', () => {
  expect(foreignLines("if (scenario.dialect === 'x') return\n")).toHaveLength(1)
  expect(foreignLines("  if (name === 'dcqcn-hpcc') return\n")).toHaveLength(1)
  expect(foreignLines("const isHpcc = rounding === 'hpcc'\n")).toHaveLength(1)
  expect(
    foreignLines("/** As the HPCC fork does. */\nflag({ default: true, help: 'as in ns-3', source: `HPCC fork` })\n"),
  ).toEqual([])
})
