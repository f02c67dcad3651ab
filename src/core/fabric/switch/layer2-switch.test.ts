/** Switches with ARP and MAC tables: look-ups, learning, ageing, flooding, and what becomes of the copies. */
import { describe, expect, test } from 'vitest'
import { INTS } from '../../base/memory.ts'
import { SECOND, US } from '../../base/params.ts'
import { createSimulation } from '../../../lab/simulation/simulation.ts'
import type { Result } from '../../results/index.ts'
import { parseScenario } from '../../../lab/scenario/index.ts'
import { DATA } from '../../transport/segment.ts'
import { failsWith, passes, wrong } from '../../../../tests/support/planted.ts'
import { Bench } from '../../../../tests/support/switch-bench.ts'
import { DROP_NO_MAC, DROP_NOT_MINE } from '../counters.ts'
import { SOUND } from '../link/fault.ts'
import { BROADCAST, COPY, PFC, SIZE } from '../packets.ts'
import { Layer2Switch } from './layer2-switch.ts'
import { COMPLETE, INCOMPLETE, Layer2Tables, UNKNOWN } from './layer2-tables.ts'

const FRAME = 1086
/** Four hosts at one switch; the switch does not know the port of host 2. */
const bench = (values = '', hosts = 4): Bench =>
  new Bench(hosts, `switch: {layer2: {kind: tables, macMissing: host 2${values === '' ? '' : `, ${values}`}}}`)

/** Three hosts at the hub, and a port from there, number 4, to a switch with one more. */
const UPLINK =
  '{kind: graph, nodes: 6, switches: [4, 5], links: [0 4 40Gbps 2us, 1 4 40Gbps 2us, 2 4 40Gbps 2us, 4 5 40Gbps 2us, 3 5 40Gbps 2us]'

/** "2 data", "1 copy", by time and host. */
function seen({ arrivals }: Bench): string[] {
  const names = new Map([
    [DATA, 'data'],
    [COPY, 'copy'],
    [BROADCAST, 'broadcast'],
    [PFC, 'pfc'],
  ])
  return arrivals.filter(({ kind }) => kind !== PFC).map(({ host, kind }) => `${host} ${names.get(kind)}`)
}

test('entries live 4 hours in the ARP table and 5 minutes in the MAC table ([MS-Scale] 4.2)', () => {
  const { layer2 } = parseScenario(
    'name: a\ntopology: {kind: star, hosts: 2}\nswitch: {layer2: tables}\nworkload: [{kind: permutation, messageSize: 1KB, messages: 1}]',
  ).switch
  expect(layer2).toMatchObject({ kind: 'tables', arpSeconds: 4 * 3600, macSeconds: 5 * 60, timeScale: 1 })

  const tables = new Layer2Tables([undefined, { cutPs: -1 }], {
    arpAgeingPs: 4 * 3600 * SECOND,
    macAgeingPs: 300 * SECOND,
    forgetsOnLinkDown: true,
  })
  expect(tables.stateOf(1, 300 * SECOND - 1)).toBe(COMPLETE)
  expect(tables.stateOf(1, 300 * SECOND)).toBe(INCOMPLETE)
  expect(tables.arpUntilPs(1)).toBe(4 * 3600 * SECOND)
  tables.learn(1, 301 * SECOND)
  expect(tables.stateOf(1, 600 * SECOND)).toBe(COMPLETE)
  tables.forgetArp(1)
  expect(tables.stateOf(1, 600 * SECOND)).toBe(UNKNOWN)
})

test('a MAC entry ends with its link; an answer counts from then on, in the instant of the cut too', () => {
  const port = { cutPs: -1 }
  const tables = new Layer2Tables([undefined, port], { arpAgeingPs: 1e6, macAgeingPs: 1e6, forgetsOnLinkDown: true })
  const known = (nowPs: number): boolean => tables.hasMac(1, nowPs)
  port.cutPs = 0
  expect(known(1)).toBe(false)
  tables.answer(1, 10)
  expect(known(11)).toBe(true)
  port.cutPs = 20
  expect(known(21)).toBe(false)
  // A power cycle cuts the link and restores it in one instant.
  tables.answer(1, 20)
  expect(known(21)).toBe(true)
  port.cutPs = 30
  tables.learn(1, 30)
  expect(known(31)).toBe(false)
  tables.learn(1, 31)
  expect(known(32)).toBe(true)
})

