/**
 * The house rules that a compiler does not know. Each rule shows at every run that it still bites:
 * the planted line beside it must be caught.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')
const FILE_LINES_MAX = 400
/** Rooms that run anywhere, twice with the same result: no clock, no chance, no console. */
const PURE_ROOMS = /^src\/(core|lab)\/(?!core\/(findings|notation|device-model)\/|lab\/advice\/|.*\.test(-\w+)?\.ts$)/
const OWN_CODE = /^(src|tests|bench|scripts|types|web)\/|^[^/]+\.(ts|mjs)$/

interface Rule {
  readonly name: string
  readonly where: RegExp
  readonly pattern: RegExp
  /** Read the code alone, without its comments. */
  readonly codeOnly: boolean
  readonly planted: readonly string[]
  readonly innocent: readonly string[]
}

const RULES: readonly Rule[] = [
  {
    name: 'no chance but the named streams',
    where: PURE_ROOMS,
    pattern: /\bMath\.random\b|\bcrypto\b/,
    codeOnly: true,
    planted: ['const x = Math.random()', 'crypto.getRandomValues(a)'],
    innocent: ['const random = stream.uniform()'],
  },
  {
    name: 'no clock, no timer',
    where: PURE_ROOMS,
    pattern:
      /\bDate\b(?!\.UTC\()|\bperformance\b(?!')|\b(setTimeout|setInterval|setImmediate|queueMicrotask)\b|\bhrtime\b/,
    codeOnly: true,
    planted: ['const t = Date.now()', 'new Date(0)', 'performance.now()', 'setTimeout(f, 1)'],
    innocent: ['onTimeout(nowPs)', 'updatePs', '// on this Date', 'Date.UTC(2026, 0)'],
  },
  {
    // A power of an integer literal is exact; that of a variable is as good as the engine's pow.
    name: 'no Math whose last bit differs between engines',
    where: PURE_ROOMS,
    pattern:
      /\bMath\.(a?(sin|cos|tan)h?|atan2|cbrt|exp|expm1|log|log1p|log2|log10|pow|hypot)\b|(?<!\b\d+n? )\*\*(?![*/])/,
    codeOnly: true,
    planted: ['Math.exp(1)', 'Math.log2(n)', 'Math.pow(a, b)', 'a ** b', '(a + 1) ** 2', 'x **= 2', 'Math.atan2(y, x)'],
    innocent: [
      'Math.sqrt(2)',
      'Math.floor(x)',
      'Math.clz32(n)',
      'a * b',
      '2 ** bits',
      '10n ** n',
      '/** Math.exp is banned */',
    ],
  },
  {
    name: 'no locale',
    where: PURE_ROOMS,
    pattern: /\bIntl\b|\.toLocale\w+|\.localeCompare\b/,
    codeOnly: true,
    planted: ['a.localeCompare(b)', 'n.toLocaleString()', 'new Intl.NumberFormat()'],
    innocent: ['local.compare(b)'],
  },
  {
    name: 'no console, no process, no node: module',
    where: PURE_ROOMS,
    pattern: /\bconsole\.|\bprocess\.|\bBuffer\.|['"]node:|\brequire\(/,
    codeOnly: true,
    planted: ["console.log('x')", 'process.exit(1)', "import fs from 'node:fs'", "import('node:os')"],
    innocent: ['this.process(packet)', 'sharedBuffer.used'],
  },
  {
    name: 'nothing left to do by its own words',
    where: OWN_CODE,
    pattern: /\b(TO[D]O|FIX[M]E|X[X]X|HA[C]K)\b|not[ ]implemented/i,
    codeOnly: false,
    planted: ['// TO' + 'DO: later', '/* fix' + 'me */', "throw new Error('not " + "implemented')"],
    innocent: ['// what to do next', 'todos'],
  },
  {
    name: 'no path of one machine',
    where: /./,
    pattern: /(?<![\w.:/-])\/(home|root|work|Users|mnt|opt)\/[\w.]|[A-Z]:\\\\?Users/,
    codeOnly: false,
    planted: ["open('/ho" + "me/ann/x')", 'cat /wo' + 'rk/a', '"/ro' + 'ot/.cache"'],
    innocent: ['https://example.org/home/ann', 'src/home/ann', './opt/x'],
  },
  {
    name: 'no neighbour folder outside the tests',
    where: /^(?!tests\/|src\/.*\.test(-\w+)?\.ts$)/,
    pattern: /\.\.\/shar[e]d\b/,
    codeOnly: false,
    planted: ["read('../../sha" + "red/x.csv')"],
    innocent: ["from './shared-buffer.ts'"],
  },
  {
    name: 'no skipped, unfinished or exclusive test',
    where: /\.test\.ts$/,
    pattern: /\b(it|test|describe)\.(only|tod[o])\b|\b(it|test|describe)\.skip\b/,
    codeOnly: true,
    planted: ['test.on' + "ly('x', f)", 'describe.sk' + "ip('x', f)"],
    innocent: ["test.skipIf(reason)('x', f)", "test('x', f)"],
  },
  {
    name: 'no property without our seed',
    where: /^(?!tests\/support\/properties\.ts$).*\.ts$/,
    pattern: /from 'fast-chec[k]'/,
    codeOnly: true,
    planted: ["import fc from 'fast-ch" + "eck'"],
    innocent: ["import { fc } from '../support/properties.ts'"],
  },
]

/** Blanks comments but keeps every line where it was. Good enough for our own source: no regex literal holds `//`. */
function withoutComments(text: string): string {
  const pieces = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g
  return text.replace(pieces, (piece) => (piece.startsWith('/') ? piece.replace(/[^\n]/g, ' ') : piece))
}

function findings(rule: Rule, file: string, text: string): string[] {
  const lines = (rule.codeOnly ? withoutComments(text) : text).split('\n')
  return lines.flatMap((line, index) => (rule.pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : []))
}

const SKIPPED_FOLDERS = /^(node_modules|dist.*|coverage|results.*|\..*)$/
const READABLE = /\.(ts|mjs|js|json|ya?ml|md|csv|txt|html)$|^LICENSE$/

function list(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name)
    if (entry.isDirectory()) return SKIPPED_FOLDERS.test(entry.name) ? [] : list(name)
    return READABLE.test(entry.name) && entry.name !== 'package-lock.json' ? [name] : []
  })
}

