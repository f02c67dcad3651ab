/**
 * Each rule finds its mistake where it was made, says nothing without it, and nothing where a fact excuses it; no other rule
 * takes the mistake for another one.
 */
import { describe, expect, test } from 'vitest'
import { fabricWords, findingText } from '../../../core/findings/index.ts'
import { type Files, SONIC } from './planted/clean.test-data.ts'
import { MIXED } from './planted/mixed.test-data.ts'
import { RULES } from './index.ts'
import { HOST_FAULTS } from './planted/hosts.test-data.ts'
import { tclass } from './planted/links.test-data.ts'
import { BUFFER_FAULTS } from './planted/buffers.test-data.ts'
import { SWITCH_FAULTS } from './planted/switches.test-data.ts'
import { withCures } from '../remedies/index.ts'
import {
  diagnosisOf,
  type Edit,
  edited,
  headroomNeed,
  type Planted,
  spotsOf,
  type Diagnosed,
} from './planted/planted.test-data.ts'

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

describe('a remedy has the class that the other end has for the DSCP of RoCE', () => {
  const QOS = 'h1/mlnx_qos.txt'
  const valuesOf = (rule: string, edits: readonly Edit[]): unknown =>
    diagnosisOf(edited(SONIC, edits)).findings.find(({ id }) => id === rule)?.values
  const ten: readonly Edit[] = [...tclass('h1', 40), ['leaf1/config_db.json', '"10":"1"', '"10":"3"']]
  const pcp: Edit = [QOS, 'trust state: dscp', 'trust state: pcp']

  test('where the NIC has to trust DSCPs', () => {
    expect(valuesOf('map03', [pcp])).toMatchObject({ dscp: 26, there: 3 })
    expect(valuesOf('map03', [pcp, ...ten])).toMatchObject({ dscp: 10, there: 3 })
    const lossy: Edit = ['leaf1/config_db.json', '"pfc_enable":"3"', '"pfc_enable":""']
    expect(valuesOf('map03', [pcp, lossy])).toMatchObject({ dscp: null, there: null })
  })

  test('where the NIC has the DSCP in a lossy one', () => {
    expect(valuesOf('map06', ten)).toMatchObject({ dscp: 10, priority: 1, there: 3 })
    expect(valuesOf('map06', tclass('h1', 128))).toMatchObject({ dscp: 32, there: null })
  })
})

test('an index of a GID that is not routed comes with one that is', () => {
  const { findings } = diagnosisOf(edited(SONIC, [['h1/nccl.env', 'GID_INDEX=3', 'GID_INDEX=2']]))
  expect(findings.find(({ id }) => id === 'hst08')?.values).toMatchObject({ index: 2, routed: 3 })
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
  // A host below its switch is how it is meant.
  expect(notesOf(SONIC)).toEqual([])
  expect(notesOf(edited(SONIC, [['h2/ip-link.txt', 'mtu 9000', 'mtu 4200']]))).toEqual([])
  const above = ['h1', 'h2'].map((host): Edit => [`${host}/ip-link.txt`, 'mtu 9000', 'mtu 9200'])
  expect(notesOf(edited(SONIC, [...above, ['h3/ip-link.txt', 'mtu 9000', 'mtu 9300']]))).toEqual([
    ['note', 9100, 9200, 2],
    ['note', 9100, 9300, 1],
  ])
})

test('only what follows from a name that is not defined hangs under it', () => {
  const leaf = 'leaf1/config_db.json'
  const watchdog = '  "Ethernet0": {"action":"drop","detection_time":"400","restoration_time":"400"},\n'
  const under = (...edits: readonly Edit[]): string[] => {
    const { causes } = diagnosisOf(edited(SONIC, edits))
    return spotsOf([...causes].filter(([, cause]) => cause.id === 'ref01').map(([finding]) => finding))
  }
  const noMarks: Edit = [
    leaf,
    '"Ethernet0|3": {"scheduler":"W3","wred_profile":"ECN"}',
    '"Ethernet0|3": {"scheduler":"W9"}',
  ]
  const noMap: Edit = [leaf, '"dscp_to_tc_map":"M"', '"pfc_to_pg_map":"P","dscp_to_tc_map":"M"']
  expect(under(noMap, [leaf, watchdog, ''])).toEqual([])
  expect(under(noMarks)).toContain('error ecn03 leaf1 Ethernet0')
})

test('where CNPs are is judged by the DSCP that a host gives them', () => {
  const edits: Edit[] = [['leaf1/config_db.json', '"S6": {"type":"STRICT"}', '"S6": {"type":"DWRR","weight":"10"}']]
  const unknown = ['h1', 'h2', 'h3', 'h4'].map((host): Edit => [`${host}/sysfs.txt`, '', ''])
  const ids = (files: Files): string[] => diagnosisOf(files).findings.map(({ id }) => id)
  expect(ids(edited(SONIC, edits))).toContain('cnp01')
  const { findings, missing } = diagnosisOf(edited(SONIC, [...edits, ...unknown]))
  expect(findings.map(({ id }) => id)).not.toContain('cnp01')
  expect(missing.some(({ rules }) => rules.includes('CNP01'))).toBe(true)
})

test("a NIC's own 7 m are as good as the 5 m of its cable", () => {
  const files = edited(SONIC, [['h1/mlnx_qos.txt', 'Cable len: 5', 'Cable len: 7']])
  expect(spotsOf(diagnosisOf(files).findings, ({ id }) => id === 'buf03')).toEqual([])
})

test.each(['eth1;id', 'eth1$(id)', '`id`'])('the interface %j is in no line that somebody may copy', (name) => {
  const files = Object.fromEntries(
    Object.entries(edited(SONIC, [['h1/ethtool-a.txt', 'TX:\t\toff', 'TX:\t\ton']])).map(([file, text]) => [
      file,
      file.startsWith('h1/') || file === 'edges.csv' ? text.replaceAll('eth1', () => name) : text,
    ]),
  )
  const { findings, fabric } = diagnosisOf(files)
  const finding = findings.find(({ id, subject }) => id === 'pfc06' && subject.device === 'h1')!
  expect(finding.subject.interface).toBe(name)
  const [shown] = withCures({ fabric, headroomNeed }, [finding], new Map())
  expect(fabricWords(shown!)!.typed).toEqual([])
  expect(shown!.values['unsafe']).toBe(name)
  expect(findingText(shown!)).not.toContain('ethtool -A')
})

test('a priority that one end alone has PFC for is as bad as what is known of its traffic', () => {
  const ofLeaf: Edit[] = [
    ['h1/mlnx_qos.txt', 'enabled     0   0   0   1   0   0   0   0', 'enabled     0   0   0   1   1   0   0   0'],
  ]
  const severities = (...edits: Edit[]): string[] =>
    diagnosisOf(edited(SONIC, [...ofLeaf, ...edits])).findings.flatMap(({ id, severity, subject, values }) =>
      id === 'pfc01' ? [JSON.stringify([severity, subject.device, values['odd'], values['use']])] : [],
    )
  expect(severities()).toEqual(['["note","leaf1",[4],"unused"]'])
  // Another host sends DSCP 34, which is priority 4 in the NIC.
  expect(severities(...tclass('h4', 4 * 34))).toEqual(['["error","leaf1",[4],"used"]'])
  const none = ['h4/sysfs.txt', 'h4/cma_roce_tos.txt', 'h4/nccl.env'].map((file): Edit => [file, '', ''])
  expect(severities(...none)).toEqual(['["warning","leaf1",[4],"unknown"]'])
})
