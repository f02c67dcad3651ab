/**
 * Scenarios of fabrics: their devices, read back as configurations, have the values of the files; mistakes in the files are
 * in the scenario; and a scenario whose devices are taken for a fabric gives the same run again.
 */
import { knownOf } from '../../core/device-model/index.ts'
import { describe, expect, test } from 'vitest'
import { asicOf } from '../../doctor/platforms/platforms.ts'
import { InputError } from '../../core/base/issue.ts'
import { collectivesOf } from '../../core/results/index.ts'
import { configSnapshots, run, topologyOf } from '../../lab/index.ts'
import {
  type DeviceConfig,
  type Device,
  type Fabric,
  type Link,
  type PortConfig,
  type PortSettings,
  UNKNOWN_JOB,
  UNKNOWN_POOL,
  type Value,
} from '../../doctor/index.ts'
import { host, SONIC } from '../../doctor/diagnosis/rules/planted/clean.test-data.ts'
import { MIXED } from '../../doctor/diagnosis/rules/planted/mixed.test-data.ts'
import { type Edit, edited, fabricFrom } from '../../doctor/diagnosis/rules/planted/planted.test-data.ts'
import { type Scenario, scenarioOf } from '../../lab/scenario/index.ts'
import { fabricScenario, type FabricScenario } from './fabric.ts'
import { PAGE_KINDS } from './page.ts'
import { readTraffic, STANDARD_TRAFFIC, type Traffic } from './traffic.ts'

const madeOf = (fabric: Fabric, traffic: Traffic = STANDARD_TRAFFIC): FabricScenario =>
  fabricScenario(fabric, { name: 'fabric', traffic, concerned: [], asicOf })
const devicesOf = (scenario: Scenario): readonly DeviceConfig[] =>
  [...configSnapshots(scenario, topologyOf(scenario))][0]!.devices

/** Ports of a device in the order of its links, which is that of a scenario. */
const linkedPorts = (fabric: Fabric, device: string): (PortConfig | null)[] =>
  fabric.linksOf(device).flatMap(({ ends }) => ends.filter((end) => end.device === device).map(({ config }) => config))

const DSCPS = [26, 48]

/** Values of a port that a scenario has, as far as they are known. */
function valuesOf({ dscpToClass, pfcClasses, mtuBytes, rateBps, classes }: PortSettings, isHost: boolean): object {
  const of = (value: Value | undefined): unknown => knownOf(value)
  const { alpha, headroomBytes, reserveBytes, xonBytes, xonOffsetBytes, ...marks } = classes[3] ?? {}
  const schedule = knownOf(classes[6]?.schedule)
  return {
    pfcClasses: of(pfcClasses),
    mtuBytes: of(mtuBytes),
    rateBps: of(rateBps),
    ...(isHost
      ? {}
      : {
          map: DSCPS.map((dscp) => of(dscpToClass[dscp])),
          buffer: [alpha, headroomBytes, reserveBytes, xonBytes, xonOffsetBytes].map(of),
          marks: [marks.marks, marks.kminBytes, marks.kmaxBytes, marks.pmaxRatio].map(of),
          strict: schedule,
        }),
  }
}

/** All values of a file by their paths, without those that it does not tell. */
function flat(value: unknown, at = ''): Map<string, unknown> {
  if (value === undefined) return new Map()
  if (typeof value !== 'object' || value === null) return new Map([[at, value]])
  return new Map(Object.entries(value).flatMap(([key, each]) => [...flat(each, `${at}.${key}`)]))
}

