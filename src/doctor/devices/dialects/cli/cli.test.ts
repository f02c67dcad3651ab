/**
 * Rules of all configurations in blocks: ranges are lists, order and ends of lines do not matter, what is cut has no
 * defaults, and no text is too strange.
 */
import { expect, test } from 'vitest'
import { fc } from '../../../../../tests/support/properties.ts'
import { blocksOf } from '../blocks.ts'
import { readFile } from '../index.ts'
import { interfacesIn, longName } from './interfaces.ts'
import { contentOf, factsOf, valueOf } from './reading.test-data.ts'

const nxos = (interfaces: string): string => `!Command: show running-config
hostname a
class-map type qos match-all R
  match dscp 26
policy-map type qos I
  class R
    set qos-group 3
policy-map type network-qos N
  class type network-qos c-8q-nq3
    pause pfc-cos 3
policy-map type queuing Q
  class type queuing c-out-8q-q3
    random-detect minimum-threshold 150 kbytes maximum-threshold 1500 kbytes ecn
system qos
  service-policy type network-qos N
  service-policy type queuing output Q
${interfaces}`
const PORT = '  no switchport\n  priority-flow-control mode on\n  service-policy type qos input I\n  no shutdown\n'
const NX_OS = nxos(`interface Ethernet1/1\n${PORT}interface Ethernet1/2\n${PORT}interface Ethernet1/3\n${PORT}`)

const EOS = `! device: a (DCS-7060, EOS-4.33.1F)
hostname a
!
qos map dscp 26 to traffic-class 3
!
qos profile P
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   tx-queue 3
      random-detect ecn minimum-threshold 1 kbytes maximum-threshold 2 kbytes
!
interface Ethernet1/1
   no switchport
   service-profile P
!
interface Ethernet2/1
   no switchport
   service-profile P
!
end
`
const OS10 = `! Version 10.5.6.1
hostname a
!
class-map type network-qos C
 match qos-group 3
!
trust dscp-map T
 qos-group 3 dscp 26
!
policy-map type network-qos P
 class C
  pause
  pfc-cos 3
!
system qos
 trust-map dscp T
!
interface ethernet1/1/1
 no switchport
 priority-flow-control mode on
 service-policy input type network-qos P
 no shutdown
!
interface ethernet1/1/2
 no switchport
 priority-flow-control mode on
 service-policy input type network-qos P
 no shutdown
!
`
const CONFIGURATIONS = [NX_OS, EOS, OS10]
const OUTPUTS = [
  'Port               Mode Oper(VL bmap)  RxPPP      TxPPP\nEthernet1/2        On   On  (8)       5       6\n',
  'Egress Queuing for Ethernet1/1\n| QOS GROUP 3 |\n| Tx Pkts | 5 | 6 |\nPFC Statistics\n 3 3 Active 1 Inactive 2\n',
  'Device ID            Local Intf      Hold-time  Capability  Port ID\na Eth1/1 120 BR Ethernet8\nTotal entries displayed: 1\n',
  'Port       Enabled  Priorities  Active  Note\nEt1/1      Yes      3           Yes     DCBX\n',
  'Port RxPfc TxPfc\nEt1/1 2452000 1000\nTx-Queue  Threshold  ECN Min\n3 kbytes 1 2\n',
  'Port          Neighbor Device ID       Neighbor Port ID    TTL\nEt1/1         a                     e           120\n',
  'Loc PortID          Rem Host Name        Rem Port Id     Rem Chassis Id\nethernet1/1/1  a  b  c\n',
  'Ethernet1/1 is up\n  MTU 9216 bytes, BW 100 Kbit\n  1 input packets 2 bytes\n  3 output discard\n',
]

