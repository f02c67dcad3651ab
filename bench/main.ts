/**
 * Bench: times the simulator and, in the same minute, a bare forwarding loop on the same machine.
 * `npm run bench [-- CASE ...]`: CASE `schemes` has one line per scheme, `modules` one per module of IRN, `warm` is a sweep of
 * short points, and `growth` (minutes, only when named) draws the figures of docs/performance.md. Prints tables and appends
 * one JSON line per run to bench-history.jsonl. `npm run bench -- against REF` compares with another commit (against.ts),
 * `npm run bench -- cache` counts what a packet-hop costs a processor (cache.ts).
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { VERSION } from '../src/core/base/version.ts'
import { textTable } from '../src/show/index.ts'
import { cases, PLAIN, schemeCases, type BenchCase } from './cases.ts'
import { builtAt, compareWith, root } from './against.ts'
import { type CacheCost, cacheCost, cacheTables, Uncountable, valgrindLacks } from './cache.ts'
import { checkCost, recordCost } from './cost.ts'
import { ARITIES, GROWTH_COLUMNS, growthFigures, growthRow, type Grown } from './growth.ts'
import { modules } from './modules.ts'
import { WARM_COLUMNS, warmRows, warmth } from './warm.ts'

const HISTORY = 'bench-history.jsonl'
/** Case of all schemes. */
const SCHEMES = 'schemes'
/** Case of IRN's modules. */
const MODULES = 'modules'
/** Cases of short points on a warm thread, and of networks of growing size. */
const WARM = 'warm'
const GROWTH = 'growth'
/** Cases that `cache` counts only when named: like others, and each takes a minute. */
const UNCOUNTED = ['s1-work', 's1-autopsy', 's1-capture', 'pairs-3000']
/** Target: no scheme takes more than twice the time of plain RoCE. */
const LEAST_OF_PLAIN = 0.5

interface Measured {
  readonly millionPacketHopsPerCpuSecond: number
  readonly peakRssBytes: number
  readonly heapGrowthBytesPer10MillionHops: number
  readonly eventsPerPacketHop: number
  readonly digest: string
  readonly rateBetween5And6Ms: number | null
  readonly rateBetween14And15Ms: number | null
}

function child(...args: string[]): unknown {
  const script = fileURLToPath(new URL('./measure.js', import.meta.url))
  const text = execFileSync(process.execPath, ['--expose-gc', script, ...args], { encoding: 'utf8' })
  return JSON.parse(text)
}

function bareMillion(arity: number): number {
  return (child('bare', String(arity)) as { million: number }).million
}

function row(one: BenchCase): string[] {
  const before = bareMillion(one.bareArity)
  const measured = child(one.name) as Measured
  const after = bareMillion(one.bareArity)
  const bare = (before + after) / 2
  const rate = measured.millionPacketHopsPerCpuSecond
  const line = {
    at: new Date().toISOString(),
    version: VERSION,
    node: process.version,
    ...measured,
    bareMillion: bare,
    shareOfBare: rate / bare,
    barMillion: one.barMillion,
  }
  appendFileSync(HISTORY, `${JSON.stringify(line)}\n`)
  const isMet = rate >= one.barMillion || rate / bare >= one.bareShare
  const steady =
    measured.rateBetween14And15Ms === null || measured.rateBetween5And6Ms === null
      ? '-'
      : (measured.rateBetween14And15Ms / measured.rateBetween5And6Ms).toFixed(2)
  return [
    one.name,
    rate.toFixed(2),
    one.barMillion.toFixed(1),
    isMet ? 'met' : 'not met',
    bare.toFixed(1),
    (rate / bare).toFixed(2),
    measured.eventsPerPacketHop.toFixed(2),
    `${(measured.peakRssBytes / 1e6).toFixed(0)} MB`,
    `${(measured.heapGrowthBytesPer10MillionHops / 1e6).toFixed(1)} MB`,
    steady,
  ]
}

