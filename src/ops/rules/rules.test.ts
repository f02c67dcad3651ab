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
import { diagnosisOf, type Edit, edited, type Planted, spotsOf, type Diagnosed } from './planted/planted.test-data.ts'

const FAULTS = [...HOST_FAULTS, ...SWITCH_FAULTS, ...BUFFER_FAULTS]

/** Places of one rule, without those that the clean fabric has. */
function saidBy(rule: string, files: Files, ...edits: readonly (readonly Edit[])[]): string[] {
  const said = (of: Files): string[] =>
    spotsOf(diagnosisOf(of).findings, ({ id }) => id === rule).map((spot) => spot.replace(` ${rule}`, ''))
  const before = said(files)
  return said(edits.reduce(edited, files)).filter((spot) => !before.includes(spot))
}

/** Errors and warnings that follow from nothing. */
const mistakes = ({ findings, causes }: Diagnosed): string[] =>
  spotsOf(findings, (finding) => finding.severity !== 'note' && !causes.has(finding))

test.each([
  ['SONiC', SONIC],
  ['other languages', MIXED],
])('a clean fabric of %s has no errors and no warnings', (_name, files) => {
  const found = diagnosisOf(files)
  expect(spotsOf(found.findings, ({ severity }) => severity !== 'note')).toEqual([])
  const read = [...found.fabric.devices.values()]
  expect(read.flatMap(({ unread }) => unread)).toEqual([])
  expect(read.flatMap(({ forms }) => forms.flatMap(({ remainder }) => remainder))).toEqual([])
})

test('every rule has a mistake that it finds', () => {
  const planted = new Set<string>(FAULTS.map(({ rule }) => rule))
  const names = RULES.map(({ kinds }) => kinds[0]!.rule.toLowerCase())
  // Those on counters have stories of their own (counts.test.ts, counts-folder.test.ts).
  expect(names.filter((rule) => !rule.startsWith('ctr') && !planted.has(rule))).toEqual([])
})

const named = (faults: readonly Planted[]): (readonly [string, Planted])[] =>
  faults.map((fault) => [`${fault.rule}: ${fault.edits.map(([file]) => file).join(', ')}`, fault])

describe.each(named(FAULTS))('%s', (_name, { rule, files, edits, at, silent, under = rule }) => {
  test('is found where it is', () => {
    expect(saidBy(rule, files, edits)).toEqual(at.toSorted())
  })

  test('is gone, and nothing new is there, once the lines are put right', () => {
    const back = edits.toReversed().map(([file, from, to]): Edit => [file, to, from])
    const isWhole = edits.every(([, from, to]) => from !== '' && to !== '')
    if (!isWhole) return
    const { findings } = diagnosisOf(edited(edited(files, edits), back))
    expect(spotsOf(findings)).toEqual(spotsOf(diagnosisOf(files).findings))
  })

  test('is not taken for something else', () => {
    expect(mistakes(diagnosisOf(edited(files, edits))).filter((spot) => !spot.includes(` ${under}`))).toEqual([])
  })

  test('is nothing, or less, where a fact excuses it', () => {
    const severities = at.map((spot) => spot.split(' ', 1)[0]!)
    const said = saidBy(rule, files, edits, silent)
    expect(said.filter((spot) => severities.some((severity) => spot.startsWith(severity)))).toEqual([])
  })
})

test('of two files that differ the later one holds where their times are known', () => {
  const files = edited(SONIC, [['h1/later.txt', '', SONIC['h1/mlnx_qos.txt']!.replace('state: dscp', 'state: pcp')]])
  const idsOf = (times: Record<string, number>): string[] =>
    spotsOf(diagnosisOf(files, times).findings, ({ id }) => id === 'src01' || id === 'map03')
  expect(idsOf({})).toContain('warning src01 h1 eth1')
  expect(idsOf({ 'h1/mlnx_qos.txt': 1, 'h1/later.txt': 2 })).toEqual(['error map03 h1 eth1'])
  expect(idsOf({ 'h1/mlnx_qos.txt': 2, 'h1/later.txt': 1 })).toEqual([])
})

test('files of sysfs one by one say the same as their list', () => {
  const path = 'h1/sys/class/net/eth1/ecn/roce_rp/enable'
  const list = edited(SONIC, [['h1/sysfs.txt', 'roce_rp/enable/3:1', 'roce_rp/enable/3:0']])
  const single = Object.fromEntries(Array.from({ length: 8 }, (_, c) => [`${path}/${c}`, c === 3 ? '0\n' : '1\n']))
  const kept = list['h1/sysfs.txt']!.split('\n').filter((line) => !line.includes('roce_rp'))
  const files = { ...list, ...single, 'h1/sysfs.txt': kept.join('\n') }
  expect(spotsOf(diagnosisOf(files).findings)).toEqual(spotsOf(diagnosisOf(list).findings))
})

test('MTUs that differ and suffice are one note for each pair of values, with all links', () => {
  const notesOf = (files: Files): unknown[] =>
    diagnosisOf(files)
      .findings.filter(({ id }) => id === 'mtu01')
      .map(({ severity, values, also }) => [severity, values['hereBytes'], values['thereBytes'], 1 + also.length])
  expect(notesOf(SONIC)).toEqual([['note', 9000, 9100, 4]])
  expect(notesOf(edited(SONIC, [['h2/ip-link.txt', 'mtu 9000', 'mtu 8000']]))).toEqual([
    ['note', 9000, 9100, 3],
    ['note', 8000, 9100, 1],
  ])
})
