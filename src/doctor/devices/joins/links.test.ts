/** Links from all sources, and names that meet in other spellings. */
import { describe, expect, test } from 'vitest'
import type { Edge } from '../../../core/device-model/index.ts'
import { type Fabric, fabricOf } from './index.ts'

const junos = (host: string, port: string, description: string, address: string): string =>
  `set version 23.4R1.9
set system host-name ${host}
set interfaces ${port} description "${description}"
set interfaces ${port} mtu 9216
set interfaces ${port} unit 0 family inet address ${address}
set class-of-service classifiers dscp roce forwarding-class NL loss-priority low code-points 011010
set class-of-service interfaces ${port} unit 0 classifiers dscp roce
`
const eos = (host: string, ports: Readonly<Record<string, string>>): string =>
  `! device: ${host} (DCS-7060X6-64PE, EOS-4.33.1F)
!
hostname ${host}
!
${Object.entries(ports)
  .map(([port, lines]) => `interface ${port}\n${lines}   no switchport\n!\n`)
  .join('')}end
`
const NIC = '2: eth2: <BROADCAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP\n'

function fabricIn(texts: Readonly<Record<string, string>>, edges: readonly Partial<Edge>[] = []): Fabric {
  const files = Object.entries(texts).map(
    ([name, text]) => [name, [{ file: `${name}/file`, text, command: '', timeNs: NaN }]] as const,
  )
  return fabricOf(
    files,
    edges.map((edge, i) => ({ deviceA: '', portA: '', deviceB: '', portB: '', cableM: NaN, line: i + 2, ...edge })),
  )
}

const said = ({ links }: Fabric): string[] =>
  links.map(({ ends, source }) => `${source}: ${ends.map(({ device, port }) => `${device} ${port}`).join(' - ')}`)

describe('without a list', () => {
  test('a description that names a device and a port of it is a link', () => {
    const leaf = junos('leaf1', 'et-0/0/0', 'facing_leaf2:et-0/0/1', '10.0.0.1/24')
    const other = junos('leaf2', 'et-0/0/1', 'uplink, see ticket 4711', '10.0.0.2/24')
    expect(said(fabricIn({ leaf1: leaf, leaf2: other }))).toEqual(['description: leaf1 et-0/0/0 - leaf2 et-0/0/1'])
  })

  test.each(['to LEAF2 Ethernet1/3', 'leaf2-Ethernet1/3', 'P2P_leaf2.example.net_Eth1/3', '[leaf2 Et1/3] 400G'])(
    '%s',
    (description) => {
      const texts = {
        leaf1: eos('leaf1', { 'Ethernet7/1': `   description ${description}\n` }),
        leaf2: eos('leaf2', { 'Ethernet1/3': '' }),
      }
      expect(said(fabricIn(texts))).toEqual(['description: leaf1 Ethernet7/1 - leaf2 Ethernet1/3'])
    },
  )

  test.each([
    'to leaf2',
    'leaf2 Ethernet9/9',
    'leaf2 Ethernet1/3 or leaf3 Ethernet1/1',
    'Ethernet1/3',
    'leaf1 Ethernet7/1',
  ])('%s is no link', (description) => {
    const texts = {
      leaf1: eos('leaf1', { 'Ethernet7/1': `   description ${description}\n` }),
      leaf2: eos('leaf2', { 'Ethernet1/3': '' }),
      leaf3: eos('leaf3', { 'Ethernet1/1': '' }),
    }
    expect(said(fabricIn(texts))).toEqual([])
  })

  test('two addresses of a network of two are a link, and come before descriptions', () => {
    const texts = {
      leaf1: eos('leaf1', { 'Ethernet1/1': '   description leaf3 Ethernet1/1\n   ip address 10.0.0.4/31\n' }),
      leaf2: eos('leaf2', { 'Ethernet1/1': '   ip address 10.0.0.5 255.255.255.254\n' }),
      leaf3: eos('leaf3', { 'Ethernet1/1': '   ip address 10.0.0.6/31\n' }),
    }
    expect(said(fabricIn(texts))).toEqual(['address: leaf1 Ethernet1/1 - leaf2 Ethernet1/1'])
  })

  test.each([
    ['of a network with room for more', '/29', ['10.0.0.1', '10.0.0.2']],
    ['of two networks', '/31', ['10.0.0.1', '10.0.0.2']],
    ['that are no addresses', '/31', ['10.0.0', '10.0.0']],
  ])('addresses %s are none', (_, length, [a, b]) => {
    const texts = {
      leaf1: eos('leaf1', { 'Ethernet1/1': `   ip address ${a}${length}\n` }),
      leaf2: eos('leaf2', { 'Ethernet1/1': `   ip address ${b}${length}\n` }),
    }
    expect(said(fabricIn(texts))).toEqual([])
  })

  test('addresses of IPv6 in another spelling', () => {
    const texts = {
      leaf1: eos('leaf1', { 'Ethernet1/1': '   ipv6 address 2001:db8::a/127\n' }),
      leaf2: eos('leaf2', { 'Ethernet1/1': '   ipv6 address 2001:db8:0:0:0:0:0:b/127\n' }),
    }
    expect(said(fabricIn(texts))).toEqual(['address: leaf1 Ethernet1/1 - leaf2 Ethernet1/1'])
  })
})

