import { describe, expect, test } from 'vitest'
import { defaultsOf } from '../../base/params.ts'
import { createRandomStreams } from '../../base/random.ts'
import { PATH_PORT, PATH_SHIFT } from '../../transport/segment.ts'
import type { Balance, BalanceDefinition, FlowTuple } from './balance.ts'
import { BalanceBench, tuple } from './balance.test-bench.ts'
import { ecmp, ecmpHash, remainder } from './ecmp.ts'
import { balances } from './index.ts'

test('the remainder is exact for any hash and up to 2^17 candidates', () => {
  const random = createRandomStreams(1).stream('remainder')
  const wrong: string[] = []
  const compare = (hash: number, candidates: number): void => {
    const expected = (hash >>> 0) % candidates
    if (remainder(hash | 0, candidates) !== expected) wrong.push(`${hash} % ${candidates}`)
  }
  for (let candidates = 1; candidates <= 2 ** 17; candidates += candidates < 300 ? 1 : 997) {
    const most = Math.floor((2 ** 32 - 1) / candidates) * candidates
    for (const near of [0, candidates, 2 ** 31, most, most - candidates, 2 ** 32 - 1]) {
      for (const hash of [near - 1, near, near + 1]) compare(hash, candidates)
    }
    for (let i = 0; i < 100; i++) {
      compare(random.uint32(), candidates)
      // On both sides of a multiple, where the quotient is nearest to an integer.
      const multiple = random.below(Math.floor(2 ** 32 / candidates)) * candidates
      for (const hash of [multiple - 1, multiple]) compare(hash, candidates)
    }
  }
  expect(wrong).toEqual([])
})

describe('the hash', () => {
  test.each([
    [0, 49_152, 0x2c85bc21, 2],
    [0, 49_153, 0x92c04645, 0],
    [0, 50_000, 0x389c5ecf, 0],
    [1, 49_152, 0x505672ba, -1],
    [1, 49_153, 0x96006b2e, -1],
    [1, 50_000, 0xc6593db3, -1],
    [7, 49_152, 0xa69f6e01, 1],
    [7, 49_153, 0xbe48e6f5, 2],
    [7, 50_000, 0xc002466a, 1],
  ])('C6: seed %i, source port %i', (seed, sourcePort, hash, ofThree) => {
    expect(ecmpHash(seed, tuple(sourcePort))).toBe(hash)
    // Where a remainder is given.
    expect(ofThree < 0 ? -1 : ecmpHash(seed, tuple(sourcePort)) % 3).toBe(ofThree)
  })

  test('is Murmur3-32 of the twelve bytes, by a twin in big integers', () => {
    const mask = 0xffffffffn
    const rotate = (x: bigint, k: bigint): bigint => ((x << k) | (x >> (32n - k))) & mask
    const twin = (seed: number, words: readonly number[]): number => {
      let h = BigInt(seed >>> 0)
      for (const word of words) {
        let k = (BigInt(word >>> 0) * 0xcc9e2d51n) & mask
        k = (rotate(k, 15n) * 0x1b873593n) & mask
        h = (rotate(h ^ k, 13n) * 5n + 0xe6546b64n) & mask
      }
      h ^= 12n
      h = ((h ^ (h >> 16n)) * 0x85ebca6bn) & mask
      h = ((h ^ (h >> 13n)) * 0xc2b2ae35n) & mask
      return Number(h ^ (h >> 16n))
    }
    const random = createRandomStreams(1).stream('ecmp')
    for (let i = 0; i < 2000; i++) {
      const seed = random.uint32() | 0
      const flow: FlowTuple = {
        sourceAddress: random.uint32() | 0,
        destinationAddress: random.uint32() | 0,
        sourcePort: random.below(65_536),
        destinationPort: random.below(65_536),
      }
      const ports = flow.sourcePort | (flow.destinationPort << 16)
      expect(ecmpHash(seed, flow)).toBe(twin(seed, [flow.sourceAddress, flow.destinationAddress, ports]))
    }
  })
})

/** A path choice at 20 nodes, and one packet of each flow. */
function arranged(create: (seed: number) => Balance, flows: number, seed = 1) {
  const bench = new BalanceBench()
  const balance = bench.route(create(seed))
  const of = Array.from({ length: flows }, (_, flow) => {
    balance.addFlow(flow, tuple(49_152 + flow))
    return bench.packet(flow)
  })
  return { balance, of }
}
const context = (seed: number, hasPaths = false) => new BalanceBench({ seed, hasPaths }).context
const ecmpWith = (seed: 'node' | 'random' | 'same') => (random: number) =>
  ecmp.create({ seed, seeds: [] }, context(random))