test('other ages hold for entries that are there, too', () => {
  const times = { arpAgeingPs: 100, macAgeingPs: 50, forgetsOnLinkDown: true }
  const tables = new Layer2Tables([undefined, { cutPs: -1 }], times)
  tables.configure({ ...times, arpAgeingPs: 200, macAgeingPs: 20 })
  expect([tables.arpUntilPs(1), tables.hasMac(1, 19), tables.hasMac(1, 20)]).toEqual([200, true, false])
})

describe('entries of the ARP table that age', () => {
  const aged = (endMs: number): Result => {
    const simulation = createSimulation(
      parseScenario(`
name: aged
topology: {kind: star, hosts: 32}
switch: {layer2: {kind: tables, timeScale: 1e-8, resolveTime: 1us}}
workload: [{kind: trace, flows: [0 1 1KB 0us, 0 1 1KB ${endMs}ms]}]
`),
    )
    while (simulation.advance(10_000));
    const result = simulation.result(false)
    simulation.close()
    return result
  }
  /** 4 hours, scaled. */
  const AGE_US = 144

  test('are asked for once per age, at a cost that grows with the time and not faster', () => {
    const [short, long] = [aged(5), aged(20)]
    // An answer, 1 us after its request, is the entry's new beginning; the first ones were there at 0.
    for (const [result, ms] of [
      [short, 5],
      [long, 20],
    ] as const)
      expect(result.counters.layer2!['ARP requests']).toBe(32 * Math.floor((ms * 1000 + 1) / AGE_US))
    expect(long.counters.events / short.counters.events).toBeLessThan(4.5)
  })

  test.each([
    ['arpSeconds: 0.99, timeScale: 1e-6', 'arpSeconds'],
    ['macSeconds: 1e-9', 'macSeconds'],
    ['timeScale: 1e-9', 'macSeconds'],
  ])('of less than 1 us are refused: %s', (values, key) => {
    const make = () => bench(values)
    expect(make).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: `switch.layer2.${key}` })] }),
    )
  })
})

