import { expect, test } from 'vitest'
import { findingsHere } from '../core/run-here.test-run.ts'
import { deadlock, type Variant } from './deadlock.ts'

test('flooding locks four switches in the order of Figure 4, for good; each remedy keeps them free', () => {
  const { outcomes, findings } = findingsHere(deadlock, 'small', [1, 4])
  expect(findings.claims.filter(({ verdict }) => verdict !== 'reproduced')).toEqual([])
  expect(findings.claims).toHaveLength(12)
  const locked = outcomes.filter(({ measures }) => measures['isCircle'] === 1).map(({ at }) => at['variant'])
  expect([...new Set(locked)]).toEqual(['flood', 'restart', 'aged'])
})

test('MAC entries that outlive ARP entries are never incomplete ([MS-Scale] 4.2, option 2)', () => {
  const { outcomes } = findingsHere(deadlock, 'small', [2])
  const of = (variant: Variant) => outcomes.find(({ at }) => at['variant'] === variant)!.measures
  expect(of('aged')['incomplete']).toBeGreaterThan(1000)
  expect(of('longer')).toMatchObject({ incomplete: 0, floods: 0, isCircle: 0 })
  expect(of('longer')['toCpu']).toBeGreaterThan(1000)
})
