/** sysfs: settings and counters, of one list or a tree of files. */
import { describe, expect, test } from 'vitest'
import { type Facts, readFile } from '../index.ts'
import { completeClasses } from './sysfs-settings.ts'

function factsOf(text: string, file = 'host/sysfs.txt'): Facts {
  const { parts, unknown } = readFile(file, text)
  expect(unknown).toEqual([])
  expect(parts).toHaveLength(1)
  return parts[0]!.facts
}

const shown = (facts: Facts, port: string): Record<string, unknown> =>
  Object.fromEntries(
    [...facts.ports.get(port)!.values].map(([name, value]) => [name, value.state === 'unknown' ? '?' : value.value]),
  )

const NET = '/sys/class/net/eth0'
const RDMA = '/sys/class/infiniband/mlx5_1'
const enabled = (half: string, classes: readonly number[]): string =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((p) => `${NET}/ecn/${half}/enable/${p}:${classes.includes(p) ? 1 : 0}\n`).join('')

describe('settings', () => {
  test('DCQCN by class, and its parameters by their names', () => {
    const facts = factsOf(
      `${enabled('roce_np', [3, 4])}${enabled('roce_rp', [3])}${NET}/ecn/roce_np/cnp_dscp:48\n` +
        `${NET}/ecn/roce_np/cnp_802p_prio:6\n${NET}/ecn/roce_rp/rpg_ai_rate:5\n`,
    )
    expect(shown(facts, 'eth0')).toEqual({
      'nic.npClasses': [3, 4],
      'nic.rpClasses': [3],
      'nic.cnpDscp': 48,
      'nic.cnpClass': 6,
      'other.rpg_ai_rate': 5,
    })
    expect(facts.ports.get('eth0')!.values.get('nic.rpClasses')).toMatchObject({
      state: 'operational',
      origin: { line: 9 },
    })
  })

  test('a set of which a class is missing is not known, until another file has it', () => {
    const [first, ...others] = enabled('roce_np', [3]).trim().split('\n')
    const most = factsOf(`${others.join('\n')}\n`)
    expect(most.ports.get('eth0')!.settings.has('mtuBytes')).toBe(false)
    expect(most.ports.get('eth0')!.values.has('nic.npClasses')).toBe(false)
    const rest = factsOf('0\n', `host${first!.split(':')[0]!}`)
    const joined = new Map([...rest.ports.get('eth0')!.values, ...most.ports.get('eth0')!.values])
    completeClasses(joined)
    expect([...joined.keys()]).toEqual(['nic.npClasses'])
    expect(joined.get('nic.npClasses')).toMatchObject({ value: [3] })
  })

  test('the PCI address of a port, and the second port of an RDMA device', () => {
    const facts = factsOf(
      `${NET}/device/uevent:DRIVER=mlx5_core\n${NET}/device/uevent:PCI_SLOT_NAME=0000:09:00.0\n` +
        `${RDMA}/ports/2/gid_attrs/ndevs/0:eth0\n`,
    )
    expect(shown(facts, 'eth0')).toEqual({ 'nic.pciName': '0000:09:00.0', 'nic.rdmaDevice': 'mlx5_1/2' })
  })

  test('QoS, as lists and as tables', () => {
    const table = (rows: readonly number[]): string =>
      rows.map((row, i) => `${NET}/qos/prio2buffer:${i}\t\t${row}\n`).join('')
    const facts = factsOf(
      `${NET}/qos/trust:dscp\n${NET}/qos/pfc:0,0,0,1,0,0,0,0\n${NET}/qos/prio2buffer:Priority\tBuffer\n` +
        `${table([0, 0, 0, 1, 0, 0, 0, 0])}${NET}/qos/buffer_size:1,2,3,4,5,6,7,8,max_buffer_size=9\n` +
        `${NET}/qos/dscp2prio:prio:3 dscp:26,24,\n`,
    )
    expect(shown(facts, 'eth0')).toEqual({
      trust: 'dscp',
      pfcClasses: [3],
      'nic.bufferOfClass': [0, 0, 0, 1, 0, 0, 0, 0],
      'nic.bufferBytes': [1, 2, 3, 4, 5, 6, 7, 8],
      'dscpToClass.26': 3,
      'dscpToClass.24': 3,
    })
    expect(facts.remainder).toEqual([])
  })

  test('what is there and cannot be read is not known', () => {
    const facts = factsOf(`${NET}/qos/pfc:0,0,0,x\n${NET}/qos/prio2buffer:0\t\t1\n`)
    expect(shown(facts, 'eth0')).toEqual({ pfcClasses: '?', 'nic.bufferOfClass': '?' })
    expect(facts.remainder.map(({ number }) => number)).toEqual([1])
  })

  test('ports, links and traffic classes; the loopback is no port', () => {
    const facts = factsOf(
      `/sys/class/net/lo/mtu:65536\r\n${NET}/mtu:9000\r\n${NET}/speed:400000\r\n${NET}/operstate:up\r\n` +
        `${RDMA}/tc/1/traffic_class:Global tclass=104\r\n${RDMA}/ports/1/rate:400 Gb/sec (4X NDR)\r\n` +
        `${RDMA}/ports/1/state:4: ACTIVE\r\n${RDMA}/ports/1/gid_attrs/ndevs/0:eth0\r\n`,
    )
    expect([...facts.ports.keys()].sort()).toEqual(['eth0', 'rdma:mlx5_1'])
    expect(shown(facts, 'eth0')).toEqual({ mtuBytes: 9000, rateBps: 4e11, isUp: true, 'nic.rdmaDevice': 'mlx5_1' })
    expect(shown(facts, 'rdma:mlx5_1')).toEqual({ 'nic.sysfsTclass': 104, rateBps: 4e11, 'nic.isActive': true })
  })

  test('a link that is down has no speed', () => {
    expect(shown(factsOf(`${NET}/speed:-1\n${NET}/operstate:down\n`), 'eth0')).toEqual({ isUp: false })
  })
})

