/** The benchmarks build: they are run by hand, and must not be found broken on the day it is needed. */
import { describe, expect, test } from 'vitest'
import { cases, schemeCases } from '../bench/cases.ts'
import { compareCosts, otherCompiler } from '../bench/cost.ts'
import { modules } from '../bench/modules.ts'
import { congestions, recoveries } from '../src/core/transport/index.ts'

describe('the bench', () => {
  test.each([...cases, ...schemeCases])('builds the scenario of $name', (one) => {
    expect(one.scenario().workload.length).toBeGreaterThan(0)
  })

  test.each(modules)('runs the module $name to its end', (one) => {
    expect(one.run()).toBeGreaterThan(1e5)
  })

  test('has a line for every recovery and every congestion control', () => {
    const named = new Set(schemeCases.flatMap(({ name }) => name.split(', ')))
    const registered = [...recoveries, ...congestions].map(({ name }) => name)
    expect([...named].toSorted()).toEqual([...new Set(registered)].toSorted())
  })
})

describe('the check of what a packet-hop costs', () => {
  const recorded = [
    { case: 's1', instructions: 1500, l1iMisses: 17 },
    { case: 's2', instructions: 2000, l1iMisses: 29 },
  ]

  test('lets growth of less than 2 % pass', () => {
    const found = recorded.map((each) => ({ ...each, instructions: each.instructions * 1.019 }))
    expect(compareCosts(recorded, found)).toEqual({ grown: [], shrunk: [] })
  })

  test('names each count that has grown by more, with both values', () => {
    const found = [recorded[0]!, { case: 's2', instructions: 2050, l1iMisses: 32.25 }]
    expect(compareCosts(recorded, found).grown).toEqual([
      's2: 2050 instructions a packet-hop, 2000 recorded (1.025)',
      's2: 32.25 L1I misses a packet-hop, 29.00 recorded (1.112)',
    ])
  })

  test('tells a gain, and takes neither a new case nor a count that is missing for one', () => {
    const found = [
      { case: 's1', instructions: 1400, l1iMisses: NaN },
      { case: 's3', instructions: 1, l1iMisses: 1 },
    ]
    const { grown, shrunk } = compareCosts(recorded, found)
    expect(shrunk).toEqual(['s1: 1400 instructions a packet-hop, 1500 recorded (0.933)'])
    expect(grown).toEqual(['s1: NaN L1I misses a packet-hop, 17.00 recorded (NaN)', 's3: not in the record'])
  })

  test('says of which Node the record is where this one has another V8', () => {
    const one = { node: 'v20.20.2', v8: '11.3.244.8-node.38', arch: 'x64' }
    expect(otherCompiler(one, { ...one, node: 'v20.20.3' })).toBeUndefined()
    expect(otherCompiler(one, { node: 'v24.1.0', v8: '13.6.233.8-node.14', arch: 'x64' })).toBe(
      'the record is of Node v20.20.2 (V8 11.3.244.8-node.38, x64), this is Node v24.1.0 (V8 13.6.233.8-node.14, x64)',
    )
  })
})
