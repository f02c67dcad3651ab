/**
 * NX-OS: a leaf with a storage host, a GPU host whose port somebody has left in mode auto, and an uplink.
 */
import { expect, test } from 'vitest'
import { factsOf, originOf, valueOf } from '../cli/reading.test-data.ts'

const LEAF = `!Command: show running-config
version 10.4(2) Bios:version
hostname nx1
banner motd #
interface Ethernet1/7
  priority-flow-control mode on
#
class-map type qos match-any RDMA
  match dscp 26,34
class-map type qos match-any FEEDBACK
  match dscp cs6
policy-map type qos MARKS
  class RDMA
    set qos-group 3
  class FEEDBACK
    set qos-group 6
policy-map type network-qos LOSSLESS
  class type network-qos c-8q-nq3
    pause pfc-cos 4
    mtu 9216
  class type network-qos c-8q-nq-default
    mtu 9216
policy-map type queuing LEAVING
  class type queuing c-out-8q-q6
    priority level 1
  class type queuing c-out-8q-q3
    bandwidth remaining percent 70
    random-detect minimum-threshold 200 kbytes maximum-threshold 2 mbytes drop-probability 10 weight 0 ecn
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 30
    random-detect minimum-threshold 200 kbytes maximum-threshold 2 mbytes
system qos
  service-policy type network-qos LOSSLESS
  service-policy type queuing output LEAVING
priority-flow-control watch-dog-interval on
priority-flow-control watch-dog interval 200
priority-flow-control watch-dog shutdown-multiplier 2
priority-flow-control auto-restore multiplier 5
interface port-channel7
  switchport mode trunk
  service-policy type qos input MARKS
  no shutdown
interface Ethernet1/1
  description priority-flow-control mode on
  no switchport
  mtu 9216
  priority-flow-control mode on
  priority-flow-control watch-dog-interval on
  service-policy type qos input MARKS
  no shutdown
interface Ethernet1/2
  no switchport
  mtu 9216
  flowcontrol receive on
  no shutdown
interface Ethernet1/3
  channel-group 7 mode active
  priority-flow-control mode on
  no shutdown
`

test('a port in mode on has the lossless class of the system, by the priority that pause names', () => {
  const facts = factsOf(LEAF)
  expect([facts.kind, facts.hostname, facts.isComplete, facts.truncated]).toEqual(['switch', 'nx1', true, null])
  const at = (field: string): unknown => valueOf(facts, 'Ethernet1/1', field)
  expect([at('pfcMode'), at('pfcWritten'), at('pfcClasses')]).toEqual(['on', [4], [4]])
  expect([at('dscpToClass.26'), at('dscpToClass.34'), at('dscpToClass.48'), at('dscpToClass.0')]).toEqual([4, 4, 6, 0])
  expect([at('trust'), at('classifies'), at('vlanMode'), at('mtuBytes'), at('isUp')]).toEqual([
    'dscp',
    true,
    'untagged',
    9216,
    true,
  ])
  expect([at('classes.4.group'), at('classes.4.queue'), at('classes.4.isWatched')]).toEqual([3, 3, true])
  expect(originOf(facts, 'Ethernet1/1', 'dscpToClass.34')).toBe('set 9')
})

test('queues: thresholds in bytes, early drops are no marks, a queue of which nothing is said does not mark', () => {
  const facts = factsOf(LEAF)
  const at = (field: string): unknown => valueOf(facts, 'Ethernet1/1', `classes.${field}`)
  expect([at('4.marks'), at('4.kminBytes'), at('4.kmaxBytes'), at('4.pmaxRatio')]).toEqual([
    true,
    200_000,
    2_000_000,
    0.1,
  ])
  expect([at('4.schedule'), at('6.schedule')]).toEqual([70, 'strict'])
  expect([at('0.marks'), at('0.dropsAtEgress'), at('6.marks')]).toEqual([false, true, false])
  expect(originOf(facts, 'Ethernet1/1', 'classes.6.marks')).toMatch(/^default/)
})

test('the port of the GPU host: nothing sorts its packets, and DCBX decides whether it is lossless', () => {
  const facts = factsOf(LEAF)
  const at = (field: string): unknown => valueOf(facts, 'Ethernet1/2', field)
  expect([at('pfcMode'), at('pfcWritten'), at('pfcClasses')]).toEqual(['auto', [4], undefined])
  expect([at('classifies'), at('trust'), at('dscpToClass.26')]).toEqual([false, 'none', 0])
  expect([at('takesGlobalPause'), at('sendsGlobalPause')]).toEqual([true, undefined])
  expect(originOf(facts, 'Ethernet1/2', 'pfcMode')).toMatch(/^default/)
})

