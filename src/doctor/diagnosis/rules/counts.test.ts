/** Rules about counters: two readings of a host and its switch, which wrap, start again, or have no times. */
import { fc } from '../../../../tests/support/properties.ts'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../core/findings/index.ts'
import { countsOf } from '../counts/index.ts'
import { fabricOf } from '../../devices/joins/index.ts'
import { ethtoolStatisticsText } from '../../devices/dialects/counters/ethtool-statistics.ts'
import { diagnose } from '../doctor.ts'
import { ALL_PRIORITIES } from '../../../core/device-model/index.ts'

const headroomNeed = () => ({ leastBytes: 0, mostBytes: Infinity, basis: '', isSure: false })
const EDGES = [{ deviceA: 'gpu1', portA: 'eth1', deviceB: 'leaf', portB: 'Ethernet0', cableM: 5 }]

/** Names of counters as tests write them: "dropIn 3", "crcErrors". */
type Counts = Readonly<Record<string, number>>
const neutral = (counts: Counts) =>
  Object.entries(counts).map(([key, value]) => {
    const [name = '', priority = String(ALL_PRIORITIES)] = key.split(' ')
    return { name, priority: Number(priority), value }
  })
const nic = (counts: Counts, driver = 'mlx5'): string => ethtoolStatisticsText(driver, neutral(counts))
const pfc = (classes: readonly number[]): string =>
  JSON.stringify({ prio_pfc: Array.from({ length: 8 }, (_, priority) => classes.includes(priority)) })
const leafPfc = (classes: string): string =>
  `Interface    Lossless priorities\n-----------  ---------------------\nEthernet0    ${classes}\n`
const leafFrames = (received: number): string =>
  [
    ['Rx', received],
    ['Tx', 0],
  ]
    .map(([side, frames]) => `  Port ${side}  PFC0  PFC3\n---------  ----  ----\nEthernet0     0  ${frames}\n`)
    .join('\n')
const sysfs = (counts: Readonly<Record<string, number>>, device = 'mlx5_0'): string =>
  Object.entries(counts)
    .map(([name, value]) => `/sys/class/infiniband/${device}/ports/1/hw_counters/${name}:${value}\n`)
    .join('')

/** By device and name; a reading has the seconds at which it was taken behind an @. */
function diagnosed(files: Readonly<Record<string, string>>) {
  const devices = new Map<string, { file: string; text: string; command: string; timeNs: number }[]>()
  for (const [key, text] of Object.entries(files)) {
    const [file = '', seconds] = key.split('@')
    const device = file.split('/', 1)[0]!
    const timeNs = seconds === undefined ? NaN : Number(seconds) * 1e9
    devices.set(device, [...(devices.get(device) ?? []), { file, text, command: '', timeNs }])
  }
  const fabric = fabricOf(devices, EDGES)
  return { fabric, ...diagnose({ fabric, headroomNeed }) }
}
const found = (files: Readonly<Record<string, string>>, rule: string): Finding[] =>
  diagnosed(files).findings.filter(({ id }) => id === rule)
const severities = (findings: readonly Finding[]): string[] => findings.map(({ severity }) => severity)
const PFC = { 'gpu1/dcb': pfc([3]), 'leaf/pfc': leafPfc('3') }
const twice = (before: Counts, after: Counts) => ({ ...PFC, 'gpu1/s.t0@0': nic(before), 'gpu1/s.t1@300': nic(after) })

