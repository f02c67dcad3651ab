/**
 * Drift on scenarios: differences that were planted, each named once, and nothing else.
 */
import { expect, test } from 'vitest'
import type { Finding, Spot } from '../../../core/findings/index.ts'
import { driftOf, roleDriftOf, type Snapshot } from '../../../doctor/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { configSnapshots } from './device-configs.ts'
import { topologyOf } from '../scenario-topology.ts'

const BASE = `
name: fabric
topology: {kind: leaf-spine, leaves: 4, spines: 3, hostsPerLeaf: 3, hostRate: 100Gbps, fabricRate: 400Gbps}
switch: {buffer: {kind: shared-buffer, size: 12MB}, watchdog: broadcom, layer2: tables}
nic: {watchdog: 100ms}
congestion: dcqcn
workload: [{kind: incast, senders: 2, receiver: 0}]
`

const snapshotsOf = (sets: readonly string[]): Iterable<Snapshot> => {
  const scenario = parseScenario(BASE, { sets: [...sets] })
  return configSnapshots(scenario, topologyOf(scenario))
}

interface Planted {
  readonly field: string
  /** Entries of the list `changes`, or an override. */
  readonly changes?: readonly string[]
  readonly set?: string
  readonly device: string
  readonly desired: unknown
  readonly running: unknown
  readonly rule: string | null
  readonly more?: Readonly<Record<string, unknown>>
  readonly atPs?: number
  readonly port?: string
  readonly devices?: number
}

const change = (path: string, value: string, where: string): string => `{path: ${path}, value: ${value}, ${where}}`