test('a member of a port-channel has its policy and mode; text of banners and descriptions is nothing', () => {
  const facts = factsOf(LEAF)
  const at = (field: string): unknown => valueOf(facts, 'Ethernet1/3', field)
  expect([at('vlanMode'), at('classifies'), at('dscpToClass.26')]).toEqual(['both', true, 4])
  expect(facts.ports.has('Ethernet1/7')).toBe(false)
  expect(facts.remainder).toEqual([])
})

test('the watchdog: its times where they are written, by the interval', () => {
  const facts = factsOf(LEAF)
  expect(valueOf(facts, '', 'watchdog.kind')).toBe('nx-os')
  expect([valueOf(facts, '', 'watchdog.detectionPs'), valueOf(facts, '', 'watchdog.restorationPs')]).toEqual([
    4e11, 1e12,
  ])
  const without = factsOf(LEAF.replaceAll(/.*watch-dog.*\n/g, ''))
  expect(valueOf(without, '', 'watchdog.kind')).toBe('off')
  expect(valueOf(without, 'Ethernet1/1', 'classes.4.isWatched')).toBe(false)
})

test('a group without pauses whose number is the priority of another one is no lossless class', () => {
  const facts = factsOf(LEAF.replace('  class FEEDBACK\n    set qos-group 6', '  class FEEDBACK\n    set qos-group 4'))
  expect(valueOf(facts, 'Ethernet1/1', 'dscpToClass.26')).toBe(4)
  expect(valueOf(facts, 'Ethernet1/1', 'dscpToClass.48')).toBe(3)
})

test('classes by PCP, and by what only an access list knows, tell nothing of a DSCP', () => {
  const byPcp = factsOf(LEAF.replace('match dscp 26,34', 'match cos 3').replace('match dscp cs6', 'match cos 6'))
  expect(valueOf(byPcp, 'Ethernet1/1', 'trust')).toBe('pcp')
  expect(valueOf(byPcp, 'Ethernet1/1', 'dscpToClass.26')).toBeUndefined()
  const both = factsOf(LEAF.replace('match dscp cs6', 'match cos 6'))
  expect(valueOf(both, 'Ethernet1/1', 'trust')).toBe('both')
  expect(valueOf(both, 'Ethernet1/1', 'dscpToClass.26')).toBe(4)
  const byList = factsOf(LEAF.replace('match dscp 26,34', 'match access-group name ROCE'))
  expect(valueOf(byList, 'Ethernet1/1', 'dscpToClass.48')).toBeUndefined()
})

test('names of one side only', () => {
  const problems = (text: string): string[] =>
    factsOf(text).references.map(({ problem, what, name, port }) => `${problem}: ${what} ${name} ${port}`.trim())
  expect(problems(LEAF)).toEqual([])
  expect(
    problems(
      LEAF.replace(
        'input MARKS\n  no shutdown\ninterface Ethernet1/2',
        'input MARK\n  no shutdown\ninterface Ethernet1/2',
      ),
    ),
  ).toEqual(['undefined: policy-map type qos MARK Ethernet1/1'])
  const unapplied = LEAF.replace(
    'service-policy type network-qos LOSSLESS',
    'service-policy type network-qos default-nq-policy',
  )
  expect(problems(unapplied)).toEqual(['unapplied: policy-map type network-qos LOSSLESS'])
  expect(valueOf(factsOf(unapplied), 'Ethernet1/1', 'pfcClasses')).toEqual([])
  expect(problems(LEAF.replace('  class RDMA\n', '  class RMDA\n'))).toContain('undefined: class-map type qos RMDA')
})

test('a mode that is off is off, whatever the system says', () => {
  const facts = factsOf(
    LEAF.replace(
      '  priority-flow-control mode on\n  priority-flow-control watch',
      '  priority-flow-control mode off\n  priority-flow-control watch',
    ),
  )
  expect(valueOf(facts, 'Ethernet1/1', 'pfcMode')).toBe('off')
  expect(valueOf(facts, 'Ethernet1/1', 'pfcClasses')).toEqual([])
})

test('a part of a configuration says what it says, and nothing of the rest', () => {
  const facts = factsOf(`!Command: show running-config interface Ethernet1/9
interface Ethernet1/9
  no switchport
  priority-flow-control mode on
  service-policy type qos input MARKS
`)
  expect(facts.isComplete).toBe(false)
  expect(valueOf(facts, 'Ethernet1/9', 'pfcMode')).toBe('on')
  expect([...facts.ports.get('Ethernet1/9')!.values.keys()].toSorted()).toEqual(['pfcMode', 'vlanMode'])
  expect(facts.references).toEqual([])
})

