/**
 * Completion file: fct.txt of the HPCC simulator family as flow times, and a result of ours in the same form.
 * Rows: `sip dip sport dport bytes start_ns fct_ns ideal_ns`; endpoints are addresses in hex (HPCC) or node ids (conweave).
 * A result is exported to fct.txt first, so that endpoints, clock and rounding are those of that simulator. Unfinished
 * flows are in neither.
 */
import { fileError, InputError, type Issue } from '../../core/base/issue.ts'
import { exporters } from '../../exporters/index.ts'
import { type ColumnSpec, type FlowTimes, type Result, TableBuilder } from '../../core/results/index.ts'

export interface CompletionFile extends FlowTimes {
  /** Exporter of the format. */
  readonly format: 'hpcc' | 'conweave'
}

const MISTAKES_MAX = 20

const COLUMNS = ['source', 'destination', 'sizeBytes', 'startPs', 'completionPs'].map((name): ColumnSpec => ({
  name,
  type: 'integer',
}))

/** Reads the text of an fct.txt. Throws InputError with the line of each mistake. */
export function readCompletions(name: string, text: string): CompletionFile {
  const flows = new TableBuilder(name, COLUMNS)
  const issues: Issue[] = []
  let format: CompletionFile['format'] | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.trim().split(/\s+/)
    const [from = '', to = ''] = words
    if (from === '') continue
    format ??= /^[0-9a-fA-F]{8}$/.test(from) ? 'hpcc' : 'conweave'
    const isEnd = format === 'hpcc' ? /^[0-9a-fA-F]{8}$/ : /^\d{1,9}$/
    const numbers = words.slice(2).map((word) => (/^\d{1,16}$/.test(word) ? Number(word) : NaN))
    if (!isEnd.test(from) || !isEnd.test(to) || words.length < 7 || numbers.some(Number.isNaN)) {
      const expected = '`sip dip sport dport bytes start_ns fct_ns ideal_ns`'
      issues.push({
        path: '',
        file: name,
        line: index + 1,
        column: 1,
        expected,
        received: JSON.stringify(line),
        hint: '',
      })
      if (issues.length === MISTAKES_MAX) break
      continue
    }
    const [, , sizeBytes = NaN, startNs = NaN, completionNs = NaN] = numbers
    const nodeOf = format === 'hpcc' ? nodeOfAddress : Number
    flows.add(nodeOf(from), nodeOf(to), sizeBytes, startNs * 1000, completionNs * 1000)
  }
  if (issues.length > 0) throw new InputError(issues)
  if (format === undefined) {
    throw fileError(name, 'rows of fct.txt', 'none')
  }
  return { name, flows: flows.build(), format, ends: 'nodes' }
}

/** Node id in an address 0bXXYY01 of HPCC: its second and third byte. */
function nodeOfAddress(hex: string): number {
  return (Number.parseInt(hex, 16) >>> 8) & 0xffff
}

/** The finished flows of a result, exported to the format and read back. */
export function completionsAs(format: CompletionFile['format'], result: Result): FlowTimes {
  const files = exporters.find(({ name }) => name === format)?.export(result) ?? []
  const text = files.find(({ path }) => path === 'fct.txt')?.text ?? ''
  return text.trim() === ''
    ? { name: result.name, flows: new TableBuilder(result.name, COLUMNS).build() }
    : { ...readCompletions(result.name, text), name: result.name }
}