describe('drops in a lossless class', () => {
  test('are an error if they grow, and a note of one reading', () => {
    const grown = found(twice({ 'dropIn 3': 5, 'pfcTxFrames 3': 1 }, { 'dropIn 3': 12, 'pfcTxFrames 3': 90 }), 'ctr01')
    expect(severities(grown)).toEqual(['error'])
    expect(grown[0]!.subject).toMatchObject({ device: 'gpu1', interface: 'eth1', file: 'gpu1/s.t1' })
    expect(grown[0]!.values).toMatchObject({ packets: 7, priority: 3, why: 'headroom' })
    expect(severities(found({ ...PFC, 'gpu1/s.t0@0': nic({ 'dropIn 3': 5 }) }, 'ctr01'))).toEqual(['note'])
  })

  test('that do not grow are none, and those of a lossy class neither', () => {
    expect(found(twice({ 'dropIn 3': 5 }, { 'dropIn 3': 5 }), 'ctr01')).toEqual([])
    expect(found(twice({ 'dropIn 0': 5 }, { 'dropIn 0': 50 }), 'ctr01')).toEqual([])
  })

  test('without pauses are of a port that sends none, and after a reset nobody knows of any', () => {
    const grown = found(twice({ 'dropIn 3': 5, 'pfcTxFrames 3': 9 }, { 'dropIn 3': 12, 'pfcTxFrames 3': 9 }), 'ctr01')
    expect(grown[0]!.values['why']).toBe('no-pause')
    expect(found(twice({ 'dropIn 3': 5, 'rxPackets 3': 900 }, { 'dropIn 3': 12, 'rxPackets 3': 7 }), 'ctr01')).toEqual(
      [],
    )
  })

  test('of all classes together are of the lossless one for nobody knows', () => {
    const shown = (drops: number): string =>
      `    IFACE    STATE    RX_OK    RX_ERR    RX_DRP    TX_OK    TX_DRP\n---------  -------  -------  --------  --------  -------  --------\nEthernet0        U     9000         0         0     9000       ${drops}\n`
    const files = { ...PFC, 'leaf/i.t0@0': shown(5), 'leaf/i.t1@300': shown(8) }
    const { fabric, findings } = diagnosed(files)
    expect(countsOf(fabric).growth('leaf', 'Ethernet0', ALL_PRIORITIES, 'dropOut')?.amount).toBe(3)
    expect(findings.filter(({ id }) => id === 'ctr01')).toEqual([])
  })

  test('of a class that a watchdog has taken out are a note', () => {
    const stormed = (storms: number): string =>
      `  QUEUE  STATUS  STORM DETECTED/RESTORED\n-------  ------  -----------------------\nEthernet0:3  stormed  ${storms}/0\n`
    const drops = (packets: number): string =>
      `Ingress PG dropped packets:\n     Port  PG3\n---------  ---\nEthernet0  ${packets}\n`
    const files = { ...PFC, 'leaf/d.t0@0': drops(1), 'leaf/d.t1@300': drops(900) }
    expect(severities(found(files, 'ctr01'))).toEqual(['error'])
    const watched = { ...files, 'leaf/w.t0@1': stormed(2), 'leaf/w.t1@301': stormed(3) }
    expect(found(watched, 'ctr01').map(({ severity, values }) => [severity, values['why']])).toEqual([
      ['note', 'watchdog'],
    ])
  })
})

