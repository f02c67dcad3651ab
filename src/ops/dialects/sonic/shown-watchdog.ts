/**
 * pfcwd show stats, pfcwd show config: storms of the PFC watchdog by queue, and its settings by port.
 * Source: sonic-utilities, pfcwd/main.py.
 */
import { CLASS_COUNT, type ClassConfig } from '../../model/index.ts'
import type { Facts, Recorder } from '../facts.ts'
import type { Line } from '../text.ts'
import { countIn } from '../words.ts'
import type { ShownTable } from './columns.ts'
import { COUNTER_BITS } from './counter-names.ts'
import { SOME_RULE } from './device.ts'

const PS_PER_MS = 1e9

/** State of the watchdog at a queue; only queues that are watched have one. */
export function putWatched(into: Recorder<ClassConfig>, state: string, line: Line): void {
  if (!/^(?:operational|stormed)$/.test(state)) return
  into.put('isWatched', true, line, 'operational')
  into.put('isStormed', state === 'stormed', line, 'operational')
}

/** Rows of queues that are "Ethernet4:3"; their column of storms is "DETECTED/RESTORED". */
export function readWatchdogTable(facts: Facts, { headers, rows }: ShownTable): void {
  const storms = headers.findIndex((header) => header.startsWith('STORM DETECTED'))
  for (const { line, cells } of rows) {
    const [, port, queue] = /^([^:]+):(\d+)$/.exec(cells[0]!) ?? []
    const [detected = '', restored = ''] = (cells[storms] ?? '').split('/')
    const priority = Number(queue)
    if (port === undefined || !(priority < CLASS_COUNT)) continue
    putWatched(facts.port(port).class(priority), cells[1]!, line)
    for (const [name, text] of [
      ['wdStorms', detected],
      ['wdRestores', restored],
    ] as const) {
      const value = countIn(text)
      if (value !== undefined) facts.counts.push({ port, priority, name, value, bits: COUNTER_BITS, line })
    }
  }
}

/** Settings that all ports have are the switch's; others belong to each port. */
export function readWatchdogSettings(facts: Facts, { headers, rows }: ShownTable): void {
  const [first] = rows
  if (first === undefined) return
  facts.watchdog.put('kind', SOME_RULE, first.line, 'operational')
  for (const [header, field] of [
    ['ACTION', 'action'],
    ['DETECTION TIME', 'detectionPs'],
    ['RESTORATION TIME', 'restorationPs'],
  ] as const) {
    const column = headers.indexOf(header)
    const texts = rows.map(({ cells }) => cells[column] ?? '')
    if (texts.some((text) => text !== texts[0])) {
      facts.watchdog.forget(field)
      const name = `PFC_WD.${header.toLowerCase().replace(' ', '_')}`
      for (const { line, cells } of rows) facts.port(cells[0]!).other(name, cells[column] ?? '', line)
      continue
    }
    const ms = countIn(texts[0]!)
    if (field === 'action') facts.watchdog.put(field, texts[0]!, first.line, 'operational')
    else if (ms !== undefined) facts.watchdog.put(field, ms * PS_PER_MS, first.line, 'operational')
    else if (field === 'restorationPs' && texts[0] === 'infinite')
      facts.watchdog.put(field, 'never', first.line, 'operational')
  }
}

/** Lines above the tables. @returns whether the line is one of them */
export function isWatchdogLine(facts: Facts, line: Line): boolean {
  const [, poll] = /^Changed polling interval to (\d+)ms/.exec(line.text) ?? []
  const [, state] = /^BIG_RED_SWITCH status is (\w+)/.exec(line.text) ?? []
  if (poll !== undefined) facts.watchdog.put('pollPs', Number(poll) * PS_PER_MS, line, 'operational')
  if (state === 'enable') facts.watchdog.put('kind', 'off', line, 'operational')
  return poll !== undefined || state !== undefined
}
