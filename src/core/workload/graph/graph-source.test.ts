/** Programs without a network: each message takes 100 ps, and its acknowledgement 10 more. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS } from '../../base/params.ts'
import { InputError, type Issue } from '../../base/issue.ts'
import { blankMessage } from '../workload.ts'
import { treeNode } from './algorithms/double-tree.ts'
import { readGoal } from './goal.ts'
import { type GraphPlan, GraphSource } from './graph-source.ts'
import { programOf } from './table/table-program.ts'

const WIRE_PS = 100
const ACK_PS = 10

/** Runs a program of as many ranks as given, and gives what was posted when, and the time of the end. */
function play(ranks: readonly (readonly string[])[], more: Partial<GraphPlan> = {}) {
  const lines = [`num_ranks ${ranks.length}`, ...ranks.flatMap((own, rank) => [`rank ${rank} {`, ...own, '}'])]
  return playLines(lines, ranks.length, more)
}

function playLines(lines: readonly string[], ranks: number, more: Partial<GraphPlan> = {}) {
  const issues: Issue[] = []
  const table = readGoal(lines, 'goal', issues)
  expect(issues).toEqual([])
  const source = new GraphSource({
    program: programOf(table),
    hostOf: Array.from({ length: ranks }, (_, rank) => rank),
    startPs: 0,
    stepTimePs: 0,
    sendDone: 'acknowledged',
    untilPs: NEVER_PS,
    isLogged: true,
    label: () => {},
    ...more,
  })
  const events: { readonly timePs: number; readonly act: (timePs: number) => void }[] = []
  const posted: [timePs: number, source: number, sizeBytes: number][] = []
  let nowPs = 0
  for (let number = 0; ;) {
    const next = events.toSorted((a, b) => a.timePs - b.timePs)[0]
    if (source.nextStartPs === NEVER_PS && next === undefined) break
    if (next !== undefined && next.timePs <= source.nextStartPs) {
      nowPs = next.timePs
      events.splice(events.indexOf(next), 1)
      next.act(nowPs)
      continue
    }
    nowPs = source.nextStartPs
    source.onTime(nowPs)
    if (source.nextStartPs > nowPs) continue
    const message = blankMessage()
    source.take(message)
    posted.push([nowPs, message.source, message.sizeBytes])
    const own = number++
    events.push({ timePs: nowPs + WIRE_PS, act: (timePs) => source.onDelivered(timePs, own) })
    events.push({ timePs: nowPs + WIRE_PS + ACK_PS, act: (timePs) => source.onComplete(timePs, own) })
  }
  return { posted, endPs: nowPs, source }
}

test('a message waits for the compute before it, and a compute for its message and the step time', () => {
  const ranks = [
    ['a: calc 1', 'b: send 8b to 1', 'b requires a'],
    ['x: recv 8b from 0', 'y: calc 2', 'y requires x', 'z: send 9b to 0', 'z requires y'],
  ]
  const { posted } = play([[...ranks[0]!, 'recv 9b from 1'], ranks[1]!], { stepTimePs: 7 })
  expect(posted).toEqual([
    [1000, 0, 8],
    [1000 + WIRE_PS + 7 + 2000, 1, 9],
  ])
})

test('a receive that is posted late is done when it is posted, plus the step time', () => {
  const late = ['a: calc 1', 'x: recv 8b from 0', 'x requires a', 'z: send 9b to 0', 'z requires x']
  const { posted } = play([['send 8b to 1', 'recv 9b from 1'], late], { stepTimePs: 7 })
  expect(posted.at(-1)).toEqual([1007, 1, 9])
})

test('a send is done when it is acknowledged, when it has arrived, or at once', () => {
  const ranks = [
    ['a: send 8b to 1', 'b: send 9b to 1', 'b requires a'],
    ['recv 8b from 0', 'recv 9b from 0'],
  ]
  expect(play(ranks).posted[1]).toEqual([WIRE_PS + ACK_PS, 0, 9])
  expect(play(ranks, { sendDone: 'delivered' }).posted[1]).toEqual([WIRE_PS, 0, 9])
  expect(play(ranks, { sendDone: 'posted' }).posted[1]).toEqual([0, 0, 9])
})