describe('ecmp', () => {
  test('keeps a flow on its path, which the hash of its tuple gives', () => {
    const { balance, of } = arranged(ecmpWith('node'), 1000)
    of.forEach((packet, flow) => {
      const chosen = balance.choose(7, packet, 3, 0)
      expect(chosen).toBe(ecmpHash(7, tuple(49_152 + flow)) % 3)
      expect(balance.choose(7, packet, 3, 0)).toBe(chosen)
    })
  })

  test('spreads flows evenly, within four standard deviations', () => {
    const { balance, of } = arranged(ecmpWith('random'), 10_000)
    const counts = [0, 0, 0, 0]
    for (const packet of of) counts[balance.choose(3, packet, 4, 0)]!++
    for (const count of counts) expect(Math.abs(count - 2500)).toBeLessThan(4 * Math.sqrt(10_000 * 0.25 * 0.75))
  })

  test('polarises where all switches have the same seed: flows on one port of a switch take one port at the next', () => {
    const spread = (seed: 'same' | 'random'): number => {
      const { balance, of } = arranged(ecmpWith(seed), 4000)
      const firstLeft = of.filter((packet) => balance.choose(1, packet, 2, 0) === 0)
      return firstLeft.filter((packet) => balance.choose(2, packet, 2, 0) === 0).length / firstLeft.length
    }
    expect(spread('same')).toBe(1)
    expect(spread('random')).toBeCloseTo(0.5, 1)
  })

  test('random seeds come from the scenario seed', () => {
    const choices = (seed: number): number[] => {
      const { balance, of } = arranged(ecmpWith('random'), 200, seed)
      return of.map((packet) => balance.choose(5, packet, 4, 0))
    }
    expect(choices(1)).toEqual(choices(1))
    expect(choices(1)).not.toEqual(choices(2))
  })
})

describe('packets with a virtual path', () => {
  const bench = new BalanceBench()
  const swapped = { ...tuple(4791), destinationPort: 49_152 }
  const chosen = (flow: number, path: number, hasPaths = true): number => {
    const balance = ecmp.create({ seed: 'node', seeds: [] }, context(1, hasPaths))
    balance.addFlow(0, tuple(60_000))
    balance.addFlow(1, { ...tuple(4791), destinationPort: 60_000 })
    balance.addFlow(600, tuple(49_152))
    balance.addFlow(601, swapped)
    const packet = bench.packet(flow, { flags: (path << PATH_SHIFT) | 127 })
    return balance.choose(7, packet, 64, 0)
  }

  test('are hashed with it as their UDP source port, in the reverse direction too', () => {
    for (const path of [1, 2, 849, 16_384]) {
      const expected = ecmpHash(7, tuple(PATH_PORT + path)) % 64
      expect([chosen(600, path), chosen(601, path)]).toEqual([expected, expected])
    }
  })

  test('use the port of the QP where they have no path, or where the network has no virtual paths', () => {
    expect(chosen(600, 0)).toBe(ecmpHash(7, tuple(49_152)) % 64)
    expect(chosen(601, 0)).toBe(ecmpHash(7, swapped) % 64)
    expect(chosen(600, 849, false)).toBe(ecmpHash(7, tuple(49_152)) % 64)
  })

  test('are spread over the ports evenly, within four standard deviations', () => {
    const counts = [0, 0, 0, 0]
    for (let path = 1; path <= 4000; path++) counts[chosen(600, path * 4) % 4]!++
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(4 * Math.sqrt(4000 * 0.25 * 0.75))
  })
})

describe.each<BalanceDefinition>(balances)('$name', (definition) => {
  test('never leaves the candidates, and repeats its choice', () => {
    const choices = (): number[] => {
      const { balance, of } = arranged(() => definition.create(defaultsOf(definition.params), context(1)), 300)
      return of.flatMap((packet, i) => [2, 3, 7, 64].map((n) => balance.choose(i % 20, packet, n, 0) * 100 + n))
    }
    const made = choices()
    for (const choice of made) expect(Math.floor(choice / 100)).toBeLessThan(choice % 100)
    expect(Math.min(...made)).toBeGreaterThanOrEqual(2)
    expect(choices()).toEqual(made)
  })
})
