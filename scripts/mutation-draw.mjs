/**
 * Planted faults drawn over all rooms: `npm run mutation -- --draw 40 --seed 7`. Each is a small change of one line of
 * src/, drawn by lines of code, so that long rooms have more; the tests nearest to it judge it within a minute. Works on a
 * copy of the tree. `--only 12` repeats one of a drawing. Prints a line per fault and the number caught.
 * Not drawn: declarations and words (NOT_DRAWN), types, texts, assertions and errors that are thrown.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import ts from 'typescript'

/** Limit of the tests of one fault. */
const LIMIT_MS = 60_000

/** Code whose changes are of words, pictures and declared values, which few tests should compare. */
const NOT_DRAWN = [
  /(^|[/-])params\.ts$/,
  /(^|[/-])(text|phrases|wording|format|describe|progress-line)\.ts$/,
  /^src\/show\/(figure|html)\//,
  /\/index\.ts$/,
  /\.test(-[a-z]+)?\.ts$/,
]

/** Tests that start the program, and so import nothing of the code that they test. */
const OF_THE_PROGRAM = 'tests/cli/'

/** Operators, and calls of Math, by what they are replaced with. */
const SWAPS = new Map(
  [
    '< <= >=, <= < >, > >= <=, >= > <, === !==, !== ===, + -, - +, * /, / *, && ||, || &&, & |, | &, << >>, >> <<',
    '+= -=, -= +=, |= &=, &= |=, min max, max min, floor ceil, ceil floor',
  ]
    .flatMap((row) => row.split(', '))
    .map((row) => [row.split(' ')[0], row.split(' ').slice(1)]),
)

/** Numbers from 0 to 1 (mulberry32). */
function generator(seed) {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** All changes of a file, as {line, from, to, text}: positions and the text in their place. */
function changesOf(source) {
  const changes = []
  const add = (node, from, to, text) =>
    changes.push({ line: source.getLineAndCharacterOfPosition(node.getStart(source)).line, from, to, text })
  const replace = (node, text) => add(node, node.getStart(source), node.end, text)
  const isText = (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
  const negate = (node) => replace(node, `!(${node.getText(source)})`)
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isThrowStatement(node) || isText(node))
      return
    if (ts.isCallExpression(node) && node.expression.getText(source) === 'assert') return
    if (ts.isBinaryExpression(node) && !isText(node.left) && !isText(node.right)) {
      const { operatorToken: token } = node
      for (const text of SWAPS.get(token.getText(source)) ?? []) replace(token, text)
    } else if (ts.isPropertyAccessExpression(node) && node.expression.getText(source) === 'Math') {
      for (const text of SWAPS.get(node.name.text) ?? []) replace(node.name, text)
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false')
    else if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true')
    else if (ts.isIfStatement(node)) negate(node.expression)
    else if (ts.isConditionalExpression(node)) negate(node.condition)
    else if (ts.isExpressionStatement(node)) {
      const text = node.getText(source)
      if (!/^(super|assert)\b/.test(text)) replace(node, ';')
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return changes
}

const short = (code) => JSON.stringify(code.replace(/\s+/g, ' ').slice(0, 60))
const shownOf = (text, { from, to, text: after }) => ({ before: short(text.slice(from, to)), after: short(after) })
const isCode = (line) => /\S/.test(line) && !/^\s*(\/\/|\/?\*|import |[)}\]]+[,;]?$)/.test(line)

/** Faults in the order of their drawing: each a change of a line drawn from all lines of code. */
function draw(root, count, random) {
  const files = readdirSync(path.join(root, 'src'), { recursive: true })
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.ts') && name.split('/').length > 2 && !NOT_DRAWN.some((not) => not.test(name)))
    .sort()
  const texts = new Map(files.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]))
  const lines = files.flatMap((file) =>
    texts
      .get(file)
      .split('\n')
      .flatMap((text, line) => (isCode(text) ? [{ file, line }] : [])),
  )
  const faults = []
  while (faults.length < count) {
    const { file, line } = lines[Math.floor(random() * lines.length)]
    const text = texts.get(file)
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
    const here = changesOf(source).filter((change) => change.line === line)
    const change = here[Math.floor(random() * here.length)]
    if (change !== undefined) faults.push({ file, line, ...shownOf(text, change), text, change })
  }
  return faults
}

/** Runs Node in a folder, and ends it with all that it has started. @returns exit code; null: it did not end in time */
function runNode(args, cwd, limitMs) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd, detached: true, stdio: 'ignore' })
    const end = (code) => {
      clearTimeout(timer)
      resolve(code)
      if (code === null) process.kill(-child.pid, 'SIGKILL')
    }
    const timer = setTimeout(() => end(null), limitMs)
    child.on('exit', (code) => end(code ?? 1))
  })
}