test('computes of one lane go one after the other by their order, those of others at the same time', () => {
  const ranks = [
    [
      'a: calc 3',
      'b: calc 2',
      'c: calc 1 cpu 1',
      ...['a', 'b', 'c'].flatMap((on, i) => [`s${on}: send ${i + 1}b to 1 tag ${i}`, `s${on} requires ${on}`]),
    ],
    ['recv 1b from 0 tag 0', 'recv 2b from 0 tag 1', 'recv 3b from 0 tag 2'],
  ]
  expect(play(ranks).posted).toEqual([
    [1000, 0, 3],
    [3000, 0, 1],
    [5000, 0, 2],
  ])
})

test('irequires waits for the begin alone', () => {
  const ranks = [['a: calc 3', 'b: send 8b to 1', 'b irequires a'], ['recv 8b from 0']]
  expect(play(ranks).posted).toEqual([[0, 0, 8]])
})

test('a message of no bytes, or to the own host, arrives at once', () => {
  const ranks = [
    ['send 0b to 1', 'send 5b to 2'],
    ['x: recv 0b from 0', 'y: send 8b to 0', 'y requires x'],
    ['z: recv 5b from 0', 'w: send 9b to 1', 'w requires z'],
  ]
  const { posted } = play([[...ranks[0]!, 'recv 8b from 1'], [...ranks[1]!, 'recv 9b from 2'], ranks[2]!], {
    hostOf: [0, 1, 0],
    stepTimePs: 7,
  })
  expect(posted).toEqual([
    [0, 1, 8],
    [0, 0, 9],
  ])
})

test('several messages due at one time go by rank, then by order', () => {
  const all = Array.from({ length: 3 }, (_, r) => [0, 1, 2].filter((peer) => peer !== r))
  const ranks = all.map((peers, r) => [
    ...peers.map((peer) => `send ${r + 1}b to ${peer}`),
    ...peers.map((peer) => `recv ${peer + 1}b from ${peer}`),
  ])
  expect(play(ranks).posted.map(([, source]) => source)).toEqual([0, 0, 1, 1, 2, 2])
})

test('operations that wait for a message that never comes are named with what they wait for', () => {
  const { source } = play([
    ['a: recv 8b from 1', 'b: send 8b to 1', 'b requires a'],
    ['c: recv 8b from 0', 'd: send 8b to 0', 'd requires c'],
  ])
  const { operations } = source
  const names = operations
    .unstarted()
    .map(({ rank, id, waitsFor }) => [rank, operations.nameOf(id), operations.nameOf(waitsFor)])
  expect(names).toEqual([
    [0, 'send b', 'receive a'],
    [1, 'send d', 'receive c'],
  ])
  expect(source.waiting(1)).toEqual([{ behind: -1, messages: 2 }])
})

test('messages inside a host, to the rank itself and of no bytes are done when they arrive, and until then wait', () => {
  const own = ['send 8b to 1', 'send 0b to 2 tag 1', 'send 8b to 0 tag 2', 'recv 8b from 0 tag 2']
  const third = ['recv 0b from 0 tag 1', 'recv 8b from 1']
  const second = ['a: recv 8b from 0', 'b: send 8b to 2', 'b requires a']
  const inside = { latencyPs: 50, psPerByte: 1 }
  const lines = [own, second, third]
  const { source, endPs } = play(lines, { hostOf: [0, 0, 0], inside, untilPs: 60 })
  expect(endPs).toBe(58)
  // The one to rank 2 would take until 116.
  expect(source.waiting(59)).toEqual([{ behind: -1, messages: 1 }])
  expect(source.leftBytes).toBe(8)
  const whole = play(lines, { hostOf: [0, 0, 0], inside })
  expect([whole.endPs, whole.source.leftBytes, whole.source.waiting(116)]).toEqual([116, 0, []])
})

test('the critical path goes back over the dependency that was met last', () => {
  const { source } = play(
    [
      ['a: calc 1', 'b: send 8b to 1', 'b requires a'],
      ['x: recv 8b from 0', 'q: calc 5', 'y: calc 2', 'y requires x', 'z: calc 1 cpu 1', 'z requires x'],
    ],
    { stepTimePs: 7 },
  )
  // The lane is busy with q until 5000.
  const path = source.operations.criticalPath().map(({ kind, fromPs, toPs }) => [kind, fromPs, toPs])
  expect(path).toEqual([
    ['compute', 0, 1000],
    ['message', 1000, 1000 + WIRE_PS],
    ['step', 1000 + WIRE_PS, 1000 + WIRE_PS + 7],
    ['lane', 1000 + WIRE_PS + 7, 5000],
    ['compute', 5000, 7000],
  ])
})

