import { expect, test } from 'vitest'
import { experiments } from './index.ts'

/** Experiments whose small size is too short for numbers. The others judge the same claims at both sizes, or none. */
const CUT_SHORT = experiments.filter(({ name }) => name.startsWith('irn') || name === 'pfc-roce')

test.each(CUT_SHORT.map((experiment) => [experiment.name, experiment] as const))(
  '%s at small size judges only directions, and its verdicts say so',
  (_, experiment) => {
    const outcomes = [1, 2].flatMap((seed) =>
      experiment.points('small', seed).map(({ at }, i) => {
        // Some within a band, some on either side of it, some on the other side of 1.
        const value = 100 + ((i * 37) % 90) + seed
        return { at, seed, digest: '', measures: new Proxy({}, { get: () => value }) }
      }),
    )
    const { claims, remarks } = experiment.findings('small', outcomes)
    const verdicts = new Set(claims.map(({ verdict }) => verdict))
    for (const verdict of ['reproduced', 'not reproduced', 'undecided'] as const)
      expect(verdicts).not.toContain(verdict)
    expect(remarks.at(-1)).toMatch(/^This size (is cut short|sends 6 MB)/)
    expect(CUT_SHORT.length).toBeGreaterThan(6)
  },
)
