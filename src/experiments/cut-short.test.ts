import { expect, test } from 'vitest'
import { experiments } from './index.ts'

/** Experiments whose small size is too short for numbers. The others judge the same claims at both sizes, or none. */
const CUT_SHORT = experiments.filter(({ name }) => name.startsWith('irn') || name === 'pfc-roce')

test.each(CUT_SHORT.map((experiment) => [experiment.name, experiment.plan] as const))(
  '%s at small size judges only directions, and its verdicts say so',
  (_, plan) => {
    const outcomes = [1, 2].flatMap((seed) =>
      plan.points('small', seed).map(({ condition }, i) => {
        // Some within a band, some on either side of it, some on the other side of 1.
        const value = 100 + ((i * 37) % 90) + seed
        return { condition, seed, digest: '', measures: new Proxy({}, { get: () => value }) }
      }),
    )
    const { claims, remarks } = plan.conclude(outcomes, 'small')
    const verdicts = new Set(claims.map(({ verdict }) => verdict))
    for (const verdict of ['reproduced', 'not reproduced', 'undecided'] as const)
      expect(verdicts).not.toContain(verdict)
    expect(remarks.at(-1)).toMatch(/^This size (is cut short|sends 6 MB)/)
    expect(CUT_SHORT.length).toBeGreaterThan(6)
  },
)
