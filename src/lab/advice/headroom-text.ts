/**
 * Headroom sums as tables: term, bytes, cells, formula in words, source.
 */
import type { PortHeadroom } from '../index.ts'
import { VERDICTS } from './headroom-rows.ts'
import { exactCount, humanDuration, humanRate, type TextOptions, textTable } from '../../show/index.ts'
import { familyOf, type HeadroomSum, metresOf } from '../../core/fabric/index.ts'

/** The sums of one kind of port, under a line that names it. @param isKept with the headroom that its buffer keeps */
export function headroomText(kind: PortHeadroom, isKept: boolean, options: TextOptions): string {
  const { strict, asic, family, cellBytes } = kind
  const marginOf = (neededBytes: number): readonly ResultRow[] => (isKept ? marginRows(kind, neededBytes) : [])
  const parts = [
    isKept ? headText(kind) : `${linkText(kind)}\n`,
    sumText(
      'simulated parts (strict)',
      { sum: strict, cellBytes, more: [...strictRows(kind), ...marginOf(strict.bytes)] },
      options,
    ),
  ]
  if (asic !== null && family !== null) {
    const { help, basis, isFormula, cellBytes: ofFamily } = familyOf(family)
    const more: ResultRow[] = isFormula
      ? [['needed', asic.bytes], ...marginOf(asic.bytes)]
      : [['estimate', asic.bytes], ...(kind.shipped.length === 0 ? marginOf(asic.bytes) : [])]
    parts.push(sumText(`${family}, ${help}: ${basis}`, { sum: asic, cellBytes: ofFamily, more }, options))
    if (!isFormula) parts.push(shippedTable(kind, isKept, options))
    if (isKept && kind.verdict !== null) parts.push(`${family}: ${VERDICTS[kind.verdict]}\n`)
  } else {
    parts.push('hardware needs more: name its family with --family or switch.family\n')
  }
  return parts.join('\n')
}

/** "switch 2, port to host 0, and 1 port like it: 400 Gbps, 1.50 us (300 m of cable)" */
function headText(kind: PortHeadroom): string {
  const { node, peer, ports } = kind
  const like = ports === 1 ? '' : `, and ${exactCount(ports - 1)} ${ports === 2 ? 'port' : 'ports'} like it`
  return `${node}, port to ${peer}${like}: ${linkText(kind)}\n`
}

/** "400 Gbps, 1.50 us (300 m of cable)" */
function linkText({ rateBps, delayPs }: PortHeadroom): string {
  const metres = Number(metresOf(delayPs).toFixed(2))
  return `${humanRate(rateBps)}, ${humanDuration(delayPs)} (${metres} m of cable)`
}

/** Shipped headroom of switches of the family, beside the estimate. */
function shippedTable({ shipped, givenBytes, asic }: PortHeadroom, isKept: boolean, options: TextOptions): string {
  if (shipped.length === 0)
    return 'no shipped table with this rate and length is known: the need is not known, and the sum above is an estimate\n'
  const columns = [
    { head: 'shipped with' },
    { head: 'bytes', align: 'right' } as const,
    { head: 'over the estimate', align: 'right' } as const,
    ...(isKept ? [{ head: 'kept - shipped', align: 'right' } as const] : []),
    { head: 'source' },
  ]
  const rows = shipped.map(({ model, bytes, source }) => [
    model,
    numberText(bytes),
    numberText(bytes - asic!.bytes),
    ...(isKept ? [numberText(givenBytes - bytes)] : []),
    source,
  ])
  return textTable(columns, rows, options)
}

type ResultRow = readonly [name: string, bytes: number]

function strictRows({ strict, roundedBytes }: PortHeadroom): ResultRow[] {
  return [
    ['needed', strict.bytes],
    ['rounding', roundedBytes - strict.bytes],
    ['default headroom', roundedBytes],
  ]
}

function marginRows({ givenBytes }: PortHeadroom, neededBytes: number): ResultRow[] {
  return [
    ['kept', givenBytes],
    ['margin', givenBytes - neededBytes],
  ]
}

/** Sources and explanations of the rows below a sum. */
const EXPLAINED: Readonly<Record<string, string>> = {
  needed: 'the sum',
  estimate: 'the sum; not what is needed',
  rounding: 'up to whole frames; in cells, all frames of the size that fills them worst',
  'default headroom': 'where a scenario gives none',
  kept: 'by the buffer, for a class at this port',
  margin: 'kept - needed',
}

interface SumRows {
  readonly sum: HeadroomSum
  readonly cellBytes: number
  readonly more: readonly ResultRow[]
}

function sumText(title: string, { sum, cellBytes, more }: SumRows, options: TextOptions): string {
  const cellsOf = (bytes: number): string => (cellBytes === 0 ? '' : numberText(bytes / cellBytes))
  const rowOf = (name: string, bytes: number, formula: string, source: string): string[] =>
    cellBytes === 0
      ? [name, numberText(bytes), formula, source]
      : [name, numberText(bytes), cellsOf(bytes), formula, source]
  const columns = [
    { head: 'term' },
    { head: 'bytes', align: 'right' } as const,
    ...(cellBytes === 0 ? [] : [{ head: `cells of ${cellBytes}`, align: 'right' } as const]),
    { head: 'formula' },
    { head: 'source' },
  ]
  const rows = [
    ...sum.terms.map(({ name, bytes, formula, source }) => rowOf(name, bytes, formula, source)),
    ...more.map(([name, bytes]) => rowOf(name, bytes, EXPLAINED[name] ?? '', '')),
  ]
  return `${title}\n${textTable(columns, rows, options)}`
}

/** Whole numbers with groups of three digits; others with one decimal. */
function numberText(value: number): string {
  const rounded = Number(value.toFixed(1))
  const [whole = '', fraction] = String(Math.abs(rounded)).split('.')
  const sign = rounded < 0 ? '-' : ''
  return `${sign}${exactCount(Number(whole))}${fraction === undefined ? '' : `.${fraction}`}`
}
