import { describe, expect, test } from 'vitest'
import type { Param, ParamFields } from '../../core/base/params.ts'
import { numbersOf, type Result, textsOf } from '../../core/results/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { withChanges } from '../scenario/changes.ts'
import { scenarioParams } from '../scenario/scenario.ts'
import { run } from '../index.ts'
import { APPLIED, isBelow, PAIR_PATHS } from './changes.ts'

/** Four hosts send to the fifth through one switch. */
function incast(changes: string, more = ''): Result {
  const text = `
name: changes
topology: {kind: star, hosts: 5, linkRate: 40Gbps, linkDelay: 1us}
switch: {buffer: {kind: shared-buffer, size: 1MB, alpha: 1/16}}
workload: [{kind: trace, flows: [0 4 1MB 0us, 1 4 1MB 0us, 2 4 1MB 0us, 3 4 1MB 0us]}]
observe: [{kind: pause-log}]
changes: [${changes}]
${more}
`
  return run(parseScenario(text), { check: true })
}

const firstPausePs = ({ series }: Result): number => numbersOf(series[0]!, 'timePs')[0] ?? Infinity

const messageOf = (make: () => unknown): string => {
  try {
    make()
    return 'no mistake'
  } catch (error) {
    return (error as Error).message
  }
}

/** Paths of all params that may change during a run, as declared. */
function livePaths(param: Param, path: string, live: boolean): string[] {
  const isLive = param.live ?? live
  const inside = (fields: ParamFields): string[] =>
    Object.entries(fields).flatMap(([name, field]) => livePaths(field, path === '' ? name : `${path}.${name}`, isLive))
  const own = isLive && path !== '' ? [path] : []
  if (param.type === 'group') return [...own, ...inside(param.fields)]
  if (param.type === 'variant') return [...own, ...param.definitions.flatMap(({ params }) => inside(params))]
  return own
}

test('every parameter that is declared to change during a run is brought to the devices, and no other', () => {
  const applied = [...APPLIED.flatMap(({ paths }) => paths), ...PAIR_PATHS]
  const declared = livePaths(scenarioParams, '', false)
  expect(declared.length).toBeGreaterThan(20)
  expect(declared.filter((path) => !isBelow(path, applied))).toEqual([])
  expect(applied.filter((path) => !declared.some((live) => isBelow(live, [path])))).toEqual([])
})

describe('alpha changes', () => {
  test('from the start: as if the scenario had that value', () => {
    const changed = incast('{path: switch.buffer.alpha, value: 1/64}')
    const set = incast('', 'qp: {}').digest
    const own = run(
      parseScenario(`
name: changes
topology: {kind: star, hosts: 5, linkRate: 40Gbps, linkDelay: 1us}
switch: {buffer: {kind: shared-buffer, size: 1MB, alpha: 1/64}}
workload: [{kind: trace, flows: [0 4 1MB 0us, 1 4 1MB 0us, 2 4 1MB 0us, 3 4 1MB 0us]}]
observe: [{kind: pause-log}]
`),
    )
    expect(changed.digest).toBe(own.digest)
    expect(changed.digest).not.toBe(set)
  })

  test('at a time: the run is the same until then, and has more pauses afterwards', () => {
    const before = incast('')
    const after = incast('{path: switch.buffer.alpha, value: 1/64, at: 20us}')
    const early = incast('{path: switch.buffer.alpha, value: 1/64, at: 1us}')
    expect(firstPausePs(after)).toBe(firstPausePs(before))
    expect(firstPausePs(early)).toBeLessThan(firstPausePs(before))
    expect(after.counters.drops).toEqual({})
  })

  test('a limit below its occupancy drops nothing: the port is over XOFF at the next packet', () => {
    const result = incast('{path: switch.buffer.alpha, value: 1/1000, at: 100us}')
    expect([result.counters.drops, new Set(textsOf(result.flows, 'status'))]).toEqual([{}, new Set(['finished'])])
  })

  test('the digest contains the change, even one without an effect', () => {
    expect(incast('{path: switch.buffer.alpha, value: 1/16, at: 20us}').digest).not.toBe(incast('').digest)
  })
})

