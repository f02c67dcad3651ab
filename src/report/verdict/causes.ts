/**
 * Causes: devices, links and crowds of senders that a run names as the reason of its delays. What an
 * autopsy found goes first; the rest comes from observers of pauses and drops, and from the flows themselves.
 */
import { hostName } from '../../base/device-names.ts'
import { type Finding, foundAt, runFindings } from '../../findings/index.ts'
import {
  completionsOf,
  dropSources,
  isExplained,
  numbersOf,
  numbersOnce,
  type Result,
  tableOfKind,
  textsOf,
} from '../../results/index.ts'
import { slowCauses } from '../explain/causes.ts'
import type { NetworkGraph, ReportedRun } from '../reported-run.ts'

/** Causes of a kind that are named. */
const NAMED_MAX = 3
/** Fewer senders to one host are no crowd. */
const CROWD = 4
/** An incast whose flows take less than this many times their ideal time is not reported. */
const SLOW = 2
/** Losses on the way between two devices. */
const ON_LINKS: ReadonlySet<string> = new Set(['link loss', 'FCS error', 'link down'])

/** Causes of slow flows from an autopsy; without one, what observers of pauses and drops and the flows themselves show. */
export function causesOf(run: ReportedRun): Finding[] {
  const { result, facts } = run
  if (isExplained(result)) return slowCauses(result, facts)
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
  const { flows } = result
  const [source, destination] = [numbersOnce(flows, 'source'), numbersOnce(flows, 'destination')]
  const startPs = numbersOf(flows, 'startPs')
  const { completionPs, slowdown } = completionsOf(result)
  const byHost = new Map<number, number[]>()
  destination.forEach((host, row) => {
    const rows = byHost.get(host)
    if (rows === undefined) byHost.set(host, [row])
    else rows.push(row)
  })
  const found = [...byHost].map(([host, rows]) => ({ host, rows, senders: mostSenders(rows) }))
  const hosts = facts?.graph.hostNodes.length ?? found.length
  const usual = found.map(({ senders }) => senders).toSorted((a, b) => b - a)[Math.floor(hosts / 2)] ?? 0
  return found
    .filter(({ senders }) => senders >= CROWD && senders >= 2 * usual)
    .map((one) => ({ ...one, slowdown: meanOf(one.rows.map((row) => slowdown[row]!)) }))
    .filter((one) => !(one.slowdown < SLOW))
    .toSorted((a, b) => b.senders - a.senders || a.host - b.host)
    .slice(0, NAMED_MAX)
    .map(({ host, senders, slowdown: meanSlowdown }) =>
      foundAt(
        runFindings.incast,
        { device: facts?.graph.hostTitles[host] ?? hostName(host) },
        {
          senders,
          through: portTo(host, facts?.graph),
          meanSlowdown: Number.isNaN(meanSlowdown) ? null : meanSlowdown,
        },
      ),
    )

  /** Most sources with a flow under way at one instant. */
  function mostSenders(rows: readonly number[]): number {
    const timesPs = new Float64Array(2 * rows.length)
    rows.forEach((row, i) => {
      timesPs[2 * i] = startPs[row]!
      timesPs[2 * i + 1] = startPs[row]! + (Number.isNaN(completionPs[row]) ? Infinity : completionPs[row]!)
    })
    // Ends have odd numbers, and go before starts at the same time.
    const events = Array.from(timesPs, (_, event) => event)
    events.sort((a, b) => timesPs[a]! - timesPs[b]! || (b % 2) - (a % 2))
    const open = new Map<number, number>()
    let most = 0
    for (const event of events) {
      const host = source[rows[event >> 1]!]!
      const count = (open.get(host) ?? 0) + (event % 2 === 0 ? 1 : -1)
      if (count === 0) open.delete(host)
      else open.set(host, count)
      most = Math.max(most, open.size)
    }
    return most
  }
}

/** The one port of a switch that leads to a host; null: there are several. */
function portTo(
  host: number,
  graph: NetworkGraph | undefined,
): { readonly node: string; readonly port: number } | null {
  const nodes = graph?.hostNodes[host] ?? []
  const [port, second] = graph?.ports.filter(({ peerNode }) => nodes.includes(peerNode)) ?? []
  if (graph === undefined || port === undefined || second !== undefined) return null
  return { node: graph.names[port.node]!, port: port.port }
}

function meanOf(values: readonly number[]): number {
  const known = values.filter((value) => Number.isFinite(value))
  return known.length === 0 ? NaN : known.reduce((sum, value) => sum + value, 0) / known.length
}