describe('a packet whose ARP entry is there and whose MAC entry is gone', () => {
  test('is flooded to every port but the one where it came in ([MS-Scale] 4.2)', () => {
    const hub = bench()
    hub.at(0, () => hub.arriveFrom(0, { to: 2 }))
    expect(seen(hub.run(50 * US))).toEqual(['1 copy', '2 data', '3 copy'])
    expect(hub.counters).toMatchObject({ incomplete: 1, floods: 1, floodCopies: 2 })
  })

  test('is not flooded once the host has sent something', () => {
    const hub = bench()
    hub.at(0, () => hub.arriveFrom(2, { to: 1 }))
    hub.at(1 * US, () => hub.arriveFrom(0, { to: 2 }))
    expect(seen(hub.run(50 * US))).toEqual(['1 data', '2 data'])
    expect(hub.counters.floods).toBe(0)
  })

  test('is stored once: its bytes are charged with the first copy and given back with the last', () => {
    const hub = bench()
    const used: number[] = []
    const look = (): void => void used.push(hub.hub.buffer.usedBytes)
    // The port of host 3 holds its copy.
    hub.at(0, () => hub.pauseArrives(hub.portTo(3), 8, 65535))
    hub.at(1 * US, () => hub.arriveFrom(0, { to: 2 }))
    hub.at(2 * US, look)
    hub.at(3 * US, () => hub.arriveFrom(1, { to: 2 }))
    hub.at(4 * US, look)
    hub.at(5 * US, () => hub.pauseArrives(hub.portTo(3), 8, 0))
    hub.at(6 * US, look)
    hub.run(50 * US)
    expect(used).toEqual([FRAME, 2 * FRAME, 0])
    expect(hub.hub.buffer.audit()).toEqual([])
  })

  test.each([
    ['onIncomplete: drop', 3, []],
    ['onIncomplete: drop-lossless', 3, []],
    ['onIncomplete: drop-lossless', 0, ['1 copy', '2 data', '3 copy']],
    ['onIncomplete: cpu', 3, []],
    ['floodPorts: hosts', 3, ['1 copy', '2 data', '3 copy']],
  ])('%s, class %d: %j', (values, codepoint, wanted) => {
    const hub = bench(values)
    hub.at(0, () => hub.arriveFrom(0, { to: 2, codepoint }))
    expect(seen(hub.run(50 * US))).toEqual(wanted)
    const isDropped = wanted.length === 0 && values !== 'onIncomplete: cpu'
    expect(hub.counters.drops[DROP_NO_MAC]).toBe(isDropped ? 1 : 0)
  })

  test('goes to the CPU, which asks for the address: packets that come after the answer find the port', () => {
    const hub = bench('onIncomplete: cpu, cpuRate: 100000, cpuQueue: 2, resolveTime: 20us')
    // The CPU takes 10 us for a packet and holds two: of three, one is refused.
    for (let i = 0; i < 3; i++) hub.at(i * US, () => hub.arriveFrom(0, { to: 2 }))
    hub.at(40 * US, () => hub.arriveFrom(0, { to: 2 }))
    expect(seen(hub.run(60 * US))).toEqual(['2 data'])
    expect(hub.counters).toMatchObject({ punts: 3, puntsRefused: 1, arpRequests: 1, floods: 0 })
  })

  const staysIncomplete = (): void => {
    const hub = bench('onIncomplete: cpu, cpuRate: 100000, resolveTime: 20us')
    const { hub: at, built } = hub
    if (!(at instanceof Layer2Switch)) throw new Error('a switch with tables')
    built.network.nics[2]!.isDown = true
    hub.at(0, () => hub.arriveFrom(0, { to: 2 }))
    hub.run(60 * US)
    // Asked once, in vain: the ARP entry has hours left.
    expect([hub.counters.arpRequests, at.stateOf(3)]).toEqual([1, INCOMPLETE])
  }
  passes(
    'of a host that does not answer stays incomplete: a request in vain ends no entry that is fresh',
    staysIncomplete,
  )
  failsWith(
    'it',
    'a request in vain ends it',
    wrong(Layer2Switch.prototype, 'look', (at, right, nowPs) => {
      right(nowPs)
      const tables: Layer2Tables = Reflect.get(at, 'tables')
      tables.forgetArp(3)
    }),
    staysIncomplete,
  )

  test('in a lossy class of the switch it takes no part in pauses', () => {
    const hub = bench('floodClass: 0')
    hub.at(0, () => hub.pauseArrives(hub.portTo(1), 8, 65535))
    hub.at(1 * US, () => hub.arriveFrom(0, { to: 2 }))
    expect(seen(hub.run(50 * US))).toEqual(['1 copy', '2 data', '3 copy'])
  })
})

