import { expect, test } from 'vitest'
import { InputError } from '../../core/base/issue.ts'
import { parseScenario } from '../scenario/index.ts'
import { createSimulation } from '../simulation/simulation.ts'

const issuesOf = (...sets: string[]): string[] => {
  const text = 'name: clock\ntopology: {kind: star}\nworkload: [{kind: closed-loop, messages: 1}]\n'
  try {
    createSimulation(parseScenario(text, { sets }))
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map(({ path, expected, received }) => `${path}: ${expected}, ${received}`)
  }
}

test('the step of the clock is at most the time of the smallest frame on the fastest link', () => {
  expect(issuesOf('topology.linkRate=100Gbps', 'time.quantum=6720ps')).toEqual([])
  expect(issuesOf('topology.linkRate=100Gbps', 'time.quantum=6721ps')).toEqual([
    'time.quantum: at most 6.72ns, which the smallest frame, 84 bytes with its gap, takes at 100Gbps, 6.721ns',
  ])
  expect(issuesOf('topology.linkRate=100Gbps', 'time.quantum=200ns')).toHaveLength(1)
  // Fixed-point seconds come out one step lower: none is left.
  const truncated = issuesOf('topology.linkRate=100Gbps', 'time.quantum=6720ps', 'time.rounding=truncate-q64')
  expect(truncated).toEqual([
    'time.quantum: less than 6.72ns, which the smallest frame, 84 bytes with its gap, takes at 100Gbps, 6.72ns',
  ])
  expect(issuesOf('topology.linkRate=1Gbps', 'time.quantum=200ns')).toEqual([])
  expect(issuesOf('topology.linkRate=1Gbps', 'topology.linkDelay=0ps', 'time.quantum=1us')).toHaveLength(1)
})

test('a clock of one nanosecond is fine enough for 400 Gb/s', () => {
  for (const rounding of ['nearest', 'truncate-q64'])
    expect(issuesOf('topology.linkRate=400Gbps', 'time.quantum=1ns', `time.rounding=${rounding}`)).toEqual([])
})

test('a link on which the smallest frame takes less than a picosecond is refused', () => {
  expect(issuesOf('topology.linkRate=672Tbps', 'topology.linkDelay=0ps')).toEqual([])
  expect(issuesOf('topology.linkRate=673Tbps')).toEqual([
    'topology: links of at most 672Tbps, on which a frame of 84 bytes takes 1ps, 673Tbps',
  ])
})

test('on a link without delay every data frame must take time', () => {
  const bare = ['frames.dataOverhead=0B', 'frames.minimum=0B', 'frames.gap=0B', 'time.quantum=1ns']
  expect(issuesOf(...bare, 'topology.linkRate=100Gbps')).toEqual([])
  expect(issuesOf(...bare, 'topology.linkRate=100Gbps', 'topology.linkDelay=0ps')).toEqual([
    'time.quantum: a clock on which a frame of 1 bytes takes time on every link without delay, 1ns with links of 100Gbps',
  ])
})
