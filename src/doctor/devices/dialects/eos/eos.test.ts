/**
 * EOS: a leaf with two hosts behind one profile, and an uplink with PFC and no lossless priority.
 */
import { expect, test } from 'vitest'
import { factsOf, originOf, valueOf } from '../cli/reading.test-data.ts'

const LEAF = `! Command: show running-config
! device: ar1 (DCS-7060X6-64PE, EOS-4.33.1F)
!
hostname ar1
!
qos map dscp 26 34 to traffic-class 3
qos map dscp 48 to traffic-class 6
qos map traffic-class 3 to tx-queue 4
!
priority-flow-control pause watchdog default timeout 0.20
priority-flow-control pause watchdog default recovery-time 0.40
priority-flow-control pause watchdog default polling-interval 0.10
priority-flow-control pause watchdog action notify-only
!
qos profile GPU
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control priority 1 drop
   !
   tx-queue 4
      !! the queue of RDMA
      no priority
      bandwidth percent 60
      bandwidth guaranteed 100
      random-detect ecn minimum-threshold 300 kbytes maximum-threshold 900 kbytes max-mark-probability 20 weight 0
   !
   tx-queue 6
      priority strict
!
interface Ethernet1/1
   mtu 9214
   speed 400g-8
   no switchport
   service-profile GPU
!
interface Ethernet2/1
   mtu 9214
   switchport mode trunk
   flowcontrol receive on
   service-profile GPU
   no priority-flow-control pause watchdog
   tx-queue 4
      random-detect ecn minimum-threshold 3 milliseconds maximum-threshold 9 milliseconds
!
interface Ethernet33/1
   description spine priority-flow-control priority 3 no-drop
   no switchport
   priority-flow-control on
!
end
`

test('a profile decides at the ports that apply it', () => {
  const facts = factsOf(LEAF)
  expect([facts.kind, facts.hostname, facts.isComplete]).toEqual(['switch', 'ar1', true])
  expect(valueOf(facts, '', 'platform')).toBe('DCS-7060X6-64PE')
  const at = (field: string): unknown => valueOf(facts, 'Ethernet1/1', field)
  expect([at('pfcMode'), at('pfcWritten'), at('pfcClasses')]).toEqual(['on', [3], [3]])
  expect([at('trust'), at('classifies'), at('vlanMode'), at('mtuBytes'), at('rateBps')]).toEqual([
    'dscp',
    true,
    'untagged',
    9214,
    4e11,
  ])
  expect([at('dscpToClass.26'), at('dscpToClass.34'), at('dscpToClass.48')]).toEqual([3, 3, 6])
  expect([at('classes.3.queue'), at('classes.3.schedule'), at('classes.6.schedule')]).toEqual([4, 60, 'strict'])
  expect([
    at('classes.3.marks'),
    at('classes.3.kminBytes'),
    at('classes.3.kmaxBytes'),
    at('classes.3.pmaxRatio'),
  ]).toEqual([true, 300_000, 900_000, 0.2])
  expect(at('classes.3.isWatched')).toBe(true)
  expect(originOf(facts, 'Ethernet1/1', 'dscpToClass.34')).toBe('set 6')
})

test('DSCPs without a map have the traffic class of the device, in which the first two are swapped', () => {
  const facts = factsOf(LEAF)
  const at = (dscp: number): unknown => valueOf(facts, 'Ethernet1/1', `dscpToClass.${dscp}`)
  expect([at(0), at(8), at(16), at(24), at(63)]).toEqual([1, 0, 2, 3, 7])
  expect(originOf(facts, 'Ethernet1/1', 'dscpToClass.0')).toMatch(/^default/)
})

test('what a port says goes before its profile; thresholds in time are not known', () => {
  const facts = factsOf(LEAF)
  const at = (field: string): unknown => valueOf(facts, 'Ethernet2/1', field)
  expect([at('classes.3.marks'), at('classes.3.kminBytes'), at('classes.3.isWatched')]).toEqual([
    true,
    undefined,
    false,
  ])
  expect([at('takesGlobalPause'), at('vlanMode'), at('pfcClasses')]).toEqual([true, 'both', [3]])
})

test('a queue without priority and weight is served in round robin', () => {
  const facts = factsOf(LEAF.replace('      bandwidth percent 60\n', ''))
  expect(valueOf(facts, 'Ethernet1/1', 'classes.3.schedule')).toBe('round-robin')
  expect(valueOf(factsOf(LEAF), 'Ethernet1/1', 'classes.3.schedule')).toBe(60)
})

