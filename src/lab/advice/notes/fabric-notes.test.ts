import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { gathered } from '../../../core/findings/index.ts'
import { DeviceConfigs, DeviceValues, run, topologyOf } from '../../index.ts'
import { numbersOf, type Result, textsOf } from '../../../core/results/index.ts'
import { parseScenario, type Scenario } from '../../scenario/index.ts'
import { FabricNotes } from './fabric-notes.ts'

const FOLDER = path.resolve(import.meta.dirname, '..', '..', '..', '..', 'scenarios')

const load = (name: string, ...sets: string[]): Scenario =>
  parseScenario(readFileSync(path.join(FOLDER, `${name}.yaml`), 'utf8'), { sets })

/** Id, device, other end and values of each note. */
function notesOf(scenario: Scenario): (readonly [string, string | undefined, string | undefined, object])[] {
  const topology = topologyOf(scenario)
  const notes = new FabricNotes(topology, new DeviceConfigs(topology, new DeviceValues(scenario, topology)), false)
  return gathered(notes.now()).map(({ id, subject: { device, port }, values }) => [id, device, port, values])
}
const runOf = (scenario: Scenario): Result => run(scenario, { check: true })
const droppedAt = ({ series }: Result): string[] => [...new Set(textsOf(series[0]!, 'nodeName'))]

const pausedHosts = ({ series }: Result): number[] =>
  [
    ...new Set([...numbersOf(series[1]!, 'node')].filter((_, row) => numbersOf(series[1]!, 'tier')[row] === 0)),
  ].toSorted((a, b) => a - b)

describe('one device set wrongly', () => {
  test('all set alike: nothing is lost and check finds nothing', () => {
    const scenario = load('wrong-pfc-one-end', 'changes=[]')
    expect(notesOf(scenario)).toEqual([])
    expect(runOf(scenario).counters.drops).toEqual({})
  })

  test('PFC at one end only: the pauses of the switch are ignored and its headroom overflows', () => {
    const scenario = load('wrong-pfc-one-end')
    const result = runOf(scenario)
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    expect(droppedAt(result)).toEqual(['leaf 1'])
    expect(notesOf(scenario)).toEqual([
      ['pfc01', 'host 5', 'leaf 1', expect.objectContaining({ here: [], there: [3], peer: 'leaf 1', use: 'used' })],
    ])
  })

  test('PFC off at the end that is the switch: it pauses nobody and drops', () => {
    const scenario = load('wrong-pfc-one-end', 'changes=[{path: pfc.classes, value: [], nodes: leaf 1, ports: host 5}]')
    const result = runOf(scenario)
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    expect(notesOf(scenario)).toEqual([
      ['pfc01', 'leaf 1', 'host 5', expect.objectContaining({ here: [], there: [3], peer: 'host 5', use: 'used' })],
    ])
  })

  test('another DSCP map on one switch: lossless packets are lossy there', () => {
    const scenario = load('wrong-dscp-map')
    const result = runOf(scenario)
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    expect(droppedAt(result)).toEqual(['leaf 1'])
    // Server 5 is paused by nobody: leaf 1 is its switch.
    expect(pausedHosts(result)).toEqual([0, 1, 2, 3])
    const map = expect.objectContaining({ dscp: 3, here: 0, there: 3 })
    expect(notesOf(scenario).find(([id]) => id === 'map01')).toEqual(['map01', 'leaf 1', 'spine 0', map])
    // The cause first: the rest follows from it.
    expect(notesOf(scenario).map(([id]) => id)).toEqual(['map04', 'map02', 'map01'])
  })

  test('a NIC that trusts the PCP sends untagged frames as class 0: pauses of class 3 do not stop it', () => {
    const scenario = load('wrong-trust')
    const result = runOf(scenario)
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    expect(droppedAt(result)).toEqual(['leaf 1'])
    const trust = expect.objectContaining({ trust: 'pcp', peerTrust: 'dscp', dscp: 3, there: 3 })
    expect(notesOf(scenario)[0]).toEqual(['map03', 'host 5', 'leaf 1', trust])
    const tagged = load('wrong-trust', 'switch.vlan.ports=trunk')
    expect(notesOf(tagged)).toEqual([])
    expect(runOf(tagged).counters.drops).toEqual({})
  })

  test('a wrong cable length: more arrives after XOFF than headroom holds', () => {
    const scenario = load('wrong-cable')
    const result = runOf(scenario)
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    expect(droppedAt(result)).toEqual(['leaf 1'])
    expect(notesOf(scenario)[0]).toEqual([
      'buf03',
      'leaf 1',
      'spine 0',
      expect.objectContaining({ setM: 2, cableM: 300 }),
    ])
    const longer = load('wrong-cable', 'changes.0.value=3us')
    expect(runOf(longer).counters.drops).toEqual({})
    expect(notesOf(longer)[0]?.[3]).toEqual(expect.objectContaining({ setM: 600, cableM: 300 }))
  })

  test('an MTU mismatch: full packets are dropped as oversize, and the message never ends', () => {
    const scenario = load('wrong-mtu')
    const result = runOf(scenario)
    expect(result.counters.drops['frame too long']).toBeGreaterThan(0)
    expect(textsOf(result.flows, 'status').filter((status) => status !== 'finished')).toHaveLength(1)
    expect(notesOf(scenario)[0]).toEqual(['mtu01', 'leaf 1', 'host 5', expect.objectContaining({ hereBytes: 1000 })])
  })

  test('trunk and access at the ends of a link: every frame is dropped', () => {
    const scenario = load(
      'wrong-mtu',
      'switch.vlan.ports=trunk',
      'changes=[{path: nic.vlan, value: untagged, nodes: host 5}]',
    )
    expect(runOf(scenario).counters.drops['VLAN']).toBeGreaterThan(0)
    expect(notesOf(scenario).map(([id, device, port]) => [id, device, port])).toEqual([
      ['vln02', 'host 5', 'leaf 1'],
      ['vln02', 'leaf 1', 'host 5'],
    ])
  })

  test('the running configuration of each switch and server is compared with the desired one ([MS-Scale] 5.1)', () => {
    const drifts = {
      'pfc.classes, value: [], nodes: leaf 1, ports: host 6': ['leaf 1', 'host 6'],
      'pfc.classes, value: [], nodes: spine 0, ports: leaf 0': ['spine 0', 'leaf 0'],
      'classes.dscpMap, value: ["3: 0"], nodes: spine 0': ['spine 0', undefined],
      'switch.buffer.believedDelay, value: 2us, nodes: leaf 0, ports: up': ['leaf 0', 'spine 0'],
      'nic.trust, value: pcp, nodes: host 7': ['host 7', 'leaf 1'],
      'nic.mtu, value: 500B, nodes: host 2': ['host 2', 'leaf 0'],
    }
    for (const [change, target] of Object.entries(drifts)) {
      const notes = notesOf(load('wrong-mtu', `changes=[{path: ${change}}]`))
      expect([change, notes.map(([, device, port]) => [device, port])[0]]).toEqual([change, target])
    }
    expect(notesOf(load('wrong-mtu', 'changes=[]'))).toEqual([])
  })
})
