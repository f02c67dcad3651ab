/**
 * Tables of SONiC's commands, its counters in COUNTERS_DB, and its tables of headroom.
 */
import { expect, test } from 'vitest'
import { type Facts, readFile } from '../index.ts'

function factsOf(text: string, dialect: string, command = ''): Facts {
  const { parts, unknown } = readFile('out.txt', text, command)
  expect(parts.map((part) => part.dialect.name)).toEqual([dialect])
  expect(unknown).toEqual([])
  return parts[0]!.facts
}
/** Counts as "port priority name value". */
const countsOf = ({ counts }: Facts): string[] =>
  counts.map(({ port, priority, name, value }) => `${port} ${priority} ${name} ${value}`)
const setting = (facts: Facts, port: string, name: string): unknown => facts.ports.get(port)?.values.get(name)

const PFC = `\
  Port Rx    PFC0    PFC1    PFC2    PFC3
---------  ------  ------  ------  ------
Ethernet0       0     N/A       2   1,234

  Port Tx    PFC0    PFC1    PFC2    PFC3
---------  ------  ------  ------  ------
Ethernet0       5       0       0  12,345,678
`

test('PFC frames: commas part thousands, and N/A is no number', () => {
  const facts = factsOf(PFC, 'sonic-pfc-counters')
  expect(countsOf(facts)).toEqual([
    'Ethernet0 0 pfcRxFrames 0',
    'Ethernet0 2 pfcRxFrames 2',
    'Ethernet0 3 pfcRxFrames 1234',
    'Ethernet0 0 pfcTxFrames 5',
    'Ethernet0 1 pfcTxFrames 0',
    'Ethernet0 2 pfcTxFrames 0',
    'Ethernet0 3 pfcTxFrames 12345678',
  ])
  expect(facts.counts[2]).toMatchObject({ bits: 64, line: { number: 3 } })
  expect(facts.remainder).toEqual([])
  expect(facts.truncated).toBe(null)
  expect(countsOf(factsOf(PFC.replaceAll('\n', '\r\n'), 'sonic-pfc-counters'))).toEqual(countsOf(facts))
  expect(countsOf(factsOf(PFC.replace(/ {2,}/g, '\t'), 'sonic-pfc-counters'))).toHaveLength(7)
})

test('an output that ends within a row, or before its second table, is not whole', () => {
  const row = PFC.indexOf('12,345,678')
  expect(factsOf(PFC.slice(0, row), 'sonic-pfc-counters').truncated).toMatchObject({ line: { number: 7 } })
  expect(factsOf(PFC.slice(0, PFC.indexOf('  Port Tx')), 'sonic-pfc-counters').truncated).not.toBe(null)
  expect(factsOf(`${PFC}admin@leaf1:~$ `, 'sonic-pfc-counters').truncated).toBe(null)
})

test('watermarks of groups are known by the lines above their tables', () => {
  const table = (title: string, value: number): string =>
    `${title}\n     Port  PG0  PG3  PG12\n---------  ---  ---  ----\nEthernet0    0  ${value}     1\n`
  const text =
    table('Ingress headroom per PG: (Namespace asic0)', 100) +
    table('Ingress shared pool occupancy per PG:', 200) +
    table('Ingress PG dropped packets:', 300)
  expect(countsOf(factsOf(text, 'sonic-pg-watermark'))).toEqual([
    'Ethernet0 0 headroomMax 0',
    'Ethernet0 3 headroomMax 100',
    'Ethernet0 0 sharedMax 0',
    'Ethernet0 3 sharedMax 200',
    'Ethernet0 0 dropIn 0',
    'Ethernet0 3 dropIn 300',
  ])
})

test('queues: those of unicast packets are the classes', () => {
  const text = `\
For namespace :
     Port    TxQ    Counter/pkts    Counter/bytes    Drop/pkts    Drop/bytes
---------  -----  --------------  ---------------  -----------  ------------
Ethernet0    UC3           1,000          100,000            7           700
Ethernet0    UC8               9                9            9             9
Ethernet0   MC10              83               96           74             9
Ethernet0  ALL20             N/A              N/A          N/A           N/A
`
  const facts = factsOf(text, 'sonic-queue-counters')
  expect(countsOf(facts)).toEqual(['Ethernet0 3 txPackets 1000', 'Ethernet0 3 txBytes 100000', 'Ethernet0 3 dropOut 7'])
  expect(facts.remainder).toEqual([])
  const marked = `     Port    TxQ    EcnMarked/pkts\n---------  -----  ----------------\nEthernet0    UC3        32,098,257\n`
  expect(countsOf(factsOf(marked, 'sonic-queue-counters'))).toEqual(['Ethernet0 3 ecnMarked 32098257'])
})