describe('counters', () => {
  test('are those of the RDMA device, its words as bytes', () => {
    const { counts } = factsOf(
      `${RDMA}/ports/1/hw_counters/lifespan:12\n${RDMA}/ports/1/hw_counters/np_cnp_sent:88\n` +
        `${RDMA}/ports/1/counters/port_rcv_data:1000\n${RDMA}/ports/1/counters/port_xmit_wait:4294967295\n`,
    )
    expect(counts.map(({ port, name, value, bits, line }) => [port, name, value, bits, line.number])).toEqual([
      ['rdma:mlx5_1', 'cnpSent', 88, 32, 2],
      ['rdma:mlx5_1', 'rdmaRxBytes', 4000, 64, 3],
    ])
  })

  test('have the widths of their driver, whatever names it has taken from another', () => {
    const { counts } = factsOf(
      `${RDMA}/ports/1/hw_counters/np_cnp_sent:88\n${RDMA}/ports/1/hw_counters/seq_err_naks_rcvd:4\n` +
        `${RDMA}/ports/1/hw_counters/out_of_sequence:4\n`,
    )
    expect(counts.map(({ name, value, bits }) => [name, value, bits])).toEqual([
      ['cnpSent', 88, 64],
      ['seqNaks', 4, 64],
    ])
  })

  test('a tree of files has them, too, by whatever way it leads there', () => {
    const tree = factsOf('88\n', 'pod/gpu1/sys/class/infiniband/mlx5_1/ports/1/hw_counters/np_cnp_sent')
    expect(tree.counts).toMatchObject([{ port: 'rdma:mlx5_1', name: 'cnpSent', value: 88 }])
    const devices = factsOf(
      '/sys/devices/pci0000:3b/0000:3b:00.0/infiniband/mlx5_1/ports/1/hw_counters/np_cnp_sent:88\n',
    )
    expect(devices.counts).toMatchObject([{ port: 'rdma:mlx5_1', name: 'cnpSent', value: 88 }])
  })
})

test('a list that stops is cut', () => {
  expect(factsOf(`${NET}/mtu:9000\n${NET}/spe`).truncated?.line.number).toBe(2)
  expect(factsOf(`${NET}/mtu:9000\n${NET}/speed:`).truncated?.line.number).toBe(2)
  expect(factsOf(`${NET}/mtu:9000\n`).truncated).toBeNull()
})
