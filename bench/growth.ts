/**
 * Growth: time and memory of fat trees from 128 to 65,536 hosts, built and running. Each runs a permutation of 64 KB
 * messages with ECMP, PFC and DCQCN to its end, in a process of its own.
 */
import { createSimulation } from '../src/lab/index.ts'
import { lineFigure } from '../src/show/figure/index.ts'
import { parseScenario } from '../src/lab/scenario/index.ts'

/** Ports per switch. */
export const ARITIES = [8, 16, 24, 32, 48, 64] as const

export interface Grown {
  readonly hosts: number
  readonly buildSeconds: number
  readonly runSeconds: number
  readonly packetHops: number
  /** Resident memory of the whole process: when the network was built, and at most. */
  readonly builtBytes: number
  readonly peakBytes: number
  readonly digest: string
}

/** Builds and runs the fat tree of an arity. @param cpuSeconds CPU time of this process so far */
export function grow(arity: number, cpuSeconds: () => number): Grown {
  const scenario = parseScenario(
    `{name: growth, topology: {kind: fat-tree, arity: ${arity}}, pfc: {classes: [3]}, congestion: dcqcn, ` +
      `workload: [{kind: permutation, messageSize: 64KB}]}`,
  )
  const start = performance.now()
  const simulation = createSimulation(scenario)
  const buildSeconds = (performance.now() - start) / 1000
  const builtBytes = process.memoryUsage().rss
  const before = cpuSeconds()
  while (simulation.advance(1e6));
  const runSeconds = cpuSeconds() - before
  const { packetHops } = simulation.progress()
  const { digest } = simulation.result(false)
  return {
    hosts: arity ** 3 / 4,
    buildSeconds,
    runSeconds,
    packetHops,
    builtBytes,
    peakBytes: process.resourceUsage().maxRSS * 1024,
    digest,
  }
}

export const GROWTH_COLUMNS = [
  'hosts',
  'built, s',
  'built, MB',
  'run, CPU s',
  'peak, MB',
  'M hops',
  'M hops/s',
] as const

export function growthRow({ hosts, buildSeconds, builtBytes, runSeconds, peakBytes, packetHops }: Grown): string[] {
  const million = packetHops / 1e6
  return [
    `${hosts}`,
    buildSeconds.toFixed(2),
    (builtBytes / 1e6).toFixed(0),
    runSeconds.toFixed(1),
    (peakBytes / 1e6).toFixed(0),
    million.toFixed(1),
    (million / runSeconds).toFixed(2),
  ]
}

/** The same as two figures: seconds and bytes over hosts. */
export function growthFigures(rows: readonly Grown[]): readonly { readonly name: string; readonly svg: string }[] {
  const points = (valueOf: (row: Grown) => number) => rows.map((row) => ({ x: row.hosts, y: valueOf(row) }))
  const scales = { xLabel: 'hosts', xScale: 'log', yScale: 'log' } as const
  const note = 'fat trees of 8 to 64 ports; a permutation of 64 KB messages with ECMP, PFC and DCQCN'
  return [
    {
      name: 'growth-seconds',
      svg: lineFigure({
        ...scales,
        title: 'Time by size of the network',
        subtitle: note,
        yLabel: 'seconds of one core',
        lines: [
          { series: 'run to its end', points: points((row) => row.runSeconds) },
          { series: 'build', points: points((row) => row.buildSeconds) },
        ],
      }),
    },
    {
      name: 'growth-bytes',
      svg: lineFigure({
        ...scales,
        title: 'Memory by size of the network',
        subtitle: note,
        yLabel: 'MB resident',
        lines: [
          { series: 'at most during the run', points: points((row) => row.peakBytes / 1e6) },
          { series: 'built', points: points((row) => row.builtBytes / 1e6) },
        ],
      }),
    },
  ]
}
