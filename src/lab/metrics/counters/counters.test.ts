/** Counters as a collector polls them, held against each other and against the run. */
import { describe, expect, test } from 'vitest'
import { run } from '../../index.ts'
import { numbersOf, type Result, tableOfKind, textsOf } from '../../../core/results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { COUNTERS } from '../../../core/device-model/index.ts'

const FABRIC = `
name: polled
topology: {kind: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 3, hostRate: 25Gbps, fabricRate: 50Gbps}
congestion: dcqcn
pfc: {classes: [3]}
switch: {buffer: {kind: shared-buffer, size: 1MB, alpha: 0.125}, ecn: {kmin: 20KB, kmax: 100KB, pmax: 0.1}}
workload:
  - {kind: poisson, load: 0.5, sizes: {kind: fixed, size: 64KB}}
  - {kind: incast, senders: 6, receiver: 0, total: 400KB, repetitions: 3, interval: 300us}
measure: {generate: 1ms, stop: 3ms}
`
const observed = (values: string, more = ''): Result =>
  run(parseScenario(`${FABRIC}${more}observe: [{kind: counters, interval: 250us${values}}]\n`))

interface Read {
  readonly timeNs: number
  readonly device: string
  readonly port: string
  readonly priority: number
  readonly name: string
  readonly value: number
}

function readingsOf(result: Result): Read[] {
  const table = tableOfKind(result, 'counters')!
  const [device, port, name] = ['device', 'port', 'name'].map((column) => textsOf(table, column)) as string[][]
  const [timeNs, priority, value] = ['timeNs', 'priority', 'value'].map((column) => numbersOf(table, column))
  return device!.map((each, row) => ({
    timeNs: timeNs![row]!,
    device: each,
    port: port![row]!,
    priority: priority![row]!,
    name: name![row]!,
    value: value![row]!,
  }))
}

/** Sum of a counter in the last readings, of one port or everywhere. */
function lastOf(
  readings: readonly Read[],
  name: string,
  at?: { readonly device: string; readonly port: string },
): number {
  const lastNs = Math.max(...readings.map(({ timeNs }) => timeNs))
  return readings
    .filter((one) => one.timeNs === lastNs && one.name === name)
    .filter((one) => at === undefined || (one.device === at.device && one.port === at.port))
    .reduce((sum, { value }) => sum + value, 0)
}

function edgesOf(result: Result): { readonly device: string; readonly port: string }[][] {
  const table = tableOfKind(result, 'counters/edges')!
  const [deviceA, portA, deviceB, portB] = ['deviceA', 'portA', 'deviceB', 'portB'].map((name) => textsOf(table, name))
  return deviceA!.map((device, row) => [
    { device, port: portA![row]! },
    { device: deviceB![row]!, port: portB![row]! },
  ])
}

describe('over each link and direction', () => {
  const result = observed('', 'faults: [{kind: corruption, bitErrorRatio: 1e-7, links: leaf 1}]\n')
  const readings = readingsOf(result)
  const both = edgesOf(result).flatMap(([a, b]) => [[a!, b!] as const, [b!, a!] as const])

  test('packets sent are those received and those with a wrong FCS', () => {
    expect(both).toHaveLength(30)
    for (const [from, to] of both) {
      const lost = lastOf(readings, 'crcErrors', to)
      const received = lastOf(readings, 'rxPackets', to) + lastOf(readings, 'pfcRxFrames', to)
      const sent = lastOf(readings, 'txPackets', from) + lastOf(readings, 'pfcTxFrames', from)
      expect(received + lost, `${from.device} ${from.port}`).toBe(sent)
    }
    expect(lastOf(readings, 'crcErrors')).toBe(result.counters.drops['FCS error'])
    expect(lastOf(readings, 'crcErrors')).toBeGreaterThan(10)
  })

  test('a port is held as long as its peer holds it, but for the way of the last frames', () => {
    for (const [from, to] of both) {
      const [held, holds] = [lastOf(readings, 'pauseRxUs', to), lastOf(readings, 'pauseTxUs', from)]
      const frames = lastOf(readings, 'pfcTxFrames', from)
      expect(Math.abs(held - holds), `${from.device} ${from.port}`).toBeLessThanOrEqual(1 + 2 * frames)
    }
    expect(lastOf(readings, 'pauseRxUs')).toBeGreaterThan(100)
  })
})