describe.each([
  ['SONiC', SONIC, 16],
  ['five languages', MIXED, 20],
] as const)('a clean fabric of %s', (_, files, ports) => {
  const fabric = fabricFrom(files)
  const made = madeOf(fabric)
  const scenario = scenarioOf(made.scenario)
  const devices = new Map(devicesOf(scenario).map((device) => [device.device, device]))

  test('has the values of its files at every port', () => {
    let compared = 0
    for (const { name, device } of made.names) {
      const isHost = name.startsWith('host')
      const [own, read] = [linkedPorts(fabric, device), devices.get(name)!.ports]
      expect(read.length).toBe(own.length)
      for (const [i, port] of own.entries()) {
        // Shares of a queue whose size is not known are no thresholds.
        if (port === null || knownOf(port.settings.classes[3]?.kminRatio) !== undefined) continue
        compared++
        const stated = flat(valuesOf(port.settings, isHost))
        const simulated = flat(valuesOf(read[i]!.settings, isHost))
        const same = [...stated.keys()].map((key): [string, unknown] => [key, simulated.get(key)])
        expect([device, port.name, new Map(same)]).toEqual([device, port.name, stated])
      }
    }
    expect(compared).toBe(ports - (files === MIXED ? 2 : 4))
  })

  test('has the lengths of the list, and the timeouts of the job', () => {
    const delays = topologyOf(scenario).links.map(({ delayPs }) => delayPs)
    expect(delays).toEqual(fabric.links.map(({ cableM }) => cableM * 5000))
    expect([scenario.qp.ackTimeout, scenario.qp.retryLimit]).toEqual([4_096_000 * 2 ** 20, 7])
    expect([scenario.frames.payload, scenario.congestion.kind, scenario.nic.watchdog]).toEqual([
      4096,
      'dcqcn-connectx4',
      100e9,
    ])
  })

  test('says once of each key at each place where its value is from', () => {
    const { page } = made
    const keys = page.map(({ key, device, port }) => JSON.stringify([key, device, port]))
    expect(new Set(keys).size).toBe(keys.length)
    expect(page.every(({ kind }) => PAGE_KINDS.includes(kind))).toBe(true)
    expect(page.filter(({ kind, reason }) => (kind === 'assumed' || kind === 'left out') && reason === '')).toEqual([])
    // The list of links and maps that are whole have no line.
    const unsourced = page.filter(({ kind, file }) => kind === 'taken' && file === '').map(({ key }) => key)
    expect([...new Set(unsourced)]).toEqual(['topology.links delay'])
  })

  test('loses nothing', () => {
    const { counters } = run(scenario)
    expect(Object.values(counters.drops).reduce((sum, count) => sum + count, 0)).toBe(0)
  })
})

test('pools, hardware and watchdogs are those of the files', () => {
  const { scenario } = madeOf(fabricFrom(SONIC))
  const { switch: at } = scenarioOf(scenario)
  expect(at.buffer).toMatchObject({
    ingressPool: 60e6,
    headroomPool: 16e6,
    size: null,
    alpha: 1 / 8,
    lossy: { alpha: 8 },
  })
  expect(at.watchdog).toMatchObject({ kind: 'broadcom', detectionTime: 400e9, restorationTime: 400e9, action: 'drop' })
  expect(scenarioOf(madeOf(fabricFrom(MIXED)).scenario).changes).toContainEqual(
    expect.objectContaining({ path: 'switch.family', value: 'th5', nodes: 'switch 6, switch 10' }),
  )
})

/** Mistakes of files, and the change of the scenario that each is. */
const MISTAKES: readonly (readonly [name: string, edit: Edit, change: object])[] = [
  [
    'no PFC at one end',
    ['h1/mlnx_qos.txt', 'enabled     0   0   0   1', 'enabled     0   0   0   0'],
    { path: 'pfc.classes', value: '[]', nodes: 'host 0' },
  ],
  [
    'a NIC that trusts tags',
    ['h1/mlnx_qos.txt', 'trust state: dscp', 'trust state: pcp'],
    { path: 'nic.trust', value: 'pcp', nodes: 'host 0' },
  ],
  [
    'a map that is lossy at one hop',
    ['spine/config_db.json', '"26":"3"', '"26":"1"'],
    { path: 'classes.dscpMap', value: '["0-63: 0","26: 1","48: 6"]', nodes: 'switch 6' },
  ],
  [
    'alpha of 1/64',
    ['spine/config_db.json', '"dynamic_th":"-3"', '"dynamic_th":"-6"'],
    { path: 'switch.buffer.alpha', value: '0.015625', nodes: 'switch 6' },
  ],
  [
    'little headroom',
    ['leaf1/config_db.json', '"xoff":"240000"', '"xoff":"9000"'],
    { path: 'switch.buffer.headroom', value: '9KB', nodes: 'switch 4' },
  ],
  [
    'no ECN',
    ['spine/config_db.json', '"ecn":"ecn_all"', '"ecn":"ecn_none"'],
    { path: 'switch.ecn', value: '{"classes":[3],"kmin":"1TB","kmax":"1TB","pmax":0}', nodes: 'switch 6' },
  ],
  [
    'an MTU that is too small',
    ['spine/config_db.json', '"mtu":"9100"', '"mtu":"1500"'],
    { path: 'switch.mtu', value: '1.5KB', nodes: 'switch 6' },
  ],
  [
    'a NIC without a watchdog',
    ['h1/tunable.txt', 'pfc-prevention-tout: 100', 'pfc-prevention-tout: 0'],
    { path: 'nic.watchdog', value: 'off', nodes: 'host 0' },
  ],
]

