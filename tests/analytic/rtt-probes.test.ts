/**
 * RTT probes on the wire: their round trip, their share of bandwidth, and that they share the traffic class of ACKs.
 */
import { expect, test } from 'vitest'
import { US } from '../../src/core/base/params.ts'
import { createSimulation, run } from '../../src/lab/index.ts'
import { parseScenario, type Scenario } from '../../src/lab/scenario/index.ts'

/** One WRITE of 1 MB through one switch: 977 packets, 216us at 40 Gb/s. */
function scenarioWith(more: string, sets: string[] = []): Scenario {
  return parseScenario(
    `
name: probes
topology: {kind: star, hosts: 2, linkRate: 40Gbps, linkDelay: 1us}
congestion: ldcp-pcc
qp: {ackInterval: 0}
${more}
workload: [{kind: trace, flows: ["0 1 1000000B 0us"]}]
`,
    { sets },
  )
}

/** Four links: four delays and four serializations of a 78-byte frame and a 20-byte gap. */
const ROUND_TRIP_PS = 4 * (US + 98 * 200)

test('a request and its response take four links and at most one wait behind data in each queue, and follow one another', () => {
  const { counters } = run(scenarioWith(''))
  const most = 216.1 / (ROUND_TRIP_PS / US)
  // Waits for one packet in the NIC and one in the switch.
  const least = 216.1 / ((ROUND_TRIP_PS + 2 * 1106 * 200) / US)
  const probes = counters.controlPacketsSent / 2
  expect(probes).toBeGreaterThan(least - 1)
  expect(probes).toBeLessThan(most + 1)
  expect(counters.dataPacketsSent).toBe(977)
})

test('their size is that of frames.rttProbe', () => {
  // One data packet, a request behind it, its response: six arrivals. The second message keeps the run from ending.
  const answeredPs = (bytes: number): number => {
    const simulation = createSimulation(
      parseScenario(`
name: one
topology: {kind: star, hosts: 2, linkRate: 40Gbps, linkDelay: 1us}
frames: {rttProbe: ${bytes}B}
congestion: ldcp-pcc
qp: {ackInterval: 0}
workload: [{kind: trace, flows: ["0 1 1024B 0us", "0 1 1024B 1ms"]}]
`),
    )
    while (simulation.advance(1)) if (simulation.progress().packetHops === 6) break
    return simulation.progress().nowPs
  }
  const dataPs = (1024 + 62 + 16 + 20) * 200
  // The request leaves the host behind the data, and arrives at the switch while the data leave it.
  expect(answeredPs(78)).toBe(2 * dataPs + ROUND_TRIP_PS - 98 * 200)
  expect(answeredPs(178) - answeredPs(78)).toBe(3 * 100 * 200)
})

test('the requests of many QPs leave data at least every second place on the wire', () => {
  // A request of 98 bytes per round trip each: some 200 of them fill the link.
  const text = `
name: many
topology: {kind: star, hosts: 2, linkRate: 40Gbps, linkDelay: 1us}
congestion: ldcp-pcc
qp: {ackInterval: 0}
workload: [{kind: permutation, qpsPerPair: 400, messageSize: 5KB, messages: 1}]
`
  const { counters, simulatedPs } = run(parseScenario(text))
  expect(counters.dataPacketsSent).toBe(2 * 400 * 5)
  const sentByteTimes = (count: number, bytes: number): number => count * bytes * 200
  // Requests and responses travel in opposite directions.
  const probes = counters.controlPacketsSent / 2
  expect(probes).toBeGreaterThan(2 * 400)
  expect(probes).toBeLessThan(counters.dataPacketsSent + 2 * 400)
  const data = sentByteTimes(counters.dataPacketsSent / 2, 1000 + 62 + 20)
  const wholePs = data + sentByteTimes(probes, 98)
  expect(simulatedPs).toBeGreaterThan(data)
  expect(simulatedPs).toBeLessThan(1.3 * wholePs)
})

test('a pause of the class of ACKs holds them back, one of another class does not', () => {
  const paused = (ackClass: number): number => {
    const classes = `classes: {data: 3, ackAtHost: ${ackClass}, ackAtSwitch: ${ackClass}}`
    const text = `
name: paused
topology: {kind: star, hosts: 5, linkRate: 40Gbps, linkDelay: 1us}
${classes}
switch: {buffer: {kind: shared-buffer, size: 300KB, alpha: 1/64}, ecn: {kmin: 1MB, kmax: 1MB}}
congestion: ldcp-pcc
qp: {ackInterval: 0}
workload: [{kind: incast, senders: 4, receiver: 0, total: 2MB}]
`
    const { counters } = run(parseScenario(text))
    expect(counters.pauseFrames).toBeGreaterThan(0)
    return counters.controlPacketsSent
  }
  expect(paused(3)).toBeLessThan(paused(2) / 2)
})
