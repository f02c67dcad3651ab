/**
 * Pauses as text: who paused whom, in the order of the spread; how many servers were left; what watchdogs did. Each part is
 * there if the run observed it.
 */
import { findColumn, numbersOf, type Result, type Table, tableOfKind } from '../core/results/index.ts'
import { longestOf, mostAtOnce, stagesOf } from './pauses/pause-stages.ts'
import { allServers } from './pauses/server-states.ts'
import { GIVE_UP, watchdogActs } from './pauses/watchdog-acts.ts'
import { exactCount, humanDuration } from '../core/base/format.ts'
import { factsTable, right, type TextOptions, textTable } from './text-table.ts'

/** Rows of the table of watchdogs; further ones are counted. */
const NAMED_MAX = 10

/** Tables, each ended by a line feed, with an empty line between them; empty if there is nothing to say. */
export function pauseText(result: Result, options: TextOptions = {}): string {
  return [stagesText(result, options), serversText(result, options), watchdogText(result, options)]
    .filter((part) => part !== '')
    .join('\n')
}

function stagesText(result: Result, options: TextOptions): string {
  const table = tableOfKind(result, 'pause-intervals')
  const stages = table === undefined ? [] : stagesOf(table)
  if (stages.length === 0) return ''
  const rows = stages.map(({ label, ports, firstPs }) => {
    const { label: port, fromPs, toPs } = longestOf(ports)
    const atEnd = ports.filter(({ spans }) => spans.some(([, endPs]) => endPs >= result.simulatedPs)).length
    const longest = `${humanDuration(toPs - fromPs)} from ${humanDuration(fromPs)}: ${port}`
    return [label, ...[ports.length, mostAtOnce(ports), atEnd].map(exactCount), humanDuration(firstPs), longest]
  })
  const counts = ['ports', 'at once', 'at the end', 'first at'].map(right)
  const text = textTable(['pauses', ...counts, 'longest pause'], rows, options)
  const leftOut = leftOutOf(table)
  return leftOut === 0 ? text : `${text}${exactCount(leftOut)} later pauses were not recorded: see maxRows\n`
}

/** Servers that are available: at first, at the worst time, at the end. */
function serversText(result: Result, options: TextOptions): string {
  const table = tableOfKind(result, 'server-state')
  if (table === undefined) return ''
  const rows = allServers(table)
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined) return ''
  const [available, fromPs] = [numbersOf(table, 'available'), numbersOf(table, 'fromPs')]
  const worst = rows.reduce((least, row) => (available[row]! < available[least]! ? row : least), first)
  const text = [
    `${exactCount(available[first]!)} at first`,
    `fewest ${exactCount(available[worst]!)} at ${humanDuration(fromPs[worst]!)}`,
    `${exactCount(available[last]!)} at the end`,
  ].join(', ')
  return factsTable([['servers available', text]], options)
}

/** A row for each class of a port, and for each NIC, in the order in which their first storms were found. */
function watchdogText(result: Result, options: TextOptions): string {
  const acts = watchdogActs(result)
  if (acts.length === 0) return ''
  const all = [...new Set(acts.map(({ who }) => who))]
  const rows = all.slice(0, NAMED_MAX).map((who) => {
    const own = acts.filter((act) => act.who === who)
    const storms = own.filter(({ event }) => event === 'storm' || event === GIVE_UP)
    const ends = own.filter(({ event }) => event === 'restore' || event === 'stop')
    const last = ends.at(-1)
    const isForGood = own.some(({ event }) => event === GIVE_UP)
    const isOver = last !== undefined && last.timePs >= (storms.at(-1)?.timePs ?? 0)
    const [toIt, fromIt] = [own.reduce((n, act) => n + act.toIt, 0), own.reduce((n, act) => n + act.fromIt, 0)]
    const dropped = isForGood ? `${exactCount(toIt)} to it` : `${exactCount(toIt)} to it, ${exactCount(fromIt)} from it`
    return [
      who,
      exactCount(storms.length),
      humanDuration(storms[0]?.timePs ?? NaN),
      isForGood ? 'never' : isOver ? humanDuration(last.timePs) : 'not at the end',
      isForGood || ends.length > 0 ? dropped : '-',
    ]
  })
  const columns = ['storms', 'first found at', 'restored at'].map(right)
  const text = textTable(['watchdog', ...columns, 'dropped until then'], rows, options)
  const rest = all.length - NAMED_MAX
  return rest > 0 ? `${text}and ${exactCount(rest)} more: see series/watchdog.csv\n` : text
}

function leftOutOf(table: Table | undefined): number {
  if (table === undefined || findColumn(table, 'leftOut') === undefined) return 0
  return numbersOf(table, 'leftOut').at(-1) ?? 0
}