test.each(MISTAKES)('%s is a change', (_, edit, change) => {
  const { changes } = scenarioOf(madeOf(fabricFrom(edited(SONIC, [edit]))).scenario)
  const clean = scenarioOf(madeOf(fabricFrom(SONIC)).scenario)
  const texts = new Set(clean.changes.map((each) => JSON.stringify(each)))
  const fresh = changes.filter((each) => !texts.has(JSON.stringify(each)))
  expect(fresh).toContainEqual(expect.objectContaining(change))
})

test('a host without rate control sends and receives without it, and all others with it', () => {
  const off = Array.from({ length: 8 }, (_, c): Edit => [
    'h1/sysfs.txt',
    `roce_rp/enable/${c}:1`,
    `roce_rp/enable/${c}:0`,
  ])
  const { workload } = scenarioOf(madeOf(fabricFrom(edited(SONIC, off))).scenario)
  const flows = workload.map((each) => (each.kind === 'trace' ? each.flows : []))
  expect(workload.map(({ congestion }) => congestion?.kind)).toEqual([undefined, 'none'])
  expect(flows[0]!.some((line) => /^(0 |\d 0 )/.test(line))).toBe(false)
  expect(flows[1]!.every((line) => /^(0 |\d 0 )/.test(line))).toBe(true)
})

test('pauses of the whole link are left out, and said with their line', () => {
  const { page } = madeOf(fabricFrom(edited(SONIC, [['h1/ethtool-a.txt', 'RX:\t\toff', 'RX:\t\ton']])))
  const entry = page.find(({ key }) => key === 'takesGlobalPause')
  expect(entry).toMatchObject({ kind: 'left out', device: 'h1', port: 'eth1', file: 'h1/ethtool-a.txt', line: 3 })
})

test('a device without files is a host where it has one link, with what is usual', () => {
  const { 'edges.csv': edges = '' } = SONIC
  const files = { ...SONIC, 'edges.csv': `${edges}h9,eth1,leaf2,Ethernet8,\n` }
  const { names, page, scenario } = madeOf(fabricFrom(files))
  expect(names).toContainEqual({ name: 'host 4 (h9)', device: 'h9' })
  expect(topologyOf(scenarioOf(scenario)).links.at(-1)).toMatchObject({ rateBps: 400e9, delayPs: 25_000 })
  expect(page.filter(({ device, kind }) => device === 'h9' && kind !== 'assumed')).toEqual([])
})

test('parallel links are kept', () => {
  const { 'edges.csv': edges = '' } = SONIC
  const files = { ...SONIC, 'edges.csv': `${edges}leaf1,Ethernet68,spine,Ethernet8,40\n` }
  expect(topologyOf(scenarioOf(madeOf(fabricFrom(files)).scenario)).links).toHaveLength(7)
})

test('one host alone is a mistake', () => {
  const files = { ...host('h1', 'leaf1', 'Ethernet0'), 'edges.csv': 'device_a,port_a,device_b,port_b,cable_m\n' }
  expect(() => madeOf(fabricFrom(files))).toThrow(InputError)
  expect(() => madeOf(fabricFrom(SONIC), { kind: 'storm', host: 'h7' })).toThrow(InputError)
})

test.each(['permutation:0.6', 'storm:h2', 'incast:2'])('traffic %s runs', (text) => {
  const { scenario } = madeOf(fabricFrom(SONIC), readTraffic(text))
  const { workload, faults } = scenarioOf(scenario)
  expect(workload.flatMap((each) => (each.kind === 'trace' ? each.flows : [])).length).toBeGreaterThan(7)
  expect(faults.map((fault) => ('hosts' in fault ? fault.hosts : ''))).toEqual(text === 'storm:h2' ? ['host 1'] : [])
})

const NCCL = 'NCCL_DEBUG=INFO\nNCCL_PXN_DISABLE=1\nNCCL_MIN_CTAS=4\n'

test.each([
  ['', { algorithm: 'ring', crossNic: false, channels: 1 }],
  [NCCL, { algorithm: 'ring', crossNic: true, channels: 4 }],
  [`${NCCL}NCCL_CROSS_NIC=0\n`, { crossNic: false }],
  [`${NCCL}NCCL_ALGO=Tree\n`, { algorithm: 'double-binary-tree' }],
])('an all-reduce is laid out by the environment of the job: %j', (env, expected) => {
  const { scenario } = madeOf(
    fabricFrom({ ...SONIC, 'h1/nccl.env': env, 'h2/nccl.env': env }),
    readTraffic('all-reduce:1MiB'),
  )
  const [workload] = scenarioOf(scenario).workload
  expect(workload).toMatchObject({ kind: 'collective', channelsBy: 'nccl', ranks: 'port', size: 2 ** 20, ...expected })
  expect(collectivesOf(run(scenarioOf(scenario)))).toHaveLength(1)
})

