/**
 * What watchdogs did, from the observers `watchdog` (those of switches) and `nic-receive` (those of NICs).
 */
import { numbersOf, type Result, type Table, tableOfKind, textsOf } from '../../core/results/index.ts'

export interface WatchdogAct {
  readonly timePs: number
  /** "tor 0.0 port 1, class 3", or "NIC of host 0". */
  readonly who: string
  /** "storm", "restore" or "stop" (the watchdog was turned off) of a switch; "give up" of a NIC, which is for good. */
  readonly event: string
  /** Packets to and from the port or NIC that were discarded since its storm; 0 at the storm itself. */
  readonly toIt: number
  readonly fromIt: number
}

export const GIVE_UP = 'give up'

/** In the order of time. */
export function watchdogActs(result: Result): WatchdogAct[] {
  const ofSwitches = tableOfKind(result, 'watchdog')
  const ofNics = tableOfKind(result, 'nic-receive')
  const acts = [
    ...(ofSwitches === undefined ? [] : switchActs(ofSwitches)),
    ...(ofNics === undefined ? [] : nicActs(ofNics)),
  ]
  return acts.sort((a, b) => a.timePs - b.timePs)
}

function switchActs(table: Table): WatchdogAct[] {
  const [port, trafficClass] = [numbersOf(table, 'port'), numbersOf(table, 'trafficClass')]
  const [toIt, fromIt] = [numbersOf(table, 'txDropped'), numbersOf(table, 'rxDropped')]
  const [names, events] = [textsOf(table, 'nodeName'), textsOf(table, 'event')]
  return Array.from(numbersOf(table, 'timePs'), (timePs, row) => ({
    timePs,
    who: `${names[row]!} port ${port[row]!}, class ${trafficClass[row]!}`,
    event: events[row]!,
    toIt: toIt[row]!,
    fromIt: fromIt[row]!,
  }))
}

function nicActs(table: Table): WatchdogAct[] {
  const [gaveUpPs, drops] = [numbersOf(table, 'watchdogPs'), numbersOf(table, 'drops')]
  const names = textsOf(table, 'nodeName')
  return [...gaveUpPs.keys()]
    .filter((row) => gaveUpPs[row]! >= 0)
    .map((row) => {
      return { timePs: gaveUpPs[row]!, who: `NIC of ${names[row]!}`, event: GIVE_UP, toIt: drops[row]!, fromIt: 0 }
    })
}
