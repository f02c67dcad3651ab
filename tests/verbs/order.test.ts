/**
 * The ordering guarantees of verbs under any loss, duplication and reordering, with planted bugs that must be caught.
 */
import { expect, test } from 'vitest'
import { BUGS } from './order-bugs.ts'
import { planCase } from './order-case.ts'
import { runOrderCase } from './order-checker.ts'

const BUDGET = Math.max(0.01, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const FIRST = Number(process.env['ROCELAB_SEED'] ?? 1)
const CASES = Math.round(400 * BUDGET)
const TIMEOUT_MS = 120_000 * Math.max(1, BUDGET)

test(
  'work posted in order completes in order, whatever the path does',
  () => {
    let faulty = 0
    let retransmissions = 0
    let earlyDrops = 0
    let rnrNaks = 0
    const failures: string[] = []
    for (let seed = FIRST; seed < FIRST + CASES; seed++) {
      const report = runOrderCase(planCase(seed))
      if (report.faults > 0) faulty++
      retransmissions += report.retransmissions
      earlyDrops += report.earlyDrops
      rnrNaks += report.rnrNaks
      if (report.problems.length > 0) failures.push(`seed ${seed}: ${report.problems.slice(0, 3).join('; ')}`)
    }
    console.log(
      `${CASES} cases from seed ${FIRST}: ${faulty} with faults, ${retransmissions} retransmissions, ${earlyDrops} early drops, ${rnrNaks} RNR NAKs`,
    )
    expect(failures).toEqual([])
    expect(faulty).toBeGreaterThanOrEqual(0.3 * CASES)
    expect(Math.min(retransmissions, earlyDrops, rnrNaks)).toBeGreaterThan(CASES >= 100 ? 0 : -1)
  },
  TIMEOUT_MS,
)

test.each(BUGS)('the checker catches it when $name', ({ plant }) => {
  let caught = 0
  const remove = plant()
  try {
    for (let seed = 1; seed <= 300 && caught === 0; seed++) {
      if (runOrderCase(planCase(seed)).problems.length > 0) caught = seed
    }
  } finally {
    remove()
  }
  expect(caught).toBeGreaterThan(0)
  expect(runOrderCase(planCase(caught)).problems).toEqual([])
})
