import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { run, topologyOf } from '../lab/index.ts'
import { numbersOf, type Result, textsOf } from '../results/index.ts'
import { parseScenario, type Scenario } from '../scenario/index.ts'
import { wrongSettingNotes, wrongSettings } from './wrong-settings.ts'

const FOLDER = path.resolve(import.meta.dirname, '..', '..', 'scenarios')

const load = (name: string, ...sets: string[]): Scenario =>
  parseScenario(readFileSync(path.join(FOLDER, `${name}.yaml`), 'utf8'), { sets })
const notesOf = (scenario: Scenario): string[] => wrongSettingNotes(scenario, topologyOf(scenario))
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
      'host 5, port to leaf 1: no PFC for class 3, where leaf 1 has PFC for class 3: pause frames of leaf 1 are ignored and its ' +
        'headroom overflows: packets of class 3 are lost there',
    ])
  })

  test('PFC off at the end that is the switch: it pauses nobody and drops', () => {
    const scenario = load('wrong-pfc-one-end', 'changes=[{path: pfc.classes, value: [], nodes: leaf 1, ports: host 5}]')
    const result = runOf(scenario)
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    expect(notesOf(scenario)[0]).toContain(
      'leaf 1, port to host 5: no PFC for class 3, where host 5 has PFC for class 3',
    )
    expect(notesOf(scenario)[0]).toContain(
      'leaf 1 drops these classes when its buffer is full, instead of pausing host 5',
    )
  })

  test('another DSCP map on one switch: lossless packets are lossy there', () => {
    const scenario = load('wrong-dscp-map')
    const result = runOf(scenario)
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    expect(droppedAt(result)).toEqual(['leaf 1'])
    // Server 5 is paused by nobody: leaf 1 is its switch.
    expect(pausedHosts(result)).toEqual([0, 1, 2, 3])
    expect(notesOf(scenario)).toEqual([
      'leaf 1: DSCP 3 is class 0, where the others map DSCP 3 to class 3: packets of class 3 are lossy there: it drops them when its ' +
        'buffer is full, and pauses nobody',
    ])
  })

  test('a NIC that trusts the PCP sends untagged frames as class 0: pauses of class 3 do not stop it', () => {
    const scenario = load('wrong-trust')
    const result = runOf(scenario)
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    expect(droppedAt(result)).toEqual(['leaf 1'])
    expect(notesOf(scenario)[0]).toContain('host 5, port to leaf 1: a NIC that trusts the PCP')
    const tagged = load('wrong-trust', 'switch.vlan.ports=trunk')
    expect(notesOf(tagged)).toEqual([])
    expect(runOf(tagged).counters.drops).toEqual({})
  })

  test('a wrong cable length: more arrives after XOFF than headroom holds', () => {
    const scenario = load('wrong-cable')
    const result = runOf(scenario)
    expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
    expect(droppedAt(result)).toEqual(['leaf 1'])
    expect(notesOf(scenario)[0]).toContain(
      'leaf 1, port to spine 0: headroom for a cable of 10.0 ns, where the link has 1.50 us',
    )
    const longer = load('wrong-cable', 'changes.0.value=3us')
    expect(runOf(longer).counters.drops).toEqual({})
    expect(notesOf(longer)[0]).toContain('the shared pool smaller')
  })

  test('an MTU mismatch: full packets are dropped as oversize, and the message never ends', () => {
    const scenario = load('wrong-mtu')
    const result = runOf(scenario)
    expect(result.counters.drops['frame too long']).toBeGreaterThan(0)
    expect(textsOf(result.flows, 'status').filter((status) => status !== 'finished')).toHaveLength(1)
    expect(notesOf(scenario)[0]).toContain('leaf 1, port to host 5: an MTU of 1.00 KB, where packets have up to')
  })

  test('trunk and access at the ends of a link: every frame is dropped', () => {
    const scenario = load(
      'wrong-mtu',
      'switch.vlan.ports=trunk',
      'changes=[{path: nic.vlan, value: untagged, nodes: host 5}]',
    )
    expect(runOf(scenario).counters.drops['VLAN']).toBeGreaterThan(0)
    expect(notesOf(scenario).map((note) => note.split(':')[0])).toEqual([
      'leaf 1, port to host 5',
      'host 5, port to leaf 1',
    ])
  })

  test('the running configuration of each switch and server is compared with the desired one ([MS-Scale] 5.1)', () => {
    const drifts = {
      'pfc.classes, value: [], nodes: leaf 1, ports: host 6': 'leaf 1, port to host 6',
      'pfc.classes, value: [], nodes: spine 0, ports: leaf 0': 'spine 0, port to leaf 0',
      'classes.dscpMap, value: ["3: 0"], nodes: spine 0': 'spine 0',
      'switch.buffer.believedDelay, value: 2us, nodes: leaf 0, ports: up': 'leaf 0, port to spine 0',
      'nic.trust, value: pcp, nodes: host 7': 'host 7, port to leaf 1',
      'nic.mtu, value: 500B, nodes: host 2': 'host 2, port to leaf 0',
    }
    for (const [change, device] of Object.entries(drifts)) {
      const notes = notesOf(load('wrong-mtu', `changes=[{path: ${change}}]`))
      expect([change, notes.map((note) => note.split(':')[0])]).toEqual([change, [device]])
    }
    expect(notesOf(load('wrong-mtu', 'changes=[]'))).toEqual([])
  })

  test('findings of one kind are shown up to three, and counted', () => {
    const scenario = load(
      'wrong-pfc-one-end',
      'changes=[{path: switch.buffer.believedDelay, value: 1ns, nodes: switches}]',
    )
    const notes = notesOf(scenario)
    expect(wrongSettings(scenario, topologyOf(scenario)).length).toBeGreaterThan(3)
    expect(notes).toHaveLength(3)
    expect(notes[2]).toMatch(/\(\d+ more like this\)$/)
  })
})
