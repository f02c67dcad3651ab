/**
 * The lines that a finding comes with, typed at the devices: carried out on their files by an interpreter that knows the manuals
 * alone, they take the finding away at all of its places and bring no other. ROCELAB_BUDGET=10 draws ten times as many fabrics,
 * ROCELAB_SEED others.
 */
import { expect, test } from 'vitest'
import { HOST_LANGUAGES, SWITCH_LANGUAGES } from '../../make/index.ts'
import { BUFFER_FAULTS } from '../../rules/planted/buffers.test-data.ts'
import { HOST_FAULTS } from '../../rules/planted/hosts.test-data.ts'
import { edgesIn, edited, headroomNeed } from '../../rules/planted/planted.test-data.ts'
import { SWITCH_FAULTS } from '../../rules/planted/switches.test-data.ts'
import { CASES, drawn, type Folder, languageIn, lookedAt, wrongWith } from './typing.test-data.ts'

const BUDGET = Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const FIRST_SEED = Number(process.env['ROCELAB_SEED'] ?? 42_000)
const FABRICS = CASES.length * BUDGET

/** Rules with lines in most languages. */
const COMMON_RULES = ['ecn03', 'hst05', 'map02', 'map03', 'map04', 'map06', 'mtu01', 'pfc01', 'pfc05', 'pfc06', 'wd01']
const LEAST_OF_A_LANGUAGE = 3

test('lines take findings away, and bring no others', () => {
  const counts = new Map<string, number>()
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)
  const wrong: string[] = []
  for (let seed = FIRST_SEED; seed < FIRST_SEED + FABRICS; seed++) {
    const folder = drawn(seed)
    if (folder === null) continue
    count('fabrics')
    const looked = lookedAt(folder)
    for (const cured of looked.cured) {
      const { id, severity, subject } = cured.finding
      const what = `${severity} ${languageIn(looked.context.fabric, subject.device ?? '')} ${id}`
      count(`${cured.lines === null ? 'without lines' : 'with lines'}: ${what}`)
      if (cured.lines === null) continue
      const trouble = wrongWith(folder, looked, cured)
      if (trouble !== '') wrong.push(`seed ${seed}, ${what}: ${trouble}`)
      for (const language of new Set(cured.lines.map(({ device }) => languageIn(looked.context.fabric, device))))
        count(`language ${language}`)
      count(`rule ${id}`)
    }
  }
  if (BUDGET > 1) for (const what of [...counts.keys()].toSorted()) console.info(`${what} ${counts.get(what)}`)
  expect(wrong).toEqual([])
  const rare = [...SWITCH_LANGUAGES, ...HOST_LANGUAGES].filter(
    (language) => (counts.get(`language ${language}`) ?? 0) < LEAST_OF_A_LANGUAGE,
  )
  expect(rare).toEqual([])
  expect(COMMON_RULES.filter((rule) => !counts.has(`rule ${rule}`))).toEqual([])
}, 3_600_000)

const portOf = (number: number): string => `interface Eth1/${number}
 mtu 9216
 speed 400000
 no shutdown
 queue 3 wred-policy ROCE
 cable-length 40m
 qos-map dscp-tc ROCE
 qos-map tc-queue ROCE
 qos-map tc-pg ROCE
 qos-map pfc-priority-queue ROCE
 priority-flow-control priority 3
 priority-flow-control watchdog action drop
 priority-flow-control watchdog on detect-time 200
 priority-flow-control watchdog restore-time 400
!
`
const SONIC_CLI = `sonic# show running-configuration | no-more
!
hostname leaf1
!
priority-flow-control watchdog polling-interval 100
!
qos wred-policy ROCE
 green minimum-threshold 2048 maximum-threshold 12480 drop-probability 15
 ecn green
!
qos map dscp-tc ROCE
 dscp 0-25,27-47,49-63 traffic-class 0
 dscp 26 traffic-class 3
 dscp 48 traffic-class 6
!
qos map tc-queue ROCE
 traffic-class 0-2,4-5,7 queue 0
 traffic-class 3 queue 3
 traffic-class 6 queue 6
!
qos map tc-pg ROCE
 traffic-class 3 priority-group 3
 traffic-class 0-2,4-7 priority-group 7
!
qos map pfc-priority-queue ROCE
 pfc-priority 3 queue 3
!
line vty
!
${portOf(1)}${portOf(2)}`

/** At the first port of one of two switches that are linked twice. */
test.each([
  ['pfc01', ' priority-flow-control priority 3\n', ''],
  [
    'pfc07',
    ' priority-flow-control priority 3\n',
    ' priority-flow-control priority 3\n priority-flow-control asymmetric\n',
  ],
  ['wd01', / priority-flow-control watchdog (?:on|action|restore).*\n/g, ''],
  ['buf03', 'cable-length 40m', 'cable-length 5m'],
] as const)('sonic-cli, %s', (rule, from, to) => {
  const spoilt = SONIC_CLI.replace(portOf(1), (port) => port.replace(from, to))
  const edges = [1, 2].map((i) => ({
    deviceA: 'leaf1',
    portA: `Eth1/${i}`,
    deviceB: 'leaf2',
    portB: `Eth1/${i}`,
    cableM: 40,
  }))
  const files = [spoilt, SONIC_CLI].map((text, i) => ({ file: `leaf${i + 1}/running-config.cfg`, text }))
  const folder: Folder = { files, edges }
  const looked = lookedAt(folder)
  const cured = looked.cured.filter(({ finding, lines }) => finding.id === rule && lines !== null)
  expect(cured.length).toBe(1)
  expect(wrongWith(folder, looked, cured[0]!)).toBe('')
})

const PLANTED = [...HOST_FAULTS, ...SWITCH_FAULTS, ...BUFFER_FAULTS]

test.each(PLANTED.map((fault, i) => [`${fault.rule} (${i})`, fault] as const))(
  'planted, %s',
  (_name, { files, edits }) => {
    const texts = edited(files, edits)
    const folder: Folder = {
      files: Object.entries(texts).flatMap(([file, text]) => (file.includes('/') ? [{ file, text }] : [])),
      edges: edgesIn(texts),
    }
    const looked = lookedAt(folder, headroomNeed)
    const wrong = looked.cured.flatMap((cured) => (cured.lines === null ? [] : [wrongWith(folder, looked, cured)]))
    expect(wrong.filter((trouble) => trouble !== '')).toEqual([])
  },
)