test('the double tree of 8 is the one of NCCL', () => {
  const shown = (tree: number): string[] =>
    Array.from({ length: 8 }, (_, r) => {
      const { parent, children } = treeNode(tree, r, 8)
      return `${r}:${parent < 0 ? '-' : parent}/${children.length === 0 ? '-' : children.join()}`
    })
  expect(shown(0)).toEqual(['0:-/4', '1:2/-', '2:4/1,3', '3:2/-', '4:0/2,6', '5:6/-', '6:4/5,7', '7:6/-'])
  expect(shown(1)).toEqual(['0:1/-', '1:3/2,0', '2:1/-', '3:7/5,1', '4:5/-', '5:3/6,4', '6:5/-', '7:-/3'])
})

test.each([2, 3, 5, 8, 13, 64, 100])('both trees of %i join all positions, and parents know their children', (n) => {
  for (const tree of [0, 1]) {
    const nodes = Array.from({ length: n }, (_, r) => treeNode(tree, r, n))
    expect(nodes.filter(({ parent }) => parent < 0)).toHaveLength(1)
    nodes.forEach(({ children }, r) => children.forEach((child) => expect(nodes[child]!.parent).toBe(r)))
    expect(nodes.reduce((sum, { children }) => sum + children.length, 0)).toBe(n - 1)
  }
})

test('a receive whose message has another size ends the run', () => {
  expect(() => play([['send 8b to 1'], ['recv 9b from -1']])).toThrow(InputError)
  const crossed = [
    ['a: calc 1', 'b: send 8b to 1', 'b requires a', 'send 9b to 1'],
    ['recv 8b from 0', 'recv 9b from 0'],
  ]
  expect(() => play(crossed)).toThrow(InputError)
})

const collectiveLines = (size: string, options = ''): string[] => [
  'num_ranks 3',
  'group two 2 0',
  ...[0, 1, 2].flatMap((rank) => [
    `rank ${rank} {`,
    'a: calc 1',
    ...(rank === 1
      ? []
      : [`sum: all-reduce ${size} group two${options}`, 'sum requires a', 'z: calc 1', 'z requires sum']),
    '}',
  ]),
]

const tableOf = (lines: readonly string[]) => {
  const issues: Issue[] = []
  const table = readGoal(lines, 'goal', issues)
  return { table, issues }
}

test('a collective in a graph begins on each rank when its part may, and what waits for it goes on when its part is over', () => {
  const { posted, endPs, source } = playLines(collectiveLines('9b'), 3)
  // Two positions: rank 2 is the first of them, and has the larger part.
  expect(posted).toEqual([
    [1000, 0, 5],
    [1000, 2, 4],
    [1000 + WIRE_PS, 0, 4],
    [1000 + WIRE_PS, 2, 5],
  ])
  expect(endPs).toBe(1000 + 2 * WIRE_PS + ACK_PS + 1000)
  const [round] = source.operations.rounds()
  expect(round).toMatchObject({ name: 'sum', operation: 'all-reduce', algorithm: 'ring', ranks: 2, sizeBytes: 9 })
  expect([round!.startPs, round!.endPs]).toEqual([1000, 1000 + 2 * WIRE_PS])
  expect(source.operations.unstarted()).toEqual([])
})

test('a collective of nothing is over at once', () => {
  const { posted, endPs } = playLines(collectiveLines('0b'), 3)
  expect(posted).toEqual([])
  expect(endPs).toBe(2000)
})

test('ranks of a group have the same collectives in one order, with an algorithm for its size', () => {
  const differ = collectiveLines('9b')
  differ[differ.lastIndexOf('sum: all-reduce 9b group two')] = 'sum: all-reduce 8b group two'
  expect(tableOf(differ).table.problems()).toEqual([{ kind: 'part', id: 5, other: 1, isMissing: false }])
  const missing = differ.filter(
    (line) => !line.includes('8b') && line !== 'sum requires a' && line !== 'z requires sum',
  )
  expect(tableOf(missing).table.problems()).toMatchObject([{ kind: 'part', id: 1, other: 1 }])
  const none = tableOf(collectiveLines('8b', ' algorithm binomial')).table.problems()
  expect(none).toMatchObject([
    { kind: 'algorithm', id: 1, received: 'binomial' },
    { kind: 'algorithm', id: 5 },
  ])
  const groups = ['group two 1 0', 'group two 2 0', 'group one 1 1', 'group far 3', 'group']
  const { issues } = tableOf(['num_ranks 3', ...groups, 'rank 0 {', 'all-reduce 8b group none', '}'])
  expect(issues.map(({ path }) => path)).toEqual([2, 3, 4, 5, 7].map((line) => `goal.${line}`))
})

