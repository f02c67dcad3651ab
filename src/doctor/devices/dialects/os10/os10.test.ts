/**
 * OS10: a leaf with two hosts and an uplink; at the second host somebody has mistyped the name of the policy.
 */
import { expect, test } from 'vitest'
import { factsOf, originOf, valueOf } from '../cli/reading.test-data.ts'

const port = (name: string, policy: string): string => `interface ${name}
 description service-policy input type network-qos PFC
 no switchport
 mtu 9216
 flowcontrol receive off
 flowcontrol transmit off
 priority-flow-control mode on
 service-policy input type network-qos ${policy}
 service-policy output type queuing OUT
 ets mode on
 qos-map traffic-class QUEUES
 no shutdown
!
`
const LEAF = `! Version 10.5.6.1
!
hostname de1
!
wred MARK
 random-detect color green minimum-threshold 100 maximum-threshold 1000 drop-probability 50
 random-detect color yellow minimum-threshold 1 maximum-threshold 2 drop-probability 100
 random-detect ecn
!
class-map type network-qos ROCE
 match qos-group 3
!
class-map type queuing Q-ROCE
 match queue 5
class-map type queuing Q-CNP
 match queue 6
!
trust dscp-map MARKS
 qos-group 3 dscp 24-26,34
 qos-group 6 dscp 48
!
qos-map traffic-class QUEUES
 queue 5 qos-group 3
 queue 6 qos-group 6
!
policy-map type network-qos PFC
 !
 class ROCE
  pause
  pfc-cos 4
!
policy-map type queuing OUT
 !
 class Q-ROCE
  bandwidth percent 60
  random-detect MARK
 class Q-CNP
  priority
!
system qos
 trust-map dscp MARKS
!
${port('ethernet1/1/1', 'PFC')}${port('ethernet1/1/2', 'PCF')}${port('ethernet1/1/31', 'PFC')}`

test('groups of the system, lossless by the policy of the port, in the class that pfc-cos names', () => {
  const facts = factsOf(LEAF)
  expect([facts.kind, facts.hostname, facts.isComplete]).toEqual(['switch', 'de1', true])
  const at = (field: string): unknown => valueOf(facts, 'ethernet1/1/1', field)
  expect([at('pfcMode'), at('pfcWritten'), at('pfcClasses')]).toEqual(['on', [4], [4]])
  expect([at('dscpToClass.25'), at('dscpToClass.34'), at('dscpToClass.48'), at('dscpToClass.0')]).toEqual([4, 4, 6, 0])
  expect([at('trust'), at('classifies'), at('vlanMode'), at('mtuBytes')]).toEqual(['dscp', true, 'untagged', 9216])
  expect([at('takesGlobalPause'), at('sendsGlobalPause')]).toEqual([false, false])
  expect([at('classes.4.group'), at('classes.4.queue'), at('classes.4.schedule')]).toEqual([3, 5, 60])
  expect([
    at('classes.4.marks'),
    at('classes.4.kminBytes'),
    at('classes.4.kmaxBytes'),
    at('classes.4.pmaxRatio'),
  ]).toEqual([true, 100_000, 1_000_000, 0.5])
  expect([at('classes.6.schedule'), at('classes.6.marks')]).toEqual(['strict', false])
  expect(originOf(facts, 'ethernet1/1/1', 'classes.4.kminBytes')).toBe('set 6')
  expect(valueOf(facts, '', 'watchdog.kind')).toBeUndefined()
})

test('the second host: a policy that nobody has defined makes nothing lossless', () => {
  const facts = factsOf(LEAF)
  const at = (field: string): unknown => valueOf(facts, 'ethernet1/1/2', field)
  expect([at('pfcMode'), at('pfcWritten'), at('pfcClasses')]).toEqual(['on', [], []])
  expect([at('dscpToClass.26'), at('classes.3.queue')]).toEqual([3, 5])
  expect(facts.references.map(({ problem, what, name, port: where }) => [problem, what, name, where])).toEqual([
    ['undefined', 'policy-map type network-qos', 'PCF', 'ethernet1/1/2'],
  ])
})

test('what is defined for PFC or ECN and applied nowhere', () => {
  const names = (text: string): string[] =>
    factsOf(text)
      .references.filter(({ problem }) => problem === 'unapplied')
      .map(({ what, name }) => `${what} ${name}`)
  expect(names(LEAF)).toEqual([])
  expect(names(LEAF.replaceAll(/ service-policy input .*\n/g, ''))).toEqual(['policy-map type network-qos PFC'])
  expect(names(LEAF.replaceAll('  random-detect MARK\n', ''))).toEqual(['wred MARK'])
  expect(names(LEAF.replaceAll(' trust-map dscp MARKS\n', ' ets mode on\n'))).toEqual(['trust dscp-map MARKS'])
  const unapplied = factsOf(LEAF.replaceAll(/ service-policy input .*\n/g, ''))
  expect(valueOf(unapplied, 'ethernet1/1/1', 'pfcClasses')).toEqual([])
})

test('a port without the mode is off, and one without a trust map puts all in the first group', () => {
  const facts = factsOf(
    LEAF.replaceAll(' priority-flow-control mode on\n', '').replace(' trust-map dscp MARKS\n', ' ets mode on\n'),
  )
  const at = (field: string): unknown => valueOf(facts, 'ethernet1/1/1', field)
  expect([at('pfcMode'), at('pfcWritten'), at('pfcClasses')]).toEqual(['off', [4], []])
  expect([at('trust'), at('classifies'), at('dscpToClass.26')]).toEqual(['none', false, 0])
})

test('a part of a configuration yields no defaults', () => {
  const facts = factsOf(port('ethernet1/1/9', 'PFC'))
  expect(facts.isComplete).toBe(false)
  expect(valueOf(facts, 'ethernet1/1/9', 'pfcMode')).toBe('on')
  for (const field of ['pfcClasses', 'pfcWritten', 'trust', 'classifies', 'dscpToClass.0', 'classes.3.marks'])
    expect(valueOf(facts, 'ethernet1/1/9', field)).toBeUndefined()
  expect(facts.references).toEqual([])
})

test('show lldp neighbors: names that are cut short are none', () => {
  const facts = factsOf(`Loc PortID          Rem Host Name        Rem Port Id                    Rem Chassis Id
--------------------------------------------------------------------------------------
ethernet1/1/1       gpu5                 ens5f0                         b8:3f:d2:00:00:01
ethernet1/1/3:1     Not Advertised       00:78:57:aa:bb:cc              00:78:57:aa:bb:cc
ethernet1/1/31      spine-in-hall-one... Eth1/32                        24:8a:07:bb:cc:aa
mgmt1/1/1           jump                 19                             00:04:96:dd:ff:aa
`)
  expect(facts.neighbours.map(({ port: where, peerDevice, peerPort }) => [where, peerDevice, peerPort])).toEqual([
    ['ethernet1/1/1', 'gpu5', 'ens5f0'],
  ])
})