test('show interface priority-flow-control: the bitmap is hexadecimal', () => {
  const facts = factsOf(`nx1# show interface priority-flow-control
============================================================
Port               Mode Oper(VL bmap)  RxPPP      TxPPP
============================================================

Ethernet1/1        Auto Off            17         0
Ethernet1/2        On   On  (18)       1,205      88110
Vethernet12        Auto Off            0          0
`)
  expect(valueOf(facts, 'Ethernet1/1', 'pfcClasses')).toEqual([])
  expect(valueOf(facts, 'Ethernet1/2', 'pfcClasses')).toEqual([3, 4])
  expect(originOf(facts, 'Ethernet1/2', 'pfcMode')).toBe('operational 7')
  expect(facts.ports.size).toBe(2)
  expect(facts.counts.map(({ port, priority, name, value }) => [port, priority, name, value])).toEqual([
    ['Ethernet1/1', -1, 'pfcRxFrames', 17],
    ['Ethernet1/1', -1, 'pfcTxFrames', 0],
    ['Ethernet1/2', -1, 'pfcRxFrames', 1205],
    ['Ethernet1/2', -1, 'pfcTxFrames', 88110],
  ])
})

const QUEUING = `Egress Queuing for Ethernet1/33 [System]
+-------------------------------------------------------------------+
|                              QOS GROUP 2                          |
+-------------------------------------------------------------------+
|                           |  Unicast       |Multicast             |
|                   Tx Pkts |             500|           7          |
|                   Tx Byts |          500000|        7000          |
| WRED/AFD & Tail Drop Pkts |              11|           1          |
| WRED/AFD & Tail Drop Byts |           11000|        1000          |
+-------------------------------------------------------------------+
Ingress Queuing for Ethernet1/33
Ingress MMU Drop Pkts                             3
Ingress MMU Drop Bytes                          900
PFC Statistics
TxPPP:                   40,   RxPPP:                   50
PFC_COS QOS_Group   TxPause   TxCount     RxPause   RxCount
      3         2    Active        40    Inactive        50
`

test('show queuing interface: counts of a group are those of its priority', () => {
  const counts = factsOf(QUEUING).counts.map(
    ({ port, priority, name, value }) => `${port} ${priority} ${name} ${value}`,
  )
  expect(counts.toSorted()).toEqual([
    'Ethernet1/33 -1 dropInPort 3',
    'Ethernet1/33 -1 pfcRxFrames 50',
    'Ethernet1/33 -1 pfcTxFrames 40',
    'Ethernet1/33 3 dropOut 12',
    'Ethernet1/33 3 pfcRxFrames 50',
    'Ethernet1/33 3 pfcTxFrames 40',
    'Ethernet1/33 3 txBytes 507000',
    'Ethernet1/33 3 txPackets 507',
  ])
})

test('a number in which the file ends is not taken', () => {
  const facts = factsOf(QUEUING.trimEnd().slice(0, -1))
  expect(facts.truncated).not.toBeNull()
  expect(facts.counts.some(({ priority, name }) => priority === 3 && name === 'pfcRxFrames')).toBe(false)
})

test('show lldp neighbors: long names have a line of their own', () => {
  const text = `Capability codes:
  (R) Router, (B) Bridge, (T) Telephone, (C) DOCSIS Cable Device
Device ID            Local Intf      Hold-time  Capability  Port ID
gpu1                 Eth1/1          120        S           enp1s0
spine.with.a.name.longer.than.its.column
                     Eth1/33         120        BR          Ethernet8
gpu2                 Eth1/2          120                    0c42.a1aa.0001
jump                 mgmt0           120        S           eth0
Total entries displayed: 4
`
  const facts = factsOf(text)
  expect(facts.neighbours.map(({ port, peerDevice, peerPort }) => [port, peerDevice, peerPort])).toEqual([
    ['Ethernet1/1', 'gpu1', 'enp1s0'],
    ['Ethernet1/33', 'spine.with.a.name.longer.than.its.column', 'Ethernet8'],
    ['Ethernet1/2', 'gpu2', '0c42.a1aa.0001'],
  ])
  expect(facts.truncated).toBeNull()
  expect(factsOf(text.replace(/Total.*\n/, '')).truncated).not.toBeNull()
})

