/**
 * Collectives as text: the table of nccl-tests, who was last, what the critical path consists of, and which operations never
 * began. Source of the table's form: nccl-tests, src/common.cu; nothing is measured out of place there but the same run.
 */
import { exactCount, humanDuration, humanNumber, humanShare } from '../base/format.ts'
import { numbersOf, type Result, type Table, tableOfKind, textsOf } from '../results/index.ts'
import { type TextOptions, textTable } from './text-table.ts'

/** Ranks that are named; further ones are counted. */
const NAMED_MAX = 10
/** Collectives that reduce, which nccl-tests runs with this operation. */
const REDUCING: ReadonlySet<string> = new Set(['all-reduce', 'reduce-scatter', 'reduce'])
/** Collectives with a root, which is position 0. */
const ROOTED: ReadonlySet<string> = new Set(['broadcast', 'reduce', 'gather', 'scatter'])
/** Types of nccl-tests by the size of their elements. */
const TYPES: Readonly<Record<number, string>> = { 1: 'uint8', 2: 'half', 4: 'float', 8: 'double' }

/** All rounds of one collective together. */
export interface CollectiveSummary {
  readonly tag: string
  readonly operation: string
  readonly algorithm: string
  readonly ranks: number
  readonly sizeBytes: number
  readonly elementBytes: number
  readonly iterations: number
  /** Time from the first begin to the last end, over the iterations, ps; NaN: none has ended. */
  readonly meanPs: number
  readonly algorithmBps: number
  readonly busBps: number
  /** From the median rank's end to the last one's, mean over iterations, and the rank that was last most often. */
  readonly lateMeanPs: number
  readonly lastMost: string
}

