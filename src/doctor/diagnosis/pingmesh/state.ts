/**
 * State of a fabric from its probes alone: healthy, congested, dead servers, the pause storm of a host, a deadlock.
 * A dead server loses what goes to it, says nothing itself, and harms no other. In a storm and in a deadlock the probes of
 * many hosts are lost for good, as they stand behind paused ports: in a storm those of one host before all others
 * ([MS-Scale] section 4.3), in a deadlock those of no host more than of others (section 4.2). Under congestion probes are
 * late, and even where some are lost later ones come back.
 */
import { type Baseline, isBack, isLost, type Judged } from './baseline.ts'
import { wilson } from './intervals.ts'
import type { Probe, ProbeLog } from './log.ts'

export const STATES = ['healthy', 'congested', 'dead-server', 'storm', 'deadlock', 'unknown'] as const
export type FabricState = (typeof STATES)[number]

export interface StateReport {
  readonly state: FabricState
  /** The hosts that are dead, or the one that pauses; of a congested fabric those whose probes are late. */
  readonly hosts: readonly string[]
  /** From which time on, by the clock of the log; NaN: all along. */
  readonly sinceNs: number
  readonly lost: number
  /** Lost probes that touch none of the hosts. */
  readonly lostOfOthers: number
}

/** Fewer lost probes are chance. */
const LEAST_LOST = 3
/** A host is cut off if no more of its probes than this come back from the first lost one on. */
const BACK_SHARE = 0.1
/** More hosts than this share do not die at a time by chance. */
const DEAD_SHARE = 0.25
/** Lost probes of others, by which a head start ends. */
const HEAD_OTHERS = 3
/** A head start of one of the hosts that chance explains as rarely as this is one. */
const HEAD_CHANCE = 0.005
/** 1 % of healthy probes are above the baseline's 99th percentile; shares of a scope and of a host that are no chance. */
const LATE_SHARE = 0.05
const LATE_SHARE_OF_HOST = 0.14
/** Half of them are above its median. */
const ABOVE_MEDIAN_SHARE = 0.6
const ABOVE_MEDIAN_SHARE_OF_HOST = 0.68

export const touches = ({ source, destination }: Probe, hosts: ReadonlySet<string>): boolean =>
  hosts.has(source) || hosts.has(destination)

/** The state that the probes show. @param all in order of time */
export function stateOf(log: ProbeLog, all: readonly Judged[], baseline: Baseline): StateReport {
  const lost = all.filter(isLost)
  const report = (state: FabricState, hosts: readonly string[], sinceNs: number): StateReport => {
    const those = new Set(hosts)
    const ofOthers = lost.filter(({ probe }) => !touches(probe, those)).length
    return { state, hosts, sinceNs, lost: lost.length, lostOfOthers: ofOthers }
  }
  const late = lateness(log, all, baseline)
  const cutOff = lost.length < LEAST_LOST ? [] : cutOffHosts(log, all)
  if (cutOff.length === 0) {
    if (late.isLate) return report('congested', late.hosts, NaN)
    return report(lost.length < LEAST_LOST ? 'healthy' : 'unknown', [], lost[0]?.probe.timeNs ?? NaN)
  }
  const names = cutOff.map(({ host }) => host)
  const sinceNs = Math.min(...cutOff.map((one) => one.sinceNs))
  const areFew = names.length <= Math.max(1, DEAD_SHARE * log.hosts.length)
  if (areFew && cutOff.every(({ isSilent }) => isSilent)) return report('dead-server', names, sinceNs)
  const [first] = cutOff
    .map((one) => ({ ...one, chance: chanceOfHead(one.host, lost, log.hosts.length) }))
    .sort((a, b) => a.chance - b.chance)
  if (first!.chance < HEAD_CHANCE) return report('storm', [first!.host], first!.sinceNs)
  return report('deadlock', [], sinceNs)
}

interface CutOff {
  readonly host: string
  readonly sinceNs: number
  /** It probed before, and has not done since: its probes of later times are missing, or ended by its own fault. */
  readonly isSilent: boolean
}

