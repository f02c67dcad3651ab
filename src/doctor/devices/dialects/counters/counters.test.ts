/** Counters of hosts: under the names of each driver, in each form, written and read. */
import { fc } from '../../../../../tests/support/properties.ts'
import { describe, expect, test } from 'vitest'
import { ALL_PRIORITIES, counterNamed, type Reading } from '../../../../core/device-model/index.ts'
import { expositionOf } from '../../prometheus/index.ts'
import { type Count, type Facts, readFile } from '../index.ts'
import type { NeutralCount } from './counts.ts'
import { ethtoolStatisticsText } from './ethtool-statistics.ts'
import { PORT_DRIVERS, RDMA_DRIVERS, type VendorCounter } from './names.ts'
import { rdmaStatisticText } from './rdma-statistic.ts'

/** Facts of a text, which has one part of one form. */
function factsOf(text: string, command = '', file = 'host/file'): Facts {
  const { parts, unknown } = readFile(file, text, command)
  expect(unknown).toEqual([])
  expect(parts).toHaveLength(1)
  return parts[0]!.facts
}

const values = (facts: Facts): Record<string, number> =>
  Object.fromEntries(
    facts.counts.map(({ port, priority, name, value }) => [
      `${port} ${priority === ALL_PRIORITIES ? '' : priority}${name}`,
      value,
    ]),
  )

const plain = ({ priority, name, value }: Count): NeutralCount => ({ priority, name, value })

/** A different value for each counter of a table that has names of its own. */
function countsOf(counters: readonly VendorCounter[]): NeutralCount[] {
  const counts = new Map<string, NeutralCount>()
  for (const { name, vendor } of counters)
    for (const priority of vendor[0]!.includes('#') ? [0, 3, 7] : [ALL_PRIORITIES])
      counts.set(`${name} ${priority}`, { name, priority, value: 1001 + counts.size })
  return [...counts.values()]
}

const sorted = (counts: readonly NeutralCount[]): string[] =>
  counts.map(({ name, priority, value }) => `${name} ${priority} ${value}`).sort()

describe('names of vendors', () => {
  test('mean counters that there are, by priority where those are', () => {
    for (const { counters } of [...PORT_DRIVERS, ...RDMA_DRIVERS])
      for (const { name, vendor } of counters) {
        const { scope } = counterNamed(name)!
        expect([name, vendor[0]!.includes('#')]).toEqual([name, scope === 'priority'])
      }
  })

  test.each(PORT_DRIVERS.map((each) => [each.name, each.counters] as const))(
    '%s of ethtool: written and read',
    (name, of) => {
      const counts = countsOf(of)
      const facts = factsOf(ethtoolStatisticsText(name, counts), 'ethtool -S eth0')
      expect(sorted(facts.counts.map(plain))).toEqual(sorted(counts))
      expect(facts.truncated).toBeNull()
      expect(new Set(facts.counts.map(({ port }) => port))).toEqual(new Set(['eth0']))
    },
  )

  test.each(RDMA_DRIVERS.map((each) => [each.name, each.counters] as const))(
    '%s of rdma: written and read',
    (name, of) => {
      const counts = countsOf(of)
      const facts = factsOf(rdmaStatisticText(name, 'dev0', counts))
      expect(sorted(facts.counts.map(plain))).toEqual(sorted(counts))
      const widths = new Map(of.map((each) => [each.name, each.bits]))
      expect(facts.counts.every(({ name: neutral, bits }) => bits === widths.get(neutral))).toBe(true)
    },
  )

  test('a driver shows no more of a counter than its width', () => {
    const text = rdmaStatisticText('mlx5', 'dev0', [{ name: 'cnpSent', priority: ALL_PRIORITIES, value: 2 ** 32 + 5 }])
    expect(values(factsOf(text))).toEqual({ 'rdma:dev0 cnpSent': 5 })
  })
})

