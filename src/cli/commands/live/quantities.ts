/** Parsers of sizes, MTUs and times on the command line of live commands. */
import { parseQuantity } from '../../../base/units.ts'

const MTUS = ['256', '512', '1024', '2048', '4096']

export function mtuOf(input: string): number {
  if (MTUS.includes(input)) return Number(input)
  throw new Error(`expected one of ${MTUS.join(', ')}, received ${JSON.stringify(input)}`)
}

export function sizeOf(text: string): number {
  const bytes = /^\d{1,10}$/.test(text) ? Number(text) : parseQuantity('size', text)
  if (bytes !== undefined && bytes >= 1 && bytes <= 2 ** 30) return bytes
  throw new Error(`expected a size from 1 to 1GiB, such as 65536 or 4MiB, received ${JSON.stringify(text)}`)
}

/** Milliseconds. */
export function durationMs(input: string): number {
  const durationPs = parseQuantity('duration', input)
  if (durationPs !== undefined && durationPs > 0) return Math.ceil(durationPs / 1e9)
  throw new Error(`expected a duration such as 10s, received ${JSON.stringify(input)}`)
}
