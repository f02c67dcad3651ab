import { expect, test } from 'vitest'
import { parseScenario, soundPart, UnsoundTree } from './index.ts'

type Part = ReturnType<typeof soundPart>

/** Every group has a value that is not its default. */
const TEXT = `name: rooms
seed: 3
topology: {kind: star, hosts: 4}
workload:
  - {kind: incast, senders: 1, sizeEach: 1KB}
  - {kind: permutation, trafficClass: 3}
  - {kind: closed-loop, messages: 2}
faults:
  - {kind: bernoulli, probability: 0.1}
observe: [rates]
switch: {strictClasses: [1]}
pfc: {quanta: 9}
balance: spray
nic: {portDown: stay}
qp: {window: 1MB}
recovery: irn
congestion: timely
`
const standard = parseScenario('{topology: star, workload: [permutation]}')
const ROOMS = ['switch', 'pfc', 'balance', 'nic', 'qp', 'recovery', 'congestion'] as const

/** The sound part of the text with these overrides. */
function partOf(...sets: string[]): Part {
  try {
    return soundPart(parseScenario(TEXT, { sets }), [])
  } catch (error) {
    if (!(error instanceof UnsoundTree)) throw error
    return soundPart(
      error.values,
      error.issues.map(({ path }) => path),
    )
  }
}

const workloadsIn = (part: Part): string[] | undefined => part?.scenario.workload.map(({ kind }) => kind)
const replacedIn = (part: Part): string[] =>
  ROOMS.filter((name) => JSON.stringify(part?.scenario[name]) === JSON.stringify(standard[name]))

test('a scenario without a mistake is its own sound part', () => {
  const part = partOf()
  expect(workloadsIn(part)).toEqual(['incast', 'permutation', 'closed-loop'])
  expect(part?.scenario.faults).toHaveLength(1)
  expect(part?.scenario.observe).toHaveLength(1)
  expect(replacedIn(part)).toEqual([])
  for (const path of ['workload.2.messages', 'switch.buffer.size', 'topology.hosts']) {
    expect(part?.pathInWhole(path)).toBe(path)
  }
})

test('a workload with a mistake is left out, and issues in later ones keep their own paths', () => {
  const part = partOf('workload.1.trafficClass=9')
  expect(workloadsIn(part)).toEqual(['incast', 'closed-loop'])
  expect(part?.pathInWhole('workload.0.senders')).toBe('workload.0.senders')
  expect(part?.pathInWhole('workload.1.messages')).toBe('workload.2.messages')
  expect(part?.pathInWhole('workload.2')).toBeUndefined()
  expect(part?.scenario.faults).toHaveLength(1)
  // The first fault is not the first workload.
  expect(partOf('workload.0.senders=x')?.scenario.faults).toHaveLength(1)
  expect(part?.scenario.observe).toHaveLength(1)
  expect(replacedIn(part)).toEqual([])
})

test('a list that is itself malformed is empty, and the other lists stay', () => {
  const part = partOf('faults=all')
  expect(part?.scenario.faults).toEqual([])
  expect(workloadsIn(part)).toHaveLength(3)
  expect(part?.scenario.observe).toHaveLength(1)
})

test.each(['topology.hosts=x', 'classes.data=9', 'frames.payload=x', 'measure.warmUp=x', 'time.quantum=x'])(
  'with %s there is no sound part',
  (set) => expect(partOf(set)).toBeUndefined(),
)

test('a text that cannot be read has no sound part', () => {
  expect(soundPart(undefined, [])).toBeUndefined()
  expect(soundPart({ ...standard, topology: undefined }, [])).toBeUndefined()
})

test.each(['balance=x', 'nic.portDown=x', 'qp.window=x', 'recovery=x', 'congestion=x'])(
  'with %s all endpoint groups take their defaults, their issues are dropped, and observers are removed',
  (set) => {
    const part = partOf(set)
    expect(replacedIn(part)).toEqual(['balance', 'nic', 'qp', 'recovery', 'congestion'])
    expect(part?.scenario.observe).toEqual([])
    expect(workloadsIn(part)).toHaveLength(3)
    for (const path of ['qp.window', 'nic.addresses.0', 'congestion']) expect(part?.pathInWhole(path)).toBeUndefined()
    for (const path of ['switch.buffer.size', 'topology.hosts']) expect(part?.pathInWhole(path)).toBe(path)
  },
)

test.each(['switch.weights=x', 'pfc.quanta=x'])('with %s switches and endpoints take their defaults', (set) => {
  const part = partOf(set)
  expect(replacedIn(part)).toEqual(ROOMS)
  expect(part?.pathInWhole('switch.buffer.size')).toBeUndefined()
  expect(part?.pathInWhole('topology.hosts')).toBe('topology.hosts')
})

test('an absent group counts as wrong, as one with a mistake', () => {
  const whole = parseScenario(TEXT)
  expect(replacedIn(soundPart({ ...whole, nic: undefined }, []))).toEqual([
    'balance',
    'nic',
    'qp',
    'recovery',
    'congestion',
  ])
  expect(soundPart({ ...whole, workload: undefined }, [])?.scenario.workload).toEqual([])
})

test('a mistake in the name or the seed suppresses no other check', () => {
  const part = partOf('seed=x')
  expect(part?.scenario).toMatchObject({ name: 'scenario', seed: 1 })
  expect(workloadsIn(part)).toHaveLength(3)
  expect(replacedIn(part)).toEqual([])
})
