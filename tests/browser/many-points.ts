/** The table of a sweep with many points, made from that of a small one. */
interface Stored {
  readonly rows: readonly { readonly metrics: Readonly<Record<string, { readonly mean: number | null }>> }[]
}

/** 100 loads and 50 alphas with the metrics of the first row of `text`, each with an interval. */
export function manyPoints(text: string): string {
  const stored = JSON.parse(text) as Stored
  const loads = Array.from({ length: 100 }, (_, i) => String((i + 1) / 100))
  const alphas = Array.from({ length: 50 }, (_, i) => `1/${i + 1}`)
  const combinations = loads.flatMap((load) => alphas.map((alpha) => ({ load, alpha })))
  const rows = combinations.map((values, i) => {
    const metrics = Object.entries(stored.rows[0]!.metrics).map(([name, { mean }], k) => {
      const moved = (mean ?? NaN) * (1 + ((i * 7919 + k * 104_729) % 997) / 997)
      return [name, { count: 3, mean: moved, low: moved * 0.9, high: moved * 1.1 }]
    })
    const digests = Object.fromEntries([1, 2, 3].map((seed) => [seed, (i * 3 + seed).toString(16).padStart(16, '0')]))
    return { values, seeds: 3, stopped: 0, metrics: Object.fromEntries(metrics) as object, digests }
  })
  const parameters = [
    { path: 'load', values: loads },
    { path: 'alpha', values: alphas },
  ]
  return JSON.stringify({ ...stored, parameters, seeds: [1, 2, 3], rows })
}