test('the uplink: PFC on alone makes no priority lossless', () => {
  const facts = factsOf(LEAF)
  const at = (field: string): unknown => valueOf(facts, 'Ethernet33/1', field)
  expect([at('pfcMode'), at('pfcWritten'), at('pfcClasses')]).toEqual(['on', [], []])
  expect([at('trust'), at('classes.3.marks'), at('classes.3.isWatched')]).toEqual(['dscp', false, undefined])
  expect(originOf(facts, 'Ethernet33/1', 'trust')).toMatch(/^default/)
  const switched = factsOf(LEAF.replace('   no switchport\n   priority-flow-control on', '   priority-flow-control on'))
  expect(valueOf(switched, 'Ethernet33/1', 'trust')).toBe('pcp')
  expect(valueOf(switched, 'Ethernet33/1', 'dscpToClass.26')).toBeUndefined()
})

test('the watchdog watches only queues with bandwidth guaranteed, and is off where nobody sets it', () => {
  const facts = factsOf(LEAF)
  const at = (field: string): unknown => valueOf(facts, '', `watchdog.${field}`)
  expect([at('kind'), at('detectionPs'), at('restorationPs'), at('pollPs'), at('action')]).toEqual([
    'eos',
    2e11,
    4e11,
    1e11,
    'alert',
  ])
  const unguarded = factsOf(LEAF.replace('      bandwidth guaranteed 100\n', ''))
  expect(valueOf(unguarded, 'Ethernet1/1', 'classes.3.isWatched')).toBe(false)
  const without = factsOf(LEAF.replaceAll(/.*pause watchdog.*\n/g, ''))
  expect(valueOf(without, '', 'watchdog.kind')).toBe('off')
})

test('PFC that is off for all is off for each', () => {
  const facts = factsOf(LEAF.replace('qos map dscp 48', 'priority-flow-control all off\nqos map dscp 48'))
  expect([valueOf(facts, 'Ethernet1/1', 'pfcClasses'), valueOf(facts, 'Ethernet1/1', 'pfcWritten')]).toEqual([[], [3]])
})

test('names of one side only', () => {
  const problems = (text: string): string[] =>
    factsOf(text).references.map(({ problem, what, name, port }) => `${problem}: ${what} ${name} ${port}`.trim())
  expect(problems(LEAF)).toEqual([])
  expect(problems(LEAF.replaceAll('service-profile GPU', 'service-profile GPUS'))).toEqual([
    'undefined: qos profile GPUS Ethernet1/1',
    'undefined: qos profile GPUS Ethernet2/1',
    'unapplied: qos profile GPU',
  ])
})

test('an input policy goes before the trust of the port', () => {
  const policy = `class-map type qos match-any RDMA
   match dscp 40
policy-map type quality-of-service IN
   class RDMA
      set traffic-class 5
!
`
  const facts = factsOf(
    LEAF.replace('qos profile GPU', `${policy}qos profile GPU`).replace(
      '   no switchport\n   service-profile',
      '   no switchport\n   service-policy type qos input IN\n   service-profile',
    ),
  )
  const at = (dscp: number): unknown => valueOf(facts, 'Ethernet1/1', `dscpToClass.${dscp}`)
  expect([at(40), at(26)]).toEqual([5, 3])
})

test('without "end" it is a part of a configuration, without defaults', () => {
  const facts = factsOf(LEAF.slice(0, LEAF.indexOf('   no switchport\n   priority-flow-control on')))
  expect(facts.isComplete).toBe(false)
  expect(facts.truncated?.expected).toBe('end')
  expect(valueOf(facts, 'Ethernet33/1', 'trust')).toBeUndefined()
  expect(valueOf(facts, 'Ethernet1/1', 'dscpToClass.0')).toBeUndefined()
  expect(valueOf(facts, 'Ethernet1/1', 'pfcClasses')).toEqual([3])
  const profileElsewhere = factsOf('interface Ethernet1/1\n   priority-flow-control on\n   service-profile GPU\n')
  expect(valueOf(profileElsewhere, 'Ethernet1/1', 'pfcMode')).toBe('on')
  expect(valueOf(profileElsewhere, 'Ethernet1/1', 'pfcClasses')).toBeUndefined()
})

