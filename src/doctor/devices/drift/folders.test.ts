/**
 * Drift of real files: what another writing of the same settings is not, and what another setting is.
 */
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../core/findings/index.ts'
import { fabricOf } from '../joins/index.ts'
import type { Edge, Snapshot } from '../../../core/device-model/index.ts'
import { driftOf, fabricSnapshot, roleDriftOf } from './index.ts'

/** Files by device; the only file of a device is called like it. */
type Files = Readonly<Record<string, string>>

const linked = (deviceA: string, portA: string, deviceB: string, portB: string): Edge => ({
  deviceA,
  portA,
  deviceB,
  portB,
  cableM: 5,
})
const EDGES = [linked('gpu1', 'eth2', 'leaf1', 'Ethernet1'), linked('gpu2', 'eth2', 'leaf1', 'Ethernet2')]

function snapshot(files: Files, edges: readonly Edge[] = EDGES): [Snapshot] {
  const all = Object.entries(files).map(
    ([device, text]) => [device, [{ file: device, text, command: '', timeNs: NaN }]] as const,
  )
  return [fabricSnapshot(fabricOf(all, edges), edges.length > 0)]
}

const shown = (findings: readonly Finding[]): unknown[] =>
  findings.flatMap(({ subject, values, also }) =>
    [{ subject, values }, ...also].map(({ subject: { device, interface: port, line }, values: { field, running } }) => [
      [device, port ?? '', line ?? 0].join(' '),
      field,
      running,
    ]),
  )
const drift = (desired: Files, running: Files, edges = EDGES): unknown[] =>
  shown(driftOf(snapshot(desired, edges), snapshot(running, edges)))

const EOS = `! Command: show running-config
hostname leaf1
!
qos map dscp 26 to traffic-class 3
!
qos profile ROCE
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 60
   !
   uc-tx-queue 0
      no priority
      bandwidth percent 20
!
interface Ethernet1
   mtu 9214
   qos trust dscp
   service-profile ROCE
!
interface Ethernet2
   mtu 9214
   qos trust dscp
   service-profile ROCE
!
end
`
const NIC = `DCBX mode: OS controlled
Priority trust state: dscp
PFC configuration:
\tpriority    0   1   2   3   4   5   6   7
\tenabled     0   0   0   1   0   0   0   0
`
const PFC_OFF = NIC.replace('0   0   0   1', '0   0   0   0')

describe('no drift', () => {
  test.each([
    ['the same', EOS],
    ['another name of a profile', EOS.replaceAll('ROCE', 'STORAGE')],
    ['weights in the same proportion', EOS.replace('percent 60', 'percent 75').replace('percent 20', 'percent 25')],
    [
      'a range in place of single ports',
      EOS.replace(/interface Ethernet1\n[\s\S]*end/, 'interface Ethernet1-2\n') +
        '   mtu 9214\n   qos trust dscp\n   service-profile ROCE\n!\nend\n',
    ],
    ['settings of the port in place of a profile', writtenOut(EOS)],
    ['comments and line ends', EOS.replace('!\nqos profile', '! by hand\nqos profile').replaceAll('\n', '\r\n')],
    ['lines that have nothing to do with RoCE', EOS.replace('!\nqos map', '!\nip routing\n!\nqos map')],
  ])('is %s', (_, running) => {
    expect(drift({ leaf1: EOS, gpu1: NIC }, { leaf1: running, gpu1: NIC })).toEqual([])
  })

  test('is what one side does not say', () => {
    const less = NIC.replace('DCBX mode: OS controlled\nPriority trust state: dscp\n', 'Priority trust state: dscp\n')
    expect(drift({ gpu1: NIC }, { gpu1: less })).toEqual([])
    expect(drift({ gpu1: less }, { gpu1: NIC })).toEqual([])
  })

  test('is a port that no file tells of, on either side', () => {
    const one = EOS.replace(/interface Ethernet2\n[\s\S]*?!\n/, '')
    expect(drift({ leaf1: EOS }, { leaf1: one })).toEqual([])
    expect(drift({ leaf1: EOS }, { leaf1: one }, [])).toEqual([])
  })
})

