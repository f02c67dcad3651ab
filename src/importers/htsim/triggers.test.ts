/** Triggers of connection matrices: which connections wait for which, and each mistake at its line. */
import { describe, expect, test } from 'vitest'
import { InputError } from '../../core/base/issue.ts'
import { differs, found } from '../findings.test-bench.ts'
import type { Branch } from '../importer.ts'
import { sample } from '../samples.test-files.ts'
import { htsim } from './htsim.ts'

/** A matrix of these lines, with a header that fits them. */
function matrix(lines: readonly string[], header = {}): string {
  const triggers = lines.filter((line) => line.startsWith('trigger')).length
  const counts = { Nodes: 16, Connections: lines.length - triggers, Triggers: triggers, ...header }
  return [...Object.entries(counts).map((pair) => pair.join(' ')), ...lines, ''].join('\n')
}

const imported = (...lines: readonly string[]) => htsim.import(sample('my.cm', {}, { 'my.cm': matrix(lines) }))

function flows(...lines: readonly string[]): string[] {
  const [trace] = imported(...lines).scenario['workload'] as Branch[]
  return trace!['flows'] as string[]
}

function refusals(lines: readonly string[], header = {}): string[] {
  try {
    htsim.import(sample('my.cm', {}, { 'my.cm': matrix(lines, header) }))
  } catch (error) {
    if (error instanceof InputError)
      return error.issues.map(({ line, path, received }) => `${line ?? '-'} ${path} ${received}`)
    throw error
  }
  return []
}

describe('a trigger', () => {
  test('that is a oneshot starts its connections when another is acknowledged, or received', () => {
    const lines = flows(
      '0->1 id 1 start 0 size 1000 send_done_trigger 9 recv_done_trigger 8',
      '2->3 id 2 trigger 9 size 2000',
      '4->5 id 3 trigger 8 size 3000',
      'trigger id 9 oneshot',
      'trigger id 8 oneshot',
    )
    expect(lines).toEqual(['0 1 1KB 0ps id=1', '2 3 2KB 0ps acked=1', '4 5 3KB 0ps after=1'])
  })

  test('that is a barrier waits for all that fire it', () => {
    const lines = flows(
      '0->1 id 1 start 0 size 1 send_done_trigger 9',
      '1->2 id 2 start 0 size 1 recv_done_trigger 9',
      '2->3 id 3 trigger 9 size 1',
      '3->4 id 4 trigger 9 size 1',
      'trigger id 9 barrier count 2',
    )
    expect(lines.slice(2)).toEqual(['2 3 1B 0ps after=2 acked=1', '3 4 1B 0ps after=2 acked=1'])
  })

  test('that is a multishot starts one connection each time, in the order of the file', () => {
    const lines = flows(
      '0->1 id 1 start 0 size 1 send_done_trigger 9',
      '1->2 id 2 start 0 size 1 send_done_trigger 9',
      '2->3 id 3 trigger 9 size 1',
      '3->4 id 4 trigger 9 size 1',
      'trigger id 9 multishot',
    )
    expect(lines.slice(2)).toEqual(['2 3 1B 0ps acked=1,2 need=1', '3 4 1B 0ps acked=1,2'])
  })

  test('names connections by their lines where their ids are not unique', () => {
    const lines = flows(
      '0->1 id 1 start 0 size 1 send_done_trigger 9',
      '1->2 id 1 trigger 9 size 1',
      'trigger id 9 oneshot',
    )
    expect(lines).toEqual(['0 1 1B 0ps id=line-4', '1 2 1B 0ps acked=line-4'])
  })
})

test('what differs from that simulator is said, and what the chains are', () => {
  const { findings } = imported(
    '0->1 id 1 start 0 size 5 recv_done_trigger 9',
    '1->2 id 2 trigger 9 size 6 send_done_trigger 8',
    '1->3 id 3 trigger 9 size 7',
    '0->3 id 4 trigger 8 size 8',
    'trigger id 9 oneshot',
    'trigger id 8 oneshot',
  )
  expect(findings).toContainEqual(differs('trigger-order', { triggers: 1 }))
  expect(findings).toContainEqual(differs('receive-triggers', { connections: 1 }))
  expect(findings).toContainEqual(found('graph', { messages: 4, bytes: 26, longestChain: 3, roots: 1 }))
})

describe('what does not fit is refused at its line', () => {
  const START = '0->1 id 1 start 0 size 1 send_done_trigger 9'
  const NEXT = '1->2 id 2 trigger 9 size 1'
  const SHOT = 'trigger id 9 oneshot'
  test.each<[string, string[], string[]]>([
    ['an undefined trigger', [START, NEXT], ['4 send_done_trigger none', '5 trigger none']],
    ['a trigger that starts nothing', [START, SHOT], ['5 trigger none']],
    ['a trigger that nothing fires', ['0->1 start 0 size 1', NEXT, SHOT], ['6 trigger none']],
    ['a start and a trigger', [START, '1->2 id 2 start 0 trigger 9 size 1', SHOT], ['5 start both']],
    ['neither', [START, NEXT, '3->4 size 1', SHOT], ['6 start neither']],
    ['a triggered connection without an id', [START, '1->2 trigger 9 size 1', SHOT], ['5 id none']],
    ['id 0', [START, '1->2 id 0 trigger 9 size 1', SHOT], ['5 id "0"', '5 id none']],
    ['trigger 0', ['0->1 start 0 size 1 send_done_trigger 0'], ['4 send_done_trigger "0"']],
    [
      'a oneshot that two fire',
      [START, START.replace('id 1', 'id 3'), NEXT, SHOT],
      ['7 trigger 2 connections, of lines 4, 5'],
    ],
    ['a barrier that waits for more than fire it', [START, NEXT, 'trigger id 9 barrier count 2'], ['6 count 2']],
    ['a barrier without a count', [START, NEXT, 'trigger id 9 barrier'], ['6 trigger none']],
    [
      'a multishot with a target too many',
      [START, NEXT, NEXT.replace('id 2', 'id 3'), 'trigger id 9 multishot'],
      ['6 trigger 2'],
    ],
    [
      'connections that start each other',
      [
        '0->1 id 1 trigger 9 size 1 send_done_trigger 8',
        '1->2 id 2 trigger 8 size 1 send_done_trigger 9',
        SHOT,
        'trigger id 8 oneshot',
      ],
      ['4 trigger those of lines 4, 5, which start each other'],
    ],
    ['the same trigger twice', [START, NEXT, SHOT, SHOT], ['7 trigger 9 again']],
  ])('%s', (_, lines, expected) => {
    expect(refusals(lines)).toEqual(expected)
  })

  test('counts of the header', () => {
    expect(refusals([START, NEXT, SHOT], { Triggers: 2, Connections: 1 })).toEqual(['2 Connections 2', '3 Triggers 1'])
  })
})