/** One for each workload of a collective, in order. */
export function collectivesOf(result: Result): CollectiveSummary[] {
  const table = tableOfKind(result, 'collectives')
  if (table === undefined) return []
  const groups = new Map<string, number[]>()
  const [tags, operations, algorithms] = [
    textsOf(table, 'tag'),
    textsOf(table, 'operation'),
    textsOf(table, 'algorithm'),
  ]
  const numbers = (name: string): Float64Array => Float64Array.from(numbersOf(table, name))
  const [ranks, sizes, elements] = [numbers('ranks'), numbers('sizeBytes'), numbers('elementBytes')]
  const ended = [...numbers('donePs')].flatMap((endPs, row) => (Number.isNaN(endPs) ? [] : [row]))
  for (const row of ended) {
    const key = [tags[row], operations[row], algorithms[row], ranks[row], sizes[row]].join('\n')
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  return [...groups.values()].map((rows) => {
    const [first, last] = [rows[0]!, rows.at(-1)!]
    const [startPs, endPs, medianPs] = [numbers('startPs'), numbers('donePs'), numbers('medianDonePs')]
    const meanPs = (endPs[last]! - startPs[first]!) / rows.length
    const algorithmBps = (sizes[first]! * 8e12) / meanPs
    const factor = numbers('busBps')[first]! / numbers('algorithmBps')[first]!
    return {
      tag: tags[first]!,
      operation: operations[first]!,
      algorithm: algorithms[first]!,
      ranks: ranks[first]!,
      sizeBytes: sizes[first]!,
      elementBytes: elements[first]!,
      iterations: rows.length,
      meanPs,
      algorithmBps,
      busBps: algorithmBps * factor,
      lateMeanPs: rows.reduce((sum, row) => sum + endPs[row]! - medianPs[row]!, 0) / rows.length,
      lastMost: mostFrequent(rows.map((row) => textsOf(table, 'lastName')[row]!)),
    }
  })
}

/** Tables, each ended by a line feed, with an empty line between them; empty if there is nothing to say. */
export function operationsText(result: Result, options: TextOptions = {}): string {
  return [collectivesText(collectivesOf(result), options), pathText(result, options), unstartedText(result, options)]
    .filter((part) => part !== '')
    .join('\n')
}

function collectivesText(all: readonly CollectiveSummary[], options: TextOptions): string {
  if (all.length === 0) return ''
  const group = `  ${pad('time', 7)}  ${pad('algbw', 6)}  ${pad('busbw', 6)}  ${pad('#wrong', 6)}`
  const units = `  ${pad('(us)', 7)}  ${pad('(GB/s)', 6)}  ${pad('(GB/s)', 6)}  ${pad('', 6)}`
  const lines = [
    `# ${pad('', 54)}  ${pad('out-of-place', 31)}  ${pad('in-place', 31)}`,
    `# ${pad('size', 10)}  ${pad('count', 12)}  ${pad('type', 8)}  ${pad('redop', 6)}  ${pad('root', 6)}${group}${group}`,
    `# ${pad('(B)', 10)}  ${pad('(elements)', 12)}  ${pad('', 8)}  ${pad('', 6)}  ${pad('', 6)}${units}${units}`,
    ...all.map((each) => {
      const { operation, sizeBytes, elementBytes, meanPs, algorithmBps, busBps, ranks } = each
      const isOfParts = operation !== 'all-reduce' && operation !== 'broadcast' && operation !== 'reduce'
      const count = Math.floor(sizeBytes / elementBytes / (isOfParts ? ranks : 1))
      const type = TYPES[elementBytes] ?? `${elementBytes}B`
      const redop = REDUCING.has(operation) ? 'sum' : 'none'
      const root = ROOTED.has(operation) ? '0' : '-1'
      const times = [fitted(meanPs / 1e6, 7), fitted(algorithmBps / 8e9, 6), fitted(busBps / 8e9, 6), pad('N/A', 6)]
      const measured = times.map((text) => `  ${text}`).join('')
      const head = [pad(`${sizeBytes}`, 12), pad(`${count}`, 12), pad(type, 8), pad(redop, 6), pad(root, 6)].join('  ')
      return `${head}${measured}${measured}`
    }),
    '# Out of bounds values : 0 OK',
    `# ${'Avg bus bandwidth'.padEnd(20)} : ${general(all.reduce((sum, { busBps }) => sum + busBps / 8e9, 0) / all.length)}`,
  ]
  const rows = all.map((each): [string, string, string, string, string] => [
    each.tag,
    `${each.operation} ${each.algorithm}`,
    exactCount(each.iterations),
    humanDuration(each.meanPs),
    each.lateMeanPs > 0
      ? `${humanDuration(each.lateMeanPs)} behind the median, most often ${each.lastMost}`
      : 'none is late',
  ])
  const heads = ['collective', 'algorithm', 'iterations', 'mean', 'last rank'].map((head) => ({ head }))
  return `${lines.join('\n')}\n\n${textTable(heads, rows, options)}`
}

/** Parts of the critical path of each workload, and the message that took longest beyond its ideal time. */
function pathText(result: Result, options: TextOptions): string {
  const table = tableOfKind(result, 'critical-path')
  if (table === undefined || table.rowCount === 0) return ''
  const tags = textsOf(table, 'tag')
  const rows = [...new Set(tags)].map((tag): [string, string] => [tag, pathOf(table, (row) => tags[row] === tag)])
  return textTable([{ head: 'critical path' }, { head: '' }], rows, options)
}

function pathOf(table: Table, isMeant: (row: number) => boolean): string {
  const [pieces, names, hosts] = [textsOf(table, 'piece'), textsOf(table, 'operation'), textsOf(table, 'rankName')]
  const [from, to, ideal] = [numbersOf(table, 'fromPs'), numbersOf(table, 'toPs'), numbersOf(table, 'idealPs')]
  const flows = numbersOf(table, 'flow')
  const sums = new Map<string, number>()
  const add = (piece: string, ps: number): void => void (ps > 0 && sums.set(piece, (sums.get(piece) ?? 0) + ps))
  let worst = { ps: 0, row: -1 }
  for (let row = 0; row < table.rowCount; row++) {
    if (!isMeant(row)) continue
    const lengthPs = to[row]! - from[row]!
    const idealPs = ideal[row]!
    const excessPs = Number.isNaN(idealPs) ? 0 : Math.max(0, lengthPs - idealPs)
    add(pieces[row]!, lengthPs - excessPs)
    add('beyond ideal', excessPs)
    if (excessPs > worst.ps) worst = { ps: excessPs, row }
  }
  const totalPs = [...sums.values()].reduce((sum, ps) => sum + ps, 0)
  const parts = [...sums].map(([piece, ps]) => `${piece} ${humanDuration(ps)} (${humanShare(ps / totalPs)})`)
  const most =
    worst.row < 0
      ? ''
      : `; most beyond its ideal: flow ${flows[worst.row]!} of ${hosts[worst.row]!}, ${names[worst.row]!}, ${humanDuration(worst.ps)}`
  return `${humanDuration(totalPs)}: ${parts.join(', ')}${most}`
}

function unstartedText(result: Result, options: TextOptions): string {
  const table = tableOfKind(result, 'unstarted')
  if (table === undefined || table.rowCount === 0) return ''
  const [tags, hosts] = [textsOf(table, 'tag'), textsOf(table, 'rankName')]
  const [operations, waits] = [textsOf(table, 'operation'), textsOf(table, 'waitsFor')]
  const ranks = numbersOf(table, 'rank')
  const rows = Array.from({ length: Math.min(NAMED_MAX, table.rowCount) }, (_, row): string[] => [
    tags[row]!,
    `${ranks[row]!} (${hosts[row]!})`,
    operations[row]!,
    waits[row]!,
  ])
  const heads = ['never began', 'rank', 'operation', 'waits for'].map((head) => ({ head }))
  const more = table.rowCount > NAMED_MAX ? `${exactCount(table.rowCount - NAMED_MAX)} more ranks wait\n` : ''
  return `${textTable(heads, rows, options)}${more}`
}

function mostFrequent(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].reduce((most, each) => (each[1] > most[1] ? each : most))[0]
}

function pad(text: string, width: number): string {
  return text.padStart(width)
}

/** With two, one or no decimals, as many as fit. */
function fitted(value: number, width: number): string {
  const texts = [2, 1, 0].map((decimals) => value.toFixed(decimals))
  return pad(texts.find((text) => text.length <= width) ?? texts[2]!, width)
}

/** As C's "%g". */
function general(value: number): string {
  return humanNumber(value, 6).replaceAll(/[^\d.e+-]/g, '')
}
