/** Programs without a network: each message takes 100 ps, and its acknowledgement 10 more. */
import { expect, test } from 'vitest'
import { NEVER_PS } from '../../base/params.ts'
import type { Issue } from '../../base/issue.ts'
import { blankMessage } from '../workload.ts'
import { treeNode } from './algorithms/double-tree.ts'
import { readGoal } from './goal.ts'
import { type GraphPlan, GraphSource } from './graph-source.ts'

const WIRE_PS = 100
const ACK_PS = 10

/** Runs a program of as many ranks as given, and gives what was posted when, and the time of the end. */
function play(ranks: readonly (readonly string[])[], more: Partial<GraphPlan> = {}) {
  const lines = [`num_ranks ${ranks.length}`, ...ranks.flatMap((own, rank) => [`rank ${rank} {`, ...own, '}'])]
  const issues: Issue[] = []
  const table = readGoal(lines, 'goal', issues)
  expect(issues).toEqual([])
  const source = new GraphSource({
    program: table.program(),
    hostOf: ranks.map((_, rank) => rank),
    startPs: 0,
    stepTimePs: 0,
    isSendDoneWhenPosted: false,
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

test('a send is done when it is acknowledged, or at once', () => {
  const ranks = [
    ['a: send 8b to 1', 'b: send 9b to 1', 'b requires a'],
    ['recv 8b from 0', 'recv 9b from 0'],
  ]
  expect(play(ranks).posted[1]).toEqual([WIRE_PS + ACK_PS, 0, 9])
  expect(play(ranks, { isSendDoneWhenPosted: true }).posted[1]).toEqual([0, 0, 9])
})

test('computes of one lane go one after the other by their order, those of others at the same time', () => {
  const ranks = [
    [
      'a: calc 3',
      'b: calc 2',
      'c: calc 1 cpu 1',
      ...['a', 'b', 'c'].flatMap((on, i) => [`s${on}: send ${i + 1}b to 1`, `s${on} requires ${on}`]),
    ],
    ['recv 1b from 0', 'recv 2b from 0', 'recv 3b from 0'],
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
    [0, 'send 1', 'receive 0'],
    [1, 'send 1', 'receive 0'],
  ])
  expect(source.waiting(1)).toEqual([{ behind: -1, messages: 2 }])
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
