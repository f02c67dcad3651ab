import { describe, expect, test } from 'vitest'
import { defaultsOf, US } from '../../base/params.ts'
import { PATH_SHIFT } from '../../transport/segment.ts'
import { BalanceBench, tuple } from './balance.test-bench.ts'
import { flowlet } from './flowlet.ts'

const DEFAULTS = defaultsOf(flowlet.params)

function switches(values: Partial<typeof DEFAULTS> = {}, flows = 50) {
  const bench = new BalanceBench()
  const balance = bench.route(flowlet.create({ ...DEFAULTS, gap: 10 * US, ...values }, bench.context))
  for (let flow = 0; flow < flows; flow++) balance.addFlow(flow, tuple(50_000 + flow))
  const at = (timePs: number, flow = 0, { node = 1, flags = 0 } = {}): number => {
    bench.clock.nowPs = timePs
    return balance.choose(node, bench.packet(flow, { flags }), 64, 0)
  }
  return { bench, balance, at }
}

describe('the packets of a flow', () => {
  test('take one port while no gap between two of them exceeds `gap`', () => {
    const { at } = switches()
    const taken = Array.from({ length: 100 }, (_, i) => at(i * 10 * US))
    expect(new Set(taken).size).toBe(1)
  })

  test('take any port after each longer one', () => {
    const { at } = switches()
    const taken = Array.from({ length: 1000 }, (_, i) => at(i * (10 * US + 1)))
    // 64 ports: about 1 in 64 is chosen again.
    const again = taken.filter((port, i) => port === taken[i - 1]).length
    expect(new Set(taken).size).toBe(64)
    expect(again).toBeLessThan(40)
  })

  test('have gaps of their own at each switch and in each flow', () => {
    const { at } = switches()
    const first = at(0)
    const others = Array.from({ length: 40 }, (_, i) => at(US, i + 1))
    const elsewhere = Array.from({ length: 10 }, (_, i) => at(2 * US, 0, { node: 2 + i }))
    expect(new Set([first, ...others]).size).toBeGreaterThan(20)
    expect(new Set([first, ...elsewhere]).size).toBeGreaterThan(5)
    expect(at(9 * US)).toBe(first)
  })

  test('are kept apart by their virtual path', () => {
    const { at } = switches()
    const taken = Array.from({ length: 40 }, (_, path) => at(0, 0, { flags: path << PATH_SHIFT }))
    expect(new Set(taken).size).toBeGreaterThan(20)
    expect(Array.from({ length: 40 }, (_, path) => at(US, 0, { flags: path << PATH_SHIFT }))).toEqual(taken)
  })
})

test('flows that share an entry take one port, and each keeps it for the other', () => {
  const { at } = switches({ entries: 1 })
  const first = at(0)
  expect(Array.from({ length: 50 }, (_, i) => at((i + 1) * 9 * US, i))).toEqual(Array.from({ length: 50 }, () => first))
})

test('a flow whose port has left the routes takes another, and keeps one that has only moved in the list', () => {
  const { bench, balance, at } = switches()
  const kept = at(0) + 1
  bench.route(
    balance,
    Array.from({ length: 64 }, (_, i) => 64 - i),
  )
  expect(64 - at(US)).toBe(kept)
  // Two ports are left, none of them the flow's.
  const left = [kept % 64, (kept + 1) % 64].map((i) => i + 1)
  bench.route(balance, left)
  bench.clock.nowPs = 2 * US
  const index = balance.choose(1, bench.packet(0), 2, 0)
  expect(left).toContain(left[index])
  expect(left[balance.choose(1, bench.packet(0), 2, 0)]).toBe(left[index])
})