test('ranges of interfaces are their lists, in each way to write them', () => {
  const list = contentOf(factsOf(NX_OS))
  for (const range of [
    'Ethernet1/1-3',
    'Ethernet 1/1-1/3',
    'Ethernet1/1-Ethernet1/3',
    'Ethernet1/1-2,Ethernet1/3',
    'ethernet 1/1 - 3',
  ])
    expect(contentOf(factsOf(nxos(`interface ${range}\n${PORT}`)))).toEqual(list)
  const os10 = OS10.replace(/interface ethernet1\/1\/1\n[^!]*!\n/, '').replace(
    'ethernet1/1/2',
    'range ethernet1/1/1-1/1/2',
  )
  expect(contentOf(factsOf(os10))).toEqual(contentOf(factsOf(OS10)))
  expect(interfacesIn('Et1/1-3/1', 'Ethernet', 10)).toEqual(['Ethernet1/1', 'Ethernet2/1', 'Ethernet3/1'])
  expect(interfacesIn('Et1-3/1', 'Ethernet', 10)).toBeUndefined()
  expect(interfacesIn('ethernet1/1/1:1-1/1/2:2', 'ethernet', 10)).toEqual([
    'ethernet1/1/1:1',
    'ethernet1/1/1:2',
    'ethernet1/1/2:1',
    'ethernet1/1/2:2',
  ])
})

test('a range of more ports than any switch has is not read', () => {
  expect(interfacesIn('Ethernet1/1-999999999', 'Ethernet', 4096)).toBeUndefined()
  const facts = factsOf(nxos(`interface Ethernet1/1-999999999\n${PORT}`))
  expect([facts.ports.size, facts.remainder.length]).toEqual([0, 1])
})

test('names are long, and those of other kinds are left', () => {
  expect(['Eth1/1', 'Et1/1', 'ethernet 1/1', 'Po7', 'mgmt0'].map((name) => longName(name, 'Ethernet'))).toEqual([
    'Ethernet1/1',
    'Ethernet1/1',
    'Ethernet1/1',
    'port-channel7',
    'mgmt0',
  ])
})

test.each(CONFIGURATIONS)('the order of blocks, ends of lines and tabs change nothing (%#)', (text) => {
  const whole = contentOf(factsOf(text))
  expect(contentOf(factsOf(text.replaceAll('\n', '\r\n')))).toEqual(whole)
  expect(contentOf(factsOf(text.replaceAll(/^ +/gm, (spaces) => '\t'.repeat(spaces.length))))).toEqual(whole)
  const blocks = text.split(/\n(?=[^ !])/)
  const shuffled = [blocks[0]!, ...blocks.slice(1).toReversed()].map((block) => block.trimEnd()).join('\n')
  expect(contentOf(factsOf(`${shuffled}\n`))).toEqual(whole)
})

test.each(CONFIGURATIONS)(
  'a text that is cut within a block is a part of a configuration, without defaults (%#)',
  (text) => {
    const facts = factsOf(text.slice(0, text.lastIndexOf(' no switchport') + 7))
    expect([facts.isComplete, facts.truncated === null]).toEqual([false, false])
    for (const port of facts.ports.values())
      for (const value of port.values.values()) expect(value.state).not.toBe('default')
    const atLine = factsOf(text.slice(0, text.lastIndexOf(' no switchport')).trimEnd() + '\n')
    expect(atLine.isComplete).toBe(false)
    expect(atLine.references).toEqual([])
  },
)

test('a configuration without interfaces, or that ends in a banner, is a part of one', () => {
  const headless = factsOf(nxos(''))
  expect([headless.isComplete, headless.truncated?.expected]).toEqual([false, 'interfaces'])
  expect(factsOf(`${NX_OS}banner motd #\nhello\n`).isComplete).toBe(false)
  expect(factsOf(NX_OS.trimEnd()).isComplete).toBe(true)
  expect(factsOf(NX_OS.slice(0, -4)).isComplete).toBe(false)
  expect(factsOf(nxos('interface Ethernet1/1\n  mtu 9216\n')).isComplete).toBe(false)
  expect(factsOf(nxos('interface Ethernet1/1\ninterface Ethernet1/2\n')).isComplete).toBe(true)
})