describe('drops of which no lossless class is known', () => {
  const shown = (received: number, dropped: number): string =>
    [
      `    IFACE    STATE    RX_OK    RX_ERR    RX_DRP    TX_OK    TX_DRP`,
      `---------  -------  -------  --------  --------  -------  --------`,
      `Ethernet0        U  ${String(received).padStart(7)}         0  ${String(dropped).padStart(8)}     9000         0\n`,
    ].join('\n')
  const leaf = (...readings: readonly string[]) =>
    Object.fromEntries(readings.map((text, i) => [`leaf/i.t${i}@${300 * i}`, text]))
  const said = (files: Readonly<Record<string, string>>) =>
    found(files, 'ctr11').map(({ severity, subject, values }) => [severity, subject.device, values['packets']])

  test.each([
    ['PFC is not known', {}],
    ['nothing has PFC', { 'gpu1/dcb': pfc([]) }],
    ['another priority has PFC', { 'gpu1/dcb': pfc([4]) }],
  ])('are an error of a NIC that discards a hundredth, where %s', (_name, files) => {
    const of = (dropped: number) => ({
      ...files,
      'gpu1/s.t0@0': nic({ 'rxPackets 3': 0, 'dropIn 3': 0, dropInPort: 0 }),
      'gpu1/s.t1@60': nic({ 'rxPackets 3': 1e6, 'dropIn 3': dropped, dropInPort: dropped }),
    })
    expect(said(of(10_000))).toEqual([['error', 'gpu1', 10_000]])
    expect(said(of(500))).toEqual([['warning', 'gpu1', 500]])
    expect(said(of(1))).toEqual([])
  })

  test('of a NIC that says nothing of priorities are the same, and those of a lossless one are said once', () => {
    const of = (files: Readonly<Record<string, string>>) => ({
      ...files,
      'gpu1/s.t0@0': nic({ 'rxPackets 3': 0, dropInPort: 0 }),
      'gpu1/s.t1@60': nic({ 'rxPackets 3': 1e6, dropInPort: 10_000 }),
    })
    expect(said(of({}))).toEqual([['error', 'gpu1', 10_000]])
    const both = twice({ 'dropIn 3': 5, dropInPort: 5 }, { 'dropIn 3': 12, dropInPort: 12 })
    expect(severities(found(both, 'ctr01'))).toEqual(['error'])
    expect(said(both)).toEqual([])
  })

  test('of a switch are a warning of an interval, a note of one reading, and nothing where none has PFC or few are', () => {
    expect(said({ ...PFC, ...leaf(shown(0, 5), shown(1e6, 905)) })).toEqual([['warning', 'leaf', 900]])
    expect(said({ ...PFC, ...leaf(shown(1e6, 905)) })).toEqual([['note', 'leaf', 905]])
    expect(said({ ...PFC, ...leaf(shown(0, 5), shown(1e6, 6)) })).toEqual([])
    const config = { DEVICE_METADATA: { localhost: { hostname: 'leaf' } }, PORT: { Ethernet0: { lanes: '0' } } }
    const without = { ...leaf(shown(0, 5), shown(1e6, 905)), 'leaf/c.json': JSON.stringify(config) }
    expect(said(without)).toEqual([['note', 'leaf', 900]])
  })
})

describe('a watchdog', () => {
  const stats = (state: string, storms: string): string =>
    `  QUEUE  STATUS  STORM DETECTED/RESTORED\n-------  ------  -----------------------\nEthernet0:3  ${state}  ${storms}\n`
  const said = (files: Readonly<Record<string, string>>) =>
    found(files, 'ctr12').map(({ severity, values }) => [severity, values['priorities'], values['storms']])

  test('that has cut a class off now is an error of one reading; past storms are a note', () => {
    expect(said({ 'leaf/w': stats('stormed', '1/0') })).toEqual([['error', [3], null]])
    expect(said({ 'leaf/w': stats('operational', '3/3') })).toEqual([['note', [3], 3]])
    expect(said({ 'leaf/w': stats('operational', '0/0') })).toEqual([])
    expect(found({ 'leaf/w': stats('stormed', '1/0') }, 'ctr12')[0]!.values['peer']).toBe('gpu1 eth1')
  })

  test('of two readings counts as it is at the later one, or at either where nobody knows which', () => {
    const of = (a: string, b: string) => ({
      [`leaf/w.t0${a}`]: stats('stormed', '1/0'),
      [`leaf/w.t1${b}`]: stats('operational', '1/1'),
    })
    expect(said(of('@0', '@60'))).toEqual([])
    expect(said(of('', ''))).toEqual([['error', [3], null]])
    expect(found(of('', ''), 'src01')).toEqual([])
  })
})

test('a loss that one reading tells of is a note', () => {
  const files = { 'gpu1/h': sysfs({ local_ack_timeout_err: 40, out_of_sequence: 900, np_cnp_sent: 1 }) }
  const [finding, ...more] = found(files, 'ctr06')
  expect([finding?.severity, finding?.values['losses'], finding?.values['isGrowth'], more]).toEqual([
    'note',
    40,
    false,
    [],
  ])
  expect(
    found({ 'gpu1/h': sysfs({ local_ack_timeout_err: 0, out_of_sequence: 900, np_cnp_sent: 1 }) }, 'ctr06'),
  ).toEqual([])
})