const files = list('.').map((name) => ({ name, text: readFileSync(path.join(ROOT, name), 'utf8') }))
const sources = files.filter(({ name }) => /^src\/.*\.ts$/.test(name))

test('there is something to look at', () => {
  expect(sources.length).toBeGreaterThan(20)
  expect(sources.filter(({ name }) => PURE_ROOMS.test(name)).length).toBeGreaterThan(20)
})

describe.each(RULES)('$name', (rule) => {
  test('catches what is planted and nothing innocent', () => {
    for (const line of rule.planted) expect(findings(rule, 'planted.ts', line), line).toHaveLength(1)
    for (const line of rule.innocent) expect(findings(rule, 'innocent.ts', line), line).toEqual([])
  })
  test('holds in every file', () => {
    const read = files.filter(({ name }) => rule.where.test(name))
    expect(read.length).toBeGreaterThan(0)
    expect(read.flatMap(({ name, text }) => findings(rule, name, text))).toEqual([])
  })
})

test('a planted line is found under its own number, behind comments', () => {
  const rule = RULES[0]!
  expect(findings(rule, 'a.ts', '/* Math.random()\n */\nlet x = Math.random()')).toEqual([
    'a.ts:3: let x = Math.random()',
  ])
})

test(`a source file has at most ${FILE_LINES_MAX} lines`, () => {
  const lineCount = (text: string) => text.trimEnd().split('\n').length
  expect(lineCount('a\n'.repeat(FILE_LINES_MAX + 1))).toBeGreaterThan(FILE_LINES_MAX)
  const long = sources.filter(({ text }) => lineCount(text) > FILE_LINES_MAX)
  expect(long.map(({ name, text }) => `${name}: ${lineCount(text)}`)).toEqual([])
})

/** Every door but `cli`, and the rooms of `core`. */
function entries(): string[] {
  const foldersOf = (folder: string): string[] =>
    readdirSync(path.join(ROOT, 'src', folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => path.posix.join(folder, name))
  return [...foldersOf('.').filter((door) => door !== 'cli' && door !== 'core'), ...foldersOf('core')]
}

test('every door, and every room of core, has a table of contents', () => {
  expect(entries().length).toBeGreaterThan(15)
  const hasIndex = (room: string) => existsSync(path.join(ROOT, 'src', room, 'index.ts'))
  expect(hasIndex('no-such-room')).toBe(false)
  expect(entries().filter((room) => !hasIndex(room))).toEqual([])
})

test('each is an entry of the package, and every entry is there', () => {
  // The model of devices is in the entry of the doctor.
  const rooms = entries().filter((room) => room !== 'core/device-model')
  const { exports } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default: string }>
  }
  const targets = Object.values(exports).map((entry) => (typeof entry === 'string' ? entry : entry.default))
  const sourceOf = (target: string) => target.replace('./dist/', 'src/').replace(/\.js$/, '.ts')
  expect(targets.length).toBeGreaterThan(10)
  expect(rooms.filter((room) => !targets.includes(`./dist/${room}/index.js`))).toEqual([])
  expect(targets.filter((target) => !existsSync(path.join(ROOT, sourceOf(target))))).toEqual([])
})

test('the lock file names no registry', () => {
  const hosts = /"resolved"|https?:\/\/[^"]*\.tgz/
  expect(hosts.test('"resolved": "https://registry.example/a.tgz"')).toBe(true)
  for (const folder of ['.', 'tests/second-node', 'tests/mutation']) {
    const lock = readFileSync(path.join(ROOT, folder, 'package-lock.json'), 'utf8')
    expect(lock.length).toBeGreaterThan(100)
    expect(hosts.test(lock)).toBe(false)
  }
})