describe('a copy for another switch', () => {
  const values = (more: string): string => `switch: {layer2: {kind: tables, macMissing: host 2${more}}}`

  test('waits in the queue of a paused port, and is dropped at its head when the pause ends ([MS-Scale] 4.2)', () => {
    const hub = new Bench(3, values(''), UPLINK)
    const up = hub.hub.ports[4]!
    const held: number[][] = []
    const look = (): void => void held.push([up.queue.bytesOf(3), hub.hub.buffer.usedBy(1, 3), up.sentFrames])
    hub.at(0, () => hub.pauseArrives(up, 8, 65535))
    for (let i = 1; i <= 3; i++) hub.at(i * US, () => hub.arriveFrom(0, { to: 2 }))
    hub.at(10 * US, look)
    hub.at(11 * US, () => hub.pauseArrives(up, 8, 0))
    hub.at(11 * US, look)
    hub.run(50 * US)
    // Until then they are charged to the port where they came in.
    expect(held).toEqual([
      [3 * FRAME, 3 * FRAME, 0],
      [0, 0, 0],
    ])
    expect(hub.counters.drops[DROP_NOT_MINE]).toBe(3)
  })

  test.each([
    ['at-once', 1],
    ['frame-time', 2],
  ])(
    'between two packets stays until the first has left; with headDrop: %s the second starts %d frames after it',
    (headDrop, frames) => {
      const hub = new Bench(3, values(`, headDrop: ${headDrop}`), UPLINK)
      const arrivals: number[] = []
      const { peer } = hub.hub.ports[4]!
      peer.fault = { verdict: () => (arrivals.push(hub.nowPs), SOUND) }
      hub.built.network.recordTargets()
      hub.at(0, () => {
        hub.arriveFrom(1, { to: 3 })
        hub.arriveFrom(0, { to: 2 })
        hub.arriveFrom(1, { to: 3 })
      })
      hub.run(50 * US)
      expect(arrivals).toHaveLength(2)
      expect(arrivals[1]! - arrivals[0]!).toBe(frames * peer.transmitPs[FRAME]!)
    },
  )

  test('does not exist where only hosts get copies', () => {
    const hub = new Bench(3, values(', floodPorts: hosts'), UPLINK)
    hub.at(0, () => hub.pauseArrives(hub.hub.ports[4]!, 8, 65535))
    hub.at(1 * US, () => hub.arriveFrom(0, { to: 2 }))
    hub.run(50 * US)
    expect(hub.hub.ports[4]!.queue.bytesOf(3)).toBe(0)
    expect(seen(hub)).toEqual(['1 copy', '2 data'])
  })
})

test('a host that is alive and silent is found by flooding, and known from its answer on', () => {
  const simulation = createSimulation(
    parseScenario(`
name: silent
topology: {kind: star, hosts: 4}
switch: {layer2: {kind: tables, macMissing: host 2}}
workload: [{kind: trace, flows: [0 2 100KB 0us]}]
`),
  )
  while (simulation.advance(1000));
  const { counters, flows } = simulation.result(false)
  simulation.close()
  expect(flows.columns.find(({ name }) => name === 'status')!.data).toEqual(['finished'])
  // Packets that were on their way before the first ACK came through the switch.
  expect(counters.layer2!['floods']).toBeGreaterThan(1)
  expect(counters.layer2!['floods']).toBeLessThan(97)
  expect(counters.drops).toEqual({ 'flooded, wrong host': 2 * counters.layer2!['floods']! })
})

test('broadcasts reach every other host of the switch, and in a lossless class one paused port pauses their sender', () => {
  const text = (trafficClass: number): string => `
name: broadcast
topology: {kind: star, hosts: 4, linkRate: 40Gbps}
switch: {buffer: {kind: shared-buffer, size: 1MB, alpha: 1/64}, layer2: tables}
workload: [{kind: trace, flows: [1 2 4MB 0us, 3 2 4MB 0us]}]
faults: [{kind: broadcast, hosts: host 0, interval: 250ns, size: 1000B, class: ${trafficClass}, until: 500us}]
observe: [{kind: pause-intervals}]
`
  const pausesOfHost0 = (trafficClass: number): number => {
    const simulation = createSimulation(parseScenario(text(trafficClass)))
    while (simulation.advance(10_000));
    const { series, counters } = simulation.result(false)
    simulation.close()
    expect(counters.layer2!['broadcasts received']).toBeGreaterThan(trafficClass === 3 ? 1000 : 3000)
    const nodes = series[0]!.columns.find(({ name }) => name === 'node')!.data as Float64Array
    return nodes.filter((node) => node === 0).length
  }
  expect(pausesOfHost0(3)).toBeGreaterThan(0)
  expect(pausesOfHost0(0)).toBe(0)
})

test('packets of a flood have fields of their own', () => {
  const { packets } = bench().built.network.fabric
  const packet = packets.make(DATA, 7, 2, FRAME, 3)
  const copy = packets.copy(packet)
  expect(copy).not.toBe(packet)
  expect(packets.alive).toBe(2)
  INTS[copy | SIZE] = 64
  expect(INTS[packet | SIZE]).toBe(FRAME)
})
