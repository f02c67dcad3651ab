/**
 * Analysis of a log of probes: cells, whether RDMA works at each scope, the state of the fabric, and patterns as findings.
 * Source: [MS-Scale] section 5.3; limits of "RDMA works": failed < 0.1 %, with an upper bound below 1 %, and the 99th
 * percentile below four times the baseline.
 */
import { NS } from '../../../core/base/params.ts'
import { type Finding, foundAt, probeFindings } from '../../../core/findings/index.ts'
import { type Baseline, baselineOf, isLost, judge, type Judged, type ScopeBaseline, SLOW_FACTOR } from './baseline.ts'
import { byPair, byScope, type Cell, cellOf, type PairProbes } from './cells.ts'
import { wilson } from './intervals.ts'
import type { Probe, ProbeLog } from './log.ts'
import { excludedProbers, lossOf, pathOf, sitesOf, shiftsOf } from './patterns.ts'
import { stateOf, type StateReport, touches } from './state.ts'

const FAILED_SHARE = 0.001
const FAILED_HIGH = 0.01

/** Three answers: a scope of too few probes neither works nor fails. */
export type Works = 'works' | 'fails' | 'cannot-tell'

export interface ScopeReport extends Cell {
  readonly scope: string
  readonly works: Works
  readonly baseline: ScopeBaseline | null
}

export interface PairReport extends Cell {
  readonly source: string
  readonly destination: string
  readonly scope: string
  /** Share of probes that came back, but late; NaN: no probe counts. */
  readonly slowShare: number
}

export interface Analysis {
  readonly hosts: readonly string[]
  readonly probes: number
  readonly scopes: readonly ScopeReport[]
  /** Those of probers that are left out too. */
  readonly pairs: readonly PairReport[]
  readonly state: StateReport
  readonly findings: readonly Finding[]
}

/** @param given of healthy time; not given: that of the log's own healthy parts */
export function analyse(log: ProbeLog, given?: Baseline): Analysis {
  const baseline = given ?? baselineOf(log)
  const all = judge(log, baseline)
  const excluded = excludedProbers(log, all)
  const left = new Set(excluded.map(({ subject }) => subject.device!))
  const counted = all.filter(({ probe }) => !left.has(probe.source))
  const state = stateOf(log, counted, baseline)
  const lost = new Set(all.filter(isLost).map(({ probe }) => probe))
  const isFailed = (probe: Probe): boolean => lost.has(probe)
  const kept: ProbeLog = { ...log, probes: counted.map(({ probe }) => probe) }
  const cells = new Map([...byScope(kept)].map(([scope, probes]) => [scope, cellOf(probes, isFailed)]))
  const scopes = log.scopes.map((scope) => scopeReport(scope, cells.get(scope)!, baseline.get(scope)))
  const findings = [
    ...stateFindings(state, counted),
    ...scopes.flatMap(scopeFindings),
    ...excluded,
    ...patterns(kept, counted, state, cells, baseline),
  ]
  const standings = new Map(all.map((each) => [each.probe, each]))
  const pairs = byPair(log.probes).map((pair) => pairReport(pair, isFailed, standings))
  return { hosts: log.hosts, probes: log.probes.length, scopes, pairs, state, findings }
}

function scopeReport(scope: string, cell: Cell, baseline: ScopeBaseline | undefined): ScopeReport {
  const { count, failed, failedInterval, percentiles } = cell
  const slowNs = SLOW_FACTOR * (baseline?.p99Ns ?? NaN)
  const { p99 } = percentiles
  const fails = failedInterval.low >= FAILED_SHARE || (p99 !== null && p99.low >= slowNs)
  const isSound = failed < FAILED_SHARE * count && failedInterval.high < FAILED_HIGH
  const isQuick = p99 !== null && p99.valueNs < slowNs
  const works = fails ? 'fails' : isSound && isQuick ? 'works' : 'cannot-tell'
  return { scope, works, baseline: baseline ?? null, ...cell }
}

function pairReport(
  { source, destination, scope, probes }: PairProbes,
  isFailed: (probe: Probe) => boolean,
  standings: ReadonlyMap<Probe, Judged>,
): PairReport {
  const cell = cellOf(probes, isFailed)
  const slow = probes.filter((probe) => standings.get(probe)!.standing === 'slow').length
  return { source, destination, scope, slowShare: cell.count === 0 ? NaN : slow / cell.count, ...cell }
}

function stateFindings({ state, hosts, lost, lostOfOthers }: StateReport, all: readonly Judged[]): Finding[] {
  if (state === 'healthy') return []
  if (state === 'congested') return [foundAt(probeFindings.congested, {}, { hosts })]
  if (state === 'deadlock') return [foundAt(probeFindings.deadlock, {}, { lost, count: all.length })]
  if (state === 'unknown') return [foundAt(probeFindings.undecided, {}, { lost })]
  return hosts.map((device) => {
    if (state === 'storm') return foundAt(probeFindings.storm, { device }, { lost, lostOfOthers })
    const own = new Set([device])
    const its = all.filter((each) => isLost(each) && touches(each.probe, own)).length
    return foundAt(probeFindings.deadServer, { device }, { lost: its })
  })
}

/** Probes without a failure whose upper bound is below the limit. */
function leastCount(): number {
  let count = 1
  while (wilson(0, count).high >= FAILED_HIGH) count++
  return count
}

function scopeFindings({ scope, works, count, failed, percentiles, baseline }: ScopeReport): Finding[] {
  const found: Finding[] = []
  if (baseline === null) found.push(foundAt(probeFindings.withoutBaseline, {}, { scope }))
  const { p99 } = percentiles
  if (works === 'fails') {
    const p99Ps = p99 === null ? null : p99.valueNs * NS
    const baselineP99Ps = baseline === null ? null : baseline.p99Ns * NS
    found.push(foundAt(probeFindings.rdmaFails, {}, { scope, count, failed, p99Ps, baselineP99Ps }))
  }
  if (works === 'cannot-tell' && (p99 === null || failed === 0)) {
    const needed = Math.max(500, leastCount())
    if (count < needed) found.push(foundAt(probeFindings.tooFew, {}, { scope, count, needed }))
  }
  return found
}

/** Where a storm, a deadlock or dead servers have been named, they explain what is lost, and no further place is sought. */
function patterns(
  log: ProbeLog,
  all: readonly Judged[],
  { state }: StateReport,
  cells: ReadonlyMap<string, Cell>,
  baseline: Baseline,
): Finding[] {
  if (state === 'storm' || state === 'deadlock' || state === 'dead-server') return []
  return [...sitesOf(log, all), ...pathOf(all), ...shiftsOf(log, cells, baseline), ...lossOf(all, baseline)]
}
