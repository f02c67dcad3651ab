/** Workloads with schemes of their own: the scenario's are only defaults, and schemes side by side work as they do alone. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { InputError } from '../../src/core/base/issue.ts'
import { run } from '../../src/lab/index.ts'
import { numbersOf, runJson, summarize, textsOf } from '../../src/core/results/index.ts'
import { formatScenario, isMixed, parseScenario, type Scenario } from '../../src/lab/scenario/index.ts'

const FOLDER = path.resolve(import.meta.dirname, '..', '..', 'scenarios')
/** Scenarios that run in less than a second. */
const SMALL = readdirSync(FOLDER).filter((name) => /^(?:incast|work-requests|link-down|churn)/.test(name))

/** The scenario with its schemes written at each workload, and others in their place. */
function movedToWorkloads(scenario: Scenario): Scenario {
  const plain = parseScenario('{name: plain, topology: star, workload: [permutation]}')
  const { recovery, congestion, qp } = scenario
  return {
    ...scenario,
    recovery: plain.recovery,
    congestion: plain.congestion,
    qp: plain.qp,
    workload: scenario.workload.map((source) => ({ ...source, recovery, congestion, qp })),
  }
}

test.each(SMALL)('%s gives the same events with its schemes written at each workload', (name) => {
  const scenario = parseScenario(readFileSync(path.join(FOLDER, name), 'utf8'), { file: name })
  const moved = movedToWorkloads(scenario)
  expect(parseScenario(formatScenario(moved))).toEqual(moved)
  expect(moved.workload.every(isMixed)).toBe(true)
  expect(run(moved).digest).toBe(run(scenario).digest)
})

const BOTTLENECK = `
name: mix
topology: {kind: star, hosts: 6, linkRate: 25Gbps}
pfc: {classes: []}
qp: {ackTimeout: 320us, ecnEcho: ack}
congestion: dcqcn
workload:
  - {kind: closed-loop, pairs: ["0 5", "1 5"], messageSize: 100KB, messages: 50, tag: old}
  - {kind: closed-loop, pairs: ["2 5", "3 5"], messageSize: 100KB, messages: 50, tag: new, MORE}
`
const withMore = (more: string, ...sets: string[]): Scenario =>
  parseScenario(BOTTLENECK.replace('MORE', more), { sets })

describe('two schemes at one bottleneck', () => {
  test.each([
    ['a new control beside an old one', 'congestion: swift'],
    ['IRN beside RoCE', 'recovery: irn'],
    ['telemetry in the packets of one alone', 'congestion: hpcc'],
    ['another transport, with frames of its own', 'recovery: iwarp, congestion: none'],
    ['paths of its own', 'recovery: mp-rdma, congestion: mp-rdma'],
    ['work requests beside messages', 'workRequests: true, recovery: irn, qp: {receiveRepost: 2us}'],
  ])('%s: all flows finish and no law is broken', (_, more) => {
    const result = run(withMore(more), { check: true })
    expect(new Set(textsOf(result.flows, 'status'))).toEqual(new Set(['finished']))
    expect(summarize(result).tags.map(({ tag, finished }) => [tag, finished])).toEqual([
      ['old', 100],
      ['new', 100],
    ])
  })

  test('ideal times are those of the flow’s own frames: alone each scheme has a slowdown of 1', () => {
    const trace = (tag: string, hosts: string, more: string): string =>
      `{kind: trace, tag: ${tag}, flows: ["${hosts} 40KB 0us", "${hosts} 1B 1ms"], ${more}}`
    const text = `
name: alone
topology: {kind: star, hosts: 6}
qp: {ecnEcho: ack}
workload:
  - ${trace('plain', '0 1', '')}
  - ${trace('telemetry', '2 3', 'congestion: hpcc')}
  - ${trace('tcp', '4 5', 'recovery: {kind: iwarp, initialWindow: 100}')}
`
    const result = run(parseScenario(text))
    const ideals = numbersOf(result.flows, 'idealPs')
    expect(new Set(ideals.slice(0, 3)).size).toBe(3)
    expect(summarize(result).tags.map(({ p50Slowdown }) => p50Slowdown)).toEqual([1, 1, 1])
  })

  test('a key of qp that a workload leaves out is the scenario’s, and what it gives is its own', () => {
    const { workload, qp } = withMore('qp: {ackInterval: 8}')
    expect(workload[0]!.qp).toBe(null)
    expect(workload[1]!.qp).toEqual({ ...qp, ackInterval: 8 })
  })
})

