/** Fault scripts as text: what they mean, and that each mistake is found with its position. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { InputError, type Issue } from '../../core/base/issue.ts'
import { readFaultScript } from './read-script.ts'

function issuesOf(text: string): readonly Issue[] {
  try {
    readFaultScript(text, 'faults.yaml')
  } catch (error) {
    if (error instanceof InputError) return error.issues
    throw error
  }
  return []
}

test('a script is a list of rules, or a map with one', () => {
  const { seed, rules, peer } = readFaultScript(
    [
      'seed: 7',
      'peer: {listen: pingpong}',
      'faults:',
      '  - {match: {mad: REQ}, direction: in, do: {reject: 8}}',
      '  - {match: data, nth: 5, do: {rnr: 3, timer: 16}}',
      '  - {after: 20, do: {pause: 300ms}}',
    ].join('\n'),
    'faults.yaml',
  )
  expect([seed, peer]).toEqual([7, { listen: 'pingpong' }])
  expect(rules).toEqual([
    {
      fit: { kind: 'mad', mad: 'REQ', direction: 'in' },
      choice: { times: Infinity },
      action: { kind: 'reject', reason: 8 },
      line: 4,
    },
    {
      fit: { kind: 'data' },
      choice: { nth: 5, times: Infinity },
      action: { kind: 'rnr', count: 3, timer: 16 },
      line: 5,
    },
    { fit: { kind: 'any' }, choice: { after: 20, times: 1 }, action: { kind: 'pause', durationPs: 3e11 }, line: 6 },
  ])
  expect(readFaultScript('- {do: drop}', 'faults.yaml').rules).toHaveLength(1)
})

test('all mistakes are found at once, each where it is', () => {
  const text = [
    '- {match: dta, do: drop}',
    '- {match: data, nth: 0, do: explode}',
    '- {match: data, nth: 3, every: 2, do: {delay: soon}}',
    '- {match: data}',
    '- 5',
    '- {match: ack, do: {nak: 62}}',
    '- {match: data, do: {set: {psm: 1}}, hint: no}',
    '- {match: data, do: {rnr: 3, timer: 99}}',
    '- {match: data, from: 5, to: 3, chance: 2, do: {cnp: {rate: fast, for: 1s}}}',
  ].join('\n')
  expect(issuesOf(text).map(({ line, path: at }) => [line, at])).toEqual([
    [1, '0.match'],
    [2, '1.nth'],
    [2, '1.do'],
    [3, '2.every'],
    [3, '2.do.delay'],
    [4, '3.do'],
    [5, '4'],
    [6, '5.match'],
    [7, '6.hint'],
    [7, '6.do.set.psm'],
    [8, '7.do.timer'],
    [9, '8.chance'],
    [9, '8.to'],
    [9, '8.do.cnp.rate'],
  ])
  expect(issuesOf(text).every(({ file }) => file === 'faults.yaml')).toBe(true)
})

test.each(['', 'faults: []', '{faults: 5}', '[', '- {do: drop}\n- {do: drop, do: drop}', '{rules: []}', '5'])(
  '%j is no script',
  (text) => {
    expect(issuesOf(text)).not.toEqual([])
  },
)

const FOLDER = path.resolve(import.meta.dirname, '../../../scenarios/faults')
test.each(readdirSync(FOLDER))('%s says what it does and what to expect', (name) => {
  const text = readFileSync(path.join(FOLDER, name), 'utf8')
  expect(readFaultScript(text, name).rules.length).toBeGreaterThan(0)
  expect(text).toMatch(/^# [^]*\n# Expect: /)
})