test.each([EOS, OS10])('without indentation a configuration says the same (%#)', (text) => {
  expect(contentOf(factsOf(text.replaceAll(/^ +/gm, '')))).toEqual(contentOf(factsOf(text)))
})

test('blocks: exit closes the one that it is in; comments and banners are no lines', () => {
  const text = 'a\n  b\n    c\n  exit\nd\n! x\n  e\nbanner motd ^C\nf\n^C\nbanner login\ng\nEOF\nend\n'
  const lines = text.split('\n').map((line, i) => ({ number: i + 1, text: line }))
  const commands = [{ is: /^[ad]$/, inside: [{ is: /^b$/, inside: [] }] }]
  const { blocks, comments, hasEnd } = blocksOf(lines, commands)
  const shape = (of: typeof blocks): unknown[] => of.map((block) => [block.text, ...shape(block.blocks)])
  expect(shape(blocks)).toEqual([['a', ['b', ['c']]], ['d', ['e']], ['banner motd ^C'], ['banner login']])
  expect([comments.length, hasEnd]).toEqual([1, true])
  const open = blocksOf(lines.slice(0, 9), commands)
  expect([open.isBannerOpen, open.hasEnd]).toEqual([true, false])
})

test('what looks as if it decided and is not understood is the remainder', () => {
  const facts = factsOf(nxos(`interface Ethernet1/1\n${PORT}  priority-flow-control sideways\n`))
  expect(facts.remainder.map(({ text }) => text.trim())).toEqual(['priority-flow-control sideways'])
})

test('of two values the later one holds', () => {
  const facts = factsOf(
    nxos(`interface Ethernet1/1\n${PORT}interface Ethernet1/1\n  priority-flow-control mode off\n  shutdown\n`),
  )
  expect([valueOf(facts, 'Ethernet1/1', 'pfcMode'), valueOf(facts, 'Ethernet1/1', 'isUp')]).toEqual(['off', false])
})

/** Texts of the forms of this folder, cut, doubled, mixed and with strange letters in them. */
const mutated = fc
  .tuple(
    fc.constantFrom(...CONFIGURATIONS, ...OUTPUTS),
    fc.array(fc.tuple(fc.nat(60), fc.nat(60), fc.constantFrom('cut', 'double', 'swap', 'noise', 'drop')), {
      maxLength: 12,
    }),
    fc.string({ unit: 'binary', maxLength: 30 }),
  )
  .map(([text, changes, noise]) => {
    const lines = text.split('\n')
    for (const [a, b, change] of changes) {
      const [i, j] = [a % lines.length, b % lines.length]
      if (change === 'cut') lines[i] = lines[i]!.slice(0, b)
      else if (change === 'double') lines.splice(i, 0, lines[j]!)
      else if (change === 'swap') [lines[i], lines[j]] = [lines[j]!, lines[i]!]
      else if (change === 'noise') lines[i] = lines[i]!.slice(0, b) + noise + lines[i]!.slice(b)
      else if (lines.length > 1) lines.splice(i, 1)
    }
    return lines.join('\n')
  })

test('no text makes a reader throw', () => {
  fc.assert(
    fc.property(mutated, (text) => {
      expect(() => readFile('f', text)).not.toThrow()
    }),
    { numRuns: 800 },
  )
})

test('a megabyte of what is slow to read is read in a second', () => {
  const start = performance.now()
  for (const text of [
    nxos(`interface Ethernet1/1-4000\n${'  service-policy type qos input I\n'.repeat(30_000)}`),
    nxos('interface Ethernet1/1-500\n  no switchport\n'.repeat(20_000)),
    `qos map dscp 1 to traffic-class 1\n${' '.repeat(500_000)}x\n${'!\n'.repeat(200_000)}`,
    nxos('class-map type qos match-any R\n  match dscp 1\n'.repeat(20_000)),
    `Port Mode Oper(VL bmap)\n${`Ethernet1/1${' '.repeat(1000)}On\n`.repeat(1000)}`,
  ])
    readFile('f', text)
  expect(performance.now() - start).toBeLessThan(20_000)
})