test('show interface: state and counters', () => {
  const text = `Ethernet1/1 is up
admin state is up, Dedicated Interface
  MTU 9216 bytes, BW 400000000 Kbit , DLY 10 usec
  Input flow-control is off, output flow-control is on
  RX
    90 unicast packets  10 multicast packets  0 broadcast packets
    100 input packets  5000 bytes
    0 runts  0 giants  2 CRC  0 no buffer
    0 input with dribble  4 input discard
    0 Stomped CRC
  TX
    200 output packets  9000 bytes
    0 lost carrier  0 no carrier  0 babble  6 output discard

mgmt0 is up
  MTU 1500 bytes, BW 1000000 Kbit , DLY 10 usec
    7 input packets  500 bytes
`
  const facts = factsOf(text)
  const at = (field: string): unknown => valueOf(facts, 'Ethernet1/1', field)
  expect([at('isUp'), at('mtuBytes'), at('rateBps')]).toEqual([true, 9216, 4e11])
  expect([at('takesGlobalPause'), at('sendsGlobalPause')]).toEqual([false, true])
  expect(Object.fromEntries(facts.counts.map(({ name, value }) => [name, value]))).toEqual({
    rxPackets: 100,
    rxBytes: 5000,
    txPackets: 200,
    txBytes: 9000,
    crcErrors: 2,
    dropInPort: 4,
    dropOut: 6,
  })
  expect([facts.truncated, facts.ports.size]).toEqual([null, 1])
  expect(factsOf(text.slice(0, text.indexOf('  TX'))).truncated).not.toBeNull()
})

const DETAIL = `
Ethernet1/51
    Admin Mode: On
    Oper Mode: On
    VL bitmap: (20)
    Total Rx PFC Frames: 7
    Total Tx PFC Frames: 150
    -----------------------------------------------------------------------------
        |  Priority0  |  Priority1  |  Priority2  |  Priority3  |  Priority4  |  Priority5  |  Priority6  |  Priority7  |
    -----------------------------------------------------------------------------
    Rx  |0            |0            |0            |7            |0            |0            |0            |0
    -----------------------------------------------------------------------------
    Tx  |0            |0            |0            |0            |0            |150          |0            |0

Ethernet1/52
    Admin Mode: Auto
    Oper Mode: Off
    VL bitmap: (0)
    Total Rx PFC Frames: 0
    Total Tx PFC Frames: 0
    Rx  |0            |0            |0            |0            |0            |0            |0            |0
    Tx  |0            |0            |0            |0            |0            |0            |0            |0
`

test('show interface priority-flow-control detail: state, and frames of each priority', () => {
  const facts = factsOf(DETAIL)
  expect([facts.truncated, facts.remainder]).toEqual([null, []])
  const of = (port: string): unknown[] => ['pfcMode', 'pfcClasses'].map((field) => valueOf(facts, port, field))
  expect([of('Ethernet1/51'), of('Ethernet1/52')]).toEqual([
    ['on', [5]],
    ['auto', []],
  ])
  const counts = facts.counts.filter(({ port, value }) => port === 'Ethernet1/51' && value > 0)
  expect(counts.map(({ name, priority, value }) => [name, priority, value])).toEqual([
    ['pfcRxFrames', -1, 7],
    ['pfcTxFrames', -1, 150],
    ['pfcRxFrames', 3, 7],
    ['pfcTxFrames', 5, 150],
  ])
  expect(factsOf(DETAIL.slice(0, DETAIL.lastIndexOf('Tx  |'))).truncated).not.toBeNull()
})

test('a class of network-qos has an MTU of its own, and no pfc-cos means the number of the group', () => {
  const text = `!Command: show running-config
hostname n3k
class-map type network-qos RDMA
  match qos-group 3
policy-map type network-qos N
  class type network-qos RDMA
    mtu 2240
    pause no-drop
  class type network-qos class-default
    mtu 9216
system qos
  service-policy type network-qos N
interface Ethernet1/1
  mtu 9216
  priority-flow-control mode on
  no shutdown
`
  const facts = factsOf(text)
  const of = (field: string): unknown => valueOf(facts, 'Ethernet1/1', field)
  expect(['mtuBytes', 'classes.3.classMtuBytes', 'classes.0.classMtuBytes', 'pfcClasses'].map(of)).toEqual([
    9216,
    2240,
    9216,
    [3],
  ])
  expect(of('classes.5.classMtuBytes')).toBeUndefined()
})

test('drops on arrival are those of the memory and of the port in front of it', () => {
  const text = `Ingress Queuing for Ethernet1/51
Port Ingress Statistics
Ingress MMU Drop Pkts                             3
Ingress Overflow Drop Pkts                    19490

Per Slice Ingress Statistics
Ingress Overflow Drop Pkts                    71206
PFC Statistics
TxPPP:             150, RxPPP:                    0
`
  const drops = factsOf(text).counts.filter(({ name }) => name === 'dropInPort')
  expect(drops.map(({ value, line }) => [value, line.number])).toEqual([[19_493, 3]])
})