/** At one device or several, of ports, of classes, of all devices, and some that begin later. */
const PLANTED: readonly Planted[] = [
  {
    field: 'alpha',
    changes: [change('switch.buffer.alpha', '1/64', 'nodes: leaf 1')],
    device: 'leaf 1',
    desired: 1 / 16,
    running: 1 / 64,
    rule: 'alpha-smaller',
  },
  {
    field: 'alpha',
    changes: [change('switch.buffer.byClass', '[{class: 3, alpha: 1/8}]', 'nodes: leaf 2')],
    device: 'leaf 2',
    desired: 1 / 16,
    running: 1 / 8,
    rule: 'alpha-larger',
    more: { classes: [3] },
  },
  {
    field: 'kminBytes',
    changes: [change('switch.ecn.kmin', '50KB', 'nodes: spine 0')],
    device: 'spine 0',
    desired: 5000,
    running: 50_000,
    rule: 'marking',
    more: { classes: [3] },
  },
  {
    field: 'kmaxBytes',
    changes: [change('switch.ecn.kmax', '400KB', 'nodes: "spine 1, spine 2"')],
    device: 'spine 1',
    desired: 200_000,
    running: 400_000,
    rule: 'marking',
    devices: 2,
  },
  {
    field: 'pmaxRatio',
    changes: [change('switch.ecn.pmax', '0.1', 'nodes: leaf 0, ports: host 1')],
    device: 'leaf 0',
    port: 'host 1',
    desired: 0.01,
    running: 0.1,
    rule: 'marking',
    more: { ports: ['2'] },
  },
  {
    field: 'marks',
    changes: [change('switch.ecn.classes', '[3, 5]', 'nodes: leaf 3')],
    device: 'leaf 3',
    desired: false,
    running: true,
    rule: 'marking',
    more: { classes: [5] },
  },
  {
    field: 'pfcClasses',
    changes: [change('pfc.classes', '[]', 'nodes: leaf 1, ports: host 4')],
    device: 'leaf 1',
    port: 'host 4',
    desired: [3],
    running: [],
    rule: 'pfc-ends',
  },
  {
    field: 'pfcClasses',
    changes: [change('pfc.classes', '[3, 4]', 'nodes: host 7')],
    device: 'host 7',
    desired: [3],
    running: [3, 4],
    rule: 'pfc-ends',
  },
  {
    field: 'headroomBytes',
    changes: [change('switch.buffer.headroom', '9KB', 'nodes: leaf 2, ports: up, at: 3us')],
    device: 'leaf 2',
    desired: 'strict',
    running: 9000,
    rule: 'headroom',
    atPs: 3_000_000,
    more: { ports: ['4', '5', '6'] },
  },
  {
    field: 'cableM',
    changes: [change('switch.buffer.believedDelay', '5m', 'nodes: leaf 0, ports: hosts')],
    device: 'leaf 0',
    desired: 200,
    running: 5,
    rule: 'headroom',
    more: { ports: ['1', '2', '3'] },
  },
  {
    field: 'dscpToClass',
    changes: [change('classes.dscpMap', '["3: 0"]', 'nodes: spine 2')],
    device: 'spine 2',
    desired: 3,
    running: 0,
    rule: 'class-map',
    more: { dscps: [3] },
  },
  {
    field: 'dscpToClass',
    changes: [change('classes.dscpMap', '["24-31: 3"]', 'nodes: leaf 3')],
    device: 'leaf 3',
    desired: 0,
    running: 3,
    rule: 'class-map',
    more: { dscps: [24, 25, 26, 27, 28, 29, 30, 31] },
  },
  {
    field: 'watchdog.kind',
    changes: [change('switch.watchdog', 'off', 'nodes: leaf 0')],
    device: 'leaf 0',
    desired: 'broadcom',
    running: 'off',
    rule: 'no-watchdog',
  },
  {
    field: 'watchdog.detectionPs',
    changes: [change('switch.watchdog.detectionTime', '400ms', 'nodes: leaf 2, at: 5us')],
    device: 'leaf 2',
    desired: 2e11,
    running: 4e11,
    rule: 'watchdog-times',
    atPs: 5_000_000,
  },
  {
    field: 'mtuBytes',
    changes: [change('switch.mtu', '1000B', 'nodes: leaf 2, ports: host 8')],
    device: 'leaf 2',
    port: 'host 8',
    desired: 'any',
    running: 1000,
    rule: 'mtu',
  },
  {
    field: 'trust',
    changes: [change('nic.trust', 'pcp', 'nodes: host 3')],
    device: 'host 3',
    desired: 'dscp',
    running: 'pcp',
    rule: 'trust',
  },
  {
    field: 'nic.pauseWatchdogPs',
    changes: [change('nic.watchdog', 'off', 'nodes: "host 0, host 1"')],
    device: 'host 0',
    desired: 1e11,
    running: 'off',
    rule: 'nic-watchdog',
    devices: 2,
  },
  {
    field: 'schedule',
    changes: [change('switch.strictClasses', '[3, 6, 7]', 'nodes: spine 1')],
    device: 'spine 1',
    desired: 'round-robin',
    running: 'strict',
    rule: 'starving',
    more: { classes: [3] },
  },
  {
    field: 'rateControl',
    set: 'congestion=none',
    device: 'host 0',
    desired: 'dcqcn',
    running: 'none',
    rule: 'no-rate-control',
    devices: 12,
  },
  {
    field: 'macAgeSeconds',
    set: 'switch.layer2.macSeconds=200',
    device: 'leaf 0',
    desired: 300,
    running: 200,
    rule: 'flooding',
    devices: 7,
  },
]

function running(planted: readonly Planted[]): string[] {
  const changes = planted.flatMap((each) => each.changes ?? [])
  return [...planted.flatMap(({ set }) => set ?? []), `changes=[${changes.join(', ')}]`]
}

const spotsOf = ({ subject, values, also }: Finding): Spot[] => [{ subject, values }, ...also]

function expectOnce(findings: readonly Finding[], planted: Planted): void {
  const { field, device, desired, running: found, rule, more = {}, atPs, port, devices = 1 } = planted
  const its = findings.filter(({ subject, values }) => values['field'] === field && subject.device === device)
  expect(its.map(({ id }) => id)).toEqual(['config-drift'])
  const { subject, values } = its[0]!
  expect(values).toMatchObject({ field, desired, running: found, rule, ...more })
  expect([subject.port, subject.atPs]).toEqual([port, atPs])
  expect(new Set(spotsOf(its[0]!).map((spot) => spot.subject.device)).size).toBe(devices)
  expect(spotsOf(its[0]!)).toHaveLength(devices)
}

