/**
 * rdma statistic: counters of RDMA devices. Older releases print a line per port, newer ones a line per counter under it; -j
 * prints JSON. Source: rdma-statistic(8); iproute2, rdma/stat.c.
 */
import type { Dialect } from '../dialect.ts'
import { type Facts, rdmaName } from '../facts.ts'
import { jsonEntries, type Line, type Part } from '../text.ts'
import { countOf, driverOf, type NeutralCount, noteStats, type Stat, type Stats, vendorCounts } from './counts.ts'
import { RDMA_DRIVERS } from './names.ts'

const LINK = /^link (\S+)\/(\d+)(?:\s|$)(.*)/
/** Words after the name of the port where the counters are those of some queue pairs. */
const OF_PAIRS = /^\s*cntn\s/
const JSON_FORM = /^\s*\[\s*\{/
const JSON_MAX = 16_000_000

/** Notes counters of a port of an RDMA device. */
export function noteRdmaStats(facts: Facts, device: string, port: number, stats: Stats): void {
  const driver = driverOf(stats.keys(), RDMA_DRIVERS)
  if (driver !== undefined) noteStats(facts, `rdma:${rdmaName(device, port)}`, stats, driver.counters)
  else facts.remainder.push(...new Set([...stats.values()].map(({ line }) => line)))
}

export const rdmaStatistic: Dialect = {
  name: 'rdma-statistic',
  title: 'rdma statistic',
  command: 'rdma statistic',
  leavesOut: ['counters of queue pairs', 'counters of requests, completions and slow restarts'],
  recognises: ({ text }) =>
    /^link \S+\/\d+(?:[ \t]*$|[ \t]+cntn |[ \t]+(?!state )\S+[ \t]+\d)/m.test(text) ||
    (JSON_FORM.test(text) && ['"ifname"', '"port"'].every((key) => text.includes(key)) && !text.includes('"state"')),
  read(part, facts) {
    facts.kind = 'host'
    if (JSON_FORM.test(part.text)) readJson(part, facts)
    else readLines(part, facts)
  },
}

function readLines({ lines }: Part, facts: Facts): void {
  let link: { device: string; port: number; stats: Map<string, Stat> } | undefined
  let isOdd = false
  const finish = (): void => {
    if (link !== undefined) noteRdmaStats(facts, link.device, link.port, link.stats)
  }
  let last: Line | undefined
  for (const line of lines) {
    let text = line.text
    if (text.trim() === '') continue
    last = line
    const [, device, port, rest = ''] = LINK.exec(text) ?? []
    if (device !== undefined) {
      finish()
      const isOfPairs = OF_PAIRS.test(rest)
      link = isOfPairs ? undefined : { device, port: Number(port), stats: new Map() }
      text = rest
      isOdd = false
    }
    if (link === undefined) continue
    const words = text.trim().split(/\s+/)
    for (let i = 0; i + 1 < words.length; i += 2) {
      const value = countOf(words[i + 1]!)
      if (value !== undefined) link.stats.set(words[i]!, { value, line })
    }
    isOdd = text.trim() !== '' && words.length % 2 === 1
  }
  finish()
  if (isOdd && last !== undefined) facts.cut(last, 'a number after each name')
}

function readJson(part: Part, facts: Facts): void {
  const { entries, isWhole } = jsonEntries(part, JSON_MAX)
  if (!isWhole) return facts.cut(part.lines.at(-1)!, 'the end of the JSON')
  for (const { fields, lineOf } of entries) {
    const { ifname, port, cntn, ...rest } = fields
    if (typeof ifname !== 'string' || typeof port !== 'number' || cntn !== undefined) continue
    const stats = new Map<string, Stat>()
    for (const [name, value] of Object.entries(rest))
      if (typeof value === 'number' && Number.isFinite(value) && value >= 0)
        stats.set(name, { value, line: lineOf(name) })
    noteRdmaStats(facts, ifname, port, stats)
  }
}

/** Counters of an RDMA device as rdma statistic prints them. @param driver name of one of RDMA_DRIVERS */
export function rdmaStatisticText(driver: string, device: string, counts: Iterable<NeutralCount>): string {
  const { counters } = RDMA_DRIVERS.find(({ name }) => name === driver)!
  const shown = vendorCounts(counters, counts)
  return `link ${device}/1 \n${shown.map(({ name, value }) => `    ${name} ${value} \n`).join('')}`
}