/** Each scheme compared with plain RoCE, measured before and after it. */
function schemeRows(): string[][] {
  const rateOf = (name: string): number => (child(name) as Measured).millionPacketHopsPerCpuSecond
  let before = rateOf(PLAIN)
  return schemeCases.map(({ name }) => {
    const rate = rateOf(name)
    const after = rateOf(PLAIN)
    const share = (2 * rate) / (before + after)
    before = after
    appendFileSync(HISTORY, `${JSON.stringify({ at: new Date().toISOString(), case: name, rate, share })}\n`)
    return [name, rate.toFixed(2), share.toFixed(2), share >= LEAST_OF_PLAIN ? 'met' : 'not met']
  })
}

/** Operations of IRN's modules. */
function moduleRows(): string[][] {
  const rates = child(MODULES) as readonly { readonly name: string; readonly million: number }[]
  appendFileSync(HISTORY, `${JSON.stringify({ at: new Date().toISOString(), case: MODULES, rates })}\n`)
  return modules.map(({ name, what, paperMillion }, i) => {
    const { million } = rates[i]!
    return [name, what, million.toFixed(1), (1000 / million).toFixed(1), paperMillion.toFixed(2)]
  })
}

/** Short points of a sweep. */
async function warmTable(): Promise<string> {
  const measured = await warmth()
  appendFileSync(HISTORY, `${JSON.stringify({ at: new Date().toISOString(), case: WARM, ...measured })}\n`)
  return textTable(headsOf(WARM_COLUMNS), warmRows(measured))
}

/** Networks of growing size; draws docs/images/growth-*.svg. */
function growthTable(): string {
  const rows = ARITIES.map((arity) => child(GROWTH, String(arity)) as Grown)
  appendFileSync(HISTORY, `${JSON.stringify({ at: new Date().toISOString(), case: GROWTH, rows })}\n`)
  for (const { name, svg } of growthFigures(rows)) writeFileSync(`docs/images/${name}.svg`, svg)
  return textTable(headsOf(GROWTH_COLUMNS), rows.map(growthRow))
}

/** Heads of a table whose first column is a name. */
function headsOf(columns: readonly string[]): { readonly head: string; readonly align: 'left' | 'right' }[] {
  return columns.map((head, i) => ({ head, align: i === 0 ? 'left' : 'right' }))
}

/** `against REF [CASE ...]`. @returns exit code */
function against(args: readonly string[]): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { pairs: { type: 'string', default: '5' }, bar: { type: 'string', default: '0.98' } },
  })
  const [ref, ...chosen] = positionals
  const known = cases.map(({ name }) => name)
  const wrong = chosen.filter((name) => !known.includes(name))
  const [pairs, bar] = [Number(values.pairs), Number(values.bar)]
  if (ref === undefined || wrong.length > 0 || !(pairs >= 1) || !(bar > 0)) {
    process.stderr.write(
      `bench against: expected REF [${known.join('|')} ...] [--pairs 5] [--bar 0.98], received ${args.join(' ')}\n`,
    )
    return 2
  }
  return compareWith({ ref, cases: chosen.length > 0 ? chosen : known, pairs, bar }) ? 0 : 1
}

/** `cache [CASE ...] [--against REF]`, `cache --check`, `cache --record`. @returns exit code */
async function cache(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { against: { type: 'string' }, check: { type: 'boolean' }, record: { type: 'boolean' } },
  })
  if (values.check === true || values.record === true) {
    const { code, lines } = await (values.record === true ? recordCost(root) : checkCost(root))
    process.stdout.write(lines.map((line) => `${line}\n`).join(''))
    return code
  }
  const known = cases.map(({ name }) => name)
  const wrong = positionals.filter((name) => !known.includes(name))
  if (wrong.length > 0) {
    process.stderr.write(`bench cache: expected ${known.join(', ')}, received ${wrong.join(', ')}\n`)
    return 2
  }
  const lacking = valgrindLacks()
  if (lacking !== undefined) {
    process.stderr.write(`bench cache: skipped, ${lacking}\n`)
    return 0
  }
  const programs = [
    ...(values.against === undefined ? [] : [{ folder: builtAt(values.against), title: values.against }]),
    { folder: root, title: 'here' },
  ]
  let code = 0
  for (const { name, warmUpHops } of cases) {
    if (positionals.length > 0 ? !positionals.includes(name) : UNCOUNTED.includes(name)) continue
    const costs: (CacheCost & { readonly title: string })[] = []
    for (const { folder, title } of programs) {
      process.stderr.write(`${name}: ${title}\n`)
      try {
        const cost = { title, ...(await cacheCost(folder, name, warmUpHops)) }
        costs.push(cost)
        const line = { at: new Date().toISOString(), folder: title, ...cost, title: undefined, functions: undefined }
        appendFileSync(HISTORY, `${JSON.stringify(line)}\n`)
      } catch (error) {
        if (!(error instanceof Uncountable)) throw error
        process.stderr.write(`${name} cannot be counted in ${title}: ${error.message}\n`)
        // An older program need not have the case.
        if (folder === root) code = 1
      }
    }
    if (costs.length > 0) process.stdout.write(cacheTables(name, costs))
  }
  return code
}