describe('ethtool -S', () => {
  const MLX5 = [
    'NIC statistics:',
    '     rx_out_of_buffer: 9',
    '     rx_pcs_symbol_err_phy: 2',
    '     rx_symbol_err_phy: 7',
    '     rx_pause_ctrl_phy: 99',
    '     rx_prio3_pause: 41',
    '     rx_prio3_pause_duration: 18446744073709551615',
    '     rx_prio30_pause: 8',
    '     module_bus_stuck: 0',
    '',
  ].join('\n')

  test('counts each thing once, and nothing that is not there', () => {
    const facts = factsOf(MLX5)
    expect(values(facts)).toEqual({ ' symbolErrors': 2, ' 3pfcRxFrames': 41, ' 3pauseRxUs': 2 ** 64 })
    expect(facts.counts.find(({ name }) => name === 'pfcRxFrames')).toMatchObject({ bits: 64, line: { number: 6 } })
  })

  test('ends of lines, tabs and a prompt change nothing', () => {
    const facts = factsOf(`root@gpu1:~# ethtool -S ens1\r\n${MLX5.replaceAll('\n', '\r\n').replaceAll('     ', '\t')}`)
    expect(values(facts)).toEqual({ 'ens1 symbolErrors': 2, 'ens1 3pfcRxFrames': 41, 'ens1 3pauseRxUs': 2 ** 64 })
  })

  test('pauses and resumes of Intel are frames, if both are there', () => {
    const both = 'NIC statistics:\n rx_priority_3_xon.nic: 20\n rx_priority_3_xoff.nic: 33\n tx_priority_3_xon.nic: 5\n'
    expect(values(factsOf(both))).toEqual({ ' 3pfcRxFrames': 53 })
  })

  test('drops of Broadcom by queue are drops of the port', () => {
    const queues = [0, 0, 0, 4, 0, 7, 0, 0].map((value, queue) => ` rx_discard_packets_cos${queue}: ${value}`)
    const text = ['NIC statistics:', ' rx_bytes_pri3: 12', ...queues, ''].join('\n')
    expect(values(factsOf(text))).toEqual({ ' 3rxBytes': 12, ' dropInPort': 11 })
  })

  test('a file that stops is cut, and its last number is not believed', () => {
    const inNumber = factsOf(MLX5.slice(0, MLX5.indexOf('pause_duration') + 20))
    expect(inNumber.truncated?.line.number).toBe(7)
    expect(values(inNumber)).toEqual({ ' symbolErrors': 2, ' 3pfcRxFrames': 41 })
    const inName = factsOf(MLX5.slice(0, MLX5.indexOf('pause_duration')))
    expect(inName.truncated?.line.number).toBe(7)
    const atLine = factsOf(MLX5.slice(0, MLX5.indexOf('     module')))
    expect(atLine.truncated).not.toBeNull()
    expect(factsOf(MLX5).truncated).toBeNull()
  })

  test('a selection of lines is whole, if the command is known', () => {
    const facts = factsOf('     rx_prio3_pause: 41\n', 'ethtool -S eth0 | grep prio3')
    expect(values(facts)).toEqual({ 'eth0 3pfcRxFrames': 41 })
    expect(facts.truncated).toBeNull()
  })

  test('names of a driver that nobody knows, are said, and a second port is another output', () => {
    expect(factsOf('NIC statistics:\n rx_frames: 5\n').remainder).toHaveLength(1)
    const { parts } = readFile('f', MLX5 + MLX5.replace('41', '500'))
    expect(parts.map(({ facts }) => values(facts)[' 3pfcRxFrames'])).toEqual([41, 500])
  })
})

describe('rdma statistic', () => {
  const LINES = 'link mlx5_1/1 \n    np_cnp_sent 88 \n    out_of_sequence 12 \n'

  test('reads lines, one line, and JSON alike', () => {
    const expected = { 'rdma:mlx5_1 cnpSent': 88, 'rdma:mlx5_1 outOfSequence': 12 }
    expect(values(factsOf(LINES))).toEqual(expected)
    expect(values(factsOf('link mlx5_1/1 np_cnp_sent 88 out_of_sequence 12\n'))).toEqual(expected)
    const json = '[{"ifindex":1,"ifname":"mlx5_1","port":1,"np_cnp_sent":88,\n"out_of_sequence":12}]\n'
    expect(values(factsOf(json))).toEqual(expected)
    expect(factsOf(json).counts.map(({ line }) => line.number)).toEqual([1, 2])
  })

  test('counters of queue pairs are not those of the port', () => {
    const text = `${LINES}link mlx5_1/1 cntn 4 np_cnp_sent 3 \n    LQPN <178>\n    out_of_sequence 2\n`
    expect(values(factsOf(text))).toEqual({ 'rdma:mlx5_1 cnpSent': 88, 'rdma:mlx5_1 outOfSequence': 12 })
    const json = '[{"ifname":"a","port":1,"np_cnp_sent":88},{"ifname":"a","port":1,"cntn":4,"np_cnp_sent":3}]'
    expect(values(factsOf(json))).toEqual({ 'rdma:a cnpSent': 88 })
  })

  test('the second port of a device has a name of its own', () => {
    const text = 'link mlx5_1/1 np_cnp_sent 1\nlink mlx5_1/2 np_cnp_sent 2\n'
    expect(values(factsOf(text))).toEqual({ 'rdma:mlx5_1 cnpSent': 1, 'rdma:mlx5_1/2 cnpSent': 2 })
  })

  test('a value beyond 32 bits shows a wider counter', () => {
    const { counts } = factsOf('link a/1 np_cnp_sent 4294967296 out_of_sequence 4294967295\n')
    expect(counts.map(({ bits }) => bits)).toEqual([64, 32])
  })

  test('a name without a number, and JSON that stops, are cut', () => {
    expect(factsOf(`${LINES}    packet_seq`).truncated?.line.number).toBe(4)
    expect(factsOf('[{"ifname":"a","port":1,"np_cnp').truncated).not.toBeNull()
    expect(factsOf(LINES).truncated).toBeNull()
  })

  test('a list of links is another form', () => {
    const [link] = readFile('f', 'link mlx5_1/1 state ACTIVE physical_state LINK_UP netdev eth0').parts
    expect(link?.dialect.name).toBe('rdma-link')
    expect(link?.facts.counts).toEqual([])
    const listed = readFile('f', '[{"ifindex":0,"ifname":"a","port":1,"state":"ACTIVE"}]').parts
    expect(listed.flatMap(({ facts }) => facts.counts)).toEqual([])
  })
})

