import { describe, expect, test } from 'vitest'
import { InputError } from '../base/issue.ts'
import { defaultsOf, MB, NEVER_PS, SECOND, US } from '../base/params.ts'
import { formatQuantity } from '../base/units.ts'
import { createRandomStreams } from '../base/random.ts'
import { createSimulation } from '../../lab/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { closedLoop, incast, permutation, poisson, torPairs, trace, workloads, type Source } from './index.ts'
import { blank, context, drain, issuesOf, take } from './workloads.test-bench.ts'

const poissonDefaults = { ...defaultsOf(poisson.params), sizes: { kind: 'heavy-tailed' } as const }

test('defaults are complete but for what must be given', () => {
  for (const workload of workloads) {
    const missing = Object.entries(defaultsOf(workload.params)).filter(([, value]) => value === undefined)
    expect(missing.map(([name]) => name)).toEqual({ trace: ['flows'], graph: ['goal'] }[workload.name as string] ?? [])
  }
})

describe('incast', () => {
  const defaults = defaultsOf(incast.params)
  test('splits the total evenly among different senders, the odd bytes to the first ones', () => {
    const messages = drain(incast.create({ ...defaults, senders: 7, total: 100 }, context(2, 4)))
    expect(messages.map((message) => message.sizeBytes)).toEqual([15, 15, 14, 14, 14, 14, 14])
    expect(
      messages.every((message) => message.destination === 0 && message.startPs === 0 && message.tag === 'incast'),
    ).toBe(true)
    expect(messages.map((message) => message.source).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7])
  })
  test('splits the bytes of a sender among its connections, each a QP of its own', () => {
    const sizesOf = (values: Partial<typeof defaults>): number[][] => {
      const messages = drain(incast.create({ ...defaults, senders: 2, connections: 3, ...values }, context(2, 4)))
      expect(messages.every((message) => message.connection === -1)).toBe(true)
      expect(messages.slice(0, 3).every((message) => message.source === messages[0]!.source)).toBe(true)
      expect(messages[3]!.source).not.toBe(messages[0]!.source)
      return [messages.slice(0, 3), messages.slice(3)].map((ofOne) => ofOne.map((message) => message.sizeBytes))
    }
    expect(sizesOf({ total: 100 })).toEqual([
      [17, 17, 17],
      [17, 16, 16],
    ])
    expect(sizesOf({ sizeEach: 5 })).toEqual([
      [2, 2, 1],
      [2, 2, 1],
    ])
  })
  test('draws the same senders with one connection and with several', () => {
    const sendersOf = (connections: number): number[] => {
      const values = { ...defaults, senders: 3, connections, total: 1200, repetitions: 4, interval: 10 * US }
      const messages = drain(incast.create(values, context(2, 4)))
      return messages.filter((_, i) => i % connections === 0).map((message) => message.source)
    }
    expect(sendersOf(1)).toHaveLength(12)
    expect(sendersOf(4)).toEqual(sendersOf(1))
  })
  test('starts again when the last message is finished, with other senders', () => {
    const source = incast.create({ ...defaults, senders: 4, sizeEach: 1000, repetitions: 3, start: 10 }, context(6, 10))
    const rounds: number[][] = []
    let number = 0
    for (const time of [10, 2000, 5000]) {
      const messages = drain(source)
      expect(messages.map((message) => message.startPs)).toEqual([time, time, time, time])
      rounds.push(messages.map((message) => message.source))
      const finish = time === 10 ? 2000 : 5000
      for (let i = 0; i < 4; i++) {
        expect(source.nextStartPs).toBe(NEVER_PS)
        source.onComplete(i < 3 ? finish - 10 : finish, number++)
      }
    }
    expect(source.nextStartPs).toBe(NEVER_PS)
    expect(rounds[0]).not.toEqual(rounds[1])
  })
  test('does not start again before all of a repetition are posted', () => {
    const source = incast.create({ ...defaults, senders: 2, sizeEach: 1000, repetitions: 2 }, context(2, 4))
    take(source)
    source.onComplete(5, 0)
    expect(source.nextStartPs).toBe(0)
    take(source)
    expect(source.nextStartPs).toBe(NEVER_PS)
    source.onComplete(9, 1)
    expect(source.nextStartPs).toBe(9)
  })
  test('keeps to its interval without waiting, until generation ends', () => {
    const values = { ...defaults, senders: 2, sizeEach: 1000, repetitions: 100, interval: 10 * US }
    const messages = drain(incast.create(values, context(2, 4, { generateUntilPs: 30 * US })))
    expect(messages.map((message) => message.startPs / US)).toEqual([0, 0, 10, 10, 20, 20])
  })
  test('draws senders and, where they are random, receivers evenly', () => {
    const values = { ...defaults, senders: 3, receiver: null, sizeEach: 1, repetitions: 8000, interval: 1 }
    const sent = new Float64Array(8)
    const received = new Float64Array(8)
    const messages = drain(incast.create(values, context(2, 4)))
    for (let i = 0; i < messages.length; i += 3) {
      const ends = messages.slice(i, i + 3)
      expect(new Set([ends[0]!.destination, ...ends.map((message) => message.source)]).size).toBe(4)
      received[ends[0]!.destination]!++
      for (const { source } of ends) sent[source]!++
    }
    for (const n of received) expect(Math.abs(n - 1000)).toBeLessThan(5 * Math.sqrt(1000))
    for (const n of sent) expect(Math.abs(n - 3000)).toBeLessThan(5 * Math.sqrt(3000))
  })
  test('says what it cannot do', () => {
    expect(issuesOf(() => incast.create({ ...defaults, senders: 8 }, context(2, 4)))).toEqual([
      'senders: at most 7, the hosts without the receiver, 8',
    ])
    expect(issuesOf(() => incast.create({ ...defaults, senders: 2, receiver: 8 }, context(2, 4)))).toEqual([
      'receiver: a host 0 to 7, 8',
    ])
    expect(issuesOf(() => incast.create({ ...defaults, senders: 2, total: 1 }, context(2, 4)))).toEqual([
      'total: a byte or more for each of 2 senders, 1B',
    ])
    const several = { ...defaults, senders: 2, connections: 4 }
    expect(issuesOf(() => incast.create({ ...several, total: 7 }, context(2, 4)))).toEqual([
      'total: a byte or more for each of 8 connections, 7B',
    ])
    expect(issuesOf(() => incast.create({ ...several, sizeEach: 3 }, context(2, 4)))).toEqual([
      'sizeEach: a byte or more for each of 4 connections, 3B',
    ])
  })
})

