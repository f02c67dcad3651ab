/**
 * Quantities as ns-3 reads them. Times are whole nanoseconds in ns-3: a number of seconds v becomes
 * floor(floor(v * 2^64) * 10^9 / 2^64), which can be one nanosecond below the written value.
 * Source: ns-3.17 nstime and data-rate; checked against the start times of recorded runs.
 */
import { parseReal } from '../text-input.ts'

const TWO_64 = 2 ** 64

/** Nanoseconds per unit as a fraction. A delay without a unit is in seconds. */
const TIME_UNITS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  '': [1_000_000_000n, 1n],
  s: [1_000_000_000n, 1n],
  ms: [1_000_000n, 1n],
  us: [1_000n, 1n],
  ns: [1n, 1n],
  ps: [1n, 1_000n],
  fs: [1n, 1_000_000n],
}

const PREFIXES: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  K: 1e3,
  Ki: 1024,
  M: 1e6,
  Mi: 1024 ** 2,
  G: 1e9,
  Gi: 1024 ** 3,
}

/** Whole nanoseconds of a time in 64.64 fixed point; undefined if it is negative or exceeds 2^53 ps. */
function fixedPointNs(value: number, [over, under]: readonly [bigint, bigint]): number | undefined {
  if (!(value >= 0) || value > 2 ** 53) return undefined
  const ns = Number(((BigInt(Math.floor(value * TWO_64)) * over) / under) >> 64n)
  return Number.isSafeInteger(ns * 1000) ? ns : undefined
}

/** Nanoseconds of a number of seconds, truncated as in ns-3; undefined if negative or longer than 2^53 ps. */
export function secondsToNs(seconds: number): number | undefined {
  return fixedPointNs(seconds, [1_000_000_000n, 1n])
}

/** Picoseconds of a delay such as "1000ns", "0.001ms", "2us", whole nanoseconds as in ns-3; undefined if it is malformed. */
export function parseNs3Delay(text: string): number | undefined {
  const parts = /^(.*?)([a-z]*)$/.exec(text)
  const value = parseReal(parts?.[1] ?? '')
  const unit = parts?.[2] ?? ''
  if (value === undefined || !Object.hasOwn(TIME_UNITS, unit)) return undefined
  const factor = TIME_UNITS[unit]
  const ns = factor === undefined ? undefined : fixedPointNs(value, factor)
  return ns === undefined ? undefined : ns * 1000
}

/** Bits per second of a rate such as "100Gbps", "50Mb/s", "1MBps" or bare "25000000000"; undefined if it is malformed. */
export function parseNs3Rate(text: string): number | undefined {
  const parts = /^([0-9.eE+]+?)(?:([kKMG]i?|)([bB])(?:ps|\/s))?$/.exec(text)
  const value = parseReal(parts?.[1] ?? '')
  const prefix = parts?.[2] ?? ''
  if (value === undefined || !Object.hasOwn(PREFIXES, prefix)) return undefined
  const rateBps = Math.floor(value * (PREFIXES[prefix] ?? 1) * (parts?.[3] === 'B' ? 8 : 1))
  return Number.isSafeInteger(rateBps) ? rateBps : undefined
}
