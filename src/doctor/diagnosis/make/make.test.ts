/** Fabrics that are drawn: sound without a fault, with each fault found where it is, and read back as they were drawn. */
import { describe, expect, test } from 'vitest'
import { headroomNeed } from '../../platforms/headroom-need.ts'
import type { Finding } from '../../../core/findings/index.ts'
import { diagnose } from '../doctor.ts'
import { causesOf } from '../rules/nesting.ts'
import { lostOf, optionsOf, troublesOf } from '../../devices/writers/round-trip.test-data.ts'
import { WRITERS, writerOf } from '../../devices/writers/index.ts'
import { FAULTS } from './faults/catalogue.ts'
import { fabricOfFolder, type MadeFolder, makeFolder } from './folder.ts'
import type { Fault } from './faults/fault.ts'
import { HOST_LANGUAGES, SWITCH_LANGUAGES } from './design.ts'

const made = (seed: number, faults: readonly Fault[] = [], hosts = 6): MadeFolder =>
  makeFolder({ seed, hosts, languages: SWITCH_LANGUAGES, hostLanguages: HOST_LANGUAGES, faults, headroomNeed })

const mistakesIn = (folder: MadeFolder): Finding[] =>
  diagnose({ fabric: fabricOfFolder(folder), headroomNeed }).findings.filter(({ severity }) => severity !== 'note')

test('every language that a fabric may have can be written', () => {
  expect(WRITERS.map(({ language }) => language).toSorted()).toEqual(
    [...SWITCH_LANGUAGES, ...HOST_LANGUAGES].toSorted(),
  )
})

test('a seed gives the same files again, and another seed others', () => {
  expect(made(20_001)).toEqual(made(20_001))
  expect(made(20_002).files).not.toEqual(made(20_001).files)
})

const SEEDS = Array.from({ length: 12 }, (_, i) => 20_010 + i)

test.each(SEEDS)('seed %i: nothing is wrong, and every line that matters is understood', (seed) => {
  const folder = made(seed, [], 10)
  expect(mistakesIn(folder)).toEqual([])
  for (const device of fabricOfFolder(folder).devices.values()) expect(troublesOf(device)).toEqual([])
})

test.each(SEEDS)('seed %i: all that its languages have words for is read back as it was drawn', (seed) => {
  const folder = made(seed)
  const lost = folder.configs.flatMap((config) => {
    const writer = writerOf(config.language)!
    return writer.variants.flatMap((variant) => lostOf(writer, config, optionsOf(variant)).lost)
  })
  expect(lost).toEqual([])
})

describe.each(FAULTS.map((fault) => [`${fault.rule}: ${fault.title}`, fault] as const))('%s', (_name, fault) => {
  test('is found where it is, and nothing else is', () => {
    const seeds = Array.from({ length: 100 }, (_, i) => 20_100 + i)
    const seed = seeds.find((one) => made(one, [fault]).expected.length > 0)
    expect(seed).toBeDefined()
    const folder = made(seed!, [fault])
    const { rule, spots, also } = folder.expected[0]!
    const found = mistakesIn(folder)
    const at = found.filter(({ id }) => id === rule).flatMap((finding) => [finding, ...finding.also])
    const isThere = at.some(({ subject }) =>
      spots.some(({ device, port }) => device === subject.device && port === (subject.interface ?? '')),
    )
    expect(isThere).toBe(true)
    const causes = causesOf(found, fabricOfFolder(folder))
    const others = found.filter((finding) => finding.id !== rule && !causes.has(finding)).map(({ id }) => id)
    expect(others.filter((id) => !also.includes(id))).toEqual([])
  })
})
