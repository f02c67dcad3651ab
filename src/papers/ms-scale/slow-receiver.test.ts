import { describe, expect, test } from 'vitest'
import { findingsHere } from '../core/run-here.test-run.ts'
import { Runs } from '../core/runs.ts'
import { PORTS, slowReceiver } from './slow-receiver.ts'

const { outcomes, findings } = findingsHere(slowReceiver, 'small', [1])

test('a slow receiver loses nothing, whatever its working set and the buffer of its ToR', () => {
  expect(outcomes.map(({ measures }) => measures['drops'])).toEqual(Array.from({ length: 30 }, () => 0))
})

test('it pauses more with a larger working set, and pages of 2 MB are a cure', () => {
  expect(findings.claims.slice(0, 5).map(({ id, check, verdict }) => [id, check, verdict])).toEqual([
    ['rce.slow.pcie', '', 'input'],
    ['rce.slow.pause-thousands', '', 'undecided'],
    ['rce.slow.miss-stalls', '', 'reproduced'],
    ['rce.slow.2mb-pages', 'misses', 'reproduced'],
    ['rce.slow.2mb-pages', 'pauses', 'reproduced'],
  ])
})

describe('a ToR that shares its buffer', () => {
  /** Time held back over that with static parts. */
  const heldBack = (sharing: string, slow: number): number => {
    const tor = { part: 'tor', load: 0.4, slow }
    return new Runs(outcomes).ratios('torPausedShare', { ...tor, sharing }, { ...tor, sharing: 'static' })[0]!
  }

  test('hardly holds anybody back for a few slow NICs, where static parts do', () => {
    expect(heldBack('1/16', 4)).toBeLessThan(0.1)
  })

  test('with 1/16 leaves each port less than its static part where all NICs are slow, and with 1/4 more', () => {
    expect(heldBack('1/16', PORTS)).toBeGreaterThan(0.7)
    expect(heldBack('1/4', PORTS)).toBeLessThan(0.3)
  })
})
