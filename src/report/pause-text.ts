/**
 * Pauses as text: who paused whom, in the order of the spread; how many servers were left; what watchdogs did. Each part is
 * there if the run observed it.
 */
import { findColumn, numbersOf, type Result, type Table } from '../results/index.ts'
import { longestOf, mostAtOnce, pauseTableOf, stagesOf } from './figure/pauses/pause-stages.ts'
import { allServers, stateTable } from './figure/pauses/server-states.ts'
import { watchdogActs } from './figure/pauses/watchdog-acts.ts'
import { exactCount, humanDuration } from './format.ts'
import { type TextOptions, textTable } from './text-table.ts'

/** Rows of the table of watchdogs; further ones are counted. */
const ACTS_MAX = 10

/** Tables, each ended by a line feed, with an empty line between them; empty if there is nothing to say. */
export function pauseText(result: Result, options: TextOptions = {}): string {
  return [stagesText(result, options), serversText(result, options), watchdogText(result, options)]
    .filter((part) => part !== '')
    .join('\n')
}

function stagesText(result: Result, options: TextOptions): string {
  const table = pauseTableOf(result)
  const stages = table === undefined ? [] : stagesOf(table)
  if (stages.length === 0) return ''
  const rows = stages.map(({ label, ports, firstPs }) => {
    const { label: port, fromPs, toPs } = longestOf(ports)
    const atEnd = ports.filter(({ spans }) => spans.some(([, endPs]) => endPs >= result.simulatedPs)).length
    const longest = `${humanDuration(toPs - fromPs)} from ${humanDuration(fromPs)}: ${port}`
    return [label, ...[ports.length, mostAtOnce(ports), atEnd].map(exactCount), humanDuration(firstPs), longest]
  })
  const counts = ['ports', 'at once', 'at the end', 'first at'].map((head) => ({ head, align: 'right' as const }))
  const text = textTable([{ head: 'pauses' }, ...counts, { head: 'longest pause' }], rows, options)
  const leftOut = leftOutOf(table)
  return leftOut === 0 ? text : `${text}${exactCount(leftOut)} later pauses were not recorded: see maxRows\n`
}

/** Servers that are available: at first, at the worst time, at the end. */
function serversText(result: Result, options: TextOptions): string {
  const table = stateTable(result)
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
  return textTable([{ head: '' }, { head: '' }], [['servers available', text]], options)
}

function watchdogText(result: Result, options: TextOptions): string {
  const acts = watchdogActs(result)
  if (acts.length === 0) return ''
  const rows = acts.slice(0, ACTS_MAX).map(({ timePs, who, did, detail }) => [who, humanDuration(timePs), did, detail])
  const columns = [
    { head: 'watchdog' },
    { head: 'at', align: 'right' as const },
    { head: 'did' },
    { head: 'dropped since' },
  ]
  const rest = acts.length - ACTS_MAX
  return `${textTable(columns, rows, options)}${rest > 0 ? `and ${exactCount(rest)} more: see series/watchdog.csv\n` : ''}`
}

function leftOutOf(table: Table | undefined): number {
  if (table === undefined || findColumn(table, 'leftOut') === undefined) return 0
  return numbersOf(table, 'leftOut').at(-1) ?? 0
}