test('ports: rates are values of two words, and a port that is up says so', () => {
  const text = `\
    IFACE    STATE    RX_OK        RX_BPS    RX_ERR    RX_DRP    TX_OK    TX_DRP
---------  -------  -------  ------------  --------  --------  -------  --------
Ethernet0        U    1,008  2000.00 MB/s        10       100       11       N/A
Ethernet4        D        4           N/A         0         0        0         0
Ethernet8      N/A        4           N/A         0         0        0         0
`
  const facts = factsOf(text, 'sonic-interfaces-counters')
  expect(countsOf(facts).slice(0, 4)).toEqual([
    'Ethernet0 -1 rxPackets 1008',
    'Ethernet0 -1 crcErrors 10',
    'Ethernet0 -1 dropInPort 100',
    'Ethernet0 -1 txPackets 11',
  ])
  expect(setting(facts, 'Ethernet0', 'isUp')).toMatchObject({ state: 'operational', value: true })
  expect(setting(facts, 'Ethernet4', 'isUp')).toMatchObject({ value: false })
  expect(facts.ports.has('Ethernet8')).toBe(false)
})

test('times of pauses by their history', () => {
  const text = `\
     Port    Priority    RX Pause Transitions    Total RX Pause Time US    Recent RX Pause Time US    Recent RX Pause Timestamp
---------  ----------  ----------------------  ------------------------  -------------------------  ---------------------------
Ethernet0        PFC3                      12                12,000,000                  1,200,000         01/10/2008, 21:20:00
Ethernet0        PFC4                     N/A                       N/A                        N/A                          N/A
`
  expect(countsOf(factsOf(text, 'sonic-pfc-history'))).toEqual([
    'Ethernet0 3 pauseRxTransitions 12',
    'Ethernet0 3 pauseRxUs 12000000',
  ])
})

test('lossless priorities in force; an entry without them says nothing', () => {
  const text = `
Interface    Lossless priorities
-----------  ---------------------
Ethernet0    3,4
Ethernet4    N/A
global       N/A
`
  const facts = factsOf(text, 'sonic-pfc-priority')
  expect(setting(facts, 'Ethernet0', 'pfcClasses')).toMatchObject({ state: 'operational', value: [3, 4] })
  expect([...facts.ports.keys()]).toEqual(['Ethernet0'])
  const asymmetric = 'Interface    Asymmetric\n-----------  ------------\nEthernet0    on\nEthernet4    N/A\n'
  expect(setting(factsOf(asymmetric, 'sonic-pfc-asymmetric'), 'Ethernet0', 'isPfcAsymmetric')).toMatchObject({
    value: true,
  })
})

test('marks and drops of queues are those of the platform that counts them', () => {
  const text = `\
     Port    TxQ    WredDrp/pkts    WredDrp/bytes    EcnMarked/pkts    EcnMarked/bytes
---------  -----  --------------  ---------------  ----------------  -----------------
Ethernet0    UC0             N/A              N/A               N/A                N/A
Ethernet0    UC3              52               70         1,032,731      1,549,096,500
`
  expect(countsOf(factsOf(text, 'sonic-queue-wred'))).toEqual([
    'Ethernet0 3 dropOut 52',
    'Ethernet0 3 ecnMarked 1032731',
  ])
})

test('the watchdog: storms of queues, and times where all ports have them', () => {
  const stats = `\
      QUEUE       STATUS    STORM DETECTED/RESTORED    TX OK/DROP    RX OK/DROP
-----------  -----------  -------------------------  ------------  ------------
Ethernet0:3      stormed                        3/2       100/300       100/300
`
  const storms = factsOf(stats, 'sonic-pfcwd-stats')
  expect(countsOf(storms)).toEqual(['Ethernet0 3 wdStorms 3', 'Ethernet0 3 wdRestores 2'])
  expect(setting(storms, 'Ethernet0', 'classes.3.isWatched')).toMatchObject({ value: true })
  const isStormed = { state: 'operational', value: true, origin: { line: 3 } }
  expect(setting(storms, 'Ethernet0', 'classes.3.isStormed')).toMatchObject(isStormed)
  const over = factsOf(stats.replace('     stormed', ' operational'), 'sonic-pfcwd-stats')
  expect(setting(over, 'Ethernet0', 'classes.3.isStormed')).toMatchObject({ value: false })
  const config = `\
Changed polling interval to 200ms
BIG_RED_SWITCH status is enable
     PORT    ACTION    DETECTION TIME    RESTORATION TIME    HISTORY
---------  --------  ----------------  ------------------  ---------
Ethernet0      drop               400            infinite    disable
Ethernet4      drop               600            infinite    disable
`
  const { device, ports } = factsOf(config, 'sonic-pfcwd-config')
  expect(device.get('watchdog.pollPs')).toMatchObject({ state: 'operational', value: 200e9 })
  expect(device.get('watchdog.action')).toMatchObject({ value: 'drop' })
  expect(device.get('watchdog.restorationPs')).toMatchObject({ value: 'never' })
  expect(device.get('watchdog.detectionPs')).toEqual({ state: 'unknown' })
  expect(device.get('watchdog.kind')).toMatchObject({ value: 'off' })
  expect(ports.get('Ethernet4')!.values.get('other.PFC_WD.detection_time')).toMatchObject({ value: '600' })
})

