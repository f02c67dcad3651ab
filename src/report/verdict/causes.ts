/**
 * Causes: devices, links and crowds of senders that a run names as the reason of its delays, each in a sentence. What an
 * autopsy found goes first; the rest comes from observers of pauses and drops, and from the flows themselves.
 */
import { hostName } from '../../base/device-names.ts'
import {
  completionsOf,
  dropSources,
  numbersOf,
  numbersOnce,
  type Result,
  tableOfKind,
  textsOf,
} from '../../results/index.ts'
import { explain, isExplained } from '../explain/explanation.ts'
import { exactCount, humanDuration, humanNumber } from '../format.ts'
import { counted } from '../phrases.ts'
import type { NetworkGraph, ReportedRun } from '../reported-run.ts'

/** A sentence, with the part of a report that shows it. */
export interface Cause {
  readonly text: string
  readonly section: 'drops' | 'pauses' | 'flows'
}

/** Causes of a kind that are named. */
const NAMED_MAX = 3
/** Fewer senders to one host are no crowd. */
const CROWD = 4
/** Flows of a crowd that take less than this many times their ideal are no trouble. */
const SLOW = 2
/** Losses on the way between two devices. */
const ON_LINKS: ReadonlySet<string> = new Set(['link loss', 'FCS error', 'link down'])

export function causesOf(run: ReportedRun): Cause[] {
  return [...pauseOrigins(run), ...lossyLinks(run.result), ...crowds(run)]
}

/** Where pauses began. */
function pauseOrigins(run: ReportedRun): Cause[] {
  const { result, facts } = run
  if (!isExplained(result)) return facts === null ? [] : pausingHosts(result, facts.graph)
  const { origins } = explain(result)
  return origins.slice(0, NAMED_MAX).map(({ name, kind, flows, pausedPs }) => ({
    text: `Pauses of PFC that held ${counted(flows, 'flow')} for ${humanDuration(pausedPs)} in sum began at ${name}${WHY[kind]}.`,
    section: 'pauses',
  }))
}

const WHY = {
  host: ', which takes less than its link brings',
  switch: ', which has more to send than its link takes',
} as const

/** Hosts that paused their switch, where nothing else says where pauses began. */
function pausingHosts(result: Result, { names, tiers, ports }: NetworkGraph): Cause[] {
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
    .map(([host, { count, spanPs }]) => ({
      text: `${names[host]!} paused its switch ${count === 1 ? 'once' : `${exactCount(count)} times`}, for ${humanDuration(spanPs)} in sum: it takes less than its link brings.`,
      section: 'pauses',
    }))
}

/** Links on which packets were lost, where the run observed drops. */
function lossyLinks(result: Result): Cause[] {
  const table = tableOfKind(result, 'drops')
  if (table === undefined) return []
  const [to, from, reason] = [textsOf(table, 'nodeName'), textsOf(table, 'fromName'), textsOf(table, 'reason')]
  const [node, source] = [numbersOf(table, 'node'), dropSources(table)]
  const byLink = new Map<string, { readonly row: number; readonly counts: Map<string, number> }>()
  reason.forEach((why, row) => {
    if (source[row]! < 0 || !ON_LINKS.has(why)) return
    const link = `${source[row]!}:${node[row]!}`
    const known = byLink.get(link) ?? { row, counts: new Map<string, number>() }
    known.counts.set(why, (known.counts.get(why) ?? 0) + 1)
    byLink.set(link, known)
  })
  const sumOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, n) => sum + n, 0)
  const links = [...byLink.values()]
    .map(({ row, counts }) => [`${from[row]!} to ${to[row]!}`, counts] as const)
    .toSorted((a, b) => sumOf(b[1]) - sumOf(a[1]) || (a[0] < b[0] ? -1 : 1))
  const left = links.length - NAMED_MAX
  return links.slice(0, NAMED_MAX).map(([link, counts], i) => {
    const whys = [...counts].map(([why, n]) => `${why} ${exactCount(n)}`).join(', ')
    const more = i === NAMED_MAX - 1 && left > 0 ? ` ${counted(left, 'other link')} lost packets, too.` : ''
    return { text: `The link from ${link} lost ${counted(sumOf(counts), 'packet')}: ${whys}.${more}`, section: 'drops' }
  })
}

/** Receivers with far more senders at a time than others, whose flows are slow. */
function crowds({ result, facts }: ReportedRun): Cause[] {
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
    .map((one) => {
      const port = portTo(one.host, facts?.graph)
      const slow = Number.isNaN(one.slowdown)
        ? ''
        : `; its flows took ${humanNumber(one.slowdown, 3)} times their ideal on average`
      return {
        text: `Incast: up to ${exactCount(one.senders)} hosts sent to ${facts?.graph.hostTitles[one.host] ?? hostName(one.host)} at a time${port}${slow}.`,
        section: 'flows',
      }
    })

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

function portTo(host: number, graph: NetworkGraph | undefined): string {
  const nodes = graph?.hostNodes[host] ?? []
  const [port, second] = graph?.ports.filter(({ peerNode }) => nodes.includes(peerNode)) ?? []
  if (graph === undefined || port === undefined || second !== undefined) return ''
  return ` through ${graph.names[port.node]!} port ${port.port}`
}

function meanOf(values: readonly number[]): number {
  const known = values.filter((value) => Number.isFinite(value))
  return known.length === 0 ? NaN : known.reduce((sum, value) => sum + value, 0) / known.length
}