describe('PFC frames without PFC', () => {
  const received = (classes: string, from: number, to?: number) => ({
    'gpu1/dcb': pfc([3]),
    'leaf/pfc': leafPfc(classes),
    'leaf/c.t0@0': leafFrames(from),
    ...(to === undefined ? {} : { 'leaf/c.t1@300': leafFrames(to) }),
  })

  test('are a warning from nine of an interval on', () => {
    expect(severities(found(received('4', 100, 109), 'ctr04'))).toEqual(['warning'])
    expect(found(received('4', 100, 108), 'ctr04')).toEqual([])
    expect(found(received('3', 100, 5000), 'ctr04')).toEqual([])
  })

  test('of one reading are a warning only if the peer has PFC for them now', () => {
    expect(severities(found(received('4', 5000), 'ctr04'))).toEqual(['warning'])
    expect(severities(found({ ...received('4', 5000), 'gpu1/dcb': pfc([4]) }, 'ctr04'))).toEqual(['note'])
  })

  test('of all priorities together count where no priority has PFC', () => {
    const ionic = (frames: number): string => nic({ portPfcRxFrames: frames }, 'ionic')
    const files = (classes: readonly number[]) => ({
      'gpu1/dcb': pfc(classes),
      'leaf/pfc': leafPfc('3'),
      'gpu1/s.t0@0': ionic(5),
      'gpu1/s.t1@300': ionic(500),
    })
    expect(found(files([]), 'ctr04').map(({ values }) => values['frames'])).toEqual([495])
    expect(found(files([3]), 'ctr04')).toEqual([])
  })
})

describe('802.3x', () => {
  /** By which the driver is known. */
  const SOME = { 'rxPackets 3': 9 }
  const shares = (rxUs: number, txUs: number) =>
    found(
      twice(
        { ...SOME, globalPauseRxUs: 7, globalPauseTxUs: 7 },
        { ...SOME, globalPauseRxUs: 7 + rxUs, globalPauseTxUs: 7 + txUs },
      ),
      'ctr10',
    )

  test('holds a link for more than a hundredth of the time', () => {
    expect(shares(3_100_000, 0).map(({ values }) => values['direction'])).toEqual(['received'])
    expect(shares(0, 75_000_000).map(({ values }) => values['heldShare'])).toEqual([0.25])
    expect(shares(2_900_000, 2_900_000)).toEqual([])
  })

  test('that is on and stands still is a note', () => {
    const on = 'Pause parameters for eth1:\nAutonegotiate:\toff\nRX:\t\ton\nTX:\t\ton\n'
    const files = (frames: number) => ({
      ...twice(
        { ...SOME, globalPauseRxFrames: 132e6, globalPauseTxFrames: 4 },
        { ...SOME, globalPauseRxFrames: 132e6 + frames, globalPauseTxFrames: 4 },
      ),
      'gpu1/a': on,
    })
    expect(severities(found(files(0), 'pfc06'))).toEqual(['note'])
    expect(severities(found(files(1), 'pfc06'))).toEqual(['error'])
    expect(severities(found({ ...PFC, 'gpu1/a': on }, 'pfc06'))).toEqual(['error'])
  })
})

describe('losses of a host', () => {
  const packets = (count: number) => twice({ 'rxPackets 3': 0 }, { 'rxPackets 3': count })
  const wrapping = (from: number, to: number) => ({
    'gpu1/h.t0@2': sysfs({ packet_seq_err: from, np_cnp_sent: 1 }),
    'gpu1/h.t1@302': sysfs({ packet_seq_err: to, np_cnp_sent: 5 }),
  })

  test('count beyond a wrap at 32 bits, and not beyond a reset', () => {
    const wrapped = found({ ...packets(1000), ...wrapping(2 ** 32 - 10, 30) }, 'ctr06')
    expect(wrapped.map(({ severity, values }) => [severity, values['losses']])).toEqual([['warning', 40]])
    expect(found({ ...packets(1000), ...wrapping(2 ** 31, 30) }, 'ctr06')).toEqual([])
  })

  test('below a millionth of the packets are noise', () => {
    expect(severities(found({ ...packets(39e6), ...wrapping(0, 40) }, 'ctr06'))).toEqual(['warning'])
    expect(found({ ...packets(41e6), ...wrapping(0, 40) }, 'ctr06')).toEqual([])
    expect(severities(found(wrapping(0, 40), 'ctr06'))).toEqual(['note'])
  })

  test('are those of all its RDMA devices, each of which may wrap', () => {
    const two = (a: number, b: number): string =>
      sysfs({ packet_seq_err: a, np_cnp_sent: a }) + sysfs({ packet_seq_err: b, np_cnp_sent: b }, 'mlx5_1')
    const { fabric } = diagnosed({ ...packets(9), 'gpu1/h.t0@2': two(2 ** 32 - 5, 100), 'gpu1/h.t1@302': two(3, 107) })
    expect(countsOf(fabric).growth('gpu1', '', ALL_PRIORITIES, 'seqNaks')).toMatchObject({ amount: 15, seconds: 300 })
  })
})

