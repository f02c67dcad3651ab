/** The benchmarks build: they are run by hand, and must not be found broken on the day it is needed. */
import { describe, expect, test } from 'vitest'
import { cases, schemeCases } from '../bench/cases.ts'
import { modules } from '../bench/modules.ts'
import { congestions, recoveries } from '../src/transport/index.ts'

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
