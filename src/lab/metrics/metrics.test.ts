/**
 * Observers on real networks: a star of four hosts (nodes 0 to 3) on one switch (node 4), three of them sending to
 * host 3 through a buffer that has to pause them.
 */
import { describe, expect, test } from 'vitest'
import { InputError } from '../../core/base/issue.ts'
import { run } from '../index.ts'
import { findColumn, numbersOf, textsOf, toObjects, type Result, type Table } from '../../core/results/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { metrics } from './index.ts'

const SWITCH = 4
const RECEIVER = 3
const MESSAGE_BYTES = 400_000

interface Setting {
  readonly observe?: readonly string[]
  readonly recovery?: string
  readonly congestion?: string
  readonly pfc?: string
  readonly buffer?: string
  readonly measure?: string
  readonly repetitions?: number
  readonly faults?: string
}

function runStar(setting: Setting): Result {
  const observers = (setting.observe ?? []).map((values) => `\n  - {${values}}`).join('')
  return run(
    parseScenario(`
name: star
topology: {kind: star, hosts: 4, linkRate: 100Gbps, linkDelay: 1us}
switch: {buffer: {kind: shared-buffer, size: ${setting.buffer ?? '400KB'}}}
pfc: {${setting.pfc ?? ''}}
recovery: {kind: ${setting.recovery ?? 'go-back-n'}}
congestion: {${setting.congestion ?? 'kind: dcqcn'}}
workload:
  - {kind: incast, senders: 3, receiver: ${RECEIVER}, sizeEach: 400KB, repetitions: ${setting.repetitions ?? 1}}
measure: {${setting.measure ?? ''}}
${setting.faults ?? ''}
observe: ${observers === '' ? '[]' : observers}
`),
  )
}

const ALL = [
  'queue-depth',
  'pause-intervals',
  'pause-log',
  'pause-tree',
  'deadlock',
  'counters',
  'server-state',
  'drops',
  'goodput',
  'pair-goodput',
  'rates',
  'link-use',
  'nic-receive',
  'watchdog',
  'watermarks',
  'autopsy',
  'capture',
] as const

function series(result: Result, name: string): Table {
  const table = result.series.find((one) => one.name === name)
  if (table === undefined) throw new Error(`no table ${name}`)
  return table
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0)
const issuesOf = (setting: Setting): string => {
  try {
    runStar(setting)
  } catch (error) {
    if (error instanceof InputError) return error.message
    throw error
  }
  return 'no error'
}

test('every metric is listed under its name and has help', () => {
  expect(metrics.map((metric) => metric.name)).toEqual(ALL)
  for (const metric of metrics) expect(metric.help).not.toBe('')
})

test('a run with every observer is the run without any', () => {
  const plain = runStar({})
  const watched = runStar({ observe: ALL.map((kind) => `kind: ${kind}`) })
  expect(watched.digest).toBe(plain.digest)
  expect(watched.simulatedPs).toBe(plain.simulatedPs)
  // An observer may add columns at the end.
  const columns = watched.flows.columns.slice(0, plain.flows.columns.length)
  expect({ ...watched.flows, columns }).toEqual(plain.flows)
  // Samples are events of their own; nothing else may differ.
  expect({ ...watched.counters, events: 0 }).toEqual({ ...plain.counters, events: 0 })
  const further: Record<string, string[]> = {
    counters: ['counters-edges'],
    autopsy: ['autopsy-origins', 'autopsy-ports'],
  }
  expect(watched.series.map((table) => table.name)).toEqual(ALL.flatMap((name) => [name, ...(further[name] ?? [])]))
  expect(plain.counters.pauseFrames).toBeGreaterThan(0)
})

test('the same scenario records the same tables', () => {
  const setting = { observe: ALL.map((kind) => `kind: ${kind}, maxRows: 20`) }
  expect(runStar(setting).series).toEqual(runStar(setting).series)
})

