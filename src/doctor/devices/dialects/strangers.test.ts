/** Languages that are not read are named, and never read as another that has some of their words. */
import { expect, test } from 'vitest'
import { deviceOf } from '../joins/device.ts'
import { readFile } from './index.ts'

const TEXTS: Readonly<Record<string, string>> = {
  'Cisco IOS XR':
    '!! IOS XR Configuration 7.3.3\nhostname a\npolicy-map Q\n class R\n  set traffic-class 3\n !\n end-policy-map\n!\ninterface HundredGigE0/0/0/0\n mtu 9216\n priority-flow-control mode on\n service-policy input Q\n!\nend\n',
  'Cisco IOS or IOS XE':
    'version 17.9\nservice timestamps log datetime msec\nhostname a\nclass-map match-all R\n match dscp 26\ninterface TwentyFiveGigE1/0/1\n priority-flow-control mode on\n no shutdown\nend\n',
  'H3C Comware':
    '#\n version 7.1.070, Release 6710\n#\n sysname a\n#\ninterface HundredGigE1/0/2\n port link-mode bridge\n qos trust dscp\n priority-flow-control enable\n priority-flow-control no-drop dot1p 3\n#\nreturn\n',
  'Huawei VRP':
    '!Software Version V200R019C10SPC800\n#\nsysname a\n#\ninterface 100GE1/0/1\n dcb pfc enable mode manual\n trust dscp\n qos queue 3 ecn\n#\nreturn\n',
  'Dell FTOS 9 (OS9)':
    'hostname a\n!\ndcb-map d\n priority-group 0 bandwidth 90 pfc off\n priority-pgid 0 0 0 1 0 0 0 0\n!\ninterface TenGigabitEthernet 0/0\n dcb-map d\n no shutdown\n!\nend\n',
  'NVIDIA Onyx (MLNX-OS)':
    '## Running database "initial"\nhostname a\ndcb priority-flow-control enable force\ndcb priority-flow-control priority 3 enable\ninterface ethernet 1/1 dcb priority-flow-control mode on force\ninterface ethernet 1/1 qos trust L3\n',
  'Cumulus Linux traffic.conf':
    'traffic.packet_priority_source_set = [dscp]\npfc.port_group_list = [ROCE]\npfc.ROCE.port_set = swp1-swp4\npfc.ROCE.cos_list = [3]\n',
  'MikroTik RouterOS':
    '# 2026-01-02 10:11:12 by RouterOS 7.16\n/interface ethernet switch qos profile\nadd dscp=26 name=roce traffic-class=3\n',
  'Windows (PowerShell)':
    'Name                           : SMB\nOwner                          : Group Policy (Machine)\nPriorityValue8021Action        : 3\n',
}

test.each(Object.entries(TEXTS))('%s', (language, text) => {
  const { parts, unknown } = readFile('a/run.txt', text)
  expect(parts).toEqual([])
  expect(unknown.map((part) => part.language)).toEqual([language])
  const device = deviceOf('a', [{ file: 'a/run.txt', text, command: '', timeNs: NaN }])
  expect(device.config.ports).toEqual([])
  expect(device.unread).toMatchObject([{ file: 'a/run.txt', language, why: 'form' }])
})

test('a configuration that is mostly not understood says so, and lacks nothing by default', () => {
  const text = `!Command: show running-config
hostname a
qos frob 1
qos frob 2
queue colour red
interface Ethernet1/1
  priority-flow-control upside-down
  priority-flow-control mode on
  no shutdown
`
  const [part] = readFile('a', text).parts
  expect([part!.dialect.name, part!.isHalfRead, part!.facts.isComplete]).toEqual(['nx-os', true, false])
  const clear = readFile('a', text.replaceAll(/^qos frob.*\n|^queue.*\n|.*upside-down\n/gm, '')).parts[0]!
  expect([clear.isHalfRead, clear.facts.isComplete]).toEqual([false, true])
})
