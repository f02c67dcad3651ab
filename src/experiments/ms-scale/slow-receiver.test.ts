import { expect, test } from 'vitest'
import { findingsHere } from '../core/run-here.test-run.ts'
import { slowReceiver } from './slow-receiver.ts'

const { outcomes, findings } = findingsHere(slowReceiver, 'small', [1])

test('a slow receiver loses nothing, whatever its working set', () => {
  expect(outcomes).toHaveLength(16)
  for (const { condition, measures } of outcomes) expect(measures['drops'], condition).toBe(0)
})

test('it pauses more with a larger working set, and both cures help; only the number of pauses stays open', () => {
  const open = findings.claims.filter(({ verdict }) => verdict !== 'reproduced')
  expect(open.map(({ id, verdict }) => `${id}: ${verdict}`)).toEqual(['rce.slow.pause-thousands: undecided'])
})
