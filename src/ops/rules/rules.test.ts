/**
 * Each rule finds its mistake where it was made, says nothing without it, and nothing where a fact excuses it; no other rule
 * takes the mistake for another one.
 */
import { describe, expect, test } from 'vitest'
import { type Files, SONIC } from './planted/clean.test-data.ts'
import { MIXED } from './planted/mixed.test-data.ts'
import { RULES } from './index.ts'
import { HOST_FAULTS } from './planted/hosts.test-data.ts'
import { BUFFER_FAULTS } from './planted/buffers.test-data.ts'
import { SWITCH_FAULTS } from './planted/switches.test-data.ts'
import { diagnosisOf, type Edit, edited, type Planted, placesOf, type Told } from './planted/planted.test-data.ts'

const FAULTS = [...HOST_FAULTS, ...SWITCH_FAULTS, ...BUFFER_FAULTS]

/** Rules that nothing which is read can break. */
const UNPLANTED = {
  /** No reader knows the buffer of a switch. */
  buf09: true,
}

const withoutId =
  (id: string) =>
  (place: string): string =>
    place.replace(` ${id}`, '')

/** Places of one rule, without those that the clean fabric has. */
function saidBy(rule: string, files: Files, ...edits: readonly (readonly Edit[])[]): string[] {
  const said = (of: Files): string[] =>
    placesOf(diagnosisOf(of).findings, ({ id }) => id === rule).map((place) => place.replace(` ${rule}`, ''))
  const before = said(files)
  return said(edits.reduce(edited, files)).filter((place) => !before.includes(place))
}

/** Errors and warnings that follow from nothing. */
const mistakes = ({ findings, causes }: Told): string[] =>
  placesOf(findings, (finding) => finding.severity !== 'note' && !causes.has(finding))

test.each([
  ['SONiC', SONIC],
  ['other languages', MIXED],
])('a clean fabric of %s has no errors and no warnings', (_name, files) => {
  const told = diagnosisOf(files)
  expect(placesOf(told.findings, ({ severity }) => severity !== 'note')).toEqual([])
  const read = [...told.fabric.devices.values()]
  expect(read.flatMap(({ unread }) => unread)).toEqual([])
  expect(read.flatMap(({ forms }) => forms.flatMap(({ remainder }) => remainder))).toEqual([])
})

test('every rule has a mistake that it finds', () => {
  const planted = new Set<string>([...FAULTS.map(({ rule }) => rule), ...Object.keys(UNPLANTED)])
  expect(RULES.map(({ kinds }) => kinds[0]!.rule.toLowerCase()).filter((rule) => !planted.has(rule))).toEqual([])
})

const named = (faults: readonly Planted[]): (readonly [string, Planted])[] =>
  faults.map((fault) => [`${fault.rule}: ${fault.edits.map(([file]) => file).join(', ')}`, fault])

describe.each(named(FAULTS))('%s', (_name, { rule, files, edits, at, silent, under = rule }) => {
  test('is found where it is', () => {
    expect(saidBy(rule, files, edits)).toEqual(at.toSorted())
  })

  test('is not taken for something else', () => {
    expect(mistakes(diagnosisOf(edited(files, edits))).filter((place) => !place.includes(` ${under}`))).toEqual([])
  })

  test('is nothing, or less, where a fact excuses it', () => {
    const severities = at.map((place) => place.split(' ', 1)[0]!)
    const said = saidBy(rule, files, edits, silent)
    expect(said.filter((place) => severities.some((severity) => place.startsWith(severity)))).toEqual([])
  })
})
