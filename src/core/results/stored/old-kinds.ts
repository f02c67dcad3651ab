/**
 * Facts that results of earlier versions lack: kinds of tables, by their columns, whether pauses began at a host, by its
 * name, and where lost packets came from. Nothing else guesses.
 */
import { type Column, findColumn, numbersOf, type Table, textsOf } from '../table.ts'
import type { TableKind } from '../table-kinds.ts'

/** Columns that make a table one of this kind; of several the first. */
const COLUMNS: readonly (readonly [kind: TableKind, columns: string])[] = [
  ['pause-intervals', 'startPs endPs isOpen tier peerTier peerNode peerName node nodeName port trafficClass'],
  ['pause-intervals/without-peers', 'startPs endPs isOpen tier leftOut'],
  ['pause-log', 'timePs node nodeType port type'],
  ['pause-tree', 'timePs parent depth rootKind rootName rootNode peerNode peerName node nodeName tier sincePs'],
  ['deadlock', 'onsetPs circle'],
  ['autopsy/hops', 'hop queuePs pausedBy before1'],
  ['nic-receive', 'nodeName watchdogPs drops'],
  ['watchdog', 'timePs event rule txDropped rxDropped'],
  ['drops', 'timePs nodeName reason direction fromName'],
  ['drops/without-links', 'timePs nodeName reason direction'],
  ['link-use', 'fromPs toPs node port useRatio'],
  ['queue-depth', 'timePs node nodeName port trafficClass queueBytes'],
  ['server-state', 'fromPs toPs host available working idle waiting paused'],
  ['rates', 'timePs pair rateBps'],
  ['pair-goodput', 'fromPs toPs pair goodputBps'],
  ['goodput', 'fromPs toPs host goodputBps'],
  ['watermarks', 'part peakBytes'],
  ['capture', 'psn encodedBytes'],
]

/** The kind of a table with these columns; '' where none has them. */
export function oldKind(columns: readonly Pick<Column, 'name'>[]): TableKind | '' {
  const names = new Set(columns.map(({ name }) => name))
  return COLUMNS.find(([, needed]) => needed.split(' ').every((name) => names.has(name)))?.[0] ?? ''
}

/** By flow: "host" or "switch" where its longest pauses began, else "". The table has the columns of `autopsy`. */
export function originKinds(flows: Table): readonly string[] {
  if (findColumn(flows, 'pausedByKind') !== undefined) return textsOf(flows, 'pausedByKind')
  return textsOf(flows, 'pausedBy').map((name) => (name === '' ? '' : name.startsWith('host ') ? 'host' : 'switch'))
}

/** By row of `drops`: a number for each device that packets came from, -1 where they came from none. */
export function dropSources(table: Table): ArrayLike<number> {
  if (findColumn(table, 'fromNode') !== undefined) return numbersOf(table, 'fromNode')
  const numbers = new Map([['', -1]])
  return textsOf(table, 'fromName').map((name) => {
    const number = numbers.get(name) ?? numbers.size
    numbers.set(name, number)
    return number
  })
}