test.each([
  ['cut-through', 'switch.forwarding=cut-through', ''],
  ['IRN without PFC', 'recovery=irn', 'pfc.classes=[]'],
  ['a switch that waits', 'switch.latency=1us', ''],
])('no port receives more than its peer has sent, at any poll: %s', (_, ...sets) => {
  const flap = 'faults: [{kind: link-flap, links: leaf 0-spine 0, from: 200us, down: 30us, interval: 300us}]\n'
  const text = `${FABRIC}${flap}observe: [{kind: counters, interval: 100us}]\n`
  const result = run(parseScenario(text, { sets: sets.filter((set) => set !== '') }))
  const readings = readingsOf(result)
  const times = [...new Set(readings.map(({ timeNs }) => timeNs))]
  for (const timeNs of times.slice(1)) {
    const now = readings.filter((one) => one.timeNs === timeNs)
    for (const [a, b] of edgesOf(result))
      for (const [from, to] of [[a!, b!] as const, [b!, a!] as const]) {
        const missing = lastOf(now, 'txBytes', from) - lastOf(now, 'rxBytes', to)
        expect(missing, `${from.device} ${from.port}`).toBeGreaterThanOrEqual(0)
        // Beside what is on the link only the link that flaps loses anything.
        expect(missing).toBeLessThan(from.device.startsWith('host') ? 20_000 : Infinity)
      }
  }
  expect(lastOf(readings, 'linkDowns')).toBeGreaterThan(3)
})

test('sums over all devices are the counters of the run', () => {
  const result = observed('', 'faults: [{kind: bernoulli, probability: 0.002, links: fabric}]\n')
  const readings = readingsOf(result)
  const { counters } = result
  expect(lastOf(readings, 'ecnMarked')).toBe(counters.ecnMarks)
  expect(lastOf(readings, 'pfcTxFrames')).toBe(counters.pauseFrames + counters.resumeFrames)
  expect(lastOf(readings, 'cnpSent')).toBe(counters.cnps)
  expect(lastOf(readings, 'retransPackets')).toBe(counters.retransmissions)
  expect(lastOf(readings, 'ackTimeouts')).toBe(Object.values(counters.timeouts).reduce((a, b) => a + b, 0))
  expect(lastOf(readings, 'seqNaks')).toBeGreaterThan(0)
  expect(lastOf(readings, 'outOfSequence')).toBeGreaterThanOrEqual(lastOf(readings, 'seqNaks'))
  // Every packet hop ends with an arrival, of a data, control or PFC frame; some frames were lost on the way.
  const lost = counters.drops['link loss']!
  expect(lastOf(readings, 'rxPackets') + lastOf(readings, 'pfcRxFrames') + lost).toBe(counters.packetHops)
})

test('what ports have received is the same when it is counted frame by frame', () => {
  // Another class of a codepoint that nobody uses has every arrival counted.
  const unlike = 'changes: [{path: classes.dscpMap, nodes: leaf 1, value: ["63: 7"]}]\n'
  const [derived, counted] = [observed(''), observed('', unlike)]
  expect(counted.digest).toBe(derived.digest)
  expect(readingsOf(counted)).toEqual(readingsOf(derived))
})

test('drops of lossless classes are counted at the port in, of lossy ones at the port out', () => {
  const small = ['switch.buffer.size=150KB', 'switch.buffer.alpha=8', 'switch.buffer.headroom=0B']
  const lossless = readingsOf(run(parseScenario(`${FABRIC}observe: [{kind: counters}]\n`, { sets: small })))
  expect([lastOf(lossless, 'dropIn') > 0, lastOf(lossless, 'dropOut')]).toEqual([true, 0])
  const lossy = run(
    parseScenario(`${FABRIC}observe: [{kind: counters}]\n`, { sets: ['pfc.classes=[]', 'switch.buffer.size=150KB'] }),
  )
  const readings = readingsOf(lossy)
  expect(lastOf(readings, 'dropIn')).toBe(0)
  expect(lastOf(readings, 'dropOut')).toBe(lossy.counters.drops['buffer full'])
})