/** For each file of `src` and `tests`, those that import it. */
function importersOf(root) {
  const importers = new Map()
  for (const folder of ['src', 'tests']) {
    for (const name of readdirSync(path.join(root, folder), { recursive: true })) {
      const file = `${folder}/${name.replaceAll('\\', '/')}`
      if (!file.endsWith('.ts') || file.includes('node_modules')) continue
      const text = readFileSync(path.join(root, file), 'utf8')
      for (const [, from] of text.matchAll(/(?:from|import)[ (]'(\.[^']+\.ts)'/g)) {
        const imported = path.posix.join(path.posix.dirname(file), from)
        importers.set(imported, [...(importers.get(imported) ?? []), file])
      }
    }
  }
  return importers
}

const wordsOf = (file) => file.split(/\W+/)

/**
 * Tests that a fault in a file may fail, those first whose path shares most with the file's, where
 * a word counts less the more tests have it; among equals the nearest, by
 * the files on the way from test to file that import each other; then the shortest.
 */
function testsOf(root, file) {
  const importers = importersOf(root)
  const steps = new Map([[file, 0]])
  for (const [at, count] of steps) {
    for (const by of importers.get(at) ?? []) if (!steps.has(by)) steps.set(by, count + 1)
  }
  const lengthOf = (test) => readFileSync(path.join(root, test)).length
  const near = [...steps.keys()].filter((name) => name.endsWith('.test.ts'))
  const shares = wordsOf(file).map((word) => ({
    word,
    share: 1 / near.filter((test) => wordsOf(test).includes(word)).length,
  }))
  const sharedWith = (test) =>
    shares.reduce((sum, { word, share }) => (wordsOf(test).includes(word) ? sum + share : sum), 0)
  const sorted = near
    .map((test) => ({ test, shared: sharedWith(test), count: steps.get(test), length: lengthOf(test) }))
    .sort((a, b) => b.shared - a.shared || a.count - b.count || a.length - b.length)
    .map(({ test }) => test)
  return file.startsWith('src/cli/') || sorted.length === 0 ? [...sorted, OF_THE_PROGRAM] : sorted
}

/** In parts that grow, so that the first answer comes soon and the start of the runner is paid few times. */
function partsOf(tests) {
  const parts = []
  for (let from = 0, size = 4; from < tests.length; from += size, size *= 2) parts.push(tests.slice(from, from + size))
  return parts
}

const build = (tree) => runNode(['scripts/bootstrap.mjs', 'build'], tree, 5 * LIMIT_MS)
const runTests = (tree, tests, limitMs) =>
  runNode(['node_modules/vitest/vitest.mjs', 'run', '--bail=1', ...tests], tree, limitMs)

/** Runs the tests of a file in a tree with the fault; `remove` takes it out. @returns the verdict */
async function judge(tree, parts, remove) {
  const endMs = Date.now() + LIMIT_MS
  for (const tests of parts) {
    const leftMs = endMs - Date.now()
    const code = await runTests(tree, tests, leftMs)
    if (code === null) {
      // Tests that take half of the time without the fault do not end with it.
      remove()
      await build(tree)
      return (await runTests(tree, tests, leftMs / 2)) === 0 ? 'caught, as it does not end' : 'out of time'
    }
    if (code !== 0) return 'caught'
  }
  return 'survived'
}

/** @param only number of the one to try; 0: all */
export async function drawFaults(root, { count, seed, only }) {
  console.log(`seed ${seed}, ${count} faults`)
  const tree = mkdtempSync(path.join(tmpdir(), 'rocelab-draw-'))
  const left = /^(node_modules|\.git|\.tmp|dist.*|results.*)$/
  cpSync(root, tree, { recursive: true, filter: (from) => !left.test(path.relative(root, from)) })
  symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'))
  let caught = 0
  try {
    const faults = draw(root, count, generator(seed))
    for (const [i, { file, line, before, after, text, change }] of faults.entries()) {
      if (only !== 0 && only !== i + 1) continue
      writeFileSync(path.join(tree, file), text.slice(0, change.from) + change.text + text.slice(change.to))
      const remove = () => writeFileSync(path.join(tree, file), text)
      const isBuilt = (await build(tree)) === 0
      const startMs = Date.now()
      const verdict = isBuilt ? await judge(tree, partsOf(testsOf(root, file)), remove) : 'not built'
      remove()
      if (verdict.startsWith('caught')) caught++
      const seconds = ((Date.now() - startMs) / 1000).toFixed(0)
      console.log(`${i + 1} ${file}:${line + 1} ${before} -> ${after}: ${verdict}, ${seconds} s`)
    }
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
  console.log(`caught ${caught} of ${only === 0 ? count : 1}`)
}
