/** Explanations of small made-up results whose groups, shares and differences are known by hand. */
import { describe, expect, test } from 'vitest'
import { exampleResult } from '../../core/results/example.test-data.ts'
import { type Column, createTable, isExplained, PARTS, type Result } from '../../core/results/index.ts'
import { differenceOf, differenceText } from './difference.ts'
import { explanationJson, flowLifeJson } from './explain-json.ts'
import { explainText, partsOf, slowestFinding } from './explain-text.ts'
import { explain } from './explanation.ts'
import { FlowHops } from './flow-hops.ts'
import { flowLifeText } from './flow-life.ts'

const US = 1e6
const integers = (name: string, data: readonly number[]): Column => ({
  name,
  type: 'integer',
  data: Float64Array.from(data),
})
const texts = (name: string, data: readonly string[]): Column => ({ name, type: 'text', data })

/** A flow and its parts in microseconds; the rest of its time, as given by `takes`, is `ownPs`. */
interface Flow {
  readonly takes: number
  readonly sizeBytes?: number
  readonly tag?: string
  readonly pausedBy?: string
  readonly unfinished?: true
  readonly unmeasured?: true
  readonly parts?: Readonly<Partial<Record<string, number>>>
}

/** Ideal time of each flow: 1 us. */
function resultOf(flows: readonly Flow[], series: Result['series'] = []): Result {
  const partOf = ({ takes, parts = {} }: Flow, column: string): number => {
    const named = Object.values(parts).reduce<number>((sum, span) => sum + span!, 0)
    return US * (column === 'ownPs' ? takes - named : (parts[column] ?? 0))
  }
  const every = <T>(of: (flow: Flow, row: number) => T): T[] => flows.map(of)
  const columns: Column[] = [
    integers(
      'flow',
      every((_, row) => row),
    ),
    integers(
      'pair',
      every((_, row) => row),
    ),
    integers(
      'source',
      every((_, row) => row),
    ),
    integers(
      'destination',
      every(() => 9),
    ),
    integers(
      'sizeBytes',
      every(({ sizeBytes = 1000 }) => sizeBytes),
    ),
    integers(
      'startPs',
      every(() => US),
    ),
    integers(
      'receivedPs',
      every(({ takes, unfinished }) => (unfinished ? NaN : US * (1 + takes))),
    ),
    integers(
      'acknowledgedPs',
      every(({ takes, unfinished }) => (unfinished ? NaN : US * (2 + takes))),
    ),
    integers(
      'idealPs',
      every(() => US),
    ),
    integers(
      'idealAcknowledgedPs',
      every(() => 2 * US),
    ),
    integers(
      'measured',
      every(({ unmeasured }) => (unmeasured ? 0 : 1)),
    ),
    integers(
      'trafficClass',
      every(() => 3),
    ),
    integers(
      'retransmissions',
      every(() => 0),
    ),
    integers(
      'timeouts',
      every(() => 0),
    ),
    texts(
      'tag',
      every(({ tag = '' }) => tag),
    ),
    texts(
      'operation',
      every(() => 'write'),
    ),
    texts(
      'status',
      every(({ unfinished }) => (unfinished ? 'still sending at the stop' : 'finished')),
    ),
    ...PARTS.map(({ column }) =>
      integers(
        column,
        every((flow) => partOf(flow, column)),
      ),
    ),
    texts(
      'pausedBy',
      every(({ pausedBy = '' }) => pausedBy),
    ),
    integers(
      'pausedByPs',
      every(({ pausedBy, parts }) => (pausedBy === undefined ? 0 : US * (parts?.['nicPausedPs'] ?? 0))),
    ),
  ]
  return { ...exampleResult(), flows: createTable('flows', columns), series }
}

/** Flows that take 1, 2, ... microseconds. */
const ladder = (count: number): Flow[] => Array.from({ length: count }, (_, i) => ({ takes: i + 1 }))
const ranksOf = (count: number): (readonly [string, number])[] =>
  explain(resultOf(ladder(count))).bySlowdown.map(({ label, flows }) => [label, flows])

describe('groups by slowdown', () => {
  test.each([
    [1, []],
    [
      2,
      [
        ['fastest half', 1],
        ['slowest half', 1],
      ],
    ],
    [
      9,
      [
        ['fastest half', 4],
        ['slowest half', 5],
      ],
    ],
    [
      10,
      [
        ['fastest half', 5],
        ['p50 to p90', 4],
        ['slowest 10 %', 1],
      ],
    ],
    [
      99,
      [
        ['fastest half', 49],
        ['p50 to p90', 40],
        ['slowest 10 %', 10],
      ],
    ],
    [
      100,
      [
        ['fastest half', 50],
        ['p50 to p90', 40],
        ['p90 to p99', 9],
        ['slowest 1 %', 1],
      ],
    ],
    [
      1000,
      [
        ['fastest half', 500],
        ['p50 to p90', 400],
        ['p90 to p99', 90],
        ['slowest 1 %', 10],
        ['slowest 0.1 %', 1],
      ],
    ],
  ])('%i flows', (count, expected) => {
    expect(ranksOf(count)).toEqual(expected)
  })

  test('have each flow once, but for the slowest 0.1 %, whatever their number', () => {
    for (let count = 2; count < 420; count += 7) {
      const groups = ranksOf(count).filter(([label]) => label !== 'slowest 0.1 %')
      expect(
        groups.reduce((sum, [, flows]) => sum + flows, 0),
        `${count} flows`,
      ).toBe(count)
    }
  })

  test('go from fast to slow', () => {
    const means = explain(resultOf(ladder(100).toReversed())).bySlowdown.map(({ meanSlowdown }) => meanSlowdown)
    expect(means).toEqual([25.5, 70.5, 95, 100])
  })
})

