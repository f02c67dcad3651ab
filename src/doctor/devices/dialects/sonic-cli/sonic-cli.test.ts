/** Configurations of Enterprise SONiC as sonic-cli prints them. */
import { expect, test } from 'vitest'
import { fc } from '../../../../../tests/support/properties.ts'
import { contentOf, factsOf, originOf, valueOf } from '../cli/reading.test-data.ts'
import { FOREIGN_LINES } from '../foreign-lines.test-data.ts'
import { readFile } from '../index.ts'

const PORT = ` mtu 9216
 speed 400000
 fec RS
 no shutdown
 queue 3 wred-policy ROCE
 queue 4 wred-policy ROCE
 scheduler-policy ROCE
 cable-length 40m
 qos-map dscp-tc ROCE
 qos-map dot1p-tc ROCE
 qos-map tc-queue ROCE
 qos-map tc-pg ROCE
 qos-map pfc-priority-queue ROCE
 priority-flow-control priority 3
 priority-flow-control priority 4
 priority-flow-control watchdog action drop
 priority-flow-control watchdog on detect-time 200
 priority-flow-control watchdog restore-time 400
`
const TEXT = `sonic# show running-configuration | no-more
!
hostname leaf1
!
priority-flow-control watchdog polling-interval 100
!
qos wred-policy ROCE
 green minimum-threshold 2048 maximum-threshold 12480 drop-probability 15
 ecn green
!
qos scheduler-policy ROCE
 !
 queue 0
  type dwrr
  weight 50
 !
 queue 3
  type dwrr
  weight 40
 !
 queue 6
  type strict
!
qos map dscp-tc ROCE
 dscp 0-3,5-23,25,27-47,49-63 traffic-class 0
 dscp 24,26 traffic-class 3
 dscp 4 traffic-class 4
 dscp 48 traffic-class 6
!
qos map dot1p-tc ROCE
 dot1p 3 traffic-class 3
!
qos map tc-queue ROCE
 traffic-class 0-2,5,7 queue 0
 traffic-class 3 queue 3
 traffic-class 4 queue 4
 traffic-class 6 queue 6
!
qos map tc-pg ROCE
 traffic-class 3 priority-group 3
 traffic-class 4 priority-group 4
 traffic-class 0-2,5-7 priority-group 7
!
qos map pfc-priority-queue ROCE
 pfc-priority 3 queue 3
 pfc-priority 4 queue 4
!
line vty
 service-policy type qos in oob-qos-policy
!
interface Loopback 0
 ip address 10.0.0.1/32
!
interface PortChannel10
 switchport trunk allowed Vlan 100
!
interface Eth1/1
${PORT}!
interface Eth1/2
 channel-group 10
${PORT}!
interface Eth1/3
 no shutdown
!
`

test('a port has what the maps and profiles say that it binds', () => {
  const facts = factsOf(TEXT)
  expect([facts.hostname, facts.isComplete, facts.truncated, facts.references]).toEqual(['leaf1', true, null, []])
  expect([...facts.ports.keys()]).toEqual(['Eth1/1', 'Eth1/2', 'Eth1/3'])
  const of = (port: string, ...fields: string[]): unknown[] => fields.map((field) => valueOf(facts, port, field))
  expect(
    of('Eth1/1', 'pfcClasses', 'pfcWritten', 'trust', 'classifies', 'mtuBytes', 'rateBps', 'fec', 'cableM'),
  ).toEqual([[3, 4], [3, 4], 'dscp', true, 9216, 400e9, 'rs', 40])
  expect(of('Eth1/1', 'dscpToClass.24', 'dscpToClass.26', 'dscpToClass.4', 'dscpToClass.48', 'dscpToClass.63')).toEqual(
    [3, 3, 4, 6, 0],
  )
  expect(of('Eth1/1', 'classes.3.marks', 'classes.3.kminBytes', 'classes.3.kmaxBytes', 'classes.3.pmaxRatio')).toEqual([
    true,
    2_048_000,
    12_480_000,
    0.15,
  ])
  expect(of('Eth1/1', 'classes.0.marks', 'classes.0.schedule', 'classes.3.schedule', 'classes.6.schedule')).toEqual([
    false,
    50,
    40,
    'strict',
  ])
  expect(
    of('Eth1/1', 'classes.3.group', 'classes.3.queue', 'classes.3.pausedQueue', 'classes.5.group', 'classes.5.queue'),
  ).toEqual([3, 3, 3, 7, 0])
  expect(of('Eth1/1', 'classes.3.isWatched', 'classes.5.isWatched')).toEqual([true, false])
  expect(of('', 'watchdog.action', 'watchdog.detectionPs', 'watchdog.restorationPs', 'watchdog.pollPs')).toEqual([
    'drop',
    200e9,
    400e9,
    100e9,
  ])
  expect(of('Eth1/1', 'vlanMode')).toEqual(['untagged'])
  expect(of('Eth1/2', 'vlanMode')).toEqual(['both'])
  expect(originOf(facts, 'Eth1/1', 'classes.3.kminBytes')).toBe('set 8')
})

