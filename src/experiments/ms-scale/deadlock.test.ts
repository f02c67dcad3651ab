import { expect, test } from 'vitest'
import { findingsHere } from '../core/old/run-here.test-run.ts'
import { CONDITIONS } from './deadlock-runs.ts'
import { deadlock } from './deadlock.ts'

test('flooding locks four switches in the order of Figure 4, for good; each remedy keeps them free', () => {
  const { outcomes, findings } = findingsHere(deadlock, 'small', [1, 4])
  expect(findings.claims.filter(({ verdict }) => verdict !== 'reproduced')).toEqual([])
  expect(findings.claims).toHaveLength(12)
  const locked = outcomes.filter(({ measures }) => measures['isCircle'] === 1).map(({ condition }) => condition)
  expect([...new Set(locked)]).toEqual([CONDITIONS.flood, CONDITIONS.restart, CONDITIONS.aged])
  expect(findings.figures.map(({ name }) => name)).toEqual(['flooding', 'dropped'])
})

test('MAC entries that outlive ARP entries are never incomplete ([MS-Scale] 4.2, option 2)', () => {
  const { outcomes } = findingsHere(deadlock, 'small', [2])
  const of = (condition: string) => outcomes.find((outcome) => outcome.condition === condition)!.measures
  expect(of(CONDITIONS.aged)['incomplete']).toBeGreaterThan(1000)
  expect(of(CONDITIONS.longer)).toMatchObject({ incomplete: 0, floods: 0, isCircle: 0 })
  expect(of(CONDITIONS.longer)['toCpu']).toBeGreaterThan(1000)
})