describe('queue-depth', () => {
  test('the busiest port is the one to the receiver, and its queue empties in the end', () => {
    const table = series(runStar({ observe: ['kind: queue-depth, interval: 5us'] }), 'queue-depth')
    const rows = toObjects(table)
    const deepest = rows.reduce((a, b) => (b['queueBytes']! > a['queueBytes']! ? b : a))
    expect(deepest).toMatchObject({ node: SWITCH, nodeName: 'switch', port: RECEIVER + 1, trafficClass: -1 })
    expect(deepest['queueBytes']).toBeGreaterThan(50_000)
    expect(deepest['queueBytes']).toBeLessThan(400_000)
    expect(rows[0]).toMatchObject({ timePs: 0, queueBytes: 0 })
    expect(rows.map((row) => row['timePs'])).toEqual(rows.map((_, i) => i * 5e6))
  })

  test('classes have rows of their own and add up to all of them', () => {
    const every = '[0, 1, 2, 3, 4, 5, 6, 7]'
    const result = runStar({
      observe: [
        'kind: queue-depth, interval: 5us, ports: "switch:4"',
        `kind: queue-depth, table: by-class, interval: 5us, ports: "4:4", classes: ${every}`,
      ],
    })
    const together = numbersOf(series(result, 'queue-depth'), 'queueBytes')
    const apart = numbersOf(series(result, 'by-class'), 'queueBytes')
    expect(apart).toHaveLength(together.length * 8)
    together.forEach((bytes, i) => expect(sum(apart.slice(i * 8, i * 8 + 8))).toBe(bytes))
    expect(Math.max(...together)).toBeGreaterThan(0)
  })

  test('a row limit thins whole samples, evenly', () => {
    const full = series(runStar({ observe: ['kind: queue-depth, interval: 1us, ports: all'] }), 'queue-depth')
    const thin = series(
      runStar({ observe: ['kind: queue-depth, interval: 1us, ports: all, maxRows: 40'] }),
      'queue-depth',
    )
    expect(full.rowCount).toBeGreaterThan(200)
    expect(thin.rowCount).toBeLessThanOrEqual(40)
    const times = [...new Set(numbersOf(thin, 'timePs'))]
    const steps = new Set(times.slice(1).map((timePs, i) => timePs - times[i]!))
    expect(steps.size).toBe(1)
    for (const timePs of times) {
      expect(toObjects(thin).filter((row) => row['timePs'] === timePs)).toEqual(
        toObjects(full).filter((row) => row['timePs'] === timePs),
      )
    }
  })
})

describe('pauses', () => {
  const result = runStar({ observe: ['kind: pause-intervals', 'kind: pause-log'] })

  test('the log has a row for each PFC frame, at the hosts that received it', () => {
    const rows = toObjects(series(result, 'pause-log'))
    expect(rows.filter((row) => row['type'] === 1)).toHaveLength(result.counters.pauseFrames)
    expect(rows.filter((row) => row['type'] === 0)).toHaveLength(result.counters.resumeFrames)
    expect(rows.length).toBeGreaterThan(3)
    for (const row of rows) expect(row).toMatchObject({ nodeType: 0, port: 1, leftOut: 0 })
    expect(new Set(rows.map((row) => row['node']))).toEqual(new Set([0, 1, 2]))
  })

  test('the intervals add up to the paused time of their tier', () => {
    const table = series(result, 'pause-intervals')
    const starts = numbersOf(table, 'startPs')
    const lengths = numbersOf(table, 'endPs').map((endPs, i) => endPs - starts[i]!)
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(0)
    expect({ host: sum(lengths) }).toEqual(result.counters.pausedPs)
    expect([...starts]).toEqual([...starts].sort((a, b) => a - b))
    for (const row of toObjects(table)) {
      expect(row).toMatchObject({ tier: 0, port: 1, peerNode: SWITCH, trafficClass: 3, leftOut: 0 })
    }
  })

  test('a run that stops amid pauses ends them now and says that they are open', () => {
    const firstPs = numbersOf(series(result, 'pause-intervals'), 'startPs')[0]!
    const stopPs = firstPs + 1000
    const stopped = runStar({ observe: ['kind: pause-intervals'], measure: `end: stop, stop: ${stopPs}ps` })
    const rows = toObjects(series(stopped, 'pause-intervals'))
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(row).toMatchObject({ startPs: firstPs, endPs: stopPs, isOpen: 1 })
  })

  test('a full table keeps the first pauses, whole, and counts the others', () => {
    const all = toObjects(series(result, 'pause-intervals'))
    const limited = runStar({ observe: ['kind: pause-intervals, maxRows: 3', 'kind: pause-log, maxRows: 2'] })
    const rows = toObjects(series(limited, 'pause-intervals'))
    expect(all.length).toBeGreaterThan(3)
    expect(rows).toEqual(all.slice(0, 3).map((row, i) => ({ ...row, leftOut: i === 2 ? all.length - 3 : 0 })))
    const { pauseFrames, resumeFrames } = limited.counters
    expect([...numbersOf(series(limited, 'pause-log'), 'leftOut')]).toEqual([0, pauseFrames + resumeFrames - 2])
  })
})

