/** Figures of perf and of peer's clients, in the columns of perftest. */
import type { PerfMeter } from '../../../live/index.ts'

const BANDWIDTH_HEAD = ' #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]'
const LATENCY_HEAD =
  ' #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]' +
  '   99% percentile[usec]   99.9% percentile[usec]'

/** The table of perftest. @param elapsedPs from the first post to the last completion; NaN: not done */
export function figureLines(meter: PerfMeter, sizeBytes: number, elapsedPs: number): readonly string[] {
  const cell = (value: number, width: number): string => (Number.isNaN(value) ? '-' : value.toFixed(2)).padEnd(width)
  const start = ` ${`${sizeBytes}`.padEnd(11)}${`${meter.completed}`.padEnd(15)}`
  if (meter.kind === 'bandwidth') {
    const { peakMBps, averageMBps, mpps } = meter.bandwidth(elapsedPs)
    return [BANDWIDTH_HEAD, `${start}${cell(peakMBps, 19)}${cell(averageMBps, 21)}${mpps.toFixed(6)}`]
  }
  const { minUs, maxUs, typicalUs, averageUs, stdevUs, p99Us, p999Us } = meter.latency()
  const values = [minUs, maxUs, typicalUs, averageUs, stdevUs].map((us) => cell(us, 15)).join('')
  return [LATENCY_HEAD, `${start}${values}${cell(p99Us, 23)}${cell(p999Us, 12)}`.trimEnd()]
}

/** JSON.stringify turns the NaN of a test without requests into null. */
export function figuresOf(meter: PerfMeter, elapsedPs: number): object {
  return meter.kind === 'latency' ? { latency: meter.latency() } : { bandwidth: meter.bandwidth(elapsedPs) }
}