const chosen = process.argv.slice(2)
const names = [...cases.map(({ name }) => name), MODULES, SCHEMES, WARM, GROWTH]
const unknown = chosen.filter((name) => !names.includes(name))
if (chosen[0] === 'against') process.exitCode = against(chosen.slice(1))
else if (chosen[0] === 'cache') process.exitCode = await cache(chosen.slice(1))
else if (unknown.length > 0) {
  process.stderr.write(`bench: expected ${names.join(', ')}, received ${unknown.join(', ')}\n`)
  process.exitCode = 2
} else {
  const rows: string[][] = []
  for (const one of cases) {
    if (chosen.length > 0 && !chosen.includes(one.name)) continue
    process.stderr.write(`${one.name}: ${one.title}\n`)
    rows.push(row(one))
  }
  const columns = [
    'case',
    'M/s',
    'bar',
    '',
    'bare',
    'share',
    'events/hop',
    'peak',
    'heap per 10 M hops',
    '14-15 / 5-6 ms',
  ]
  const heads = columns.map((head, i) => ({ head, align: i === 0 || i === 3 ? ('left' as const) : ('right' as const) }))
  if (rows.length > 0) process.stdout.write(textTable(heads, rows))
  if (chosen.length === 0 || chosen.includes(MODULES)) {
    process.stderr.write(`${MODULES}: modules that IRN adds to a NIC, one by one\n`)
    const moduleHeads = [
      { head: 'module' },
      { head: 'operation' },
      { head: 'M/s', align: 'right' as const },
      { head: 'ns', align: 'right' as const },
      { head: 'FPGA of [IRN], M/s', align: 'right' as const },
    ]
    process.stdout.write(`${rows.length > 0 ? '\n' : ''}${textTable(moduleHeads, moduleRows())}`)
  }
  if (chosen.length === 0 || chosen.includes(SCHEMES)) {
    process.stderr.write(`${SCHEMES}: each on the traffic of s1, without PFC, compared with ${PLAIN}\n`)
    const schemeHeads = [
      { head: 'recovery, congestion control' },
      { head: 'M/s', align: 'right' as const },
      { head: 'of plain RoCE', align: 'right' as const },
      { head: `at least ${LEAST_OF_PLAIN}` },
    ]
    process.stdout.write(`${chosen.length === 1 ? '' : '\n'}${textTable(schemeHeads, schemeRows())}`)
  }
  if (chosen.length === 0 || chosen.includes(WARM)) {
    process.stderr.write(`${WARM}: short points of a sweep\n`)
    process.stdout.write(`${chosen.length === 1 ? '' : '\n'}${await warmTable()}`)
  }
  if (chosen.includes(GROWTH)) {
    process.stderr.write(`${GROWTH}: fat trees of 128 to 65,536 hosts\n`)
    process.stdout.write(`${chosen.length === 1 ? '' : '\n'}${growthTable()}`)
  }
  process.stdout.write(
    `M/s: million packet-hops (modules: operations) per CPU second, one core, after a warm-up. One line per case is in ${HISTORY}.\n`,
  )
}