describe('node_exporter', () => {
  test('reads names of all drivers, and exponents', () => {
    const text = [
      '# TYPE node_ethtool_received_prio3_pause untyped',
      'node_ethtool_received_prio3_pause{device="eth0"} 1.5e+09',
      'node_ethtool_received_priority_3_xoff_nic{device="eth1"} 3',
      'node_ethtool_received_priority_3_xon_nic{device="eth1"} 4 1700000000000',
      'node_infiniband_np_cnp_packets_sent_total{device="mlx5_1",port="1"} 88',
      'node_infiniband_port_data_received_bytes_total{device="mlx5_1",port="1"} 4.4e+12',
      'node_infiniband_roce_adp_retransmits_total{device="mlx5_1",port="1"} 5',
      'node_infiniband_rate_bytes_per_second{device="mlx5_1",port="1"} 5e+10',
      'node_infiniband_port_transmit_wait_total{device="mlx5_1",port="1"} 4.294967295e+09',
      'node_uname_info{nodename="gpu1",release="6"} 1',
      '',
    ].join('\n')
    const facts = factsOf(text)
    expect(values(facts)).toEqual({
      'eth0 3pfcRxFrames': 1.5e9,
      'eth1 3pfcRxFrames': 7,
      'rdma:mlx5_1 adaptiveRetries': 5,
      'rdma:mlx5_1 cnpSent': 88,
      'rdma:mlx5_1 rdmaRxBytes': 4.4e12,
      'rdma:mlx5_1 rateBps': 4e11,
    })
    expect(facts.hostname).toBe('gpu1')
    expect(facts.counts.find(({ name }) => name === 'cnpSent')?.bits).toBe(32)
  })

  const reading = (device: string, port: string, priority: number, name: string, value: number): Reading => ({
    device,
    port,
    priority,
    name,
    value,
    bits: 64,
    timeNs: 1,
  })

  test('reads what we give out, of the device in whose folder it is', () => {
    const text = expositionOf([
      reading('gpu1', 'eth0', 3, 'pfcRxFrames', 5),
      reading('gpu1', 'eth0', 4, 'txBytes', 6),
      reading('gpu1', '', ALL_PRIORITIES, 'cnpSent', 7),
      reading('gpu2', 'eth0', 3, 'pfcRxFrames', 50),
      reading('gpu2', '', ALL_PRIORITIES, 'cnpSent', 70),
    ])
    const own = { 'eth0 3pfcRxFrames': 5, 'eth0 4txBytes': 6, ' cnpSent': 7 }
    expect(values(factsOf(text, '', 'pod/gpu1/metrics.prom'))).toEqual(own)
    const ofPod = text.replaceAll('instance="gpu1"', 'instance="gpu1.pod.example:9100"')
    expect(values(factsOf(ofPod, '', 'pod/gpu1/metrics.prom'))).toEqual(own)
    expect(factsOf(text, '', 'elsewhere.prom').counts).toEqual([])
  })

  test('labels may hold anything, and a line that stops is cut', () => {
    const text = 'node_ethtool_received_prio3_pause{note="a\\"},device=\\"x",device="eth0"} 5\nnode_ethtool_received_pr'
    const facts = factsOf(text)
    expect(values(facts)).toEqual({ 'eth0 3pfcRxFrames': 5 })
    expect(facts.truncated?.line.number).toBe(2)
  })
})

