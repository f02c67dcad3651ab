/**
 * Properties: fast-check with a seed of ours, so that a run of the suite is the same twice, and one that ends in a
 * crash can be had again. ROCELAB_SEED is the seed, ROCELAB_BUDGET multiplies the number of cases where a test names none.
 */
import fc from 'fast-check'

const CASES = 100

fc.configureGlobal({
  seed: Number(process.env['ROCELAB_SEED'] ?? 1),
  numRuns: Math.max(1, Math.round(CASES * Number(process.env['ROCELAB_BUDGET'] ?? 1))),
})

export { fc }
