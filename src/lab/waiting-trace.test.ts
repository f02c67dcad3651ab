/** Traces whose messages wait for others: when each begins, what it carries, and what is wrong with those that are refused. */
import { describe, expect, test } from 'vitest'
import { InputError } from '../core/base/issue.ts'
import { numbersOf, type Result, tableOfKind, textsOf } from '../core/results/index.ts'
import { parseScenario } from './scenario/index.ts'
import { run } from './index.ts'

function traced(flows: readonly string[], more = ''): Result {
  const text = `{topology: {kind: star, hosts: 4, linkRate: 100Gbps}, measure: {flows: all}, workload: [{kind: trace, flows: ${JSON.stringify(flows)}${more}}]}`
  return run(parseScenario(text), { check: true })
}

/** Start, last byte and last acknowledgement of each message, by its tag. */
function times(result: Result): Record<string, { start: number; received: number; acked: number }> {
  const [starts, receipts, acks] = ['startPs', 'receivedPs', 'acknowledgedPs'].map((name) =>
    numbersOf(result.flows, name),
  )
  return Object.fromEntries(
    textsOf(result.flows, 'tag').map((tag, row) => [
      tag,
      { start: starts![row]!, received: receipts![row]!, acked: acks![row]! },
    ]),
  )
}

describe('a message begins', () => {
  test('when another is received, wherever that is, and when it is acknowledged', () => {
    const { a, b, c } = times(
      traced(['0 1 50KB 1us tag=a id=a', '2 3 1KB 0s tag=b after=a', '2 3 1KB 0s tag=c acked=a']),
    )
    expect([a!.start, b!.start, c!.start]).toEqual([1_000_000, a!.received, a!.acked])
    expect(a!.acked).toBeGreaterThan(a!.received)
  })

  test('a delay later, and not before its own time', () => {
    const { a, b, c } = times(
      traced(['0 1 50KB 0s tag=a id=a', '1 0 1KB 0s tag=b after=a delay=3us', '1 0 1KB 90us tag=c after=a delay=3us']),
    )
    expect([b!.start, c!.start]).toEqual([a!.received + 3_000_000, 90_000_000])
  })

  test('when as many of the others are there as it needs, and once', () => {
    const lines = ['0 1 90KB 0s tag=a id=a', '2 1 5KB 0s tag=b id=b', '3 1 40KB 0s tag=c id=c']
    const result = traced([
      ...lines,
      '1 0 1KB 0s tag=one after=a,b,c need=1',
      '1 0 1KB 0s tag=two after=a acked=b,c need=2',
    ])
    const { a, b, c, one, two } = times(result)
    expect(one!.start).toBe(Math.min(a!.received, b!.received, c!.received))
    expect(two!.start).toBe([a!.received, b!.acked, c!.acked].toSorted((x, y) => x - y)[1])
    expect(result.flows.rowCount).toBe(5)
  })

  test('before a message that stands above it, and finds its own receive', () => {
    const { first, late } = times(
      traced([
        '0 1 8KB 0s tag=late after=c',
        '0 1 4KB 0s tag=first id=f',
        '2 3 70KB 0s tag=c id=c',
        '1 0 1KB 0s after=f',
      ]),
    )
    expect(late!.start).toBeGreaterThan(first!.received)
  })
})

test('class, ports, operation and tag are those of the line', () => {
  const { flows } = traced([
    '0 1 5KB 0s id=a tag=x class=2 sport=5 dport=7 op=send',
    '1 2 6KB 0s after=a tag=y class=1 sport=6 dport=8 op=read',
    '1 2 7KB 0s after=a',
  ])
  const row = (name: string) => [...numbersOf(flows, name)].map(Number)
  expect(textsOf(flows, 'tag')).toEqual(['x', 'y', 'trace'])
  expect([row('sourcePort').slice(0, 2), row('destinationPort').slice(0, 2)]).toEqual([
    [5, 6],
    [7, 8],
  ])
  expect(row('sizeBytes')).toEqual([5000, 6000, 7000])
})

test('ids that none waits for change nothing', () => {
  const plain = ['3 1 50KB 1us', '0 1 50KB 1us', '2 1 70KB 0s connection=4', '2 1 70KB 0s connection=4']
  expect(traced(plain.map((line, i) => `${line} id=m${i}`)).digest).toBe(traced(plain).digest)
})

