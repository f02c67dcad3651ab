/** Sizes of buffers that a scenario leaves open. */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { InputError } from '../../core/base/issue.ts'
import { MIB } from '../../core/base/params.ts'
import { createSimulation, grownBuffer, run, topologyOf } from '../index.ts'
import { parseScenario, type Scenario } from '../scenario/index.ts'
import { openSizeBytes } from './buffer-size.ts'

const scenario = (topology: string, rest = ''): Scenario =>
  parseScenario(`{topology: {${topology}}, pfc: {classes: [3]}, workload: [permutation]${rest}}`)
const LARGE = 'kind: star, hosts: 64, linkRate: 800Gbps'
const LONG = 'kind: star, hosts: 32, linkRate: 400Gbps, linkDelay: 5us'

function issuesOf(of: Scenario): string[] {
  try {
    createSimulation(of).close()
  } catch (error) {
    if (error instanceof InputError) return error.issues.map(({ path }) => path)
    throw error
  }
  return []
}

test('the first size stays while all fits; a larger one leaves half of it or more to share', () => {
  const first = 12 * MIB
  expect([1, first].map((bytes) => openSizeBytes('shared-buffer', bytes))).toEqual([first, first])
  fc.assert(
    fc.property(fc.integer({ min: first + 1, max: 256 * first }), (neededBytes) => {
      const sizeBytes = openSizeBytes('shared-buffer', neededBytes)
      expect([neededBytes <= sizeBytes / 2, neededBytes > sizeBytes / 4 || sizeBytes === 2 * first]).toEqual([
        true,
        true,
      ])
      expect(Number.isInteger(Math.log2(sizeBytes / first))).toBe(true)
    }),
  )
  expect(openSizeBytes('shared-buffer', 10_000 * MIB)).toBe(first)
  expect(openSizeBytes('memory-manager', 43 * MIB)).toBe(168 * MIB)
})

describe('a scenario without a size', () => {
  test.each([
    [LARGE, 48 * MIB],
    [LONG, 48 * MIB],
    [`${LARGE}, linkDelay: 100us`, 3072 * MIB],
  ])('%s gets one that fits', (topology, sizeBytes) => {
    const of = scenario(topology)
    expect(of.switch.buffer).toMatchObject({ size: null })
    const grown = grownBuffer(of, topologyOf(of))
    expect(grown).toMatchObject({ node: 'switch', sizeBytes })
    expect(grown!.setAsideBytes).toBeLessThanOrEqual(grown!.sizeBytes / 2)
    expect(issuesOf(of)).toEqual([])
  })

  test('runs as one that gives the chosen size', () => {
    const digestOf = (rest: string): string => run(scenario(LARGE, rest), { check: true }).digest
    expect(digestOf('')).toBe(digestOf(', switch: {buffer: {size: 48MiB}}'))
    expect(digestOf('')).toBe(digestOf(', switch: {buffer: {size: off}}'))
  })

  test('keeps the usual size where that fits, and one far too small is reported', () => {
    const small = scenario('kind: star, hosts: 4')
    expect(grownBuffer(small, topologyOf(small))).toBeNull()
    expect(issuesOf(scenario('kind: star, hosts: 4, linkDelay: 800ms, linkRate: 400Gbps'))).toEqual([
      'switch.buffer.size',
    ])
  })

  test('with a memory manager gets one that fits too', () => {
    const managed = scenario(
      `${LONG}, linkDelay: 20us`.replace(', linkDelay: 5us', ''),
      ', switch: {buffer: {kind: memory-manager}}',
    )
    expect(issuesOf(managed)).toEqual([])
    expect(grownBuffer(managed, topologyOf(managed))!.sizeBytes).toBeGreaterThan(42 * MIB)
  })
})

test('a size that is given is kept, and refused where it does not fit', () => {
  for (const size of ['12MiB', '10MB'])
    expect(issuesOf(scenario(LARGE, `, switch: {buffer: {size: ${size}}}`))).toEqual(['switch.buffer.size'])
})

test('a change during the run does not change the size that was chosen', () => {
  // Eight lossless classes set aside more than the buffer that was chosen for one.
  const change = '{path: pfc.classes, value: "[0, 1, 2, 3, 4, 5, 6, 7]", at: 1us}'
  const per = ', switch: {buffer: {headroomPer: class}}'
  expect(issuesOf(scenario(LARGE, `${per}, changes: [${change}]`))).toEqual(['changes.0.value'])
})
