/**
 * Fairness of a dynamically shared buffer, by alpha: four ports of a ToR have taken what they may have, when a burst comes
 * in at four others, for a server that nobody else sends to.
 * Source: [MS-Scale] section 6.2: "a large alpha may cause imbalanced and unfair buffer allocation". Traffic is ours.
 */
import { jainIndex, mean, numbersOf, type Result, sum, tableOfKind, textsOf } from '../../results/index.ts'
import { pointsAt, product } from '../core/grid.ts'
import { dropsOf, rowsWhere } from '../core/measures.ts'
import type { Measures, Point } from '../core/plan.ts'
import { BUFFER } from './tor-buffer.ts'

export const SHARING = product({ traffic: ['burst'], alpha: ['1/64', '1/16', '1/4', '1', '8'] })

/** Servers that send to server 0 all the time, and those whose burst goes to server 1. */
const [FIRST, NEW] = [
  [2, 3, 4, 5],
  [6, 7, 8, 9],
] as const

export function sharingPoints(seed: number): Point[] {
  const flows = [
    ...FIRST.map((host) => `"${host} 0 20MB 0us"`),
    // Bursts are 4 MB, of which 750 KB have to wait at each port. Seeds shift them.
    ...NEW.map((host) => `"${host} 1 1MB ${1000 + 7 * seed}us"`),
  ]
  return pointsAt(
    SHARING,
    seed,
    ({ alpha }) => `
name: alpha-sharing
seed: ${seed}
topology: {kind: star, hosts: 28, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: {${BUFFER}, alpha: ${alpha}}}
qp: {ackInterval: 256, retryLimit: off}
workload: [{kind: trace, flows: [${flows.join(', ')}]}]
measure: {stop: 3ms}
observe: [{kind: watermarks}, {kind: pause-intervals}]
`,
  )
}

/** The most that each port has held, and how evenly. */
export function sharingMeasures(result: Result): Measures {
  const marks = tableOfKind(result, 'watermarks')!
  const [part, port, bytes] = [textsOf(marks, 'part'), numbersOf(marks, 'port'), numbersOf(marks, 'peakBytes')]
  const peakOf = (host: number): number =>
    sum(rowsWhere(marks, (row) => part[row] === 'group' && port[row] === host + 1).map((row) => bytes[row]!))
  const [first, burst] = [FIRST.map(peakOf), NEW.map(peakOf)]
  const paused = numbersOf(tableOfKind(result, 'pause-intervals')!, 'node')
  return {
    jain: jainIndex([...first, ...burst]),
    firstBytes: mean(first),
    newBytes: mean(burst),
    newPauses: paused.filter((node) => NEW.some((host) => host === node)).length,
    drops: dropsOf(result),
  }
}