test('messages of two collectives that overlap do not mix', () => {
  const lines = [
    'num_ranks 2',
    'group both 0 1',
    ...[0, 1].flatMap((rank) => [
      `rank ${rank} {`,
      `a: calc ${1 - rank}`,
      'x: broadcast 5b group both',
      'y: reduce 7b group both',
      ...(rank === 0 ? ['x requires a'] : []),
      '}',
    ]),
  ]
  const { posted, source } = playLines(lines, 2)
  expect(posted).toEqual([
    [0, 1, 7],
    [1000, 0, 5],
  ])
  expect(source.operations.rounds().map(({ name, iteration, endPs }) => [name, iteration, endPs])).toEqual([
    ['y', 1, WIRE_PS],
    ['x', 0, 1000 + WIRE_PS],
  ])
})

test('a message inside a host takes its own time, without step time; one to itself takes none', () => {
  const ranks = [
    [
      'a: send 8b to 1',
      'self: send 8b to 0 tag 1',
      'own: recv 8b from 0 tag 1',
      'b: send 9b to 2',
      'b requires a',
      'b requires own',
    ],
    ['recv 8b from 0'],
    ['recv 9b from 0'],
  ]
  const inside = { latencyPs: 50, psPerByte: 2 }
  const { posted, source } = play(ranks, { hostOf: [0, 0, 1], inside, stepTimePs: 7 })
  expect(posted).toEqual([[66, 0, 9]])
  const path = source.operations.criticalPath().map(({ kind, fromPs, toPs }) => [kind, fromPs, toPs])
  expect(path).toEqual([
    ['inside', 0, 66],
    ['message', 66, 66 + WIRE_PS],
    ['acknowledgement', 66 + WIRE_PS, 66 + WIRE_PS + ACK_PS],
  ])
})

describe('a send waits for its receiver', () => {
  const CONTROL_BYTES = 64
  const late = [
    ['send 8b to 1 tag 1', 'send 9b to 1 tag 2'],
    ['recv 8b from 0 tag 1', 'a: calc 1', 'x: recv 9b from 0 tag 2', 'x requires a'],
  ]

  test('above the size of rendezvous until the receive is posted and a control message is there', () => {
    const { posted, endPs, source } = play(late, { leave: { aboveBytes: 8, slots: 0 } })
    expect(posted).toEqual([
      [0, 0, 8],
      [1000, 1, CONTROL_BYTES],
      [1000 + WIRE_PS, 0, 9],
    ])
    expect(endPs).toBe(1000 + 2 * WIRE_PS + ACK_PS)
    const path = source.operations.criticalPath().map(({ kind, fromPs, toPs }) => [kind, fromPs, toPs])
    expect(path).toEqual([
      ['compute', 0, 1000],
      ['control', 1000, 1000 + WIRE_PS],
      ['message', 1000 + WIRE_PS, 1000 + 2 * WIRE_PS],
      ['acknowledgement', 1000 + 2 * WIRE_PS, endPs],
    ])
  })

  test('and does not wait if its receive was posted a control message ago', () => {
    const early = [['a: calc 1', 's: send 9b to 1', 's requires a'], ['recv 9b from 0']]
    const { posted } = play(early, { leave: { aboveBytes: 8, slots: 0 } })
    expect(posted).toEqual([
      [0, 1, CONTROL_BYTES],
      [1000, 0, 9],
    ])
  })

  test('with slots until the receive of an earlier one is done and a control message is there', () => {
    const three = [
      ['send 1b to 1', 'send 2b to 1', 'send 3b to 1'],
      ['recv 1b from 0', 'recv 2b from 0', 'recv 3b from 0'],
    ]
    const { posted } = play(three, { leave: { aboveBytes: Infinity, slots: 2 }, stepTimePs: 7 })
    const freePs = WIRE_PS + 7
    expect(posted.filter(([, , sizeBytes]) => sizeBytes < CONTROL_BYTES)).toEqual([
      [0, 0, 1],
      [0, 0, 2],
      [freePs + WIRE_PS, 0, 3],
    ])
    expect(posted.filter(([, , sizeBytes]) => sizeBytes === CONTROL_BYTES).map(([timePs]) => timePs)).toEqual([
      freePs,
      freePs,
      2 * freePs + WIRE_PS,
    ])
  })
})
