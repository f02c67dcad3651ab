/** The shape of a table: what its sizes say together, whatever the fabric is. */
import type { Seen } from './answer.ts'

/** A size with the time of a call, and the bandwidth that belongs to it. */
export interface Sized {
  readonly sizeBytes: number
  readonly timeUs: number
  readonly bps: number
}

/** Time for time: more than this where the size only doubled is no rate and no latency. */
const COLLAPSE = 4
/** Below the best of the sizes before it, and the ones behind are back. Chosen with the table of nccl#1244 in sight: 0.911. */
const DIP = 0.92
const BACK = 0.98
/**
 * Within this of its mean, over at least three doublings, a rate is one that something sets. Chosen with the table of
 * nccl-tests#319 in sight: 0.065.
 */
const FLAT = 0.09
const FLAT_DOUBLINGS = 3
const FLAT_LEAST_BYTES = 16 * 2 ** 20
const FLAT_MOST_BYTES = 512 * 2 ** 20

/** A step at which the time grows far more than the size. */
export function collapseIn(rows: readonly Sized[]): Seen | undefined {
  for (let i = 1; i < rows.length; i++) {
    const [before, now] = [rows[i - 1]!, rows[i]!]
    const growth = now.timeUs / before.timeUs / (now.sizeBytes / before.sizeBytes)
    if (growth > COLLAPSE / 2 && now.timeUs / before.timeUs > COLLAPSE && staysDown(rows, i))
      return {
        id: 'collapse',
        values: {
          fromBytes: before.sizeBytes,
          toBytes: now.sizeBytes,
          timeRatio: now.timeUs / before.timeUs,
          sizeRatio: now.sizeBytes / before.sizeBytes,
        },
      }
  }
  return undefined
}

/** Whether the rates behind a step stay below half of the best before it. */
function staysDown(rows: readonly Sized[], from: number): boolean {
  const best = maximaOf(rows)[from - 1]!
  return rows.slice(from).every(({ bps }) => bps < best / 2)
}

/** By row: the greatest rate up to it. */
function maximaOf(rows: readonly Sized[]): number[] {
  let most = 0
  return rows.map(({ bps }) => (most = Math.max(most, bps)))
}

/** Sizes at which the bandwidth falls and comes back behind them. */
export function dipIn(rows: readonly Sized[]): (Seen & { readonly sizes: readonly number[] }) | undefined {
  const before = maximaOf(rows)
  const behind = maximaOf(rows.toReversed()).toReversed()
  const dipped = rows.filter(({ bps }, i) => bps < before[i]! * DIP && behind[i]! > before[i]! * BACK)
  const [first, last] = [dipped[0], dipped.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const sizes = dipped.map(({ sizeBytes }) => sizeBytes)
  return { id: 'dip', sizes, values: { fromBytes: first.sizeBytes, toBytes: last.sizeBytes } }
}

/** A rate that is the same from sizes on at which a healthy one still rises. */
export function flatIn(rows: readonly Sized[]): Seen | undefined {
  const large = rows.filter(({ sizeBytes }) => sizeBytes >= FLAT_LEAST_BYTES)
  const [first, last] = [large[0], large.at(-1)]
  if (first === undefined || last === undefined || first.sizeBytes > FLAT_MOST_BYTES) return undefined
  if (last.sizeBytes < first.sizeBytes * 2 ** FLAT_DOUBLINGS) return undefined
  const mean = large.reduce((sum, { bps }) => sum + bps, 0) / large.length
  if (!large.every(({ bps }) => Math.abs(bps - mean) <= FLAT * mean)) return undefined
  return { id: 'flat', values: { fromBytes: first.sizeBytes, toBytes: last.sizeBytes, rateBps: mean } }
}

/** Time that every call costs, and the rate beside it, by least squares over relative errors: t = a + S / b. */
export function fixedTimeIn(
  rows: readonly Sized[],
): { readonly fixedUs: number; readonly bytesPerUs: number } | undefined {
  // Weighted by 1 / t, so that small sizes count as much as large ones.
  let [w, ws, wss, wt, wst] = [0, 0, 0, 0, 0]
  for (const { sizeBytes: s, timeUs: t } of rows) {
    const weight = 1 / (t * t)
    w += weight
    ws += weight * s
    wss += weight * s * s
    wt += weight * t
    wst += weight * s * t
  }
  const det = w * wss - ws * ws
  if (rows.length < 3 || !(det > 0)) return undefined
  const slope = (w * wst - ws * wt) / det
  const fixedUs = (wss * wt - ws * wst) / det
  return slope > 0 && fixedUs > 0 ? { fixedUs, bytesPerUs: 1 / slope } : undefined
}
