/**
 * Outputs on the firmware of NVIDIA NICs: mlxreg --get and mlxconfig query.
 * Sources: as the readers (dialects/hosts/firmware).
 */
import { knownOf } from '../../../../core/device-model/index.ts'
import { type Form, type HostPort, perPort } from './host-port.ts'

const RULE = '='.repeat(60)

function registerText(port: HostPort): string {
  const tolerates = knownOf(port.nic.toleratesReordering)
  if (tolerates === undefined) return ''
  port.used.add('pciName')
  const fields = [
    ['roce_adp_retrans_field_select', true],
    ['adaptive_routing_forced_en_field_select', true],
    ['selective_repeat_forced_en_field_select', true],
    ['roce_adp_retrans_en', true],
    ['adaptive_routing_forced_en', tolerates],
    ['selective_repeat_forced_en', false],
  ] as const
  const rows = fields.map(([name, isOn]) => `${name.padEnd(46)} | 0x0000000${Number(isOn)}`)
  return ['Sending access register...', `${'Field Name'.padEnd(46)} | Data`, RULE, ...rows, RULE, ''].join('\n')
}

const flag = (name: string, isOn: boolean): string => `        ${name.padEnd(43)} ${isOn ? 'True(1)' : 'False(0)'}`

function configText(port: HostPort): string {
  const hasOther = knownOf(port.nic.hasOtherControl)
  if (hasOther === undefined) return ''
  port.used.add('pciName')
  return [
    '',
    'Device #1:',
    '----------',
    '',
    'Device type:        ConnectX7',
    `Device:             ${port.pciName}`,
    '',
    'Configurations:                                     Next Boot',
    flag('USER_PROGRAMMABLE_CC', hasOther),
    flag('ROCE_CC_LEGACY_DCQCN', !hasOther),
    '',
  ].join('\n')
}

export const FIRMWARE: readonly Form[] = [
  perPort('mlxreg.txt', 'mlxreg -d PCI --reg_name ROCE_ACCL --get', registerText),
  perPort('mlxconfig.txt', 'mlxconfig -d PCI query', configText),
]
