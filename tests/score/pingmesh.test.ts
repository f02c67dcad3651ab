/** A small part of the score of probes, with seeds for tuning: each state is recognized by probes alone. */
import { expect, test } from 'vitest'
import { drawState, stateOf, STATES } from '../../scripts/score/pingmesh/draw-state.ts'
import { scoreOfSeed } from '../../scripts/score/pingmesh/one.ts'
import { TUNING_FROM } from '../../scripts/score/seeds.ts'

test('seeds stand for the states in turn, and draw the same each time', () => {
  expect(Array.from({ length: 5 }, (_, i) => stateOf(TUNING_FROM + i))).toEqual(STATES)
  expect(drawState(TUNING_FROM + 3, 0)).toEqual(drawState(TUNING_FROM + 3, 0))
  expect(drawState(TUNING_FROM + 3, 1)).not.toEqual(drawState(TUNING_FROM + 3, 0))
})

test.each(Array.from({ length: 5 }, (_, i) => TUNING_FROM + 20 + i))('seed %i', (seed) => {
  const { state, found, hosts, foundHosts } = scoreOfSeed(seed)
  expect(state).toBe(stateOf(seed))
  expect(found).toBe(state)
  expect(hosts.length > 0 ? foundHosts : hosts).toEqual(hosts)
})
