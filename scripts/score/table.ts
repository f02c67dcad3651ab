/**
 * Table: shares with their 95 % intervals.
 */

/** 0.975 quantile of the normal distribution. */
const Z = 1.959963984540054

/** Wilson's 95 % interval of a share. */
export function wilson(hits: number, count: number): readonly [number, number] {
  if (count === 0) return [0, 1]
  const share = hits / count
  const middle = share + (Z * Z) / (2 * count)
  const half = Z * Math.sqrt((share * (1 - share)) / count + (Z * Z) / (4 * count * count))
  const scale = 1 + (Z * Z) / count
  return [(middle - half) / scale, (middle + half) / scale]
}

export const percent = (share: number): string => (100 * share).toFixed(0)

export function shareText(hits: number, count: number): string {
  if (count === 0) return '-'
  const [low, high] = wilson(hits, count)
  return `${percent(hits / count)} % (${percent(low)} to ${percent(high)})`
}
