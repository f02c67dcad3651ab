/** Counts of programs, and how long their chains of messages are. */
import { describe, expect, test } from 'vitest'
import type { Issue } from '../../../base/issue.ts'
import { readGoal } from '../goal.ts'
import { censusOf } from './census.ts'

function census(...ranks: readonly (readonly string[])[]) {
  const issues: Issue[] = []
  const lines = [`num_ranks ${ranks.length}`, ...ranks.flatMap((rank, i) => [`rank ${i} {`, ...rank, '}'])]
  const found = censusOf(readGoal(lines, 'goal', issues))
  expect(issues).toEqual([])
  return found
}

test('operations, bytes and dependencies are counted by their kinds', () => {
  const found = census(
    ['a: calc 10', 'b: send 5b to 1 tag 7', 'b requires a', 'c: send 6b to 1 tag 9', 'c irequires b'],
    ['recv 5b from -1', 'recv 6b from 0 tag -1', 'calc 7'],
  )
  expect(found).toMatchObject({ ranks: 2, operations: 6, sends: 2, receives: 2, computes: 2, after: 1, with: 1 })
  expect(found).toMatchObject({ bytes: 11, computePs: 17_000, wildcards: 2, tags: 3, roots: 2 })
})

describe('the longest chain counts messages', () => {
  test('that go from rank to rank', () => {
    const pass = (from: number, to: number) => [`r: recv 1b from ${from}`, `s: send 1b to ${to}`, 's requires r']
    expect(census(['send 1b to 1'], pass(0, 2), pass(1, 3), ['recv 1b from 2']).longestChain).toBe(3)
  })

  test('of one rank that wait for acknowledgements, but not those that wait for begins', () => {
    const both = ['recv 1b from 0', 'recv 1b from 0']
    expect(census(['a: send 1b to 1', 'b: send 1b to 1', 'b requires a'], both).longestChain).toBe(2)
    expect(census(['a: send 1b to 1', 'b: send 1b to 1', 'b irequires a'], both).longestChain).toBe(1)
  })

  test('matched k-th to k-th with their tag', () => {
    const found = census(
      ['send 1b to 1 tag 1', 'send 1b to 1 tag 2'],
      ['a: recv 1b from 0 tag 2', 'b: send 1b to 2', 'b requires a', 'recv 1b from 0 tag 1'],
      ['recv 1b from 1'],
    )
    expect(found.longestChain).toBe(2)
  })

  test('when a receive is posted for a message that waits for that', () => {
    const found = census(['r: recv 1b from 0', 's: send 1b to 0', 's irequires r'])
    expect(found.longestChain).toBe(1)
  })

  test('through collectives, which all ranks of a group begin and end together', () => {
    const issues: Issue[] = []
    const before = ['a: recv 1b from 0', 'b: all-reduce 400b group all', 'b requires a']
    const last = ['b: all-reduce 400b group all', 'c: send 1b to 0', 'c requires b']
    const ranks = [
      ['send 1b to 1', 'recv 1b from 3', 'all-reduce 400b group all'],
      before,
      ['all-reduce 400b group all'],
      last,
    ]
    const lines = ['num_ranks 4', 'group all 0 1 2 3', ...ranks.flatMap((rank, i) => [`rank ${i} {`, ...rank, '}'])]
    const found = censusOf(readGoal(lines, 'goal', issues))
    expect(issues).toEqual([])
    // A ring of four has six steps.
    expect(found).toMatchObject({ collectives: 1, messages: 2 + 24, bytes: 2 + 4 * 600, longestChain: 1 + 6 + 1 })
  })
})
