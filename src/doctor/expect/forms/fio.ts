/** JSON of fio (--output-format=json): a reading for each job and direction. Source: fio, stat.c and its HOWTO. */
import type { Log, StorageReading } from '../readings.ts'

interface Job {
  readonly jobname?: unknown
  readonly 'job options'?: Readonly<Record<string, unknown>>
  readonly [direction: string]: unknown
}
type Side = Readonly<Record<string, unknown>>

const SIZE = /^(\d+)([kmg]?)/i
const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 }

export function readFio(file: string, text: string): Log | undefined {
  const start = text.indexOf('{')
  if (start < 0 || !text.includes('"fio version"')) return undefined
  let parsed: { readonly jobs?: unknown; readonly 'global options'?: Side }
  try {
    parsed = JSON.parse(text.slice(start, text.lastIndexOf('}') + 1)) as typeof parsed
  } catch {
    const unread = [{ file, line: 1, text: text.trim().slice(0, 60), reason: 'not JSON to its end' }]
    return { file, readings: [], unread, untested: [] }
  }
  const jobs = Array.isArray(parsed.jobs) ? (parsed.jobs as Job[]) : []
  const readings = jobs.flatMap((job): StorageReading[] => {
    const options = { ...parsed['global options'], ...job['job options'] }
    return (['read', 'write'] as const).flatMap((direction) => {
      const side = (job[direction] ?? {}) as Side
      const bytesPerSecond = numberIn(side, 'bw_bytes') ?? (numberIn(side, 'bw') ?? 0) * 2 ** 10
      if (bytesPerSecond === 0) return []
      const depth = Number(options['iodepth'] ?? 1) * Number(options['numjobs'] ?? 1)
      const meanNs = numberIn((side['lat_ns'] ?? side['clat_ns'] ?? {}) as Side, 'mean')
      return [
        {
          kind: 'storage',
          file,
          line: lineOf(text, job.jobname),
          direction,
          job: typeof job.jobname === 'string' ? job.jobname : '',
          rateBps: bytesPerSecond * 8,
          blockBytes: sizeIn(options['bs']),
          depth: Number.isFinite(depth) ? depth : null,
          latencyUs: meanNs === null ? null : meanNs / 1e3,
        },
      ]
    })
  })
  // No log of a real run has been seen: the form is that of its documentation.
  return readings.length === 0 ? undefined : { file, readings, unread: [], untested: ['fio'] }
}

const numberIn = (of: Side, key: string): number | null => {
  const value = of[key]
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}

/** "128k" is 131072. */
function sizeIn(option: unknown): number | null {
  const [, digits, unit = ''] = SIZE.exec(typeof option === 'string' ? option : '') ?? []
  return digits === undefined ? null : Number(digits) * FACTORS[unit.toLowerCase()]!
}

function lineOf(text: string, name: unknown): number {
  const at = typeof name === 'string' ? text.indexOf(`"${name}"`) : -1
  return at < 0 ? 1 : text.slice(0, at).split('\n').length
}