test('drops have a row each, with the QP they belong to', () => {
  const result = runStar({ pfc: 'classes: []', buffer: '100KB', observe: ['kind: drops'] })
  const table = series(result, 'drops')
  expect(table.rowCount).toBeGreaterThan(0)
  expect(table.rowCount).toBe(sum(Object.values(result.counters.drops)))
  expect(new Set(numbersOf(table, 'node'))).toEqual(new Set([SWITCH]))
  expect(Math.max(...numbersOf(table, 'pair'))).toBeLessThan(3)
  expect(new Set(textsOf(table, 'reason')).size).toBe(1)
  // All came over the one link of a host, whose number is its name's.
  const [fromNode, fromName] = [numbersOf(table, 'fromNode'), textsOf(table, 'fromName')]
  expect(fromName).toEqual(Array.from(fromNode, (node) => `host ${node}`))
  expect(new Set(numbersOf(table, 'fromPort'))).toEqual(new Set([1]))
})

describe('goodput', () => {
  test('every delivered byte is in one interval, and in one host', () => {
    for (const maxRows of [15, 100_000]) {
      const result = runStar({
        repetitions: 3,
        observe: [`kind: goodput, interval: 7us, perHost: true, maxRows: ${maxRows}`],
      })
      const rows = toObjects(series(result, 'goodput'))
      const bytesOf = (host: number): number =>
        sum(rows.filter((row) => row['host'] === host).map((row) => Number(row['payloadBytes'])))
      expect(bytesOf(-1)).toBe(9 * MESSAGE_BYTES)
      expect(bytesOf(RECEIVER)).toBe(9 * MESSAGE_BYTES)
      expect(bytesOf(0)).toBe(0)
      expect(rows.at(-1)!['toPs']).toBe(result.simulatedPs)
      expect(rows.length % 5).toBe(0)
      expect(rows.length).toBeLessThanOrEqual(maxRows)
    }
  })

  test("no interval is faster than the receiver's link", () => {
    const table = series(runStar({ observe: ['kind: goodput, interval: 10us'] }), 'goodput')
    const fastest = Math.max(...numbersOf(table, 'goodputBps'))
    expect(fastest).toBeGreaterThan(80e9)
    expect(fastest).toBeLessThan(100e9)
  })

  test('bytes that go-back-0 discards are subtracted again', () => {
    const faults = 'faults: [{kind: bernoulli, probability: 0.001}]'
    const result = runStar({ recovery: 'go-back-0', faults, observe: ['kind: goodput, interval: 1us'] })
    const bytes = numbersOf(series(result, 'goodput'), 'payloadBytes')
    expect(Math.min(...bytes)).toBeLessThan(0)
    expect(sum(bytes)).toBe(3 * MESSAGE_BYTES)
  })
})

