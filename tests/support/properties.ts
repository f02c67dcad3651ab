/**
 * Properties: fast-check with a fixed seed, so that every run of the suite is the same, and a crash can be reproduced. ROCELAB_SEED is the seed, ROCELAB_BUDGET multiplies the number of cases where a test names none.
 */
import fc from 'fast-check'

const CASES = 100

fc.configureGlobal({
  seed: Number(process.env['ROCELAB_SEED'] ?? 1),
  numRuns: Math.max(1, Math.round(CASES * Number(process.env['ROCELAB_BUDGET'] ?? 1))),
})

export { fc }
