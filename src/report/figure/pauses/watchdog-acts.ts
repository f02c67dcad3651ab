/**
 * What watchdogs did, from the observers `watchdog` (those of switches) and `nic-receive` (those of NICs).
 */
import { findColumn, numbersOf, type Result, type Table, textsOf } from '../../../results/index.ts'
import { exactCount } from '../../format.ts'

export interface WatchdogAct {
  readonly timePs: number
  /** "tor 0.0 port 1, class 3", or "NIC of host 0". */
  readonly who: string
  /** "storm found", "restored". */
  readonly did: string
  /** Packets that were discarded since: "29,639 to it, 23,353 from it"; empty if not known yet. */
  readonly detail: string
}

const SWITCH_WORDS: Readonly<Record<string, string>> = { storm: 'storm found', restore: 'restored', stop: 'turned off' }

/** In the order of time. */
export function watchdogActs(result: Result): WatchdogAct[] {
  const [ofSwitches, ofNics] = [
    tableWith(result, ['timePs', 'event', 'rule', 'txDropped', 'rxDropped']),
    tableWith(result, ['host', 'watchdogPs', 'drops']),
  ]
  return [
    ...(ofSwitches === undefined ? [] : switchActs(ofSwitches)),
    ...(ofNics === undefined ? [] : nicActs(ofNics)),
  ].sort((a, b) => a.timePs - b.timePs)
}

function switchActs(table: Table): WatchdogAct[] {
  const [timePs, port, trafficClass] = [
    numbersOf(table, 'timePs'),
    numbersOf(table, 'port'),
    numbersOf(table, 'trafficClass'),
  ]
  const [toIt, fromIt] = [numbersOf(table, 'txDropped'), numbersOf(table, 'rxDropped')]
  const [names, events] = [textsOf(table, 'nodeName'), textsOf(table, 'event')]
  return Array.from(timePs, (atPs, row) => {
    const event = events[row]!
    const dropped = `${exactCount(toIt[row]!)} to it, ${exactCount(fromIt[row]!)} from it`
    return {
      timePs: atPs,
      who: `${names[row]!} port ${port[row]!}, class ${trafficClass[row]!}`,
      did: SWITCH_WORDS[event] ?? event,
      detail: event === 'storm' ? '' : dropped,
    }
  })
}

function nicActs(table: Table): WatchdogAct[] {
  const [gaveUpPs, drops] = [numbersOf(table, 'watchdogPs'), numbersOf(table, 'drops')]
  const names = textsOf(table, 'nodeName')
  return [...gaveUpPs.keys()]
    .filter((row) => gaveUpPs[row]! >= 0)
    .map((row) => ({
      timePs: gaveUpPs[row]!,
      who: `NIC of ${names[row]!}`,
      did: 'pauses off for good',
      detail: `${exactCount(drops[row]!)} to it`,
    }))
}

function tableWith({ series }: Result, columns: readonly string[]): Table | undefined {
  return series.find((table) => columns.every((name) => findColumn(table, name) !== undefined))
}