describe('PFC is turned off', () => {
  test('while hosts are paused: pauses end, none is sent afterwards, and packets are dropped', () => {
    const result = incast('{path: pfc.classes, value: [], at: 200us}', 'qp: {ackTimeout: 1ms}')
    const times = [...numbersOf(result.series[0]!, 'timePs')]
    expect(times.length).toBeGreaterThan(0)
    expect(times.filter((ps) => ps > 200e6 + 2e6)).toEqual([])
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    expect(new Set(textsOf(result.flows, 'status'))).toEqual(new Set(['finished']))
  })

  test('at one host: it does not obey, and its packets are dropped at the switch', () => {
    const result = incast('{path: pfc.classes, value: [], nodes: host 0}', 'qp: {ackTimeout: 1ms}')
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    const nodes = new Set(numbersOf(result.series[0]!, 'node'))
    expect(nodes.has(0)).toBe(false)
    expect(nodes.has(1)).toBe(true)
  })

  test('at one port of the switch: it pauses the other hosts only', () => {
    const result = incast('{path: pfc.classes, value: [], nodes: switch, ports: host 0}', 'qp: {ackTimeout: 1ms}')
    expect(new Set(numbersOf(result.series[0]!, 'node'))).toEqual(new Set([1, 2, 3]))
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
  })
})

test('another recovery holds for queue pairs that open afterwards', () => {
  const text = (changes: string): string => `
name: schemes
topology: {kind: star, hosts: 2}
workload:
  - {kind: trace, flows: [0 1 1MB 0us, 0 1 1MB 1ms]}
faults: [{kind: every-nth, n: 100}]
qp: {ackTimeout: 1ms}
changes: [${changes}]
`
  const resent = (changes: string): number[] => [
    ...numbersOf(run(parseScenario(text(changes)), { check: true }).flows, 'retransmissions'),
  ]
  const [first, second] = resent('')
  const [sameFirst, fewer] = resent('{path: recovery, value: irn, at: 500us}')
  expect(sameFirst).toBe(first)
  expect(fewer).toBeLessThan(second!)
})

test('a change that does not go with an earlier one is refused before the run, whatever their order in the file', () => {
  const late = '{path: switch.watchdog.profile, value: port, at: 144us}'
  const early = '{path: switch.watchdog, value: "{kind: off}", at: 13us}'
  expect(messageOf(() => incast(`${late}, ${early}`))).toContain('changes.0.path: expected a key: kind')
})

test('changes at one instant hold in the order of the file', () => {
  const one = incast(
    '{path: switch.buffer.alpha, value: 1/64, at: 5us}, {path: switch.buffer.alpha, value: 1/4, at: 5us}',
  )
  const other = incast(
    '{path: switch.buffer.alpha, value: 1/4, at: 5us}, {path: switch.buffer.alpha, value: 1/64, at: 5us}',
  )
  expect(firstPausePs(other)).toBeLessThan(firstPausePs(one))
})

describe('mistakes', () => {
  test.each([
    ['{path: switch.buffer.alhpa, value: 1}', 'changes.0.path'],
    ['{path: topology.hosts, value: 6}', 'a parameter that may differ between devices'],
    ['{path: switch.buffer.alpha, value: 200}', 'changes.0.value'],
    ['{path: switch.buffer.size, value: 2MB, at: 1ms}', 'not change during a run'],
    ['{path: switch.buffer.alpha, value: 1, nodes: leaf 7}', 'changes.0.nodes'],
    ['{path: switch.buffer.alpha, value: 1, ports: leaf 7}', 'changes.0.ports'],
    ['{path: recovery, value: irn}', 'a time after the start'],
    ['{path: recovery, value: irn, at: 1ms, nodes: host 1}', 'belongs to queue pairs'],
    ['{path: congestion, value: hpcc, at: 1ms}', 'telemetry'],
    ['{path: switch.ecn.kmin, value: 1MB}', 'kmax'],
  ])('%s: %s', (change, expected) => {
    expect(messageOf(() => incast(change))).toContain(expected)
  })
  test('a change is not blamed for what is missing elsewhere in the scenario', () => {
    const sound = parseScenario(`
topology: {kind: star, hosts: 3}
workload: [{kind: trace, flows: [0 1 1MB 0us]}]
changes: [{path: switch.buffer.alpha, value: 1}]`)
    const [change] = sound.changes
    const mistaken = { ...sound, workload: [], changes: [{ ...change!, value: '200' }] }
    expect(messageOf(() => withChanges(mistaken, [0]))).toBe(
      'changes.0.value: expected a number from 0 to 128, received 200',
    )
  })
})
