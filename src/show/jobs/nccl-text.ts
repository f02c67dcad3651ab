/**
 * The table of nccl-tests: size, count, type, time, algorithm and bus bandwidth of collectives, a row for each.
 * Source of its form: nccl-tests, src/common.cu; nothing is measured out of place there but the same run.
 */
import { humanNumber } from '../../core/base/format.ts'
import { type CollectiveJson, mean } from '../../core/results/index.ts'

/** Collectives that reduce, which nccl-tests runs with this operation. */
const REDUCING: ReadonlySet<string> = new Set(['all-reduce', 'reduce-scatter', 'reduce'])
/** Collectives with a root, which is position 0. */
const ROOTED: ReadonlySet<string> = new Set(['broadcast', 'reduce', 'gather', 'scatter'])
/** Collectives whose count is that of the whole buffer, or of what the busiest rank sends or receives. */
const WHOLE: ReadonlySet<string> = new Set(['all-reduce', 'broadcast', 'reduce', 'all-to-all-v', 'dispatch', 'combine'])
/** Types of nccl-tests by the size of their elements. */
const TYPES: Readonly<Record<number, string>> = { 1: 'uint8', 2: 'half', 4: 'float', 8: 'double' }

export interface NcclRow extends Pick<
  CollectiveJson,
  'operation' | 'ranks' | 'sizeBytes' | 'elementBytes' | 'meanPs' | 'algorithmBps' | 'busBps'
> {
  /** Behind its numbers: whatever tells it from other rows. */
  readonly note?: string
}

/** Empty without rows. */
export function ncclText(rows: readonly NcclRow[]): string {
  if (rows.length === 0) return ''
  const group = `  ${pad('time', 7)}  ${pad('algbw', 6)}  ${pad('busbw', 6)}  ${pad('#wrong', 6)}`
  const units = `  ${pad('(us)', 7)}  ${pad('(GB/s)', 6)}  ${pad('(GB/s)', 6)}  ${pad('', 6)}`
  const busGBs = rows.flatMap(({ busBps }) => (busBps === null ? [] : [busBps / 8e9]))
  const lines = [
    `# ${pad('', 54)}  ${pad('out-of-place', 31)}  ${pad('in-place', 31)}`,
    `# ${pad('size', 10)}  ${pad('count', 12)}  ${pad('type', 8)}  ${pad('redop', 6)}  ${pad('root', 6)}${group}${group}`,
    `# ${pad('(B)', 10)}  ${pad('(elements)', 12)}  ${pad('', 8)}  ${pad('', 6)}  ${pad('', 6)}${units}${units}`,
    ...rows.map(rowText),
    '# Out of bounds values : 0 OK',
    `# ${'Avg bus bandwidth'.padEnd(20)} : ${busGBs.length === 0 ? 'N/A' : general(mean(busGBs))}`,
  ]
  return `${lines.join('\n')}\n`
}

function rowText(row: NcclRow): string {
  const { operation, sizeBytes, elementBytes, ranks, note = '' } = row
  const [size, element, n] = [sizeBytes ?? NaN, elementBytes ?? NaN, ranks ?? NaN]
  const count = Math.floor(size / element / (WHOLE.has(operation) ? 1 : n))
  const type = TYPES[element] ?? `${element}B`
  const redop = REDUCING.has(operation) ? 'sum' : 'none'
  const root = ROOTED.has(operation) ? '0' : '-1'
  const cells = [
    fitted(row.meanPs, 1e6, 7),
    fitted(row.algorithmBps, 8e9, 6),
    fitted(row.busBps, 8e9, 6),
    pad('N/A', 6),
  ]
  const measured = cells.map((text) => `  ${text}`).join('')
  const head = [pad(`${size}`, 12), pad(`${count}`, 12), pad(type, 8), pad(redop, 6), pad(root, 6)].join('  ')
  return `${head}${measured}${measured}${note === '' ? '' : `  # ${note}`}`
}

function pad(text: string, width: number): string {
  return text.padStart(width)
}

/** With two, one or no decimals, as many as fit. */
function fitted(value: number | null, unit: number, width: number): string {
  if (value === null) return pad('N/A', width)
  const texts = [2, 1, 0].map((decimals) => (value / unit).toFixed(decimals))
  return pad(texts.find((text) => text.length <= width) ?? texts[2]!, width)
}

/** As C's "%g". */
function general(value: number): string {
  return humanNumber(value, 6).replaceAll(/[^\d.e+-]/g, '')
}