test('messages of one connection keep their order; others have queue pairs of their own', () => {
  const shared = times(
    traced([
      '0 1 9KB 0s id=go',
      '2 3 90KB 0s tag=long after=go connection=7',
      '2 3 1KB 0s tag=short after=go connection=7',
    ]),
  )
  expect(shared['short']!.received).toBeGreaterThan(shared['long']!.received)
  const own = times(traced(['0 1 9KB 0s id=go', '2 3 90KB 0s tag=long after=go', '2 3 1KB 0s tag=short after=go']))
  expect(own['short']!.received).toBeLessThan(own['long']!.received)
})

test('the critical path follows the chain, with its delays, and sums to its time', () => {
  const result = traced(['0 1 50KB 2us tag=a id=a', '2 3 1KB 0s tag=b after=a delay=3us id=b', '0 3 1KB 0s acked=b'])
  const path = tableOfKind(result, 'critical-path')!
  expect(textsOf(path, 'piece')).toEqual([
    'delay',
    'message',
    'delay',
    'message',
    'acknowledgement',
    'message',
    'acknowledgement',
  ])
  expect(textsOf(path, 'operation').slice(0, 4)).toEqual(['wait a', 'send a', 'wait b', 'send b'])
  const [from, to] = [numbersOf(path, 'fromPs'), numbersOf(path, 'toPs')]
  expect([from[0], ...to.slice(0, -1)]).toEqual([0, ...from.slice(1)])
  expect(to.at(-1)).toBe(Math.max(...numbersOf(result.flows, 'acknowledgedPs')))
})

test('nothing begins from the end of generation on, and what waits then is named', () => {
  const text = `{topology: {kind: star, hosts: 4}, measure: {generate: 4us, stop: 1ms}, workload: [{kind: trace, flows: ["0 1 900KB 0s id=a", "1 2 1KB 0s after=a"]}]}`
  const result = run(parseScenario(text), { check: true })
  expect(result.flows.rowCount).toBe(1)
})

test.each<[string, string[], string[]]>([
  ['an unknown id', ['0 1 1B 0s id=a', '1 0 1B 0s after=b'], ['flows.1 "b"']],
  ['an id twice', ['0 1 1B 0s id=a', '1 0 1B 0s id=a'], ['flows.1 id=a, which flows.0 has']],
  [
    'a circle',
    ['0 1 1B 0s', '0 1 1B 0s id=a after=b', '1 0 1B 0s id=b acked=a'],
    ['flows.1 flows.1, flows.2, which wait for each other'],
  ],
  ['a message that waits for itself', ['0 1 1B 0s id=a after=a'], ['flows.0 flows.0, which wait for each other']],
  ['more needed than there are', ['0 1 1B 0s id=a', '1 0 1B 0s after=a acked=a need=3'], ['flows.1 need=3']],
  ['none needed', ['0 1 1B 0s id=a', '1 0 1B 0s after=a need=0'], ['flows.1 "need=0"']],
  [
    'need and delay without others',
    ['0 1 1B 0s need=1', '1 0 1B 0s delay=1us'],
    ['flows.0 need=1 alone', 'flows.1 delay alone'],
  ],
  ['an id that stands twice', ['0 1 1B 0s id=a', '1 0 1B 0s after=a,a'], ['flows.1 "a" again']],
  [
    'words that are none',
    ['0 1 1B 0s id=', '1 0 1B 0s after=a,,b', '1 0 1B 0s delay=3'],
    ['flows.0 "id="', 'flows.1 "after=a,,b"', 'flows.2 "delay=3"'],
  ],
])('%s is refused at its line', (_, flows, expected) => {
  const found = (): string[] => {
    try {
      traced(flows)
    } catch (error) {
      if (error instanceof InputError)
        return error.issues.map(({ path, received }) => `${path.replace('workload.0.', '')} ${received}`)
      throw error
    }
    return []
  }
  expect(found()).toEqual(expected)
})

test('a circle with a way out is none', () => {
  const lines = ['0 1 1KB 0s id=out', '1 2 1KB 0s id=a after=out,b need=1 tag=a', '2 1 1KB 0s id=b after=a tag=b']
  const { a, b } = times(traced(lines))
  expect(b!.start).toBe(a!.received)
})