test('twenty differences are planted', () => {
  expect(PLANTED).toHaveLength(20)
})

test.each(PLANTED)('$field at $device is named once, and nothing else', (planted) => {
  const findings = driftOf(snapshotsOf([]), snapshotsOf(running([planted])))
  expect(findings).toHaveLength(1)
  expectOnce(findings, planted)
})

test('all of them together are named once each, and nothing else', () => {
  const findings = driftOf(snapshotsOf([]), snapshotsOf(running(PLANTED)))
  for (const planted of PLANTED) expectOnce(findings, planted)
  expect(findings).toHaveLength(20)
})

test('the same configurations have no drift, however they are written', () => {
  expect(driftOf(snapshotsOf(running(PLANTED)), snapshotsOf(running(PLANTED)))).toEqual([])
  const one = ['changes=[{path: switch.buffer.alpha, value: 0.0625, nodes: leaf 1}]', 'classes.dscpMap=["3: 3"]']
  const other = ['pfc={classes: [3]}', 'switch.buffer.believedDelay=200m']
  expect(driftOf(snapshotsOf(one), snapshotsOf(other))).toEqual([])
})

test('what runs as desired from a time on, and not before, is drift from the start', () => {
  const late = ['changes=[{path: switch.buffer.alpha, value: 1/64, nodes: leaf 1, at: 2us}]']
  const early = ['changes=[{path: switch.buffer.alpha, value: 1/64, nodes: leaf 1}]']
  const [only, ...more] = driftOf(snapshotsOf(late), snapshotsOf(early))
  expect(more).toEqual([])
  expect(only!.subject).toEqual({ device: 'leaf 1' })
  const times = driftOf(snapshotsOf(early), snapshotsOf([...late])).map(({ subject }) => subject.atPs)
  expect(times).toEqual([undefined])
})

test('devices of one side are said once, and the ports to them not at all', () => {
  const findings = driftOf(snapshotsOf([]), snapshotsOf(['topology.leaves=3']))
  expect(findings.map(({ id, values }) => [id, values])).toEqual([
    ['device-on-one-side', { side: 'desired', devices: 4 }],
  ])
  expect(spotsOf(findings[0]!).map(({ subject }) => subject.device)).toEqual(['host 9', 'host 10', 'host 11', 'leaf 3'])
})

test('a cable to another switch is said once', () => {
  const graph = (links: string) => {
    const topology = `{kind: graph, nodes: 4, switches: [2, 3], links: [${links}, 2 3 40Gbps 1us]}`
    return snapshotsOf([`topology=${topology}`])
  }
  const links = (a: number, b: number): string => `0 ${a} 40Gbps 1us, 1 ${b} 40Gbps 1us`
  const found = driftOf(graph(links(2, 3)), graph(links(3, 2)))
  expect(
    found.map(({ subject, values }) => [subject.device, values['field'], values['desired'], values['running']]),
  ).toEqual([
    ['host 0', 'peer', 'switch 2', 'switch 3'],
    ['host 1', 'peer', 'switch 3', 'switch 2'],
  ])
})

test('by roles: those that differ are named once, and values that all of a role have are not', () => {
  expect(roleDriftOf(snapshotsOf([]))).toEqual([])
  const alike = PLANTED.filter(({ devices = 1, set }) => devices === 1 && set === undefined)
  for (const planted of alike) {
    const findings = roleDriftOf(snapshotsOf(running([planted])))
    expect(findings.map(({ id, subject, values }) => [id, subject.device, subject.atPs, values['field']])).toEqual([
      ['differs-in-role', planted.device, planted.atPs, planted.field],
    ])
  }
  expect(roleDriftOf(snapshotsOf(['congestion=none', 'switch.layer2.macSeconds=200']))).toEqual([])
})
