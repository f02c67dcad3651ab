/**
 * A few cases of the contract suites for each scheme, quick enough to be run for every mutant: what a scheme may do
 * wrong in any of a few dozen random pipes. The suites themselves are in tests/contract/.
 */
import { describe, expect, test } from 'vitest'
import { US } from '../../src/core/base/params.ts'
import type { RandomStream } from '../../src/core/base/random.ts'
import { congestions } from '../../src/core/transport/congestion/index.ts'
import { none } from '../../src/core/transport/congestion/none.ts'
import { goBackN } from '../../src/core/transport/recovery/go-back-n.ts'
import { recoveries } from '../../src/core/transport/recovery/index.ts'
import { rewindingIrn } from '../../src/core/transport/recovery/irn-rewind.ts'
import { type CaseOptions, type Faults, fit, pick, runCases } from '../support/pair-cases.ts'

const CASES = 24

function someFaults(random: RandomStream, isReordered: boolean): Faults {
  return {
    lossForward: pick(random, 0, 0.02, 0.1),
    lossBackward: pick(random, 0, 0.02, 0.1),
    doubled: pick(random, 0, 0.05),
    marked: pick(random, 0, 0.2),
    late: isReordered ? 0.05 : 0,
    latePs: pick(random, 1, 30) * US,
  }
}

/** Go-back-0 may livelock, and forgets. */
const optionsFor = (recovery: string): CaseOptions => ({
  exceptions: recovery === 'go-back-0' ? { mayLivelock: 'restarts', mayForget: 'restarts' } : {},
  faults: someFaults,
  mostPackets: recovery === 'go-back-0' ? 12 : 60,
  mostFindings: 1,
})

describe('every recovery', () => {
  test.each([...recoveries, { ...rewindingIrn, name: 'rewinding irn' }])('$name keeps the contract', (recovery) => {
    const congestion = [none, ...congestions].find((each) => fit(recovery, each))!
    expect(runCases(CASES, recovery, congestion, optionsFor(recovery.name)).broken).toEqual([])
  })
})

describe('every congestion control', () => {
  test.each(congestions)('$name keeps the contract', (congestion) => {
    const recovery = [goBackN, ...recoveries].find((each) => fit(each, congestion))!
    expect(runCases(CASES, recovery, congestion, optionsFor('go-back-n')).broken).toEqual([])
  })
})