describe('an explanation', () => {
  const flows: Flow[] = [
    { takes: 10, sizeBytes: 9_999, tag: 'a', parts: { queuePs: 4, nicPausedPs: 5 }, pausedBy: 'host 9' },
    { takes: 30, sizeBytes: 10_000, tag: 'a', parts: { queuePs: 6 } },
    { takes: 60, sizeBytes: 1_000_000, tag: 'b', parts: { nicPausedPs: 45 }, pausedBy: 'leaf 0 port 1 to host 2' },
    { takes: 7, tag: 'b', unmeasured: true, parts: { queuePs: 7 } },
    { takes: 80, tag: 'b', unfinished: true, parts: { nicPausedPs: 79 }, pausedBy: 'host 9' },
  ]
  const hops = createTable(
    'autopsy',
    [
      integers('pair', [0, 0, 1]),
      integers('message', [0, 0, 0]),
      integers('hop', [0, 1, 1]),
      texts('nodeName', ['host 0', 'leaf 0', 'leaf 0']),
      integers('port', [1, 3, 3]),
      integers('startPs', [2 * US, 8 * US, 9 * US]),
      integers('queuePs', [0, 4 * US, 6 * US]),
      integers('pausedPs', [0, 2 * US, 0]),
      texts('pausedBy', ['', 'host 9', '']),
      integers('before1', [-1, 1, -1]),
      integers('before1Ps', [0, 3 * US, 0]),
      integers('before2', [-1, -1, -1]),
      integers('before2Ps', [0, 0, 0]),
      integers('before3', [-1, -1, -1]),
      integers('before3Ps', [0, 0, 0]),
      integers('beforeOthersPs', [0, US, 6 * US]),
    ],
    'autopsy/hops',
  )
  const result = resultOf(flows, [hops])
  const explanation = explain(result)

  test('is of measured flows that finished; shares are time over time, and sum to 1', () => {
    const { all } = explanation
    expect([explanation.flows, explanation.unfinished, all.flows]).toEqual([3, 1, 3])
    expect([all.meanCompletionPs, all.meanSlowdown]).toEqual([(100 * US) / 3, 100 / 3])
    expect(explanationJson(explanation).all.shares).toEqual({ ownPs: 0.4, nicPausedPs: 0.5, queuePs: 0.1 })
    const groups = [all, ...explanation.bySlowdown, ...explanation.bySize, ...explanation.byTag]
    for (const { shares } of groups) expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12)
    expect(partsOf(all).map(({ label }) => label)).toEqual(['paused at the NIC', 'own bytes', 'queues'])
  })

  test('has sizes from a limit on, below the next, and tags', () => {
    const facts = (groups: typeof explanation.bySize): unknown =>
      groups.map(({ label, flows: count }) => [label, count])
    expect(facts(explanation.bySize)).toEqual([
      ['below 10 KB', 1],
      ['10 to 100 KB', 1],
      ['1 MB and more', 1],
    ])
    expect(facts(explanation.byTag)).toEqual([
      ['a', 2],
      ['b', 1],
    ])
  })

  test('sums the ports of all ways and the origins of pauses, the costliest first, unfinished flows included', () => {
    expect(explanation.ports).toEqual([{ name: 'leaf 0 port 3', flows: 2, queuePs: 10 * US, pausedPs: 2 * US }])
    // Results of versions that knew the origins of pauses only.
    expect(explanation.origins).toMatchObject([
      { name: 'host 9', kind: 'host', flows: 2, spanPs: 84 * US, parts: { pausedPs: 84 * US } },
      { name: 'leaf 0 port 1 to host 2', kind: 'switch', flows: 1, spanPs: 45 * US, parts: { pausedPs: 45 * US } },
    ])
  })

  test('as text begins with the cause, then the slowest flows, their largest parts, and the origin of pauses', () => {
    expect(explanation.causes.map(({ id, subject }) => [id, subject.device])).toEqual([['slow-receiver', 'host 9']])
    const [, sentence] = explainText(explanation).split('\n')
    expect(sentence).toBe(
      '3 flows finished, 1 did not. The slowest half of the flows (2) took 45.0 times their ideal time; ' +
        'largest parts: paused at the NIC 50.0 %, own bytes 43.3 %; most pauses began at host 9.',
    )
    expect(explainText(explain(resultOf([{ takes: 3, unfinished: true }])))).toMatch(/^no measured flow finished/)
    expect(explainText(explain(resultOf([{ takes: 3 }])))).toMatch(
      /^1 flow finished\. It took 3\.00 times its ideal time; largest part: .* 100 %/,
    )
  })

  test('names the origin of most pauses, also where more time was spent for another reason', () => {
    const own = { kind: 'nic', name: 'host 4', flows: 1, spanPs: 900 * US, share: 0.8, parts: { othersPs: 900 * US } }
    const origins = [own as (typeof explanation.origins)[number], ...explanation.origins]
    expect(slowestFinding({ ...explanation, origins }).values['pausesBeganAt']).toBe('host 9')
  })

  test('needs all columns of the parts', () => {
    expect(isExplained(result)).toBe(true)
    expect(isExplained(exampleResult())).toBe(false)
  })

  test('of one flow: its parts, who paused it, and its hops with who went first', () => {
    expect(flowLifeJson(result, 0)).toMatchObject({
      spanPs: 10 * US,
      parts: { ownPs: US, nicPausedPs: 5 * US, queuePs: 4 * US },
      pausedBy: { name: 'host 9', spanPs: 5 * US },
    })
    expect(new FlowHops(result).of(0)).toEqual([
      { port: 'host 0 port 1', startPs: 2 * US, queuePs: 0, pausedPs: 0, pausedBy: '', before: [], othersPs: 0 },
      {
        port: 'leaf 0 port 3',
        startPs: 8 * US,
        queuePs: 4 * US,
        pausedPs: 2 * US,
        pausedBy: 'host 9',
        before: [{ name: 'flow 1', spanPs: 3 * US }],
        othersPs: US,
      },
    ])
    const text = flowLifeText(result, 0)
    // A tenth, a half and four tenths of sixty characters.
    expect(text).toContain(`|${'a'.repeat(6)}${'b'.repeat(30)}${'c'.repeat(24)}|\n`)
    expect(text).toContain('paused longest by host 9: 5.000 us')
    expect(text).toMatch(/leaf 0 port 3 +8\.0000 us +4\.00 us +2\.00 us by host 9 +flow 1 3\.00 us, others 1\.00 us/)
  })

  test('of a flow that is not complete says so, and of one that is not there throws', () => {
    expect(flowLifeText(result, 4)).toContain('not complete (still sending at the stop)')
    expect(flowLifeJson(result, 2).hops).toEqual([])
    expect(() => flowLifeText(result, 5)).toThrow('no flow 5')
  })
})