describe('permutation', () => {
  test('gives every host one to send to and one to receive from, never itself', () => {
    for (let seed = 0; seed < 20; seed++) {
      const messages = drain(
        permutation.create(defaultsOf(permutation.params), context(3, 3, { random: createRandomStreams(seed) })),
      )
      expect(messages.map((message) => message.source)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
      expect(messages.map((message) => message.destination).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
      for (const { source, destination } of messages) expect(source).not.toBe(destination)
    }
  })
  test('draws every derangement of four equally often', () => {
    const counts = new Map<string, number>()
    for (let seed = 0; seed < 1800; seed++) {
      const messages = drain(
        permutation.create(defaultsOf(permutation.params), context(1, 4, { random: createRandomStreams(seed) })),
      )
      const key = messages.map((message) => message.destination).join()
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    expect(counts.size).toBe(9)
    for (const n of counts.values()) expect(Math.abs(n - 200)).toBeLessThan(5 * Math.sqrt(200))
  })
  test('repeats on each connection when one is finished', () => {
    const source = permutation.create({ ...defaultsOf(permutation.params), qpsPerPair: 2, messages: 2 }, context(1, 3))
    const first = drain(source)
    expect(first.map((message) => message.connection)).toEqual([0, 1, 2, 3, 4, 5])
    source.onComplete(500, 3)
    expect(take(source)).toMatchObject({ startPs: 500, connection: 3, source: 1 })
    source.onComplete(600, 6)
    expect(source.nextStartPs).toBe(NEVER_PS)
  })
})

describe('ToR pairs', () => {
  const defaults = defaultsOf(torPairs.params)
  test('of [MS-Scale] section 5.4 are 1536 connections each way between servers of the same place', () => {
    const messages = drain(torPairs.create(defaults, context(48, 24)), 3073)
    expect(messages).toHaveLength(3072)
    expect(new Set(messages.map((message) => message.connection)).size).toBe(3072)
    for (const { source, destination } of messages) {
      expect(Math.abs(source - destination)).toBe(576)
      expect(source % 24).toBeLessThan(8)
    }
    expect(drain(torPairs.create({ ...defaults, bidirectional: false }, context(48, 24)), 3073)).toHaveLength(1536)
  })
  test('needs an even number of racks and enough servers', () => {
    expect(issuesOf(() => torPairs.create(defaults, context(3, 4)))).toEqual([
      ': a topology with an even number of racks, 3',
      'serversPerRack: at most 4, the hosts of the smallest rack, 8',
    ])
  })
})

describe('closed loop', () => {
  const defaults = { ...defaultsOf(closedLoop.params), messageSize: 5000 }
  test('keeps the given number of messages under way on each connection', () => {
    const source = closedLoop.create({ ...defaults, pairs: ['0 1', '2 1'], outstanding: 2, start: 7 }, context(1, 3))
    const first = drain(source)
    expect(first.map((message) => [message.startPs, message.source, message.connection])).toEqual([
      [7, 0, 0],
      [7, 2, 1],
      [7, 0, 0],
      [7, 2, 1],
    ])
    source.onComplete(100, 1)
    source.onComplete(100, 2)
    source.onComplete(130, 0)
    expect(drain(source).map((message) => [message.startPs, message.connection])).toEqual([
      [100, 1],
      [100, 0],
      [130, 0],
    ])
  })
  test('ends after the given number of messages, or with the generation', () => {
    const limited = closedLoop.create({ ...defaults, messages: 3, outstanding: 8 }, context(1, 2))
    expect(drain(limited)).toHaveLength(3)
    limited.onComplete(5, 0)
    expect(limited.nextStartPs).toBe(NEVER_PS)
    const timed = closedLoop.create(defaults, context(1, 2, { generateUntilPs: 1000 }))
    take(timed)
    timed.onComplete(999, 0)
    take(timed)
    timed.onComplete(1000, 1)
    expect(timed.nextStartPs).toBe(NEVER_PS)
  })
  test('runs for long in little memory: a million messages one by one', () => {
    const source = closedLoop.create(defaults, context(1, 2))
    const message = blank()
    for (let i = 0; i < 1_000_000; i++) {
      source.take(message)
      source.onComplete(i + 1, i)
    }
    expect(source.nextStartPs).toBe(1_000_000)
  })
  test('has no more messages under way than its table can hold', () => {
    const create = (messages: number) => (): unknown =>
      closedLoop.create({ ...defaults, pairs: ['0-15 16-31'], outstanding: 65_536, messages }, context(1, 32))
    expect(issuesOf(create(65_536))).toEqual([
      'outstanding: at most 16777215 messages under way on all connections, 16777216 (256 connections)',
    ])
    expect(issuesOf(create(10))).toEqual([])
  })
  test('takes ranges, every source to every destination but itself', () => {
    const pairs = drain(closedLoop.create({ ...defaults, pairs: ['0-2 2-3'], qpsPerPair: 1 }, context(1, 4)))
    expect(pairs.map((message) => `${message.source} ${message.destination}`)).toEqual([
      '0 2',
      '0 3',
      '1 2',
      '1 3',
      '2 3',
    ])
  })
  test('reports every unreadable pair at once', () => {
    const issues = issuesOf(() =>
      closedLoop.create({ ...defaults, pairs: ['0 1', '1 1', 'x', '0 4', '3-2 0', '0 1 2'] }, context(1, 4)),
    )
    expect(issues.map((issue) => issue.slice(0, 7))).toEqual(['pairs.1', 'pairs.2', 'pairs.3', 'pairs.4', 'pairs.5'])
  })
})

test('work requests of more than 2 GiB are refused by each workload, other messages are not', () => {
  const of = (rest: string): string[] => {
    const flows = `["0 1 2147483648B 0s", "0 1 2147483649B 0s${rest}"]`
    const sent = `[{kind: trace, workRequests: true, flows: ${flows}}, {kind: trace, flows: ${flows}},
      {kind: permutation, workRequests: true, messageSize: 3GB}, {kind: permutation, messageSize: 3GB},
      {kind: poisson, load: 0.1, operation: write-immediate, sizes: {kind: fixed, size: 3GB}}]`
    try {
      createSimulation(
        parseScenario(`{topology: {kind: star, hosts: 4}, measure: {stop: 1us}, workload: ${sent}}`),
      ).close()
    } catch (error) {
      if (error instanceof InputError) return error.issues.map(({ path }) => path)
      throw error
    }
    return []
  }
  expect(of('').toSorted()).toEqual(['workload.0.flows.1', 'workload.2.messageSize', 'workload.4.sizes'])
})

describe('trace', () => {
  const defaults = { tag: 'trace', origin: 0, workRequests: false }
  test('reads all options and posts in order of time, equal times in order of lines', () => {
    const flows = [
      '0 1 10KB 2us',
      ' 1  2 1500B 1.03us class=3 sport=0 dport=100 op=read tag=x connection=4 ',
      '2 0 1B 2us op=send',
      '3 0 1MiB 0s',
    ]
    const messages = drain(trace.create({ ...defaults, flows }, context(1, 4)))
    expect(messages.map((message) => message.source)).toEqual([3, 1, 0, 2])
    expect(messages[1]).toEqual({
      startPs: 1_030_000,
      source: 1,
      destination: 2,
      sizeBytes: 1500,
      operation: 'read',
      connection: 4,
      port: -1,
      trafficClass: 3,
      sourcePort: 0,
      destinationPort: 100,
      tag: 'x',
      isWork: false,
    })
    expect(messages[2]).toMatchObject({
      operation: 'write',
      connection: -1,
      trafficClass: -1,
      sourcePort: -1,
      destinationPort: -1,
      tag: 'trace',
    })
  })
  test('refuses a tag that a terminal would obey', () => {
    const make = (): Source => trace.create({ ...defaults, flows: ['0 1 1B 1us tag=\u001B[2J'] }, context(1, 2))
    expect(issuesOf(make)).toHaveLength(1)
  })
  test('ends with the generation', () => {
    const flows = ['0 1 1B 1us', '0 1 1B 2us']
    expect(drain(trace.create({ ...defaults, flows }, context(1, 2, { generateUntilPs: 2 * US })))).toHaveLength(1)
  })
  test('reports every mistake at once, with its line', () => {
    const flows = [
      '0 1 1KB 1us',
      '0 1 1KB',
      '0 9 1KB 1us',
      '1 1 1KB 1us',
      '0 1 1000 5',
      '0 1 0B 1us',
      '0 1 1KB 1us class=8 op=fly',
      '0 1 1KB 1us class=1 class=2',
      '0 1 1KB 1us colour=red tag= dport=65536',
      '0 1 1KB 1us connection=1',
      '1 0 1KB 1us connection=1',
      '0 1 1KB 1us connection=1 op=read',
      '',
      '0 1 1KB 1us connection=1 sport=7',
      '0 1 1KB 1us sport=65536 sport=7',
    ]
    expect(
      issuesOf(() => trace.create({ ...defaults, flows }, context(1, 4))).map((issue) =>
        issue.replace(/"SRC.*"(?=,)/, 'FORM'),
      ),
    ).toEqual([
      'flows.1: FORM, "0 1 1KB"',
      'flows.2: a host 0 to 3, "9"',
      'flows.3: two different hosts, 1 to itself',
      'flows.4: a size of 1B or more, "1000"',
      'flows.4: a start time such as 1.03us, "5"',
      'flows.5: a size of 1B or more, "0B"',
      'flows.6: class=0..7, sport=0..65535, dport=0..65535, op=write|send|read|write-immediate|send-immediate|send-invalidate|compare-and-swap|fetch-and-add, tag=WORD, connection=N, id=WORD, after=ID,ID, acked=ID,ID, need=N from 1 or delay=TIME, "class=8"',
      'flows.6: class=0..7, sport=0..65535, dport=0..65535, op=write|send|read|write-immediate|send-immediate|send-invalidate|compare-and-swap|fetch-and-add, tag=WORD, connection=N, id=WORD, after=ID,ID, acked=ID,ID, need=N from 1 or delay=TIME, "op=fly"',
      'flows.7: class once, "class=2" again',
      'flows.8: class=0..7, sport=0..65535, dport=0..65535, op=write|send|read|write-immediate|send-immediate|send-invalidate|compare-and-swap|fetch-and-add, tag=WORD, connection=N, id=WORD, after=ID,ID, acked=ID,ID, need=N from 1 or delay=TIME, "colour=red"',
      'flows.8: class=0..7, sport=0..65535, dport=0..65535, op=write|send|read|write-immediate|send-immediate|send-invalidate|compare-and-swap|fetch-and-add, tag=WORD, connection=N, id=WORD, after=ID,ID, acked=ID,ID, need=N from 1 or delay=TIME, "tag="',
      'flows.8: class=0..7, sport=0..65535, dport=0..65535, op=write|send|read|write-immediate|send-immediate|send-invalidate|compare-and-swap|fetch-and-add, tag=WORD, connection=N, id=WORD, after=ID,ID, acked=ID,ID, need=N from 1 or delay=TIME, "dport=65536"',
      'flows.10: hosts, op, class, sport and dport of flows.9 on connection 1, "1 0 1KB 1us connection=1"',
      'flows.11: hosts, op, class, sport and dport of flows.9 on connection 1, "0 1 1KB 1us connection=1 op=read"',
      'flows.12: FORM, ""',
      'flows.13: hosts, op, class, sport and dport of flows.9 on connection 1, "0 1 1KB 1us connection=1 sport=7"',
      'flows.14: class=0..7, sport=0..65535, dport=0..65535, op=write|send|read|write-immediate|send-immediate|send-invalidate|compare-and-swap|fetch-and-add, tag=WORD, connection=N, id=WORD, after=ID,ID, acked=ID,ID, need=N from 1 or delay=TIME, "sport=65536"',
      'flows.14: sport once, "sport=7" again',
    ])
  })
})

test('the same seed gives the same messages, workload by workload', () => {
  const make = (): Source[] => {
    const network = context(4, 8, { generateUntilPs: SECOND / 1000 })
    return [
      poisson.create({ ...poissonDefaults, flows: 100 }, network),
      incast.create({ ...defaultsOf(incast.params), senders: 5, total: 150 * MB }, network),
      permutation.create(defaultsOf(permutation.params), network),
      torPairs.create({ ...defaultsOf(torPairs.params), messages: 1 }, network),
      closedLoop.create(defaultsOf(closedLoop.params), network),
    ]
  }
  expect(make().map((source) => drain(source, 200))).toEqual(make().map((source) => drain(source, 200)))
})

test('a READ is no larger than its request can say; WRITEs and SENDs may be', () => {
  const most = 2 ** 31 - 1
  const size = (sizeBytes: number) => formatQuantity('size', sizeBytes)
  const network = context(2, 4)
  const reported = (operation: 'read' | 'write' | 'send', bytes: number): string[][] => {
    const loop = { messageSize: bytes, operation }
    const sizes = { kind: 'cdf', points: ['1 0', `${bytes} 100`] } as const
    return [
      issuesOf(() => incast.create({ ...defaultsOf(incast.params), senders: 2, total: 2 * bytes, operation }, network)),
      issuesOf(() => incast.create({ ...defaultsOf(incast.params), senders: 2, sizeEach: bytes, operation }, network)),
      issuesOf(() => permutation.create({ ...defaultsOf(permutation.params), ...loop }, network)),
      issuesOf(() => torPairs.create({ ...defaultsOf(torPairs.params), serversPerRack: 1, ...loop }, network)),
      issuesOf(() => closedLoop.create({ ...defaultsOf(closedLoop.params), ...loop }, network)),
      issuesOf(() => poisson.create({ ...poissonDefaults, sizes, operation }, network)),
      issuesOf(() =>
        trace.create({ ...defaultsOf(trace.params), flows: [`0 1 ${bytes}B 0us op=${operation}`] }, network),
      ),
    ]
  }
  const fine = [[], [], [], [], [], [], []]
  expect(reported('read', most)).toEqual(fine)
  expect(reported('write', 20e9)).toEqual(fine)
  expect(reported('send', 20e9)).toEqual(fine)
  const message = `READs of at most ${size(most)}, ${size(most + 1)}`
  expect(reported('read', most + 1)).toEqual(
    ['total', 'sizeEach', 'messageSize', 'messageSize', 'messageSize', 'sizes', 'flows.0'].map((path) => [
      `${path}: ${message}`,
    ]),
  )
})