/** The profile written out at each port. */
function writtenOut(config: string): string {
  const [, profile = ''] = /qos profile ROCE\n([\s\S]*?)!\ninterface/.exec(config)!
  return config
    .replace(/qos profile ROCE\n[\s\S]*?!\ninterface/, 'interface')
    .replaceAll('   service-profile ROCE\n', profile)
}

describe('drift', () => {
  test('has the line of the running value, at each port with its own', () => {
    const running = EOS.replace('mtu 9214', 'mtu 1500')
    expect(drift({ leaf1: EOS, gpu1: NIC }, { leaf1: running, gpu1: PFC_OFF })).toEqual([
      ['leaf1 Ethernet1 19', 'mtuBytes', 1500],
      ['gpu1 eth2 5', 'pfcClasses', []],
    ])
  })

  test('of one line at several ports is one', () => {
    const found = driftOf(
      snapshot({ leaf1: EOS }),
      snapshot({ leaf1: EOS.replace('priority 3 no-drop', 'priority 4 no-drop') }),
    )
    const pfc = found.filter(({ values }) => values['field'] === 'pfcClasses')
    expect(pfc.map(({ subject, values, also }) => [subject.line, values['running'], also.length])).toEqual([
      [8, [4], 0],
    ])
    expect(found.map(({ values }) => values['field'])).not.toContain('pfcWritten')
  })

  test('of weights is one of shares', () => {
    const running = EOS.replace('percent 60', 'percent 40')
    expect(drift({ leaf1: EOS }, { leaf1: running })).toEqual([['leaf1  12', 'schedule', 40]])
  })

  test('of a cable is said once', () => {
    const swapped = [linked('gpu2', 'eth2', 'leaf1', 'Ethernet1'), linked('gpu1', 'eth2', 'leaf1', 'Ethernet3')]
    const files = { leaf1: EOS, gpu1: NIC, gpu2: NIC }
    expect(driftOf(snapshot(files), snapshot(files, swapped)).map(({ values }) => values['field'])).toEqual([])
    const apart = [linked('gpu1', 'eth2', 'leaf1', 'Ethernet1'), linked('gpu2', 'eth2', 'gpu1', 'eth3')]
    expect(shown(driftOf(snapshot(files), snapshot(files, apart)))).toEqual([
      ['leaf1 Ethernet2 0', 'peer', 'none'],
      ['gpu1 eth3 0', 'peer', 'gpu2'],
    ])
  })
})

describe('by role', () => {
  const hosts = (...files: string[]): Files => Object.fromEntries(files.map((text, i) => [`gpu${i}`, text]))
  const edges = [0, 1, 2, 3].map((i) => linked(`gpu${i}`, 'eth2', 'leaf1', `Ethernet${i}`))

  test('the one that is not as the others has its line', () => {
    expect(shown(roleDriftOf(snapshot(hosts(NIC, NIC, PFC_OFF), edges)))).toEqual([['gpu2 eth2 5', 'pfcClasses', []]])
  })

  test('hosts of another language are no others', () => {
    const dcb = 'prio-pfc 0:off 1:off 2:off 3:off 4:on 5:off 6:off 7:off\n'
    const found = roleDriftOf(snapshot({ ...hosts(NIC, NIC, NIC), gpu3: `$ dcb pfc show dev eth2\n${dcb}` }, edges))
    expect(shown(found)).toEqual([])
  })

  test('a port that leads nowhere is not as those of hosts', () => {
    const leaf = (name: string): string =>
      EOS.replaceAll('leaf1', name).replace('end\n', 'interface Ethernet9\n   mtu 1500\n!\nend\n')
    const own = [1, 2, 3].flatMap((i) => [linked(`gpu${i}`, 'eth2', `leaf${i}`, 'Ethernet1')])
    const files = {
      leaf1: leaf('leaf1'),
      leaf2: leaf('leaf2'),
      leaf3: EOS.replaceAll('leaf1', 'leaf3'),
      ...hosts('', NIC, NIC, NIC),
    }
    expect(shown(roleDriftOf(snapshot(files, own)))).toEqual([])
  })
})