describe('a list', () => {
  const texts = { gpu1: NIC, leaf1: eos('leaf1', { Ethernet1: '', Ethernet2: '   description gpu1 eth2\n' }) }
  const link = (deviceA: string, portA: string, deviceB: string, portB: string): Partial<Edge> => ({
    deviceA,
    portA,
    deviceB,
    portB,
  })

  test.each([
    ['gpu1.example.com', 'eth2', 'leaf1', 'Ethernet1'],
    ['GPU1', 'ETH2', 'Leaf1', 'ethernet1'],
    ['gpu1', 'eth2', 'leaf1', 'Eth1'],
    ['gpu1', 'eth2', 'leaf1', 'Et1'],
    ['gpu1', 'eth2', 'leaf1', '1'],
  ])('%s %s - %s %s is a link of both', (...names) => {
    const fabric = fabricIn(texts, [link(...names)])
    expect(said(fabric)).toEqual(['list: gpu1 eth2 - leaf1 Ethernet1'])
    expect([fabric.unknownPorts, fabric.links[0]!.ends.every(({ config }) => config !== null)]).toEqual([[], true])
  })

  test('a folder with the domain meets a list without it, unless two folders may be meant', () => {
    const { gpu1, leaf1 } = texts
    const one = fabricIn({ 'gpu1.a.com': gpu1, leaf1 }, [link('gpu1', 'eth2', 'leaf1', 'Ethernet1')])
    expect(said(one)).toEqual(['list: gpu1.a.com eth2 - leaf1 Ethernet1'])
    const two = fabricIn({ 'gpu1.a.com': gpu1, 'gpu1.b.com': gpu1, leaf1 }, [
      link('gpu1', 'eth2', 'leaf1', 'Ethernet1'),
    ])
    expect(said(two)).toEqual(['list: gpu1 eth2 - leaf1 Ethernet1'])
  })

  test('a port that the device does not have is named with those that it has', () => {
    const { unknownPorts } = fabricIn(texts, [link('gpu1', 'eth2', 'leaf1', 'Ethernet1/1')])
    expect(unknownPorts.map(({ end, known, isSure, line }) => [end.port, known, isSure, line])).toEqual([
      ['Ethernet1/1', ['Ethernet1', 'Ethernet2'], true, 2],
    ])
  })

  test('a port of a device without files is in no doubt', () => {
    expect(fabricIn(texts, [link('gpu9', 'eth7', 'leaf1', 'Ethernet1')]).unknownPorts).toEqual([])
  })

  test('comes before descriptions, which fill in what it leaves out', () => {
    expect(said(fabricIn(texts, [link('gpu1', 'eth2', 'leaf1', 'Ethernet1')]))).toEqual([
      'list: gpu1 eth2 - leaf1 Ethernet1',
    ])
    expect(said(fabricIn(texts))).toEqual(['description: leaf1 Ethernet2 - gpu1 eth2'])
  })
})
