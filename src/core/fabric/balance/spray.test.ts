import { expect, test } from 'vitest'
import { BalanceBench } from './balance.test-bench.ts'
import { spray } from './spray.ts'

const sprayWith = (pick: 'random' | 'round-robin') => spray.create({ pick }, new BalanceBench().context)

test('packets take the ports round robin, at each switch separately', () => {
  const balance = sprayWith('round-robin')
  expect([1, 1, 2, 1, 1, 2].map((node) => balance.choose(node, 0, 3, 0))).toEqual([0, 1, 0, 2, 0, 1])
})

test('or any of them, evenly within four standard deviations', () => {
  const balance = sprayWith('random')
  const counts = [0, 0, 0, 0, 0]
  for (let i = 0; i < 50_000; i++) counts[balance.choose(1, 0, 5, 0)]!++
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(4 * Math.sqrt(50_000 * 0.2 * 0.8))
})

test('the random choices of one switch do not change those of another', () => {
  const drawnAt2 = (others: number): number[] => {
    const balance = sprayWith('random')
    return Array.from({ length: 50 }, () => {
      for (let i = 0; i < others; i++) balance.choose(1, 0, 5, 0)
      return balance.choose(2, 0, 5, 0)
    })
  }
  expect(drawnAt2(3)).toEqual(drawnAt2(0))
  const alone = sprayWith('random')
  expect(Array.from({ length: 50 }, () => alone.choose(1, 0, 5, 0))).not.toEqual(drawnAt2(0))
})
