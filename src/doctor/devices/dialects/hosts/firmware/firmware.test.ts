/** Firmware of NICs: whether packets may come out of order, and what acts against congestion. */
import { describe, expect, test } from 'vitest'
import { deviceOf } from '../../../joins/device.ts'
import { leftOver, port, said } from '../read.test-data.ts'

const RULE = '='.repeat(60)
const row = (name: string, value: number): string => `${name.padEnd(46)} | 0x0000000${value}`
const register = (rows: readonly string[]): string =>
  ['Sending access register...', 'Field Name | Data', RULE, row('roce_adp_retrans_en', 1), ...rows, RULE, ''].join('\n')
const fields = (routing: number, repeat: number): string =>
  register([
    row('adaptive_routing_forced_en_field_select', 1),
    row('adaptive_routing_forced_en', routing),
    row('selective_repeat_forced_en', repeat),
  ])

describe('mlxreg', () => {
  test.each([
    [1, 0, true],
    [0, 1, true],
    [0, 0, false],
  ])('adaptive routing %d and selective repeat %d', (routing, repeat, tolerates) => {
    expect(port(fields(routing, repeat))).toEqual({ 'nic.toleratesReordering': tolerates })
  })

  test('a whole register without the fields is of a NIC that cannot, and a piece of one tells nothing', () => {
    expect(port(register([]))).toEqual({ 'nic.toleratesReordering': false })
    const piece = `${row('roce_adp_retrans_en', 1)}\n${row('adaptive_routing_forced_en', 0)}\n`
    expect(port(piece)).toEqual({})
    expect(port(`${row('adaptive_routing_forced_en', 1)}\n`)).toEqual({ 'nic.toleratesReordering': true })
  })

  test('a cut register is none without the fields that are missing', () => {
    const cut = fields(0, 1).slice(0, -130)
    expect(port(cut)).toEqual({})
    expect(said(cut).facts.truncated).not.toBeNull()
  })

  test.each([
    ['sudo mlxreg -d 1A:00.0 --yes --reg_name ROCE_ACCL --get', 'pci:0000:1a:00.0'],
    ['mstreg --device 0001:1a:00.1 --reg_name ROCE_ACCL --get', 'pci:0001:1a:00.1'],
    ['mlxreg -d mlx5_3 --reg_name ROCE_ACCL -g', 'rdma:mlx5_3'],
    ['mlxreg -d /dev/mst/mt4129_pciconf0 --reg_name ROCE_ACCL --get', ''],
  ])('%s is of "%s"', (command, name) => {
    const { ports, facts } = said(`[root@gpu1 ~]# ${command}\n${fields(1, 0)}`)
    expect(ports[name]).toEqual({ 'nic.toleratesReordering': true })
    expect(facts.truncated).toBeNull()
  })

  test('two NICs get their own values by the addresses of their interfaces', () => {
    const text = `# mlxreg -d 06:00.0 --reg_name ROCE_ACCL --get\n${fields(1, 0)}# mlxreg -d 07:00.0 --reg_name ROCE_ACCL --get\n${fields(0, 0)}`
    const links = ['6', '7']
      .map((one) => `/sys/class/net/eth${one}/device/uevent:PCI_SLOT_NAME=0000:0${one}:00.0\n`)
      .join('')
    const files = [text, links].map((own, i) => ({ file: `${i}`, text: own, command: '', timeNs: NaN }))
    const { config } = deviceOf('gpu1', files)
    const tolerates = config.ports.map(({ name, settings: { nic } }) => {
      const value = nic!.toleratesReordering
      return [name, 'value' in value ? value.value : null]
    })
    expect(Object.fromEntries(tolerates)).toEqual({ eth6: true, eth7: false })
  })
})

describe('mlxconfig', () => {
  const query = (columns: string, rows: readonly string[], device = '3d:00.1'): string =>
    `\nDevice #1:\n----------\n\nDevice type:    ConnectX6DX\nDevice:         ${device}\n\nConfigurations:   ${columns}\n${rows.map((one) => `        ${one}\n`).join('')}`

  test.each([
    ['True(1)', 'False(0)', true],
    ['False(0)', 'True(1)', false],
    ['False(0)', 'False(0)', undefined],
  ])('an algorithm of the user %s and DCQCN alone %s', (own, legacy, hasOther) => {
    const text = query('Next Boot', [`USER_PROGRAMMABLE_CC   ${own}`, `ROCE_CC_LEGACY_DCQCN   ${legacy}`])
    expect(port(text, 'pci:0000:3d:00.1')).toEqual(hasOther === undefined ? {} : { 'nic.hasOtherControl': hasOther })
  })

  test('the column of now counts, and of lines alone the only one', () => {
    const columns = 'USER_PROGRAMMABLE_CC  False(0)  True(1)  False(0)'
    const { facts } = said(query('Default   Current   Next Boot', [`*       ${columns}`]))
    expect(facts.ports.get('pci:0000:3d:00.1')?.values.get('nic.hasOtherControl')).toMatchObject({
      state: 'operational',
      value: true,
    })
    expect(port(' USER_PROGRAMMABLE_CC   True(1)  \n', 'rdma:mlx5_0', 'mlxconfig -d mlx5_0 q')).toEqual({
      'nic.hasOtherControl': true,
    })
  })

  test('devices of the MST driver are no ports where there are two', () => {
    const one = (n: number): string =>
      query('Next Boot', ['USER_PROGRAMMABLE_CC   True(1)'], `/dev/mst/mt4129_pciconf${n}`)
    expect(port(one(0))).toEqual({ 'nic.hasOtherControl': true })
    const both = said(one(0) + one(1))
    expect(both.ports).toEqual({})
    expect(leftOver(both)).toHaveLength(2)
  })
})
