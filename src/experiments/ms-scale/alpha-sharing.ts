/**
 * Fairness of a dynamically shared buffer, by alpha: four ports of a ToR have taken what they may have, when a burst comes
 * in at four others, for a server that nobody else sends to.
 * Source: [MS-Scale] section 6.2: "a large alpha may cause imbalanced and unfair buffer allocation". Traffic is ours.
 */
import { humanNumber } from '../../report/index.ts'
import { jainIndex, numbersOf, type Result, sum, textsOf } from '../../results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { ABOVE_ZERO, type Claim, type FindingsTable, rightColumn, seedsClaim } from '../core/findings.ts'
import { overSeeds, valuesOf } from '../core/old/over-seeds.ts'
import type { Measures, Outcome, Point } from '../core/old/plan.ts'
import { OLD } from './alpha-runs.ts'
import { BUFFER } from './tor-buffer.ts'

const ALPHAS = ['1/64', OLD, '1/4', '1', '8'] as const
const LARGEST = '8'
const HOSTS = 28
const PORTS = 4
/** Together 4 MB, of which three quarters have to wait at the ToR: 750 KB for each port. */
const BURST = '1MB'

export const sharingOf = (alpha: string): string => `alpha ${alpha}, a burst beside a congested server`

export function sharingPoints(seed: number): Point[] {
  const ports = (from: number): number[] => Array.from({ length: PORTS }, (_, i) => from + i)
  const flows = [
    ...ports(2).map((host) => `"${host} 0 20MB 0us"`),
    // Seeds shift the burst.
    ...ports(2 + PORTS).map((host) => `"${host} 1 ${BURST} ${1000 + 7 * seed}us"`),
  ]
  return ALPHAS.map((alpha) => ({
    condition: sharingOf(alpha),
    seed,
    scenario: parseScenario(`
name: alpha-sharing
seed: ${seed}
topology: {kind: star, hosts: ${HOSTS}, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: {${BUFFER}, alpha: ${alpha}}}
qp: {ackInterval: 256, retryLimit: off}
workload: [{kind: trace, flows: [${flows.join(', ')}]}]
measure: {stop: 3ms}
observe: [{kind: watermarks}, {kind: pause-intervals}]
`),
  }))
}

export function sharingMeasures(result: Result): Measures {
  const [marks, intervals] = result.series
  const [port, bytes] = [numbersOf(marks!, 'port'), numbersOf(marks!, 'peakBytes')]
  const isGroup = textsOf(marks!, 'part').map((part) => part === 'group')
  const most = (host: number): number => sum([...bytes].filter((_, row) => isGroup[row]! && port[row] === host + 1))
  const peaks = Array.from({ length: 2 * PORTS }, (_, i) => most(2 + i))
  const paused = numbersOf(intervals!, 'node')
  const isNewcomer = (host: number): boolean => host >= 2 + PORTS && host < 2 + 2 * PORTS
  return {
    jain: jainIndex(peaks),
    firstBytes: sum(peaks.slice(0, PORTS)) / PORTS,
    newBytes: sum(peaks.slice(PORTS)) / PORTS,
    newPauses: [...paused].filter(isNewcomer).length,
    drops: sum(Object.values(result.counters.drops)),
  }
}

export function sharingTable(outcomes: readonly Outcome[]): FindingsTable {
  const mean = (alpha: string, key: string): number => overSeeds(outcomes, sharingOf(alpha), (m) => m[key]!).mean
  return {
    title: 'Fairness: four ports that have what they may, and four with a burst for another server',
    columns: [
      { head: 'alpha' },
      rightColumn('most of a port that was there, KB'),
      rightColumn('most of a port with the burst, KB'),
      rightColumn("Jain's index of all eight"),
      rightColumn('pauses of the burst'),
    ],
    rows: ALPHAS.map((alpha) => [
      alpha,
      humanNumber(mean(alpha, 'firstBytes') / 1000),
      humanNumber(mean(alpha, 'newBytes') / 1000),
      humanNumber(mean(alpha, 'jain')),
      humanNumber(mean(alpha, 'newPauses')),
    ]),
  }
}

export function sharingClaim(outcomes: readonly Outcome[]): Claim {
  const jain = (alpha: string): number[] => valuesOf(outcomes, sharingOf(alpha), (m) => m['jain']!)
  return seedsClaim({
    id: 'rce.alpha.large-fewer-pauses [unfair]',
    statement: `A large alpha may be unfair: Jain's index at ${OLD} less that at ${LARGEST}`,
    paper: 'may be unfair',
    values: jain(OLD).map((index, i) => index - jain(LARGEST)[i]!),
    band: ABOVE_ZERO,
    judge: 'mean',
    why: 'The most that each port holds: those that came first and those with a burst for a server that nobody else sends to.',
  })
}