describe('unmet needs of a workload’s schemes are reported at the workload', () => {
  const issuesOf = (more: string, ...sets: string[]): string[] => {
    try {
      withMore(more, ...sets)
      return []
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return error.issues.map(({ path: at, expected, hint }) => `${at}: ${expected} (${hint})`)
    }
  }

  test('with the setting that holds for it alone', () => {
    expect(issuesOf('congestion: swift, qp: {ackInterval: 4}')).toEqual([
      'workload.1.qp.ackInterval: 1, as swift needs per-packet ACKs (set workload.1.qp.ackInterval=1)',
    ])
    expect(issuesOf('congestion: swift, qp: {ackInterval: 4}', 'workload.1.qp.ackInterval=1')).toEqual([])
    expect(issuesOf('congestion: qcn', 'switch.qcn.classes=[]')).toEqual([
      'switch.qcn.classes: a class of data such as 3, as qcn needs congestion points in switches (set switch.qcn.classes=[3])',
    ])
  })

  test('and one of them may be marked in another class than the other', () => {
    expect(issuesOf('congestion: none, trafficClass: 5')).toEqual([])
    expect(issuesOf('congestion: dctcp, trafficClass: 5')).toEqual([
      'switch.ecn.classes: a class of data such as 5, as dctcp needs ECN (set switch.ecn.classes=[3, 5])',
    ])
  })

  test('windows and bands too', () => {
    expect(issuesOf('qp: {windowVariable: true}')).toEqual([
      'workload.1.qp.windowVariable: a window to vary (set workload.1.qp.window)',
    ])
    expect(issuesOf('congestion: {kind: timely, tLow: 1ms}')).toEqual([
      'workload.1.congestion.tHigh: at least tLow, 1ms (between them the gradient decides)',
    ])
  })
})

test('several tags are summed up each, with how even they are', () => {
  const result = run(withMore('congestion: swift'))
  const json = runJson(result, summarize(result))
  expect(Object.keys(json.tags)).toEqual(['old', 'new'])
  const [old, young] = [json.tags['old']!.goodputBps!, json.tags['new']!.goodputBps!]
  expect(json.tagJainIndex).toBeCloseTo((old + young) ** 2 / (2 * (old ** 2 + young ** 2)), 12)
  expect(json.tags['old']!.jainIndex).toBeGreaterThan(0.5)
  const alike = run(withMore('congestion: swift', 'workload.1.tag=old'))
  expect(runJson(alike, summarize(alike))).toMatchObject({ tags: {}, tagJainIndex: null })
})

test('flows that never end count for their tag all the same, in the window and to the end', () => {
  const text = `{name: endless, topology: {kind: star, hosts: 5, linkRate: 100Gbps},
    pfc: {classes: [3, 4]}, switch: {scheduler: dwrr, weights: [1, 1, 1, 3, 1, 1, 1, 1]},
    workload: [
      {kind: closed-loop, tag: heavy, pairs: ["0-1 4"], messageSize: 1GB, trafficClass: 3},
      {kind: closed-loop, tag: light, pairs: ["2-3 4"], messageSize: 1GB, trafficClass: 4}], MEASURE}`
  const scenario = (measure: string): Scenario => parseScenario(text.replace('MEASURE', `measure: ${measure}`))
  const windowed = run(scenario('{warmUp: 1ms, window: 1ms, stop: 2.5ms}'))
  const whole = run(scenario('{stop: 2ms}'))
  for (const result of [windowed, whole]) {
    const [heavy, light] = summarize(result).tags
    expect(heavy!.finished).toBe(0)
    expect(heavy!.goodputBps / light!.goodputBps).toBeGreaterThan(2.9)
    expect(heavy!.goodputBps / light!.goodputBps).toBeLessThan(3.1)
    expect(heavy!.jainIndex).toBeCloseTo(1, 3)
  }
  const [heavy, light] = summarize(windowed).tags
  expect(heavy!.goodputBps + light!.goodputBps).toBe(summarize(windowed).windowGoodputBps)
  const rows = numbersOf(whole.flows, 'deliveredBytes')
  expect(rows.reduce((sum, bytes) => sum + bytes, 0)).toBe(whole.counters.payloadBytesDelivered)
})