describe('a difference', () => {
  const a = resultOf([
    { takes: 10, parts: { nicPausedPs: 8 } },
    { takes: 20, parts: { nicPausedPs: 4, queuePs: 10 } },
    { takes: 5, unfinished: true },
  ])
  const b = resultOf([{ takes: 4, parts: { queuePs: 2 } }, { takes: 16, parts: { queuePs: 12 } }, { takes: 5 }])
  const difference = differenceOf(a, b, new Set())

  test('is that of the means over the flows that finished in both, and its parts add up to it', () => {
    const meansOf = (column: string): (number | undefined)[] => {
      const part = difference.parts.find((one) => one.column === column)
      return [part?.meanAPs, part?.meanBPs]
    }
    expect([difference.flows, difference.meanCompletionAPs, difference.meanCompletionBPs]).toEqual([
      2,
      15 * US,
      10 * US,
    ])
    expect(meansOf('nicPausedPs')).toEqual([6 * US, 0])
    expect(meansOf('queuePs')).toEqual([5 * US, 7 * US])
    expect(meansOf('ownPs')).toEqual([4 * US, 3 * US])
    expect(difference.parts.reduce((sum, { meanAPs, meanBPs }) => sum + meanBPs - meanAPs, 0)).toBe(-5 * US)
  })

  test('as text has the largest first, with its share of the whole', () => {
    const lines = differenceText({ ...difference, nameA: 'before', nameB: 'after' }).split('\n')
    expect(lines.slice(0, 3)).toEqual(['A before', 'B after', 'flows that finished in both: 2'])
    const rows = lines.slice(6, -1).map((line) => line.split(/ {2,}/))
    expect(rows).toEqual([
      ['completion', '15.00 us', '10.00 us', '-5.00 us'],
      ['paused at the NIC', '6.000 us', '0 ps', '-6.00 us', '120 %'],
      ['queues', '5.000 us', '7.000 us', '+2.00 us', '-40.0 %'],
      ['own bytes', '4.000 us', '3.000 us', '-1.00 us', '20.0 %'],
    ])
    expect(differenceText(differenceOf(resultOf([{ takes: 1, unfinished: true }]), b, new Set()))).toMatch(
      /no flow finished in both\n$/,
    )
  })
})
