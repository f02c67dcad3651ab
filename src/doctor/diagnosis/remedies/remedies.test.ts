/** The remedy of an error takes it away, and brings nothing new; commands are those of the device, for all that it needs. */
import { expect, test } from 'vitest'
import type { Finding } from '../../../core/findings/index.ts'
import { BUFFER_FAULTS } from '../rules/planted/buffers.test-data.ts'
import { HOST_FAULTS } from '../rules/planted/hosts.test-data.ts'
import { type Files, SONIC } from '../rules/planted/clean.test-data.ts'
import { tclass } from '../rules/planted/links.test-data.ts'
import {
  diagnosisOf,
  diagnosisOfFabric,
  type Edit,
  edited,
  headroomNeed,
  spotsOf,
} from '../rules/planted/planted.test-data.ts'
import { SWITCH_FAULTS } from '../rules/planted/switches.test-data.ts'
import { RULES } from '../rules/index.ts'
import { changed, cureOf, REMEDIES, remedyFor } from './index.ts'

const FAULTS = [...HOST_FAULTS, ...SWITCH_FAULTS, ...BUFFER_FAULTS]
const isMistake = ({ severity }: Finding): boolean => severity !== 'note'

/** Settings cure neither counters, nor a map that names a port which its device does not have. */
const isBeyondSettings = (id: string): boolean => id.startsWith('ctr') || id === 'lnk01'

test('every rule of files that finds errors has one', () => {
  const kinds = RULES.flatMap((rule) => rule.kinds)
  const errors = kinds.filter(({ severity, id }) => severity === 'error' && !isBeyondSettings(id))
  expect(errors.map(({ id }) => id).filter((id) => !(id in REMEDIES))).toEqual([])
})

test.each(FAULTS.map((fault, i) => [`${fault.rule} (${i})`, fault] as const))('%s', (_name, { files, edits, rule }) => {
  const before = diagnosisOf(edited(files, edits))
  const found = before.findings.filter(({ id, severity }) => id === rule && severity === 'error')
  for (const finding of found) {
    const changes = remedyFor({ fabric: before.fabric, headroomNeed }, finding)
    expect(changes === null).toBe(isBeyondSettings(rule))
    if (changes === null) continue
    const after = diagnosisOfFabric(changed(before.fabric, changes))
    const gone = spotsOf([finding])
    const left = spotsOf(after.findings, isMistake)
    expect(left.filter((spot) => gone.includes(spot))).toEqual([])
    const old = spotsOf(before.findings, isMistake)
    expect(left.filter((spot) => !old.includes(spot))).toEqual([])
  }
})

/** Commands at the first place of a rule's finding, by device and choice. */
function typedFor(rule: string, files: Files): (readonly unknown[])[] {
  const { fabric, findings } = diagnosisOf(files)
  const cure = cureOf(
    { fabric, headroomNeed },
    findings.find(({ id }) => id === rule)!,
  )
  if (cure === null || 'unsafe' in cure) return []
  return cure.typed[0]!.map(({ device, lines, choice = 0 }) => [device, choice, ...lines])
}

const QOS = 'h1/mlnx_qos.txt'
const TRUSTS_TAGS: Edit = [QOS, 'trust state: dscp', 'trust state: pcp']
const TEN_IN_3: readonly Edit[] = [...tclass('h1', 40), ['leaf1/config_db.json', '"10":"1"', '"10":"3"']]

test('a NIC that trusts tags and has the DSCP elsewhere gets both commands: the second mistake was hidden by the first', () => {
  const trust = 'mlnx_qos -i eth1 --trust dscp'
  expect(typedFor('map03', edited(SONIC, [TRUSTS_TAGS, ...TEN_IN_3]))).toEqual([
    ['h1', 0, trust, 'mlnx_qos -i eth1 --dscp2prio set,10,3'],
  ])
})

test('the buffer of the priority that is lossless, as large as it has to be', () => {
  const shared: readonly Edit[] = [
    [QOS, 'buffer      0   0   0   1', 'buffer      0   0   0   0'],
    [QOS, 'bytes): 20016,156096', 'bytes): 176112,0'],
  ]
  const [[device, , line] = []] = typedFor('hst02', edited(SONIC, shared))
  expect([device, line]).toEqual([
    'h1',
    'mlnx_qos -i eth1 --prio2buffer 0,0,0,1,0,0,0,0 --buffer_size 176112,176112,0,0,0,0,0,0',
  ])
})

const LEAF = `! Command: show running-config
! device: leaf1 (DCS-7060X6, EOS-4.33.1F)
hostname leaf1
interface Ethernet1/1
   no switchport
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
end
`
const NIC = `DCBX mode: OS controlled
Priority trust state: dscp
Cable len: 7
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   0   1   0   0   0
`
const ONE_LINK = { 'edges.csv': 'device_a,port_a,device_b,port_b,cable_m\nh1,eth2,leaf1,Ethernet1/1,3\n' }

test('one link whose ends differ, and nothing that tells which is right: a choice, each with its own commands', () => {
  const port = ['interface Ethernet1/1', '  priority-flow-control on']
  expect(typedFor('pfc01', { ...ONE_LINK, 'h1/mlnx_qos.txt': NIC, 'leaf1/run.cfg': LEAF })).toEqual([
    ['h1', 1, 'mlnx_qos -i eth2 --pfc 0,0,0,1,0,0,0,0'],
    ['leaf1', 2, ...port, '  priority-flow-control priority 4 no-drop', '  priority-flow-control priority 3 drop'],
  ])
})