test('show priority-flow-control, in both layouts', () => {
  const old = factsOf(`Port       Enabled  Priorities  Active  Note
---------  -------  ----------  ------  -------------
Et1/1      Yes      3 4         Yes     DCBX disabled
Et31/1     Yes                  No      DCBX disabled
Et32/1     No                   No      DCBX disabled
`)
  const at = (port: string, field: string): unknown => valueOf(old, port, field)
  expect([at('Ethernet1/1', 'pfcClasses'), at('Ethernet1/1', 'pfcMode')]).toEqual([[3, 4], 'on'])
  expect([at('Ethernet31/1', 'pfcClasses'), at('Ethernet31/1', 'pfcMode')]).toEqual([[], 'on'])
  expect(at('Ethernet32/1', 'pfcMode')).toBe('off')
  const recent = factsOf(`E: PFC Enabled, D: PFC Disabled, A: PFC Active, W: PFC Watchdog Active
Port         Status  Priorities  Action   Timeout  Recovery  Polling  Note
Et1/1        E A W   3           drop     0.2      0.2       0.1      DCBX disabled
Et2/1        D                   drop     0.2      0.2       0.1      DCBX disabled
`)
  expect(valueOf(recent, 'Ethernet1/1', 'pfcClasses')).toEqual([3])
  expect([valueOf(recent, 'Ethernet2/1', 'pfcMode'), valueOf(recent, 'Ethernet2/1', 'pfcClasses')]).toEqual(['off', []])
})

test('counters, thresholds and neighbours', () => {
  const counters = factsOf('Port                 RxPfc          TxPfc\nEt1/1              2452000           1000\n')
  expect(counters.counts.map(({ port, priority, name, value }) => [port, priority, name, value])).toEqual([
    ['Ethernet1/1', -1, 'pfcRxFrames', 2_452_000],
    ['Ethernet1/1', -1, 'pfcTxFrames', 1000],
  ])
  const ecn = factsOf(`ar1#show qos interfaces ethernet 1/1 ecn
Tx-Queue  Threshold  ECN Min     ECN Max
          Unit       Threshold   Threshold
--------  ---------  ---------   ---------
3         kbytes     256         512
`)
  expect([
    valueOf(ecn, 'Ethernet1/1', 'classes.3.kminBytes'),
    valueOf(ecn, 'Ethernet1/1', 'classes.3.kmaxBytes'),
  ]).toEqual([256_000, 512_000])
  const lldp = factsOf(`Port          Neighbor Device ID       Neighbor Port ID    TTL
---------- ------------------------ ---------------------- ---
Et1/1         gpu1                     ens2f0np0           120
Ma1           jump                     eth0                120
`)
  expect(lldp.neighbours.map(({ port, peerDevice, peerPort }) => [port, peerDevice, peerPort])).toEqual([
    ['Ethernet1/1', 'gpu1', 'ens2f0np0'],
  ])
})

test('show interfaces: state and counters', () => {
  const facts = factsOf(`Ethernet1/1 is up, line protocol is up (connected)
  Ethernet MTU 9214 bytes , BW 400000000 kbit
    292 packets input, 31440 bytes
    0 input errors, 5 CRC, 0 alignment, 0 symbol, 1 input discards
    203 packets output, 33221 bytes
    0 late collision, 0 deferred, 3 output discards
Ethernet2/1 is administratively down, line protocol is notpresent (disabled)
  Ethernet MTU 9214 bytes , BW 100000000 kbit
    0 late collision, 0 deferred, 0 output discards
`)
  const at = (port: string, field: string): unknown => valueOf(facts, port, field)
  expect([at('Ethernet1/1', 'isUp'), at('Ethernet1/1', 'rateBps'), at('Ethernet1/1', 'mtuBytes')]).toEqual([
    true,
    4e11,
    9214,
  ])
  expect([at('Ethernet2/1', 'isUp'), at('Ethernet2/1', 'rateBps')]).toEqual([false, undefined])
  expect(facts.counts.filter(({ port }) => port === 'Ethernet1/1').map(({ name, value }) => [name, value])).toEqual([
    ['rxPackets', 292],
    ['rxBytes', 31_440],
    ['crcErrors', 5],
    ['dropInPort', 1],
    ['txPackets', 203],
    ['txBytes', 33_221],
    ['dropOut', 3],
  ])
})
