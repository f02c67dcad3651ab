/**
 * Clones: blocks of more than 50 tokens that occur in two places, equal token for token, names and numbers included.
 * Imports, re-exports, parameter lists and comments do not count, since equal parameters or imports cannot be shared.
 * jscpd does the comparison. It has no setting for parameter lists, so it reads a copy of the sources in which the parts
 * that do not count are blank.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import ts from 'typescript'

/** Length of the longest block that may occur twice, in tokens. */
const TOKENS_MAX = 50

const JSCPD = path.resolve(import.meta.dirname, '../node_modules/jscpd/run-jscpd.js')
const REPORT = 'jscpd-report.json'

/** Source files in a folder below root, without tests and the files that serve them (`queue.test.ts`, `tcp.test-bench.ts`). */
function sourcesIn(root, folder) {
  return readdirSync(path.join(root, folder), { recursive: true })
    .map((name) => path.posix.join(folder, name.replaceAll('\\', '/')))
    .filter((name) => name.endsWith('.ts') && !/\.test(-\w+)?\.ts$/.test(name))
}

/** Whether a syntax node is an import, or an export from another file. */
function isImport(node) {
  return ts.isImportDeclaration(node) || (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined)
}

/** Whether a syntax node has parameters in parentheses; those of `x => x` and `[key: string]: number` are not. */
function hasParameterList(node, text) {
  return ts.isFunctionLike(node) && text[node.parameters.pos - 1] === '('
}

/** The text with spaces in place of the parts that do not count. Other tokens keep their line and column. */
function countedOnly(name, text) {
  let counted = text
  const blank = ({ pos, end }) => {
    counted = counted.slice(0, pos) + text.slice(pos, end).replaceAll(/[^\n]/g, ' ') + counted.slice(end)
  }
  const visit = (node) => {
    if (isImport(node)) blank(node)
    else if (hasParameterList(node, text)) blank(node.parameters)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest))
  return counted
}

/** Runs jscpd on all TypeScript files of a folder and returns the pairs of blocks it found. */
function duplicatesIn(folder) {
  const limits = ['--min-tokens', TOKENS_MAX + 1, '--min-lines', 0, '--max-lines', 1_000_000, '--max-size', '100mb']
  const input = ['--format', 'typescript', '--mode', 'weak', '--no-gitignore', '--fail-on-empty']
  const output = ['--reporters', 'json', '--output', folder, '--silent', '--no-tips']
  const args = [JSCPD, ...limits, ...input, ...output, '.']
  const run = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  if (run.status !== 0) throw new Error(`jscpd failed: ${run.stdout}${run.stderr}`)
  return JSON.parse(readFileSync(path.join(folder, REPORT), 'utf8')).duplicates
}

/** `file:line-line = file:line-line, N tokens`, in the order of the files and of the lines in them. */
function lineOf({ firstFile, secondFile, tokens }) {
  const places = [firstFile, secondFile]
    .map(({ name, start, end }) => ({ file: name.replaceAll('\\', '/'), start, end }))
    .sort((a, b) => (a.file === b.file ? a.start - b.start : a.file < b.file ? -1 : 1))
  return `${places.map(({ file, start, end }) => `${file}:${start}-${end}`).join(' = ')}, ${tokens} tokens`
}

/** The clones in and between the folders below root, one line each. */
export function findClones(root, folders) {
  const copy = mkdtempSync(path.join(tmpdir(), 'rocelab-clones-'))
  try {
    for (const name of folders.flatMap((folder) => sourcesIn(root, folder))) {
      const target = path.join(copy, name)
      mkdirSync(path.dirname(target), { recursive: true })
      writeFileSync(target, countedOnly(name, readFileSync(path.join(root, name), 'utf8')))
    }
    return duplicatesIn(copy).map(lineOf).sort()
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