test.each([
  'incast',
  'incast:0',
  'all-reduce:',
  'all-reduce:3B',
  'all-reduce:1TiB',
  'incast:x',
  'permutation:1.5',
  'permutation:0',
  'storm:',
  'flood:3',
  '',
])('traffic %j is a mistake', (text) => {
  expect(() => readTraffic(text)).toThrow(Error)
})

/** The devices of a scenario as a fabric. Pools and timeouts are in no configuration of a scenario: they are added. */
function fabricOfScenario(scenario: Scenario): Fabric {
  const topology = topologyOf(scenario)
  const set = <T extends number | string>(value: T): Value<T> => ({ state: 'set', value })
  const { buffer } = scenario.switch
  const pools =
    buffer.kind === 'memory-manager' && buffer.ingressPool !== null
      ? [
          {
            ...UNKNOWN_POOL,
            side: set('ingress'),
            sizeBytes: set(buffer.ingressPool),
            sharedHeadroomBytes: set(buffer.headroomPool ?? 0),
          },
        ]
      : []
  const job = { ...UNKNOWN_JOB, ncclIbTimeout: set(20), ncclIbRetryCount: set(7) }
  const devices = new Map(
    devicesOf(scenario).map((own) => {
      const settings = 'watchdog' in own.settings ? { ...own.settings, pools } : { ...own.settings, job }
      const config: DeviceConfig = { ...own, settings }
      const device: Device = {
        config,
        isComplete: true,
        forms: [],
        unread: [],
        conflicts: [],
        references: [],
        neighbours: [],
        marks: [],
        readings: [],
      }
      return [own.device, device] as const
    }),
  )
  const counts = topology.names.map(() => 0)
  const endOf = (node: number) => {
    const device = topology.names[node]!
    const at = devices.get(device)!
    const config = at.config.ports[counts[node]!++]!
    return { device, port: config.name, at, config }
  }
  const links = topology.links.map(({ a, b }): Link => ({
    ends: [endOf(a), endOf(b)],
    cableM: NaN,
    source: 'list',
  }))
  const cabled = links.map((link, i): Link => ({ ...link, cableM: topology.links[i]!.delayPs / 5000 }))
  return {
    devices,
    links: cabled,
    peerConflicts: [],
    unknownPorts: [],
    linksOf: (name) => cabled.filter(({ ends }) => ends.some(({ device }) => device === name)),
  }
}

test.each([
  ['a clean fabric', []],
  ['a map that is lossy at one hop', [['spine/config_db.json', '"26":"3"', '"26":"1"']]],
  ['no PFC at one end', [['h1/mlnx_qos.txt', 'enabled     0   0   0   1', 'enabled     0   0   0   0']]],
  ['little headroom', [['leaf1/config_db.json', '"xoff":"240000"', '"xoff":"9000"']]],
] as readonly (readonly [string, readonly Edit[]])[])('%s gives the same run from its scenario', (_, edits) => {
  const first = scenarioOf(madeOf(fabricFrom(edited(SONIC, edits))).scenario)
  const again = scenarioOf(madeOf(fabricOfScenario(first)).scenario)
  expect(run(again).digest).toBe(run(first).digest)
})

test('queues without a share of bandwidth change nothing of the shares of the others', () => {
  const share = (group: string, percent: number): string =>
    `  class type queuing c-out-8q-q${group}\n    bandwidth remaining percent ${percent}\n`
  const text = `!Command: show running-config
hostname n9k
policy-map type network-qos N
  class type network-qos c-8q-nq5
    pause pfc-cos 5
policy-map type queuing Q
${share('5', 70)}${share('1', 0)}${share('2', 0)}${share('-default', 15)}system qos
  service-policy type network-qos N
  service-policy type queuing output Q
interface Ethernet1/1
  priority-flow-control mode on
  no shutdown
interface Ethernet1/2
  priority-flow-control mode on
  no shutdown
`
  const edges = ['h1', 'h2'].map((deviceA, i) => ({
    deviceA,
    portA: 'eth2',
    deviceB: 'n9k',
    portB: `Ethernet1/${i + 1}`,
    cableM: 5,
  }))
  const { scenario } = madeOf(fabricFrom({ 'n9k/run.cfg': text }, {}, edges))
  const { weights } = scenarioOf(scenario).switch
  expect(weights[5]! / (weights[5]! + weights[0]!)).toBeCloseTo(70 / 85, 6)
  expect([weights[1], weights[2]]).toEqual([0.01, 0.01])
})
