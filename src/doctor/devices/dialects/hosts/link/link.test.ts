/** Links of hosts: pauses, speed, MTU, the NIC's own watchdog and neighbours. */
import { describe, expect, test } from 'vitest'
import { port, said } from '../read.test-data.ts'

describe('ethtool -a', () => {
  const pause = (name: string, rx: string, tx: string): string =>
    `Pause parameters for ${name}:\nAutonegotiate:\toff\nRX:\t\t${rx}\nTX:\t\t${tx}\n`

  test('has both directions of each port', () => {
    expect(said(`${pause('eth1', 'on', 'off')}\n${pause('eth2', 'off', 'on')}`).ports).toEqual({
      eth1: { takesGlobalPause: true, sendsGlobalPause: false },
      eth2: { takesGlobalPause: false, sendsGlobalPause: true },
    })
  })

  test('the outcome of a negotiation holds', () => {
    const text = `${pause('eth1', 'on', 'on').replace('off', 'on')}RX negotiated: off\nTX negotiated: off\n`
    expect(port(text.replaceAll('\n', '\r\n'), 'eth1')).toEqual({ takesGlobalPause: false, sendsGlobalPause: false })
  })

  test('is cut without its three lines, for each port', () => {
    expect(said(pause('eth1', 'on', 'on')).facts.truncated).toBeNull()
    const cut = said(`${pause('eth1', 'on', 'on')}Pause parameters for eth2:\nAutonegotiate:\toff\n`)
    expect(cut.facts.truncated).not.toBeNull()
    expect(cut.ports['eth2']).toEqual({})
  })
})

describe('ethtool', () => {
  const SETTINGS = `Settings for eth1:
\tSupported FEC modes: None\t RS
\tAdvertised FEC modes: RS
\tSpeed: 400000Mb/s
\tDuplex: Full
\tAuto-negotiation: off
\tLink detected: yes
`
  test('has what is in force, not what is offered', () => {
    expect(port(SETTINGS, 'eth1')).toEqual({ rateBps: 400e9, autoNegotiates: false, isUp: true })
    expect(said(SETTINGS.slice(0, -25)).facts.truncated).not.toBeNull()
  })

  test('a link that is down has no speed', () => {
    const down = SETTINGS.replace('400000Mb/s', 'Unknown!').replace('detected: yes', 'detected: no (No cable)')
    expect(port(down, 'eth1')).toEqual({ autoNegotiates: false, isUp: false })
  })

  test.each([
    ['RS', 'rs'],
    ['BaseR', 'fc'],
    ['Off', 'none'],
  ])('FEC %s', (name, fec) => {
    const text = `FEC parameters for eth1:\nSupported/Configured FEC encodings: Auto RS BaseR\nActive FEC encoding: ${name}\n`
    expect(port(text, 'eth1')).toEqual({ fec })
  })
})

test.each([
  ['100', 100e9],
  ['0', 'off'],
  ['65535', 'unknown'],
  ['soon', 'unknown'],
])('a NIC stops its pauses after %s ms', (text, time) => {
  const values = port(`pfc-prevention-tout: ${text}\n`, 'eth1', 'ethtool --get-tunable eth1 pfc-prevention-tout')
  expect(values).toEqual({ 'nic.pauseWatchdogPs': time })
})

test('ip link has MTU and state of real interfaces', () => {
  const text = `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
4: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 02:00:5e:00:53:01 brd ff:ff:ff:ff:ff:ff promiscuity 0 minmtu 68 maxmtu 9978 parentbus pci parentdev 0000:09:00.0 
5: eth2: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc mq state DOWN mode DEFAULT group default qlen 1000
6: eth1.7@eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP mode DEFAULT group default qlen 1000
7: ib0: <BROADCAST,UP,LOWER_UP> mtu 4092 qdisc mq state UNKNOWN mode DEFAULT group default qlen 256
`
  expect(said(text).ports).toEqual({
    eth1: { mtuBytes: 9000, isUp: true, 'nic.pciName': '0000:09:00.0' },
    eth2: { mtuBytes: 1500, isUp: false },
    ib0: { mtuBytes: 4092, isUp: true },
  })
})

describe('lldpcli', () => {
  const RULE = `${'-'.repeat(79)}\n`
  const neighbour = (name: string, portId: string, system = 'leaf-1'): string =>
    `Interface:    ${name}, via: LLDP, RID: 1, Time: 12 days, 03:14:15\n  Chassis:     \n    ChassisID:    mac 02:00:5e:00:aa:01\n${
      system === '' ? '' : `    SysName:      ${system}\n`
    }  Port:        \n    PortID:       ${portId}\n    PortDescr:    swp7\n    TTL:          120\n${RULE}`
  const HEAD = `${RULE}LLDP neighbors:\n${RULE}`

  test('names both ends of each link', () => {
    const text = `${HEAD}${neighbour('eth1', 'local Ethernet0')}${neighbour('eth2', 'ifname Ethernet1/2')}`
    expect(said(text).facts.neighbours).toMatchObject([
      { port: 'eth1', peerDevice: 'leaf-1', peerPort: 'Ethernet0', source: 'lldp' },
      { port: 'eth2', peerDevice: 'leaf-1', peerPort: 'Ethernet1/2', source: 'lldp' },
    ])
  })

  test('takes the description where the identifier is an address', () => {
    expect(said(`${HEAD}${neighbour('eth1', 'mac 02:00:5e:00:aa:07')}`).facts.neighbours).toMatchObject([
      { peerPort: 'swp7' },
    ])
  })

  test('leaves out who has no name, and sees a cut', () => {
    const text = `${HEAD}${neighbour('eth1', 'ifname e1', '')}`
    expect(said(text).facts.neighbours).toEqual([])
    expect(said(text).facts.truncated).toBeNull()
    expect(said(text.slice(0, -90)).facts.truncated).not.toBeNull()
  })
})
