/**
 * Bench: times the simulator and, in the same minute, a bare forwarding loop on the same machine.
 * `npm run bench [-- CASE ...]`; prints a table and appends one JSON line per run to bench-history.jsonl.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { VERSION } from '../src/base/version.ts'
import { textTable } from '../src/report/index.ts'
import { cases, type BenchCase } from './cases.ts'

const HISTORY = 'bench-history.jsonl'
/** A bar also counts as met at this share of the bare loop. */
const BARE_SHARE = 0.65

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
  const isMet = rate >= one.barMillion || rate / bare >= BARE_SHARE
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

const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !cases.some((one) => one.name === name))
if (unknown.length > 0) {
  process.stderr.write(`bench: expected ${cases.map((one) => one.name).join(', ')}, received ${unknown.join(', ')}\n`)
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
  process.stdout.write(textTable(heads, rows))
  process.stdout.write(
    `M/s: million packet-hops per CPU second, one core, after a warm-up. One line per case is in ${HISTORY}.\n`,
  )
}
