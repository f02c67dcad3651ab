/** TLVs of DCBX: whose they are, priority 0, none, and applications by DSCP. */
import { describe, expect, test } from 'vitest'
import { readFile } from '../../index.ts'
import { leftOver, port, said } from '../read.test-data.ts'

const pfc = (enabled: string, willing = 'no'): string =>
  `IEEE 8021QAZ PFC TLV\n\t Willing: ${willing}\n\t MACsec Bypass Capable: no\n\t PFC capable traffic classes: 8\n\t PFC enabled: ${enabled}\n`
const OWN = 'lldptool -t -i ens5f0 -V PFC'

describe('priorities with PFC', () => {
  test.each([
    ['3 ', [3]],
    ['0 ', [0]],
    ['0 1 7 ', [0, 1, 7]],
    ['none', []],
  ])('%j', (text, classes) => {
    expect(port(pfc(text), 'ens5f0', OWN)['pfcClasses']).toEqual(classes)
  })

  test.each(['', 'yes', '8', '3 x'])('%j cannot be read', (text) => {
    const odd = said(pfc(text), OWN)
    expect(odd.ports['ens5f0']?.['pfcClasses']).toBe('unknown')
    expect(leftOver(odd)).toEqual([5])
  })
})

describe('the side', () => {
  test.each(['lldptool -t -n -i ens5f0 -V PFC', 'lldptool -tni ens5f0', 'lldptool -i ens5f0 -n -t'])(
    '%s is that of the peer',
    (command) => {
      expect(port(pfc('4 ', 'yes'), 'ens5f0', command)).toEqual({ peerPfcClasses: [4] })
    },
  )

  test('is the own one without -n', () => {
    expect(port(pfc('4 ', 'yes'), 'ens5f0', OWN)).toEqual({ pfcClasses: [4], 'nic.isWilling': true })
  })

  test('comes from the line in front of the output', () => {
    const [part] = readFile('lldp.txt', `# ${OWN} -n\n${pfc('4 ')}`).parts
    expect([...part!.facts.ports.get('ens5f0')!.values.keys()]).toEqual(['peerPfcClasses'])
  })

  test('is unknown without the command', () => {
    const lost = said(pfc('4 '))
    expect(lost.ports['']).toEqual({})
    expect(leftOver(lost)).toEqual([5])
  })
})

test('a neighbour in whole is one of LLDP', () => {
  const text = `Chassis ID TLV\n\tMAC: 02:00:5e:00:00:01\nPort ID TLV\n\tIfname: Ethernet1/7\nSystem Name TLV\n\tleaf-d\n${pfc('3 ')}End of LLDPDU TLV\n`
  expect(said(text, 'lldptool -tni ens5f0').facts.neighbours).toMatchObject([
    { port: 'ens5f0', peerDevice: 'leaf-d', peerPort: 'Ethernet1/7', source: 'lldp' },
  ])
  expect(said(text, 'lldptool -ti ens5f0').facts.neighbours).toEqual([])
  expect(said(text.replace('End of LLDPDU TLV\n', ''), 'lldptool -tni ens5f0').facts.truncated).not.toBeNull()
})

describe('niccli', () => {
  const QOS = `IEEE 8021QAZ ETS Configuration TLV:
         PRIO_MAP: 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:2
         TC Bandwidth: 40% 60% 0%
         TSA_MAP: 0:ets 1:ets 2:strict
IEEE 8021QAZ PFC TLV:
         PFC enabled: 3
IEEE 8021QAZ APP TLV:
         APP#0:
          Priority: 7
          Sel: 5
          DSCP: 48

         APP#1:
          Priority: 5
          Sel: 3
          UDP or DCCP: 26

         APP#2:
          Priority: 3
          Sel: 5
          DSCP: 26

TC Rate Limit: 100% 100% 100% 0% 0% 0% 0% 0%
`
  test('shows the own side', () => {
    const values = port(QOS)
    expect(values).toMatchObject({
      trust: 'dscp',
      pfcClasses: [3],
      'dscpToClass.48': 7,
      'dscpToClass.26': 3,
      'classes.3.schedule': 60,
      'classes.0.schedule': 40,
      'classes.7.schedule': 'strict',
      'classes.7.queue': 2,
    })
    expect(said(QOS).facts.truncated).toBeNull()
  })

  test('is of the NIC whose address the command has; a number says nothing', () => {
    expect(Object.keys(said(QOS, 'niccli -dev 0000:09:00.0 qos --ets --show').ports)).toEqual(['pci:0000:09:00.0'])
    expect(Object.keys(said(QOS, 'niccli --dev 1 qos --ets --show').ports)).toEqual([''])
  })

  test('is cut before its rate limits', () => {
    expect(said(QOS.slice(0, QOS.indexOf('TC Rate'))).facts.truncated).not.toBeNull()
  })
})
