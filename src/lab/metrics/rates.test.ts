/**
 * Rates: replies that reach senders, on a star of four hosts, three of them sending to host 3.
 */
import { expect, test } from 'vitest'
import { run } from '../index.ts'
import { numbersOf, type Result, type Table, toObjects } from '../../core/results/index.ts'
import { parseScenario } from '../scenario/index.ts'

const SENDERS = 3

interface Setting {
  readonly congestion?: string
  readonly senders?: number
  readonly size?: string
  readonly observe: readonly string[]
  readonly echo?: 'cnp' | 'ack'
  /** ", operation: write, workRequests: true" */
  readonly operation?: string
}

/** Messages the other way, after whose last the incast has long been over. */
const LATER = ', {kind: closed-loop, pairs: ["3 0"], messageSize: 1KB, messages: 100}'

function runStar(setting: Setting): Result {
  const { congestion = 'dcqcn', senders = SENDERS, size = '400KB', echo = 'cnp', operation = '', observe } = setting
  return run(
    parseScenario(`
name: star
topology: {kind: star, hosts: 4, linkRate: 100Gbps, linkDelay: 1us}
congestion: ${congestion}
workload: [{kind: incast, senders: ${senders}, receiver: 3, sizeEach: ${size}${operation}}${LATER}]
qp: {ecnEcho: ${echo}}
observe: [${observe.join(', ')}]
`),
  )
}

function tableOf(result: Result, name = 'rates'): Table {
  return result.series.find((table) => table.name === name)!
}

/** Each queue pair's last row of a column, which it has after its end where pairs are named. */
function lastOf(table: Table, column: string): number[] {
  const last = new Map<number, number>()
  const pairs = numbersOf(table, 'pair')
  numbersOf(table, column).forEach((value, row) => void last.set(pairs[row]!, value))
  return [...last.values()]
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0)
const CHOSEN = '{kind: rates, pairs: "*>3", interval: 2us}'

test('CNPs count from the beginning, and all that receivers sent arrive', () => {
  const result = runStar({ observe: [CHOSEN] })
  const table = tableOf(result)
  const first = toObjects(table).filter((row) => row['pair'] === 0)
  const counts = first.map((row) => Number(row['cnps']))
  expect(counts[0]).toBe(0)
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  expect(result.counters.cnps).toBeGreaterThan(SENDERS)
  expect(sum(lastOf(table, 'cnps'))).toBe(result.counters.cnps)
  expect(sum(lastOf(table, 'markedAcks'))).toBe(0)
})

test('marks that ACKs echo are those that switches made, where each packet has its ACK', () => {
  const result = runStar({ congestion: 'dctcp', echo: 'ack', observe: [CHOSEN] })
  const table = tableOf(result)
  expect(result.counters.ecnMarks).toBeGreaterThan(SENDERS)
  expect(sum(lastOf(table, 'markedAcks'))).toBe(result.counters.ecnMarks)
  expect(sum(lastOf(table, 'acks'))).toBe(SENDERS * Math.ceil(400_000 / 1024))
  expect(sum(lastOf(table, 'cnps'))).toBe(0)
})

test('the round trip of a packet is its time to the receiver and that of its ACK back', () => {
  const alone = runStar({ senders: 1, size: '1KiB', observe: [] })
  const [endPs] = numbersOf(alone.flows, 'acknowledgedPs')
  const { flows, series } = runStar({
    senders: 1,
    size: '1MiB',
    observe: ['{kind: rates, pairs: "*>3", interval: 20ns}'],
  })
  const rttPs = numbersOf(series[0]!, 'rttPs')
  expect(rttPs[0]).toBeNaN()
  const first = rttPs.find((value) => !Number.isNaN(value))
  expect(first).toBe(endPs! - numbersOf(flows, 'startPs')[0]!)
})

test('round trips grow with the queue', () => {
  const rttPs = numbersOf(tableOf(runStar({ congestion: 'none', observe: [CHOSEN] })), 'rttPs')
  const known = [...rttPs].filter((value) => !Number.isNaN(value))
  expect(Math.max(...known)).toBeGreaterThan(5 * Math.min(...known))
})

test('an autopsy beside it, before or after, has the rows that it has alone, and so have the rates', () => {
  const alone = runStar({ observe: [CHOSEN] })
  const autopsy = runStar({ observe: ['{kind: autopsy, acks: true}'] })
  for (const observe of [
    ['{kind: autopsy, acks: true}', CHOSEN],
    [CHOSEN, '{kind: autopsy, acks: true}'],
  ]) {
    const both = runStar({ observe })
    expect(tableOf(both)).toEqual(tableOf(alone))
    expect(tableOf(both, 'autopsy')).toEqual(tableOf(autopsy, 'autopsy'))
    expect(both.flows).toEqual(autopsy.flows)
    expect(both.digest).toBe(alone.digest)
  }
})

test('work requests have round trips and marks too', () => {
  const operation = ', operation: write, workRequests: true'
  const result = runStar({ congestion: 'dctcp', echo: 'ack', operation, observe: [CHOSEN] })
  const table = tableOf(result)
  expect(lastOf(table, 'rttPs').filter((value) => value > 0)).toHaveLength(SENDERS)
  expect(sum(lastOf(table, 'markedAcks'))).toBe(result.counters.ecnMarks)
})
