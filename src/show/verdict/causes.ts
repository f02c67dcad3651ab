/**
 * Causes: devices, links and crowds of senders that a run names as the reason of its delays. What an
 * autopsy found goes first; the rest comes from observers of pauses and drops, and from the flows themselves.
 */
import { hostName } from '../../core/base/device-names.ts'
import { causeFindings, type Finding, foundAt, runFindings } from '../../core/findings/index.ts'
import {
  completionsOf,
  dropSources,
  isExplained,
  numbersOf,
  type Result,
  tableOfKind,
  textsOf,
} from '../../core/results/index.ts'
import { SLOW, slowCauses } from '../explain/causes.ts'
import { crowdsOf, rowsByReceiver } from '../explain/crowd.ts'
import type { NetworkGraph, ReportedRun } from '../reported-run.ts'

/** Causes of a kind that are named. */
const NAMED_MAX = 3
/** Losses on the way between two devices. */
const ON_LINKS: ReadonlySet<string> = new Set(['link loss', 'FCS error', 'link down'])

/**
 * Causes of slow flows from an autopsy, and links that lost packets where none made flows slow; without one, what observers
 * of pauses and drops and the flows themselves show.
 */
export function causesOf(run: ReportedRun): Finding[] {
  const { result, facts } = run
  if (isExplained(result)) {
    const causes = slowCauses(result, facts)
    const isOfLinks = causes.some(({ id }) => id === causeFindings.lossyLink.id || id === causeFindings.linkDown.id)
    return isOfLinks ? causes : [...causes, ...lossyLinks(result)]
  }
  const hosts = facts === null ? [] : pausingHosts(result, facts.graph)
  return [...hosts, ...lossyLinks(result), ...crowds(run)]
}

/** Hosts that paused their switch, where nothing else says where pauses began. */
function pausingHosts(result: Result, { names, tiers, ports }: NetworkGraph): Finding[] {
  const table = tableOfKind(result, 'pause-intervals')
  if (table === undefined) return []
  const peerOf = new Map(ports.map(({ node, port, peerNode }) => [`${node}:${port}`, peerNode]))
  const [node, port] = [numbersOf(table, 'node'), numbersOf(table, 'port')]
  const [startPs, endPs] = [numbersOf(table, 'startPs'), numbersOf(table, 'endPs')]
  const byHost = new Map<number, { count: number; spanPs: number }>()
  node.forEach((at, row) => {
    const peer = peerOf.get(`${at}:${port[row]!}`)
    if (peer === undefined || tiers[peer] !== 0) return
    const known = byHost.get(peer) ?? { count: 0, spanPs: 0 }
    byHost.set(peer, { count: known.count + 1, spanPs: known.spanPs + endPs[row]! - startPs[row]! })
  })
  return [...byHost]
    .toSorted((a, b) => b[1].spanPs - a[1].spanPs || a[0] - b[0])
    .slice(0, NAMED_MAX)
    .map(([host, { count, spanPs }]) =>
      foundAt(runFindings.hostPaused, { device: names[host]! }, { times: count, pausedPs: spanPs }),
    )
}

/** Links on which packets were lost, where the run observed drops. */
function lossyLinks(result: Result): Finding[] {
  const table = tableOfKind(result, 'drops')
  if (table === undefined) return []
  const [to, from, reason] = [textsOf(table, 'nodeName'), textsOf(table, 'fromName'), textsOf(table, 'reason')]
  const [node, source] = [numbersOf(table, 'node'), dropSources(table)]
  const byLink = new Map<string, { device: string; port: string; reasons: Record<string, number>; packets: number }>()
  reason.forEach((why, row) => {
    if (source[row]! < 0 || !ON_LINKS.has(why)) return
    const [device, port] = [to[row]!, from[row]!]
    const key = `${source[row]!}:${node[row]!}`
    const link = byLink.get(key) ?? { device, port, reasons: {}, packets: 0 }
    byLink.set(key, link)
    link.reasons[why] = (link.reasons[why] ?? 0) + 1
    link.packets++
  })
  const links = [...byLink.values()].toSorted(
    (a, b) => b.packets - a.packets || (`${a.port} to ${a.device}` < `${b.port} to ${b.device}` ? -1 : 1),
  )
  const left = Math.max(0, links.length - NAMED_MAX)
  return links
    .slice(0, NAMED_MAX)
    .map(({ device, port, reasons }, i) =>
      foundAt(runFindings.linkLostPackets, { device, port }, { reasons, otherLinks: i === NAMED_MAX - 1 ? left : 0 }),
    )
}

/** Receivers with far more senders at a time than others, whose flows are slow. */
function crowds({ result, facts }: ReportedRun): Finding[] {
  const { slowdown } = completionsOf(result)
  const rowsOf = rowsByReceiver(result)
  return [...crowdsOf(result)]
    .map(([host, crowd]) => ({ host, crowd, meanSlowdown: meanOf(rowsOf.get(host)!.map((row) => slowdown[row]!)) }))
    .filter(({ meanSlowdown }) => !(meanSlowdown < SLOW))
    .toSorted((a, b) => b.crowd.senders - a.crowd.senders || a.host - b.host)
    .slice(0, NAMED_MAX)
    .map(({ host, crowd, meanSlowdown }) => {
      const device = facts?.graph.hostTitles[host] ?? hostName(host)
      const known = Number.isNaN(meanSlowdown) ? null : meanSlowdown
      return foundAt(causeFindings.incast, { device }, { ...crowd, meanSlowdown: known })
    })
}

function meanOf(values: readonly number[]): number {
  const known = values.filter((value) => Number.isFinite(value))
  return known.length === 0 ? NaN : known.reduce((sum, value) => sum + value, 0) / known.length
}