describe('readings', () => {
  test('without times are in the order of the numbers in their names, and have no duration', () => {
    const files = (names: readonly string[]) => ({
      ...PFC,
      ...Object.fromEntries(
        names.map((name, i) => [`gpu1/${name}`, nic({ 'dropIn 3': i * 5, 'pauseTxUs 3': i * 200e6 })]),
      ),
    })
    const { findings, missing, fabric } = diagnosed(files(['s.t9', 's.t10']))
    const counted = findings.filter(({ id }) => id.startsWith('ctr'))
    expect(counted.map(({ id, values }) => [id, values['packets']])).toEqual([['ctr01', 5]])
    expect(countsOf(fabric).growth('gpu1', 'eth1', 3, 'pauseTxUs')).toMatchObject({ amount: 200e6, seconds: NaN })
    expect(missing.find(({ form }) => form.includes('collected.tsv'))?.device).toBe('gpu1')
  })

  test('of another form are not mixed with them', () => {
    const exporter = 'node_ethtool_received_prio3_discards{device="eth1"} 900\n'
    const files = { ...twice({ 'dropIn 3': 5 }, { 'dropIn 3': 5 }), 'gpu1/n@200': exporter }
    expect(found(files, 'ctr01')).toEqual([])
  })

  test('of drops by WRED in a lossless queue are found beside a table of its other drops', () => {
    const table = (name: string, drops: number): string =>
      `     Port    TxQ    ${name}/pkts\n---------  -----  --------------\nEthernet0    UC3  ${drops}\n`
    const files = (drops: number) => ({
      ...PFC,
      'leaf/queues.0@0': table('Drop', 0),
      'leaf/queues.1@300': table('Drop', 0),
      'leaf/wred.0@0': table('WredDrp', 0),
      'leaf/wred.1@300': table('WredDrp', drops),
    })
    expect(
      found(files(52), 'ctr01').map(({ severity, values }) => [severity, values['packets'], values['side']]),
    ).toEqual([['error', 52, 'out']])
    expect(found(files(0), 'ctr01')).toEqual([])
  })

  test('of one file that differ are of nobody knows which port', () => {
    const two = nic({ 'dropIn 3': 5 }) + nic({ 'dropIn 3': 70 })
    expect(found({ ...PFC, 'gpu1/s.t0@0': two, 'gpu1/s.t1@300': two }, 'ctr01')).toEqual([])
  })

  test('of any values and times neither throw nor find more than rules know', () => {
    const reading = fc.record({ drops: fc.nat(), us: fc.nat(), at: fc.option(fc.nat(9)) })
    fc.assert(
      fc.property(fc.array(reading, { maxLength: 5 }), (list) => {
        const files = list.map(({ drops, us, at }, i) => [
          `gpu1/s.t${i}${at === null ? '' : `@${at}`}`,
          nic({ 'dropIn 3': drops, 'pauseTxUs 3': us }),
        ])
        const { findings } = diagnosed({ ...PFC, ...Object.fromEntries(files) })
        const severe = findings.filter(({ id, severity }) => id.startsWith('ctr') && severity !== 'note')
        expect(severe.length).toBeLessThan(list.length < 2 ? 1 : 4)
        expect(JSON.stringify(findings.map(({ values }) => values))).not.toMatch(/"(?:seconds|heldShare)":null/)
      }),
      { numRuns: 100 },
    )
  })
})
