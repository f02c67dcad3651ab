/**
 * ethtool -S IF: counters of a port. Its driver shows by the names, for the text does not say it.
 * Source: ethtool(8); names.ts.
 */
import type { Dialect } from '../dialect.ts'
import { countOf, driverOf, type NeutralCount, noteStats, type Stat, vendorCounts } from './counts.ts'
import { PORT_DRIVERS } from './names.ts'

const HEADER = 'NIC statistics:'
const COMMAND = /^(?:sudo )?ethtool (?:-S|--statistics)\s+(\S+)/

export const ethtoolStatistics: Dialect = {
  name: 'ethtool-S',
  title: 'ethtool -S IF',
  command: 'ethtool -S IF',
  start: { line: /^NIC statistics:\s*$/, namesPort: false },
  leavesOut: [
    'drivers other than mlx5, bnxt_en, ionic, ice, i40e and that of Cumulus Linux, but for CRC errors and pauses',
    'counters by queue',
    'corrected bits',
    'counters that another one contains',
  ],
  recognises: ({ text, command }) => /^NIC statistics:\s*$/m.test(text) || COMMAND.test(command),
  read({ lines, command, endsInLine }, facts) {
    const port = COMMAND.exec(command)?.[1] ?? ''
    facts.port(port)
    const stats = new Map<string, Stat>()
    const last = lines.findLast((line) => line.text.trim() !== '')!
    let header: (typeof lines)[number] | undefined
    for (const line of lines) {
      const text = line.text.trim()
      if (text === HEADER) header = line
      const colon = text.lastIndexOf(':')
      const value = countOf(text.slice(colon + 1).trim())
      if (colon > 0 && value !== undefined) {
        // Digits may be missing from the last number of a file.
        if (line !== last || endsInLine !== true) stats.set(text.slice(0, colon), { value, line })
      } else if (line === last && text !== HEADER) facts.truncated = { line, expected: 'a number' }
    }
    if (endsInLine === true || last === header) facts.truncated ??= { line: last, expected: 'an end of the line' }
    const driver = driverOf(stats.keys(), PORT_DRIVERS)
    facts.kind = driver?.devices ?? 'host'
    if (driver === undefined || driver.isAny === true) {
      const known = new Set(driver?.counters.flatMap(({ vendor }) => vendor))
      for (const [name, { line }] of stats) if (!known.has(name)) facts.remainder.push(line)
    }
    if (driver === undefined) return
    const { end } = driver
    // A selection of lines, without the header, has no end.
    if (end !== undefined && header !== undefined && ![...stats.keys()].some((name) => end.sign.test(name)))
      facts.truncated ??= { line: last, expected: end.name }
    noteStats(facts, port, stats, driver.counters)
  },
}

/** Counters of a port as ethtool -S of a driver prints them. @param driver name of one of PORT_DRIVERS */
export function ethtoolStatisticsText(driver: string, counts: Iterable<NeutralCount>): string {
  const { counters, end } = PORT_DRIVERS.find(({ name }) => name === driver)!
  const shown = vendorCounts(counters, counts)
  if (end !== undefined) shown.push({ name: end.name, value: 0 })
  return `${HEADER}\n${shown.map(({ name, value }) => `     ${name}: ${value}\n`).join('')}`
}