test('watermarks are those since the reading before', () => {
  const readings = readingsOf(observed(''))
  const ofLeaf = readings.filter(({ device, name }) => device === 'leaf 0' && name === 'queueMax')
  const times = [...new Set(ofLeaf.map(({ timeNs }) => timeNs))]
  const most = times.map((time) =>
    Math.max(...ofLeaf.filter(({ timeNs }) => timeNs === time).map(({ value }) => value)),
  )
  // It falls again, which a peak since the start never does.
  expect(most[0]).toBe(0)
  expect(Math.max(...most)).toBeGreaterThan(50_000)
  expect(most.some((bytes, poll) => poll > 0 && bytes < most[poll - 1]!)).toBe(true)
})

describe('a collector that does not get all', () => {
  const whole = readingsOf(observed(''))

  test('observing changes nothing', () => {
    expect(observed(', lost: 0.3, late: 0.8, reset: 1, aged: true').digest).toBe(run(parseScenario(FABRIC)).digest)
  })

  test('polls are lost, and come late with the values of then', () => {
    const readings = readingsOf(observed(', lost: 0.3, late: 0.9'))
    const snapshots = (all: readonly Read[]): number => new Set(all.map((one) => `${one.device} ${one.timeNs}`)).size
    const share = snapshots(readings) / snapshots(whole)
    expect(share).toBeGreaterThan(0.55)
    expect(share).toBeLessThan(0.85)
    expect(readings.some(({ timeNs }) => timeNs % 250_000 !== 0)).toBe(true)
    const ofHost = readings.filter((one) => one.device === 'host 4' && one.name === 'txBytes' && one.priority === 3)
    expect(ofHost.map(({ value }) => value)).toEqual(ofHost.map(({ value }) => value).toSorted((a, b) => a - b))
  })

  test('counters begin anew, and wrap at the width of their vendor', () => {
    const fell = (readings: readonly Read[], device: string, name: string): number => {
      const own = readings.filter((one) => one.device === device && one.name === name)
      return own.filter((one, i) => i > 0 && own[i - 1]!.port === one.port && one.value < own[i - 1]!.value).length
    }
    const bytes = (all: readonly Read[]): Read[] => all.filter(({ priority }) => priority === 3)
    const often = readingsOf(run(parseScenario(`${FABRIC}observe: [{kind: counters, interval: 50us, reset: 1}]\n`)))
    expect(fell(bytes(often), 'host 0', 'rxBytes')).toBe(1)
    expect(fell(bytes(whole), 'host 0', 'rxBytes')).toBe(0)
    const aged = readingsOf(observed(', aged: true, hosts: mlx5'))
    const firstCnp = aged.filter(({ name }) => name === 'cnpSent').slice(0, 9)
    expect(firstCnp.every(({ value }) => value > 1e5 && value < 2 ** 32)).toBe(true)
  })

  test('devices that do not answer have no reading, and clocks may be off', () => {
    const readings = readingsOf(observed(', silent: "leaf 1, host 3", clockOff: 10us'))
    const devices = new Set(readings.map(({ device }) => device))
    expect([devices.has('leaf 1'), devices.has('host 3'), devices.size]).toEqual([false, false, 12])
    expect(readings.some(({ timeNs }) => timeNs % 250_000 !== 0)).toBe(true)
  })

  test('a device has the counters of its vendor, all of which are known', () => {
    const names = new Set(readingsOf(observed(', hosts: ice, switches: nxos')).map(({ name }) => name))
    expect(names.has('pauseRxUs')).toBe(false)
    expect(names.has('pfcRxFrames')).toBe(true)
    expect([...new Set(whole.map(({ name }) => name))].every((name) => COUNTERS.some((one) => one.name === name))).toBe(
      true,
    )
  })
})

test('a device that is not there is a mistake', () => {
  expect(() => observed(', silent: "leaf 9"')).toThrow(/leaf 9/)
})
