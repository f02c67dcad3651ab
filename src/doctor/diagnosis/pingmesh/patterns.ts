/**
 * Patterns: where lost and slow probes are. Hosts of one ToR are those that the nearest scope joins, so that no topology is
 * needed. A place is named if many of its probes are impaired and of all others at most a quarter as many; the largest
 * place first, and nothing inside a place that has been named.
 */
import { NS } from '../../../core/base/params.ts'
import { type Finding, foundAt, probeFindings } from '../../../core/findings/index.ts'
import { quantile } from '../../../core/results/quantiles.ts'
import { type Baseline, isBack, isLost, type Judged, SLOW_FACTOR } from './baseline.ts'
import { type Cell, byPair } from './cells.ts'
import { wilson } from './intervals.ts'
import { groupsOf, NEAREST, type ProbeLog } from './log.ts'

/** Lower bound of the impaired share of a site. */
const SITE_SHARE = 0.2
const OTHERS_FACTOR = 0.25
/** A prober that fails more often than this to its own ToR is left out. Source: R-Pingmesh. */
const OWN_TOR_SHARE = 0.1

const isImpaired = (each: Judged): boolean => isLost(each) || each.standing === 'slow'

interface Count {
  readonly impaired: number
  readonly count: number
}

function countOf(all: readonly Judged[], isIn: (each: Judged) => boolean): Count {
  const those = all.filter((each) => (isBack(each) || isLost(each)) && isIn(each))
  return { impaired: those.filter(isImpaired).length, count: those.length }
}

const shareOf = ({ impaired, count }: Count): number => (count === 0 ? 0 : impaired / count)
const isBad = (site: Count, others: Count): boolean =>
  wilson(site.impaired, site.count).low >= SITE_SHARE && shareOf(others) <= OTHERS_FACTOR * shareOf(site)

/** Probers that are at fault themselves: they fail within their ToR, where others reach each other and them. */
export function excludedProbers(log: ProbeLog, all: readonly Judged[]): Finding[] {
  const groups = groupsOf(log, [NEAREST])
  const near = all.filter((each) => each.probe.scope === NEAREST && (isBack(each) || isLost(each)))
  return log.hosts.flatMap((host) => {
    const own = near.filter(({ probe }) => probe.source === host)
    const others = near.filter(({ probe }) => groups.get(probe.source) === groups.get(host) && probe.source !== host)
    const toIt = others.filter(({ probe }) => probe.destination === host)
    const isSound = (those: readonly Judged[]): boolean =>
      those.length > 0 && those.filter(isLost).length <= OWN_TOR_SHARE * those.length
    const failed = own.filter(isLost).length
    const isOwnFault = wilson(failed, own.length).low > OWN_TOR_SHARE && isSound(others) && isSound(toIt)
    const values = { failed, count: own.length }
    return isOwnFault ? [foundAt(probeFindings.proberExcluded, { device: host }, values)] : []
  })
}

/** ToRs, their uplinks, and hosts. */
export function sitesOf(log: ProbeLog, all: readonly Judged[]): Finding[] {
  const groups = groupsOf(log, [NEAREST])
  const members = new Map<number, string[]>()
  for (const [host, group] of groups) members.set(group, [...(members.get(group) ?? []), host])
  const racks = [...members.values()].filter((hosts) => hosts.length > 1)
  const found: Finding[] = []
  const named = new Set<string>()
  for (const hosts of members.size > 1 ? racks : []) {
    const those = new Set(hosts)
    const inside = ({ probe }: Judged): number => Number(those.has(probe.source)) + Number(those.has(probe.destination))
    const across = countOf(all, (each) => inside(each) === 1)
    const within = countOf(all, (each) => inside(each) === 2)
    const others = countOf(all, (each) => inside(each) === 0)
    // A host of it that is bad makes no ToR bad: the probes of each have to be.
    const isEach = hosts.every((host) => {
      const its = countOf(all, ({ probe }) => probe.source === host || probe.destination === host)
      return shareOf(its) >= SITE_SHARE
    })
    if (!isEach || !isBad(across, others)) continue
    const isTor = isBad(within, others)
    if (!isTor && !isBad(across, within)) continue
    const device = `ToR of ${hosts[0]!}`
    const [kind, site] = isTor
      ? [probeFindings.tor, { impaired: across.impaired + within.impaired, count: across.count + within.count }]
      : [probeFindings.uplinks, across]
    found.push(foundAt(kind, { device }, { ...site, othersShare: shareOf(others), hosts }))
    for (const host of hosts) named.add(host)
  }
  return [...found, ...badHosts(log, all, named)]
}

function badHosts({ hosts }: ProbeLog, all: readonly Judged[], named: ReadonlySet<string>): Finding[] {
  return hosts.flatMap((host) => {
    if (named.has(host)) return []
    const row = countOf(all, ({ probe }) => probe.source === host)
    const column = countOf(all, ({ probe }) => probe.destination === host)
    const others = countOf(all, ({ probe }) => probe.source !== host && probe.destination !== host)
    const [isRow, isColumn] = [isBad(row, others), isBad(column, others)]
    if (!isRow && !isColumn) return []
    const side = isRow && isColumn ? 'both' : isRow ? 'sending' : 'receiving'
    const { impaired, count } = isRow && isColumn ? sumOf(row, column) : isRow ? row : column
    return [foundAt(probeFindings.host, { device: host }, { side, impaired, count, othersShare: shareOf(others) })]
  })
}