describe('pair-goodput', () => {
  const rowsOf = (more: string, setting: Setting = {}) => {
    const result = runStar({ ...setting, observe: [`kind: pair-goodput, ${more}`] })
    return { result, rows: toObjects(series(result, 'pair-goodput')) as Readonly<Record<string, number>>[] }
  }

  test('the intervals of a queue pair join, and hold every byte it delivered', () => {
    for (const maxRows of [6, 20, 100_000]) {
      const { result, rows } = rowsOf(`interval: 7us, maxRows: ${maxRows}`, { repetitions: 3 })
      expect(new Set(rows.map((row) => row['pair']))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8]))
      for (let pair = 0; pair < 9; pair++) {
        const own = rows.filter((row) => row['pair'] === pair)
        expect(sum(own.map((row) => row['payloadBytes']!))).toBe(MESSAGE_BYTES)
        own.slice(1).forEach((row, i) => expect(row['fromPs']).toBe(own[i]!['toPs']))
        const endPs = numbersOf(result.flows, 'receivedPs')[pair]!
        expect(own.at(-1)!['toPs']).toBeGreaterThanOrEqual(endPs)
        if (maxRows < 1000) continue
        // To the sample: nothing of it before the first, all of it at the last.
        expect(own[0]!['fromPs']).toBeGreaterThan(numbersOf(result.flows, 'startPs')[pair]! - 7e6)
        expect(own.at(-1)!['toPs']).toBeLessThan(endPs + 7e6)
      }
      expect(rows.length).toBeLessThanOrEqual(maxRows + 9)
    }
  })

  test('a queue pair that has no more to send has no more rows', () => {
    const text = `
name: loops
topology: {kind: star, hosts: 4}
workload:
  - {kind: closed-loop, pairs: ["0 1"], messageSize: 100KB, messages: 3}
  - {kind: closed-loop, pairs: ["2 3"], messageSize: 100KB, messages: 30}
observe: [{kind: pair-goodput, interval: 5us}]
`
    const result = run(parseScenario(text))
    const rows = toObjects(series(result, 'pair-goodput')) as Readonly<Record<string, number>>[]
    const first = rows.filter((row) => row['pair'] === 0)
    expect(sum(first.map((row) => row['payloadBytes']!))).toBe(300_000)
    expect(first.at(-1)!['payloadBytes']).toBeGreaterThan(0)
    expect(first.at(-1)!['toPs']).toBeLessThan(result.simulatedPs / 5)
  })

  test('together they are what all hosts got', () => {
    const { rows } = rowsOf('interval: 10us')
    const all = toObjects(series(runStar({ observe: ['kind: goodput, interval: 10us'] }), 'goodput'))
    for (const { fromPs, toPs, payloadBytes } of all) {
      const inside = rows.filter((row) => row['fromPs'] === fromPs && row['toPs']! >= Number(toPs))
      expect(sum(inside.map((row) => row['payloadBytes']!))).toBe(payloadBytes)
    }
  })

  test('only the chosen ones have rows', () => {
    expect(new Set(rowsOf('pairs: "1"').rows.map((row) => row['pair']))).toEqual(new Set([1]))
    expect(rowsOf('pairs: "3>*"').rows).toEqual([])
  })

  test('bytes that go-back-0 discards are subtracted again', () => {
    const faults = 'faults: [{kind: bernoulli, probability: 0.001}]'
    const { rows } = rowsOf('interval: 1us', { recovery: 'go-back-0', faults })
    const bytes = rows.map((row) => row['payloadBytes']!)
    expect(Math.min(...bytes)).toBeLessThan(0)
    expect(sum(bytes)).toBe(3 * MESSAGE_BYTES)
  })
})