/** Hosts of which next to no probe comes back, from their first lost probe on. */
function cutOffHosts({ hosts }: ProbeLog, all: readonly Judged[]): CutOff[] {
  const ofHost = new Map<string, Judged[]>(hosts.map((host) => [host, []]))
  for (const each of all) {
    ofHost.get(each.probe.source)!.push(each)
    if (each.probe.destination !== each.probe.source) ofHost.get(each.probe.destination)!.push(each)
  }
  return hosts.flatMap((host) => {
    const its = ofHost.get(host)!
    const start = its.findIndex(isLost)
    if (start < 0) return []
    const since = its.slice(start)
    const lost = since.filter(isLost).length
    const back = since.filter(isBack).length
    if (lost < LEAST_LOST || back > BACK_SHARE * (lost + back)) return []
    const isOwn = ({ probe }: Judged): boolean => probe.source === host
    const hasProbed = its.slice(0, start).filter(isOwn).length >= LEAST_LOST
    const isSilent = !since.some((each) => isOwn(each) && each.standing !== 'own')
    return [{ host, sinceNs: its[start]!.probe.timeNs, isSilent: isSilent && hasProbed }]
  })
}

/**
 * Probability that as many of the first lost probes touch this host if it is like the others: a probe touches two of
 * them. For all hosts together, as the best of them is chosen.
 */
function chanceOfHead(host: string, lost: readonly Judged[], hostCount: number): number {
  const own = new Set([host])
  let head = 0
  let others = 0
  for (const { probe } of lost) {
    if (touches(probe, own)) head++
    else if (++others === HEAD_OTHERS) break
  }
  const share = Math.min(1, 2 / hostCount)
  // Terms of the binomial distribution of head + others probes, from `head` hits on.
  const count = head + others
  let chance = 0
  for (let hits = head; hits <= count; hits++) {
    let term = 1
    for (let k = 1; k <= count; k++) term *= k <= hits ? share : 1 - share
    for (let k = 1; k <= count - hits; k++) term *= (hits + k) / k
    chance += term
  }
  return Math.min(1, hostCount * chance)
}

interface Lateness {
  readonly isLate: boolean
  /** Those that are late more than others, if they are few. */
  readonly hosts: readonly string[]
}

interface Late {
  late: number
  aboveMedian: number
  count: number
}

/** Whether more probes than by chance are above the percentiles of the baseline, in a scope or of a host. */
function lateness(log: ProbeLog, all: readonly Judged[], baseline: Baseline): Lateness {
  const scopes = new Map<string, Late>()
  const hosts = new Map<string, Late>()
  const add = (to: Map<string, Late>, key: string, isLate: boolean, isHigh: boolean): void => {
    let known = to.get(key)
    if (known === undefined) to.set(key, (known = { late: 0, aboveMedian: 0, count: 0 }))
    known.count++
    known.late += Number(isLate)
    known.aboveMedian += Number(isHigh)
  }
  for (const each of all) {
    const { scope, source, destination, rttNs, ageNs, outcome } = each.probe
    const base = baseline.get(scope)
    if (base === undefined || each.standing === 'own') continue
    // One that is still under way has taken its age at least; a young one says nothing.
    const takenNs = outcome === 'ok' ? rttNs : ageNs
    const isLate = takenNs > base.p99Ns || each.standing === 'failed'
    if (!isLate && each.standing === 'open') continue
    add(scopes, scope, isLate, isLate || takenNs > base.p50Ns)
    for (const host of new Set([source, destination])) add(hosts, host, isLate, isLate || takenNs > base.p50Ns)
  }
  const isAbove = ({ late, aboveMedian, count }: Late, lateShare: number, medianShare: number): boolean =>
    wilson(late, count).low > lateShare || wilson(aboveMedian, count).low > medianShare
  const isScopeLate = [...scopes.values()].some((each) => isAbove(each, LATE_SHARE, ABOVE_MEDIAN_SHARE))
  const lateHosts = log.hosts.filter((host) => {
    const its = hosts.get(host)
    return its !== undefined && isAbove(its, LATE_SHARE_OF_HOST, ABOVE_MEDIAN_SHARE_OF_HOST)
  })
  const areFew = lateHosts.length <= DEAD_SHARE * log.hosts.length
  return { isLate: isScopeLate || lateHosts.length > 0, hosts: areFew ? lateHosts : [] }
}
