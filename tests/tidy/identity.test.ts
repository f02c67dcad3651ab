/**
 * Identity stays data: what the product has itself named, worded or drawn is not recognized by its words, columns or marks.
 * Texts of devices, other programs and protocols can only be read as texts; the rooms that do so use other words.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const SRC = path.resolve(import.meta.dirname, '../../src')

const COLUMNS = 'a table is known by its columns'
const LABEL = 'a label is searched for words'
const CONDITION = 'a condition is taken apart'
/** By the words of a source. */
const HABITS: Readonly<Record<string, RegExp>> = {
  [COLUMNS]: /\.(?:find|filter|some)\((?:[^;]|\n){0,80}\.every\((?:[^;]|\n){0,80}(?:findColumn|columns\.some)/,
  [LABEL]: /\/\.test\(\w+(?:\.\w+)*\.(?:label|title|remedy)\)/,
  [CONDITION]: /\.split\(' \| '\)|condition\.(?:startsWith|endsWith|includes|split)\(/,
}

const NAME = 'a device is known by its name'
const UNIT = 'a unit is read off a name'
const PROGRAM = 'the name of the program is cut off'
const MARKUP = 'own markup is read or edited'
const SENTENCE = 'own words are searched for'
const KINDS = '(?:host|switch|tor|leaf|spine|edge|aggregation|core|rail|plane|NIC|port|node)'
const UNITS = '(?:Ps|Ns|Us|Ms|Bps|Bytes|Packets|Ratio)'
/** By a pattern, or a text that another is compared with or cut at. */
const CUTS: Readonly<Record<string, RegExp>> = {
  [NAME]: new RegExp(
    String.raw`^\^?(?:\(\?:|\()?${KINDS}(?:\|${KINDS})*\)?(?: |\\s|$)|(?: |\\s)\+?(?:\[\\d\.\]|\\d)\+(?:\$|\.\*)`,
  ),
  [UNIT]: new RegExp(String.raw`^(?:\(\?:|\()?${UNITS}(?:\|${UNITS})*\)?\$?$`),
  [PROGRAM]: /^\^?\(?rocelab:/,
  [MARKUP]: /<\/?(?:svg|g|rect|path|text|style|title)\b| (?:(?:aria|data)-)?[a-z]+="/,
}
/** By a text at the start or the end of another, or of a set: words with spaces between them. */
const WORDS = /^(?:, )?[a-z]+ [A-Za-z]+(?: \w+)*,?$/
const METHODS = new Set('startsWith endsWith replace replaceAll split match'.split(' '))
const WORD_METHODS = new Set('startsWith endsWith has'.split(' '))

/** Rooms and folders that read what others wrote. */
const READERS = /^(?:importers|doctor\/(?:devices\/(?:dialects|redact)|diagnosis\/pingmesh)|live\/drivers)\//

/** Where there is nothing but a text. */
const ALLOWED = [
  // The one place that composes and reads names: words of people, and tables that were stored without their topology.
  `core/base/device-names.ts: ${NAME}`,
  // Words of people.
  `lab/metrics/pair-selector.ts: ${NAME}`,
  // The short name below a host in a picture, and names in the tables of a page.
  `show/html/network-section.ts: ${NAME}`,
  `show/html/client/cost-links.ts: ${NAME}`,
  // Results of versions that wrote words alone.
  `core/results/stored/old-kinds.ts: ${NAME}`,
  // Fields of the model are named as columns are; core/base/format.ts reads their units.
  `core/findings/kinds/fabric/buffers.ts: ${UNIT}`,
  // Another library drew it.
  `show/figure/drawing/frame.ts: ${MARKUP}`,
  // Figures that were stored as files.
  `show/html/parts/picture.ts: ${MARKUP}`,
  `show/html/parts/plain-svg.ts: ${MARKUP}`,
  `show/html/reproduction/reproduction-report.ts: ${MARKUP}`,
  // Messages in sweep.json are as they were printed.
  `show/html/sweep/sweep-verdict.ts: ${PROGRAM}`,
]

function habitsOf(text: string): string[] {
  const found = new Set(Object.keys(HABITS).filter((habit) => HABITS[habit]!.test(text)))
  const note = (cut: string): void => {
    for (const [habit, pattern] of Object.entries(CUTS)) if (pattern.test(cut)) found.add(habit)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) note(node.text.slice(1, node.text.lastIndexOf('/')))
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [first] = node.arguments
      const method = node.expression.name.text
      const cut = first !== undefined && ts.isStringLiteralLike(first) ? first.text : ''
      if (METHODS.has(method)) note(cut)
      if (WORD_METHODS.has(method) && WORDS.test(cut)) found.add(SENTENCE)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('', text, ts.ScriptTarget.Latest))
  return [...found]
}

test.each([
  ["series.find((t) => ['hop', 'queuePs'].every((name) => findColumn(t, name) !== undefined))", COLUMNS],
  ['const isPaused = /paus/.test(first.label)', LABEL],
  ["const [a, b] = condition.split(' | ')", CONDITION],
  ["return origin.startsWith('host ') ? 1 : 2", NAME],
  ["const isLeaf = name.startsWith('leaf')", NAME],
  [String.raw`const kind = name.replace(/\s[\d.]+.*$/, '')`, NAME],
  [String.raw`const [, number] = /^(host|tor) (\d+)$/.exec(name) ?? []`, NAME],
  ["const isTime = column.name.endsWith('Ps')", UNIT],
  ["const head = name.replace(/(Ps|Bps)$/, '')", UNIT],
  ["const text = error.message.replace(/^rocelab: /, '')", PROGRAM],
  ["const text = message.startsWith('rocelab: ') ? message.slice(9) : message", PROGRAM],
  [String.raw`const whole = svg.replace(/ aria-label="[^"]*"/, '')`, MARKUP],
  ["const bare = svg.replaceAll('</svg>', '')", MARKUP],
  [String.raw`const width = / width="(\d+)"/.exec(svg)`, MARKUP],
  ["const isCut = state.startsWith('no headroom')", SENTENCE],
  ["const isOnPci = said.has('needs pciName')", SENTENCE],
])('%s is found', (line, habit) => {
  expect(habitsOf(line)).toEqual([habit])
})

test.each([
  "const isOn = path.startsWith('switch.watchdog')",
  String.raw`const words = text.trim().replaceAll(/\s+/g, ' ')`,
  "const text = template('<svg>', unit === 'Ps')",
  "const isHost = kinds.has('host')",
])('%s is data, or a text of others', (line) => {
  expect(habitsOf(line)).toEqual([])
})

test('no source recognizes what it has named itself', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll(path.sep, '/'))
    .filter((name) => name.endsWith('.ts') && !/\.test[^/]*\.ts$/.test(name) && !READERS.test(name))
  const found = files.flatMap((name) =>
    habitsOf(readFileSync(path.join(SRC, name), 'utf8')).map((habit) => `${name}: ${habit}`),
  )
  expect(found.toSorted()).toEqual(ALLOWED.toSorted())
})
