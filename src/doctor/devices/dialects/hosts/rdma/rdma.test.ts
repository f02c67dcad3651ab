/** RDMA devices: their interfaces, states, MTUs, GIDs and types of service. */
import { describe, expect, test } from 'vitest'
import { readFile } from '../../index.ts'
import { port, said } from '../read.test-data.ts'

describe('rdma link', () => {
  test('joins device and interface', () => {
    const { ports } = said(
      'link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev eth0 netdev_index 3 \n' +
        'link mlx5_1/1 state DOWN physical_state DISABLED netdev eth1 \n' +
        'link mlx4_0/2 state ACTIVE physical_state LINK_UP netdev eth2 \n' +
        'link mlx5_9/1 subnet_prefix fe80:0000:0000:0000 lid 13399 state ACTIVE physical_state LINK_UP \n',
    )
    expect(ports).toEqual({
      eth0: { 'nic.rdmaDevice': 'mlx5_0', 'nic.isActive': true },
      eth1: { 'nic.rdmaDevice': 'mlx5_1', 'nic.isActive': false },
      eth2: { 'nic.rdmaDevice': 'mlx4_0/2', 'nic.isActive': true },
      'rdma:mlx5_9': { 'nic.isActive': true },
    })
  })

  test('reads older text and JSON alike', () => {
    const expected = { 'nic.rdmaDevice': 'mlx5_0', 'nic.isActive': true }
    expect(port('1/1: mlx5_0/1: state ACTIVE physical_state LINK_UP netdev eth0\n', 'eth0')).toEqual(expected)
    const json =
      '[{"ifindex":1,"ifname":"mlx5_0","port":1,"state":"ACTIVE","physical_state":"LINK_UP","netdev":"eth0"},null]'
    expect(port(json, 'eth0')).toEqual(expected)
    expect(said(json.slice(0, -9)).facts.truncated).not.toBeNull()
  })
})

describe('show_gids', () => {
  const HEAD = 'DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV\n---\t----\t-----\t---\n'
  const LOCAL = 'mlx5_1\t1\t1\tfe80:0000:0000:0000:0200:5eff:fe00:5301\t\t\tv2\teth1\n'
  const ROUTED = 'mlx5_1\t1\t3\t0000:0000:0000:0000:0000:ffff:0a00:0101\t10.0.1.1  \tv2\teth1.7\n'

  test('keeps index, version and address, and one port for all interfaces of a device', () => {
    const { ports, facts } = said(`${HEAD}${LOCAL}${ROUTED}n_gids_found=2\n`)
    expect(ports).toEqual({
      eth1: {
        'nic.rdmaDevice': 'mlx5_1',
        'nic.gids': [
          { index: 1, version: 'v2', address: 'fe80:0000:0000:0000:0200:5eff:fe00:5301' },
          { index: 3, version: 'v2', address: '::ffff:10.0.1.1' },
        ],
      },
    })
    expect(facts.truncated).toBeNull()
  })

  test('is cut where rows or their number are missing', () => {
    expect(said(`${HEAD}${LOCAL}`).facts.truncated).not.toBeNull()
    expect(said(`${HEAD}${LOCAL}n_gids_found=2\n`).facts.truncated).not.toBeNull()
  })

  test('without an interface is of the RDMA device', () => {
    expect(Object.keys(said(`${HEAD}${LOCAL.replace('\teth1', '')}n_gids_found=1\n`).ports)).toEqual(['rdma:mlx5_1'])
  })
})

describe('ibv_devinfo', () => {
  const info = (state: string, layer = 'Ethernet'): string =>
    `hca_id:\tmlx5_1\n\tphys_port_cnt:\t\t\t1\n\t\tport:\t1\n\t\t\tstate:\t\t\t${state}\n\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t1024 (3)\n\t\t\tlink_layer:\t\t${layer}\n\n`

  test('has the MTU of a port that is active', () => {
    expect(port(info('PORT_ACTIVE (4)'), 'rdma:mlx5_1')).toEqual({ 'nic.isActive': true, 'nic.activeMtuBytes': 1024 })
    expect(port(info('PORT_DOWN (1)'), 'rdma:mlx5_1')).toEqual({ 'nic.isActive': false })
  })

  test('leaves out InfiniBand, and is cut before the link layer', () => {
    expect(said(info('PORT_ACTIVE (4)', 'InfiniBand')).ports).toEqual({})
    const text = info('PORT_ACTIVE (4)')
    expect(said(text).facts.truncated).toBeNull()
    expect(said(text.slice(0, text.indexOf('link_layer'))).facts.truncated).not.toBeNull()
  })
})

describe('cma_roce_tos', () => {
  test('is known by its command or by the name of its file', () => {
    expect(said('106\n', 'cma_roce_tos -d mlx5_2').ports).toEqual({ 'rdma:mlx5_2': { 'nic.cmaTclass': 106 } })
    expect(said('106\n', '', 'gpu1/cma_roce_tos.txt').ports).toEqual({ '': { 'nic.cmaTclass': 106 } })
  })

  test('a number alone is nothing', () => {
    expect(readFile('number.txt', '106\n').parts).toEqual([])
    expect(said('256\n', 'cma_roce_tos -d mlx5_2').ports['rdma:mlx5_2']).toEqual({})
  })
})

test('ibdev2netdev joins device and interface, and says which are up', () => {
  const text =
    'mlx5_0 port 1 ==> ens4f0 (Down)\nmlx5_2 port 1 ==> ens6 (Up)\n0000:3d:00.0 mlx4_0 port 2 ==> eth9 (Up)\n'
  expect(said(text).ports).toEqual({
    ens4f0: { 'nic.rdmaDevice': 'mlx5_0', isUp: false },
    ens6: { 'nic.rdmaDevice': 'mlx5_2', isUp: true },
    eth9: { 'nic.rdmaDevice': 'mlx4_0/2', isUp: true },
  })
})

test('cat of a file of sysfs is that file', () => {
  const { parts } = readFile(
    'gpu1/tc.txt',
    'root@gpu1:~# cat /sys/class/infiniband/mlx5_3/tc/1/traffic_class\nGlobal tclass=106\n',
  )
  expect(parts.map(({ dialect }) => dialect.name)).toEqual(['sysfs'])
  expect(parts[0]!.facts.ports.get('rdma:mlx5_3')?.values.get('nic.sysfsTclass')).toMatchObject({ value: 106 })
})