const sumOf = (a: Count, b: Count): Count => ({ impaired: a.impaired + b.impaired, count: a.count + b.count })

/** Pairs, at least, of which some source ports always fail. */
const PATH_PAIRS = 3
/** Source ports that fail now and then are no path: as a share of those that fail at all. */
const MIXED_SHARE = 0.25

/** One of several paths: source ports of many pairs that fail whenever they are used, beside others that never do. */
export function pathOf(all: readonly Judged[]): Finding[] {
  const judgedOf = new Map(all.map((each) => [each.probe, each]))
  const far = all.filter(({ probe }) => probe.scope !== NEAREST && probe.sourcePort >= 0).map(({ probe }) => probe)
  let [bad, good, mixed, pairs] = [0, 0, 0, 0]
  for (const { probes } of byPair(far)) {
    const byPort = new Map<number, Judged[]>()
    for (const probe of probes) {
      const each = judgedOf.get(probe)!
      if (!isBack(each) && !isLost(each)) continue
      byPort.set(probe.sourcePort, [...(byPort.get(probe.sourcePort) ?? []), each])
    }
    // Once may be chance.
    const ports = [...byPort.values()].filter((those) => those.length > 1)
    const always = ports.filter((those) => those.every(isImpaired)).length
    const never = ports.filter((those) => !those.some(isImpaired)).length
    bad += always
    good += never
    mixed += ports.length - always - never
    pairs += Number(always > 0 && never > 0)
  }
  if (pairs < PATH_PAIRS || mixed > MIXED_SHARE * (bad + mixed)) return []
  const values = { tuples: bad, ofTuples: bad + good + mixed, pairs, paths: Math.round((bad + good + mixed) / bad) }
  return [foundAt(probeFindings.path, {}, values)]
}

/** The median is up by this factor, or is as usual up to it; the 99th percentile. */
const TIER_FACTOR = 1.5
const BURST_FACTOR = 2
const HOSTS_SHARE = 0.75

/** Scopes whose median is up for nearly all hosts, or whose 99th percentile is up alone. */
export function shiftsOf(log: ProbeLog, cells: ReadonlyMap<string, Cell>, baseline: Baseline): Finding[] {
  return log.scopes.flatMap((scope) => {
    const base = baseline.get(scope)
    const { p50, p99 } = cells.get(scope)!.percentiles
    if (base === undefined || p50 === null) return []
    if (p50.low > TIER_FACTOR * base.p50Ns) {
      const values = { scope, p50Ps: p50.valueNs * NS, baselineP50Ps: base.p50Ns * NS }
      return isEverywhere(log, scope, base.p50Ns) ? [foundAt(probeFindings.tier, {}, values)] : []
    }
    if (p99 === null || p99.low <= BURST_FACTOR * base.p99Ns || p50.valueNs > TIER_FACTOR * base.p50Ns) return []
    return [foundAt(probeFindings.bursts, {}, { scope, p99Ps: p99.valueNs * NS, baselineP99Ps: base.p99Ns * NS })]
  })
}

function isEverywhere({ probes }: ProbeLog, scope: string, usualNs: number): boolean {
  const rtts = new Map<string, number[]>()
  for (const { source, scope: its, outcome, rttNs } of probes)
    if (its === scope && outcome === 'ok') rtts.set(source, [...(rtts.get(source) ?? []), rttNs])
  const medians = [...rtts.values()].map((those) => quantile(those, 0.5))
  return medians.filter((median) => median > TIER_FACTOR * usualNs).length >= HOSTS_SHARE * medians.length
}

const LOSS_PROBES = 5
const MODE_SHARE = 0.6
const MODE_WIDTH = 0.25

/** A second mode far above the rest: slow round trips of nearly one length, that of a timeout. */
export function lossOf(all: readonly Judged[], baseline: Baseline): Finding[] {
  const slow = all.filter(({ standing }) => standing === 'slow').map(({ probe }) => probe)
  if (slow.length < LOSS_PROBES) return []
  const modeNs = quantile(
    slow.map(({ rttNs }) => rttNs),
    0.5,
  )
  const near = slow.filter(({ rttNs }) => rttNs >= modeNs * (1 - MODE_WIDTH) && rttNs <= modeNs * (1 + MODE_WIDTH))
  // Queues make round trips of all lengths below the mode; a timeout leaves a gap.
  const isApart = slow.every(({ scope }) => modeNs > 2 * SLOW_FACTOR * (baseline.get(scope)?.p99Ns ?? Infinity))
  if (near.length < MODE_SHARE * slow.length || !isApart) return []
  return [foundAt(probeFindings.loss, {}, { probes: near.length, modePs: modeNs * NS })]
}