describe('rates', () => {
  test('all QPs start at line rate and have rows while they send', () => {
    const rows = toObjects(series(runStar({ observe: ['kind: rates, interval: 5us'] }), 'rates'))
    const first = rows.filter((row) => row['pair'] === 0)
    expect(first[0]).toMatchObject({ destination: RECEIVER, rateBps: 100e9 })
    expect(Math.min(...rows.map((row) => Number(row['rateBps'])))).toBeLessThan(100e9)
    for (const row of rows) expect(row['una']).toBeLessThanOrEqual(Number(row['nxt']))
    const packets = Math.ceil(MESSAGE_BYTES / 1024)
    for (const row of rows) expect(row['una']).toBeLessThan(packets)
  })

  test('a control with a window shows it, others have none', () => {
    const first = (congestion: string): number =>
      numbersOf(series(runStar({ observe: ['kind: rates, interval: 5us'], congestion }), 'rates'), 'windowPackets')[0]!
    expect(first('kind: dcqcn')).toBeNaN()
    expect(Math.floor(first('kind: aimd, initialWindow: 7'))).toBe(7)
  })

  test('a selector chooses by number and by hosts', () => {
    const pairsOf = (pairs: string): Set<number> =>
      new Set(numbersOf(series(runStar({ observe: [`kind: rates, pairs: "${pairs}"`] }), 'rates'), 'pair'))
    expect(pairsOf('1')).toEqual(new Set([1]))
    expect(pairsOf('0-1, 9')).toEqual(new Set([0, 1]))
    expect(pairsOf('*>3')).toEqual(new Set([0, 1, 2]))
    expect(pairsOf('3>*')).toEqual(new Set())
    expect(pairsOf('2 > 3').size).toBe(1)
  })
})

describe('link-use', () => {
  test('a link is never used more than all the time, but for the frame that starts last', () => {
    const result = runStar({
      observe: ['kind: link-use, interval: 10us', 'kind: link-use, table: top, ports: busiest'],
    })
    const table = series(result, 'link-use')
    const use = numbersOf(table, 'useRatio')
    const frameShare = ((1024 + 62 + 16 + 20) * 80) / 10e6
    expect(Math.max(...use)).toBeGreaterThan(0.95)
    expect(Math.max(...use)).toBeLessThanOrEqual(1 + frameShare)
    const { dataPacketsSent, controlPacketsSent, pauseFrames, resumeFrames } = result.counters
    const made = dataPacketsSent + controlPacketsSent
    // Every packet crosses two links, a PFC frame one; all links are seen from both ends.
    expect(sum(numbersOf(table, 'sentFrames'))).toBe(2 * made + pauseFrames + resumeFrames)
    expect(Math.max(...numbersOf(series(result, 'top'), 'useRatio'))).toBe(Math.max(...use))
    expect(findColumn(table, 'nodeName')!.data).toContain('switch')
  })

  test('a list of ports is kept in its order', () => {
    const table = series(
      runStar({ observe: ['kind: link-use, interval: 1ms, ports: "switch:2, 0:1, 4:2, 4:*"'] }),
      'link-use',
    )
    const rows = toObjects(table).slice(0, 5)
    expect(rows.map((row) => `${row['node']}:${row['port']}`)).toEqual(['4:2', '0:1', '4:1', '4:3', '4:4'])
  })
})

describe('mistakes are reported with what would be right', () => {
  const cases: readonly (readonly [string, string])[] = [
    [
      'kind: link-use, ports: "4:5"',
      'observe.0.ports: expected the number of a port, or *, received "4:5" (switch has ports 1 to 4)',
    ],
    ['kind: link-use, ports: "9:1, core:1"', 'nodes are 0 to 4, or "switch"'],
    [
      'kind: queue-depth, ports: "0:1"',
      'observe.0.ports: expected the number of a switch port, or *, received "0:1" (host 0 has no switch port)',
    ],
    ['kind: queue-depth, ports: everywhere', 'NODE:PORT'],
    ['kind: rates, pairs: "4>0"', 'observe.0.pairs: expected hosts that are there, received "4>0" (hosts are 0 to 3)'],
    ['kind: rates, pairs: "5-2"', 'FIRST not above LAST'],
    ['kind: rates, pairs: "one"', 'QP numbers'],
    ['kind: drops, table: "My drops"', 'observe.0.table: expected lower case letters'],
  ]
  test.each(cases)('%s', (observer, reported) => {
    expect(issuesOf({ observe: [observer] })).toContain(reported)
  })

  test('all items of a list at once', () => {
    expect(issuesOf({ observe: ['kind: link-use, ports: "9:1, 4:1, 8:1"'] }).split('\n')).toHaveLength(2)
  })
})