test('neighbours: a host that announces an address has the name of its port in the description', () => {
  const text = `\
Capability codes: (R) Router, (B) Bridge, (O) Other
LocalPort    RemoteDevice    RemotePortID       Capability    RemotePortDescr
-----------  --------------  -----------------  ------------  ----------------------
Ethernet0    spine1          Ethernet1/51       BR            leaf1:Ethernet0
Ethernet4    host1           0c:42:a1:00:00:01  O             Interface 4 as eth1
Ethernet8                    Ethernet1/52       BR            nobody
eth0         mgmt            Ethernet1/25       BR            Ethernet1/25
--------------------------------------------------
Total entries displayed:  4
`
  const { neighbours, remainder } = factsOf(text, 'sonic-lldp')
  expect(neighbours.map(({ port, peerDevice, peerPort, source }) => [port, peerDevice, peerPort, source])).toEqual([
    ['Ethernet0', 'spine1', 'Ethernet1/51', 'lldp'],
    ['Ethernet4', 'host1', 'eth1', 'lldp'],
  ])
  expect(remainder).toEqual([])
})

const COUNTERS: Record<string, Record<string, string>> = {
  COUNTERS_PORT_NAME_MAP: { Ethernet0: 'oid:0x1' },
  COUNTERS_QUEUE_NAME_MAP: { 'Ethernet0:3': 'oid:0x3', 'Ethernet0:9': 'oid:0x3' },
  COUNTERS_PG_NAME_MAP: { 'Ethernet0:4': 'oid:0x4', 'Ethernet0:5': 'oid:0x99' },
  'COUNTERS:oid:0x1': {
    SAI_PORT_STAT_PFC_3_RX_PKTS: '18446744073709551615',
    SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION: '77',
    SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US: '5',
    EST_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US: '6',
    SAI_PORT_STAT_IF_IN_UCAST_PKTS: '10',
    SAI_PORT_STAT_IF_IN_NON_UCAST_PKTS: '2',
    SAI_PORT_STAT_IF_IN_DISCARDS: 'N/A',
  },
  'COUNTERS:oid:0x3': { SAI_QUEUE_STAT_DROPPED_PACKETS: '8', PFC_WD_STATUS: 'operational' },
  'COUNTERS:oid:0x4': { SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES: '9' },
}

test('COUNTERS_DB: objects are found by the names of ports, queues and groups, in both forms', () => {
  const dump = Object.fromEntries(Object.entries(COUNTERS).map(([key, value]) => [key, { type: 'hash', value }]))
  for (const tables of [COUNTERS, dump]) {
    const facts = factsOf(JSON.stringify(tables, undefined, 1), 'sonic-counters-db')
    expect(countsOf(facts)).toEqual([
      'Ethernet0 -1 rxPackets 12',
      'Ethernet0 3 pfcRxFrames 18446744073709552000',
      'Ethernet0 3 pauseRxUs 5',
      'Ethernet0 3 dropOut 8',
      'Ethernet0 4 headroomMax 9',
    ])
    expect(setting(facts, 'Ethernet0', 'classes.3.isWatched')).toMatchObject({ state: 'operational', value: true })
  }
})

test('a table of headroom has pairs of speed and cable; a row that is cut is none', () => {
  const text =
    '# speed cable size xon xoff threshold xon_offset\n 100000  5m 1248 2288 165568 0 2288\n 400000 40m 1 2 3 -1\n'
  const rows = [
    { rateBps: 100e9, cableM: 5 },
    { rateBps: 400e9, cableM: 40 },
  ]
  const facts = factsOf(text, 'sonic-pg-profile-lookup')
  expect(facts.switch.has('headroomTable')).toBe(true)
  expect(facts.device.get('headroomTable')).toMatchObject({ value: rows, origin: { line: 2 } })
  const cut = factsOf(`${text} 400000 300m 1248`, 'sonic-pg-profile-lookup')
  expect(cut.device.get('headroomTable')).toMatchObject({ value: rows })
  expect(cut.truncated).toMatchObject({ line: { number: 4 } })
})

test('numbers of a test are no configuration', () => {
  const facts = factsOf('qos_params:\n    th2:\n        cell_size: 208\n', 'sonic-mgmt-qos-params')
  expect([facts.kind, facts.device.size, facts.ports.size, facts.remainder]).toEqual([null, 0, 0, []])
})
