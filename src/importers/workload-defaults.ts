/**
 * Workloads for files that define none, with a note about each choice.
 */
import { formatQuantity } from '../core/base/units.ts'
import { importFindings } from '../core/findings/index.ts'
import type { Branch } from './importer.ts'
import type { ImportLog } from './text-input.ts'

/** A point of a distribution: `percent` of all flows have at most `sizeBytes`. */
export interface SizePoint {
  readonly sizeBytes: number
  /** 0 to 100. */
  readonly percent: number
}

const MESSAGE_BYTES = 1_000_000
export const GENERATE_PS = 10_000_000_000

/** Every host sends one message to another host, and each receives one. */
export function permutation(log: ImportLog): Branch {
  const size = formatQuantity('size', MESSAGE_BYTES)
  log.note(importFindings.assumed('workload', { messageBytes: MESSAGE_BYTES }))
  return { kind: 'permutation', messageSize: size }
}

/** Poisson arrivals of flows of these sizes, for a limited time. */
export function poisson(points: readonly SizePoint[], load: number): Branch {
  const texts = points.map(({ sizeBytes, percent }) => `${formatQuantity('size', sizeBytes)} ${plainDecimal(percent)}`)
  return {
    workload: [{ kind: 'poisson', load, sizes: { kind: 'cdf', points: texts } }],
    measure: { generate: formatQuantity('duration', GENERATE_PS), end: 'drain' },
  }
}

/** Digits without an exponent. */
function plainDecimal(value: number): string {
  const digits = String(value)
  return digits.includes('e') ? value.toFixed(20).replace(/\.?0+$/, '') : digits
}
