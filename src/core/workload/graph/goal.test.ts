/** GOAL texts: what is read, and what is wrong with those that are not. */
import { describe, expect, test } from 'vitest'
import type { Issue } from '../../base/issue.ts'
import { readGoal } from './goal.ts'
import { ANY, blankOperation, type GraphOperation } from './program.ts'
import { programOf } from './table/table-program.ts'

function read(text: string) {
  const issues: Issue[] = []
  const table = readGoal(text.split('\n'), 'goal', issues)
  return { table, issues: issues.map(({ path, received }) => [path, received]) }
}
const rank = (number: number, ...lines: readonly string[]): string => [`rank ${number} {`, ...lines, '}'].join('\n')
const program = (...ranks: readonly string[]): string => [`num_ranks ${ranks.length}`, ...ranks].join('\n')

function operationsOf(text: string): GraphOperation[] {
  const { table, issues } = read(text)
  expect(issues).toEqual([])
  const whole = programOf(table)
  return Array.from({ length: table.size }, (_, id) => {
    const operation = blankOperation()
    whole.read(id, operation)
    return operation
  })
}

test('operations have their fields, in whatever spacing, with comments', () => {
  const text = `/* two
ranks */ num_ranks 2
rank 0{ a:calc 1000 cpu 3 // lane 3
\tb: send   4097b to 1 tag 7 cpu 1 nic 2\r
b requires a }
rank 1 {
x: recv 4097b from 0 tag 7 }`
  const lines = text.replace('rank 0{ a', 'rank 0{\n a')
  expect(operationsOf(lines)).toMatchObject([
    { kind: 'compute', rank: 0, durationPs: 1_000_000, lane: 3 },
    { kind: 'send', rank: 0, peer: 1, sizeBytes: 4097, tag: 0, channel: 2 * 256 + 1 },
    { kind: 'receive', rank: 1, peer: 0, sizeBytes: 4097, tag: 0, channel: 0 },
  ])
})

test('a receive may take any peer or tag, in both ways of writing it', () => {
  const text = program(rank(0, 'recv 1b from -1 tag 4294967295', 'recv 1b from 4294967295 tag -1'), rank(1))
  expect(operationsOf(text).map(({ peer, tag }) => [peer, tag])).toEqual([
    [ANY, ANY],
    [ANY, ANY],
  ])
})

describe('what is wrong is named by its line', () => {
  const SEND = 'a: send 8b to 1'
  const RECEIVE = 'recv 8b from 0'
  test.each([
    ['no ranks', 'rank 0 {\n}', [['goal.0', 'rank 0 {']]],
    ['nothing at all', '', [['goal.1', 'the end']]],
    ['an unknown label', program(rank(0, SEND, 'a requires b'), rank(1, RECEIVE)), [['goal.3', 'a requires b']]],
    [
      'a label below its use',
      program(rank(0, 'b requires a', SEND, 'b: calc 1'), rank(1, RECEIVE)),
      [['goal.2', 'b requires a']],
    ],
    ['a label twice', program(rank(0, SEND, 'a: calc 1'), rank(1, RECEIVE)), [['goal.3', 'a: calc 1']]],
    ['fields in another order', program(rank(0, 'calc 1 tag 2')), [['goal.2', 'calc 1 tag 2']]],
    ['cpu before tag', program(rank(0, 'send 1b to 0 cpu 0 tag 1')), [['goal.2', 'send 1b to 0 cpu 0 tag 1']]],
    ['a send from', program(rank(0, 'send 1b from 0')), [['goal.2', 'send 1b from 0']]],
    ['a peer beyond the ranks', program(rank(0, 'send 1b to 1')), [['goal.2', 'send 1b to 1']]],
    ['a send to any', program(rank(0, 'send 1b to -1')), [['goal.2', 'send 1b to -1']]],
    ['a cpu that would wrap', program(rank(0, 'calc 1 cpu 256')), [['goal.2', 'calc 1 cpu 256']]],
    ['no closing brace', 'num_ranks 1\nrank 0 {\ncalc 1', [['goal.3', 'the end']]],
    ['a rank that is missing', 'num_ranks 2\nrank 0 {\n}', [['goal.3', 'the end']]],
    [
      'ranks out of order',
      'num_ranks 2\nrank 1 {\n}\nrank 0 {\n}',
      [
        ['goal.1', 'rank 1 {'],
        ['goal.3', 'rank 0 {'],
      ],
    ],
    ['a send without receive', program(rank(0, SEND), rank(1)), [['goal.2', '1 and 0']]],
    ['another size', program(rank(0, SEND), rank(1, 'recv 9b from 0')), [['goal.2', '9']]],
    [
      'another tag',
      program(rank(0, SEND), rank(1, 'recv 8b from 0 tag 1')),
      [
        ['goal.2', '1 and 0'],
        ['goal.5', '0 and 1'],
      ],
    ],
    [
      'operations that wait for each other',
      program(rank(0, 'a: calc 1', 'b: calc 1', 'c: calc 1', 'b requires a', 'a irequires b', 'c requires b')),
      [['goal.2', 'those of lines 3, 4, which wait for each other']],
    ],
  ])('%s', (_name, text, expected) => {
    expect(read(text).issues).toEqual(expected)
  })

  test('and not more than 20 times', () => {
    expect(read(program(rank(0, ...Array.from({ length: 100 }, () => 'nonsense')))).issues).toHaveLength(20)
  })
})

test('a collective of more pieces than a memory holds is refused, and not begun', () => {
  const part = 'a: all-reduce 1073741824b group all algorithm ring channels 4096 slices 65536 element 4'
  const text = `num_ranks 2\ngroup all 0 1\n${rank(0, part)}\n${rank(1, part)}`
  expect(new Set(read(text).issues.map(([, received]) => received))).toEqual(new Set(['536870912']))
  expect(read(text.replaceAll('65536', '8')).issues).toEqual([])
})