test('a port of a whole configuration that binds nothing has nothing', () => {
  const facts = factsOf(TEXT)
  const of = (field: string): unknown => valueOf(facts, 'Eth1/3', field)
  expect([of('pfcClasses'), of('trust'), of('classifies'), of('classes.3.isWatched'), of('mtuBytes')]).toEqual([
    [],
    'none',
    false,
    false,
    9100,
  ])
})

test('a part of a configuration has no defaults', () => {
  const facts = factsOf(`!\ninterface Ethernet4\n${PORT}!\n`)
  expect([facts.isComplete, valueOf(facts, 'Ethernet4', 'pfcClasses')]).toEqual([false, [3, 4]])
  expect(valueOf(facts, 'Ethernet4', 'classes.3.marks')).toBeUndefined()
  expect(valueOf(facts, 'Ethernet4', 'classifies')).toBe(true)
  expect(valueOf(facts, 'Ethernet4', 'isPfcAsymmetric')).toBeUndefined()
})

test('names of one side only are found', () => {
  const facts = factsOf(TEXT.replace('qos wred-policy ROCE', 'qos wred-policy OTHER'))
  expect(facts.references.map(({ problem, what, name, port }) => [problem, what, name, port])).toEqual([
    ['undefined', 'qos wred-policy', 'ROCE', 'Eth1/1'],
    ['undefined', 'qos wred-policy', 'ROCE', 'Eth1/2'],
    ['unapplied', 'qos wred-policy', 'OTHER', ''],
  ])
})

test('times that differ between ports are those of the ports', () => {
  const facts = factsOf(TEXT.replace('restore-time 400\n!', 'restore-time 500\n!'))
  expect(valueOf(facts, '', 'watchdog.restorationPs')).toBeUndefined()
  expect(valueOf(facts, 'Eth1/1', 'other.watchdog.restorationPs')).toBe('500')
})

test('priorities may be taken back, and be a list', () => {
  const changed = factsOf(TEXT.replaceAll('priority 4\n', 'priority 4\n no priority-flow-control priority 3\n'))
  expect(valueOf(changed, 'Eth1/1', 'pfcClasses')).toEqual([4])
  const list = factsOf(
    TEXT.replaceAll(/ priority-flow-control priority 3\n.*priority 4\n/g, ' priority-flow-control priority 3,4\n'),
  )
  expect(contentOf(list)).toEqual(contentOf(factsOf(TEXT)))
})

test('lines of logs and prompts, wherever they stand, and lost indentation change nothing', () => {
  const content = contentOf(factsOf(TEXT))
  const lines = TEXT.split('\n')
  const foreign = [...FOREIGN_LINES, 'ip address 10.0.0.1/31', '!']
  for (let at = 1; at < lines.length; at++)
    for (const line of foreign)
      expect([at, contentOf(factsOf(lines.toSpliced(at, 0, line).join('\n')))]).toEqual([at, content])
  for (let at = 1; at < lines.length; at++)
    expect([at, contentOf(factsOf(lines.with(at, lines[at]!.trim()).join('\n')))]).toEqual([at, content])
})

test('the order of blocks changes nothing, and no cut makes a reader throw or leaves defaults', () => {
  const [head, ...blocks] = TEXT.split(/!\n(?! )/)
  const shuffled = `${head}!\n${blocks
    .toReversed()
    .map((each) => `${each}!\n`)
    .join('')}`
  const content = contentOf(factsOf(shuffled)) as { device: unknown }
  expect(content.device).toEqual((contentOf(factsOf(TEXT)) as { device: unknown }).device)
  fc.assert(
    fc.property(fc.nat(TEXT.length), fc.string({ unit: 'binary', maxLength: 20 }), (at, noise) => {
      expect(() => readFile('f', TEXT.slice(0, at) + noise + TEXT.slice(at + 7))).not.toThrow()
    }),
    { numRuns: 200 },
  )
})
