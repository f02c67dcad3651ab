/** The shape of the house: small folders, short functions, short pages. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')
const FOLDER_FILES_MAX = 20
const FUNCTION_LINES_MAX = 80
const MODEL_WORDS_MAX = 1500

/** Registries: a file for each scheme, so that they grow with the schemes. */
const REGISTRIES = ['core/transport/congestion', 'core/transport/recovery']

const isSource = (name: string): boolean => name.endsWith('.ts') && !/\.test[^/]*\.ts$/.test(name)
const sources = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll(path.sep, '/'))
  .filter(isSource)

/** Folders by how many of the files are directly in them. */
function crowded(files: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const file of files) {
    const folder = path.posix.dirname(file)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return [...counts]
    .filter(([folder, count]) => count > FOLDER_FILES_MAX && !REGISTRIES.includes(folder))
    .map(([folder, count]) => `${folder}: ${count} files`)
}

test(`a folder of src/ has at most ${FOLDER_FILES_MAX} files`, () => {
  const planted = Array.from({ length: FOLDER_FILES_MAX + 1 }, (_, i) => `lab/${i}.ts`)
  expect(crowded(planted)).toEqual(['lab: 21 files'])
  expect(crowded(planted.slice(1))).toEqual([])
  expect(sources.length).toBeGreaterThan(400)
  expect(crowded(sources)).toEqual([])
})

/** Functions of a file that are longer than a screen, nested ones too. */
function longFunctions(name: string, text: string): string[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const lineOf = (at: number): number => source.getLineAndCharacterOfPosition(at).line
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const first = lineOf(node.getStart(source))
      const lines = lineOf(node.end) - first + 1
      if (lines > FUNCTION_LINES_MAX) found.push(`${name}:${first + 1}: ${lines} lines`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

test(`a function has at most ${FUNCTION_LINES_MAX} lines`, () => {
  const body = 'f()\n'.repeat(FUNCTION_LINES_MAX - 1)
  expect(longFunctions('a.ts', `function f() {\n${body}}\n`)).toEqual(['a.ts:1: 81 lines'])
  expect(longFunctions('a.ts', `const f = () => {\n${body}}\n`)).toEqual(['a.ts:1: 81 lines'])
  expect(longFunctions('a.ts', `class A {\n  f() {\n${body}}\n}\n`)).toEqual(['a.ts:2: 81 lines'])
  expect(longFunctions('a.ts', `function f() {\n${body.slice(4)}}\n`)).toEqual([])
  const long = sources.flatMap((name) => longFunctions(name, readFileSync(path.join(ROOT, 'src', name), 'utf8')))
  expect(long).toEqual([])
})

/** Lines with a cast through `unknown` or to `never` and no comment on them or above them. */
function bareCasts(name: string, text: string): string[] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    const isCast = /\bas never\b|\bas unknown as\b/.test(line) && !/^\s*(\*|\/\/)/.test(line)
    const hasReason = line.includes('//') || /^\s*(\/\/|\*\/|\/\*\*.*\*\/$)/.test(lines[at - 1] ?? '')
    return isCast && !hasReason ? [`${name}:${at + 1}: ${line.trim()}`] : []
  })
}

test('a cast through unknown or to never gives its reason beside it', () => {
  expect(bareCasts('a.ts', 'const x = y as unknown as X\n')).toHaveLength(1)
  expect(bareCasts('a.ts', 'f(x as never)\n')).toHaveLength(1)
  expect(bareCasts('a.ts', '// The registry erases the type.\nf(x as never)\n')).toEqual([])
  expect(bareCasts('a.ts', 'const x = y as Y\n')).toEqual([])
  const bare = sources.flatMap((name) => bareCasts(name, readFileSync(path.join(ROOT, 'src', name), 'utf8')))
  expect(bare).toEqual([])
})

test(`a page of docs/models has at most ${MODEL_WORDS_MAX} words`, () => {
  const wordsOf = (text: string): number => text.split(/\s+/).filter(Boolean).length
  expect(wordsOf('a b\n c ')).toBe(3)
  const pages = readdirSync(path.join(ROOT, 'docs/models'))
  expect(pages.length).toBeGreaterThan(30)
  const long = pages
    .map((page) => [page, wordsOf(readFileSync(path.join(ROOT, 'docs/models', page), 'utf8'))] as const)
    .filter(([, words]) => words > MODEL_WORDS_MAX)
  expect(long).toEqual([])
})