test('a megabyte does not take long', () => {
  const long = [
    'link a/1\n'.repeat(110_000),
    Array.from({ length: 25_000 }, (_, i) => `node_ethtool_received_prio3_pause{device="e${i}"} 1\n`).join(''),
    `NIC statistics:\n${' rx_prio3_pause: 1\n'.repeat(55_000)}`,
    `NIC statistics:\n${':'.repeat(1e6)}`,
    `link ${'a/1'.repeat(330_000)}\nlink b/1 \n`,
    `node_x{${'a="'.repeat(330_000)}\nnode_ethtool_x{`,
    '/sys/class/net/'.repeat(66_000) + '\n/sys/class/net/e/mtu:1500\n',
  ]
  for (const text of long) {
    const start = performance.now()
    readFile('f', text)
    expect(performance.now() - start).toBeLessThan(20_000)
  }
})

test('whatever is in a file, it is read', () => {
  const lines = [
    'NIC statistics:',
    '     rx_prio3_pause: 41',
    `     rx_prio4_pause: ${'9'.repeat(400)}`,
    '     rx_priority_3_xoff.nic: 99999999999999999999999',
    'link mlx5_1/1 ',
    '    np_cnp_sent 88',
    'link mlx5_1/1 cntn 3 np_cnp_sent 88',
    '[{"ifname":"a","port":1,"np_cnp_sent":1e999}]',
    'node_infiniband_np_cnp_packets_sent_total{device="a",port="x"} 1e400',
    'node_ethtool_received_prio3_pause{device="eth0"} 5',
    '/sys/class/infiniband/a/ports/1/hw_counters/np_cnp_sent:5',
    '/sys/class/net/eth0/ecn/roce_np/enable/3:1',
    '/sys/class/net/eth0/qos/prio2buffer:3\t\t1',
  ]
  const text = fc
    .tuple(fc.array(fc.oneof(fc.constantFrom(...lines), fc.string()), { maxLength: 40 }), fc.nat(60))
    .map(([parts, cut]) => parts.join('\n').slice(0, -cut || undefined))
  fc.assert(
    fc.property(text, fc.constantFrom('f', 'a/sys/class/net/eth0/qos/pfc', 'sys/class/infiniband/a/x'), (all, file) => {
      for (const { facts } of readFile(file, all).parts)
        for (const { bits, value, name } of facts.counts) {
          expect(counterNamed(name)).toBeDefined()
          expect(value).toBeLessThan(Infinity)
          expect(bits).toBeGreaterThan(0)
        }
    }),
    { numRuns: 300 },
  )
})

describe('drivers that are not known', () => {
  const H2 = `NIC statistics:
     [0]: rx_bytes: 209487403324
     [0]: rx_discards: 7
     [1]: rx_bytes: 207561754146
     rx_bytes: 417049157470
     rx_crc_errors: 4000
     rx_pause_frames: 50000
     tx_pauseframes: 3
`

  test('have what is certain, and nothing of one queue for the port', () => {
    const facts = factsOf(H2, 'ethtool -S eth0')
    expect(values(facts)).toEqual({
      'eth0 crcErrors': 4000,
      'eth0 globalPauseRxFrames': 50_000,
      'eth0 globalPauseTxFrames': 3,
    })
    expect(facts.remainder.map(({ number }) => number)).toEqual([2, 3, 4, 5])
    expect(readFile('h/e', H2).parts[0]!.isHalfRead).toBe(true)
  })

  test('are said where no name is known, in ethtool -S and in rdma statistic', () => {
    const other = readFile('h/e', 'NIC statistics:\n     a: 1\n     b: 2\n     c: 3\n').parts[0]!
    expect([other.facts.counts, other.facts.remainder.length, other.isHalfRead]).toEqual([[], 3, true])
    const rdma = readFile('h/r', 'link hns_0/1\n    a 1\n    b 2\n    c 3\n').parts[0]!
    expect([rdma.facts.counts, rdma.facts.remainder.length, rdma.isHalfRead]).toEqual([[], 3, true])
  })
})

test('MANA counts under names of its own', () => {
  const facts = factsOf(
    'link mana_0/1\n    requester_timeout 45\n    requester_oos_nak 2\n    requester_retries_exceeded 5\n    received_cnps 9\n    num_qps_congested 4\n',
  )
  expect(values(facts)).toEqual({
    'rdma:mana_0 ackTimeouts': 45,
    'rdma:mana_0 seqNaks': 2,
    'rdma:mana_0 retryExceeded': 5,
    'rdma:mana_0 cnpHandled': 9,
  })
})
