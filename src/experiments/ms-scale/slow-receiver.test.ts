import { describe, expect, test } from 'vitest'
import { findingsHere } from '../core/old/run-here.test-run.ts'
import { slowReceiver } from './slow-receiver.ts'
import { PORTS, type Sharing, torCondition } from './slow-runs.ts'

const { outcomes, findings } = findingsHere(slowReceiver, 'small', [1])
const of = (condition: string) => outcomes.find((outcome) => outcome.condition === condition)!.measures

test('a slow receiver loses nothing, whatever its working set and the buffer of its ToR', () => {
  expect(outcomes).toHaveLength(30)
  for (const { condition, measures } of outcomes) expect(measures['drops'], condition).toBe(0)
})

test('it pauses more with a larger working set, and pages of 2 MB are a cure', () => {
  const verdicts = Object.fromEntries(findings.claims.map(({ id, verdict }) => [id, verdict]))
  expect(verdicts).toMatchObject({
    'rce.slow.pcie': 'reproduced',
    'rce.slow.miss-stalls': 'reproduced',
    'rce.slow.2mb-pages [misses]': 'reproduced',
    'rce.slow.2mb-pages [pauses]': 'reproduced',
    'rce.slow.pause-thousands': 'undecided',
  })
})

describe('a ToR that shares its buffer', () => {
  const heldBack = (sharing: Sharing, slow: number, load: number): number =>
    of(torCondition({ sharing, slow, load }))['torPausedShare']!

  test('hardly holds anybody back for a few slow NICs, where static parts do', () => {
    expect(heldBack('alpha 1/16', 4, 0.4)).toBeLessThan(heldBack('static', 4, 0.4) / 10)
  })

  test('with 1/16 leaves each port less than its static part where all NICs are slow, and with 1/4 more', () => {
    const [parts, small, large] = (['static', 'alpha 1/16', 'alpha 1/4'] as const).map((each) =>
      heldBack(each, PORTS, 0.4),
    )
    expect(small! / parts!).toBeGreaterThan(0.7)
    expect(large! / parts!).toBeLessThan(0.3)
  })
})
