import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { InputError } from '../../core/base/issue.ts'
import { parseScenario } from '../scenario/index.ts'
import type { Forecast } from './forecast.ts'
import { createSimulation, run } from '../simulation/simulation.ts'

const SCENARIOS = path.resolve(import.meta.dirname, '../../../scenarios')

function forecast(text: string, ...sets: string[]): Forecast {
  const simulation = createSimulation(parseScenario(text, { sets }))
  try {
    return simulation.forecast()
  } finally {
    simulation.close()
  }
}

describe('the packet-hops of a run are forecast', () => {
  // lossy-gbn-timeout sends eleven times what it has, and deadlock-ring stands still: losses and pauses are not foreseen.
  test.each([
    ['churn-ldcp'],
    ['dwrr-two-classes', 'workload.0.messageSize=10MB', 'workload.1.messageSize=10MB'],
    ['incast-hpcc'],
    ['incast-iwarp', 'workload.0.repetitions=4'],
    ['incast-pfc', 'workload.0.repetitions=2'],
    ['incast-qcn'],
    ['irn-default-irn', 'measure.generate=500us'],
    ['irn-default-roce-pfc', 'measure.generate=500us'],
    ['leaf-spine-websearch-dcqcn', 'measure.generate=2ms'],
    ['link-down', 'measure.generate=2ms'],
    ['livelock-go-back-0', 'measure.stop=40ms'],
    ['permutation-ecmp-collisions', 'workload.0.messageSize=1MB'],
    ['permutation-mp-rdma', 'workload.0.messageSize=1MB'],
  ])('of %s', (name, ...sets) => {
    const text = readFileSync(path.join(SCENARIOS, `${name}.yaml`), 'utf8')
    const { packetHops, simulatedPsMin } = forecast(text, ...sets)
    const result = run(parseScenario(text, { sets }), { check: false })
    const ratio = packetHops / result.counters.packetHops
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(2)
    expect(result.simulatedPs).toBeGreaterThanOrEqual(simulatedPsMin)
  })

  test.each([2, 64])('of a job with more messages than are gone through: all of them, on %i channels', (channels) => {
    const job = `{kind: collective, size: 1GB, channels: ${channels}, iterations: 3}`
    const topology = '{kind: star, hosts: 491, linkRate: 400Gbps, linkDelay: 500ns}'
    const { simulatedPsMin, queuePairs, workloads } = forecast(`{topology: ${topology}, workload: [${job}]}`)
    expect(workloads).toMatchObject([{ messages: 3 * 980 * 491 * channels, how: 'exact' }])
    expect(queuePairs).toBe(491 * channels)
    // Each host sends the buffer twice, but for one part.
    expect(simulatedPsMin / ((3 * 2 * 490 * 8e21) / 491 / 400e9)).toBeCloseTo(1, 3)
  })

  const READS = `
name: reads
topology: {kind: dumbbell, leftHosts: 1, rightHosts: 1}
workload: [{kind: trace, flows: ["0 1 100KB 0us op=read", "1 0 1B 1us op=send"]}]
measure: {end: stop, stop: 1ms}
`

  test('exactly, where only data, ACKs and READ requests are sent', () => {
    for (const sets of [[], ['qp.readAcks=true'], ['qp.ackInterval=7'], ['qp.ackInterval=0']]) {
      const { packetHops, dataPackets, queuePairs } = forecast(READS, ...sets)
      const { counters } = run(parseScenario(READS, { sets }))
      expect([packetHops, dataPackets, queuePairs]).toEqual([counters.packetHops, counters.dataPacketsSent, 2])
    }
  })

  test('over ports of unlike rates, of which a queue pair has one and spraying uses all', () => {
    const text = `
name: unlike ports
topology: {kind: graph, nodes: 4, switches: [2, 3], links: [0 2 25Gbps 1us, 0 3 100Gbps 1us, 1 2 25Gbps 1us, 1 3 100Gbps 1us]}
workload: [{kind: trace, flows: [0 1 1MB 0us, 0 1 1MB 0us, 0 1 1MB 0us, 0 1 1MB 0us]}]
`
    for (const choice of ['bound', 'spray', 'least-queue']) {
      const sets = [`nic.portChoice=${choice}`, 'recovery={kind: irn, nackThreshold: 4000}']
      const { packetHops, dataPackets, simulatedPsMin } = forecast(text, ...sets)
      const { counters, simulatedPs } = run(parseScenario(text, { sets }))
      expect([packetHops, dataPackets]).toEqual([counters.packetHops, counters.dataPacketsSent])
      // Bound, two share the slower port, of which the bound does not know.
      expect(simulatedPs).toBeGreaterThanOrEqual(simulatedPsMin)
      expect(simulatedPs).toBeLessThan(2.2 * simulatedPsMin)
    }
  })

  test('of messages of hosts that are numbered beyond the ports of the first ones', () => {
    const text = `
name: last hosts
topology: {kind: graph, nodes: 4, switches: [3], links: [0 3 1Gbps 1us, 1 3 1Gbps 1us, 1 3 1Gbps 1us, 1 3 1Gbps 1us, 2 3 100Gbps 1us]}
workload: [{kind: closed-loop, pairs: ["2 1"], messageSize: 1MB, outstanding: 3}]
measure: {stop: 30ms}
`
    const { dataPackets } = forecast(text)
    const ratio = dataPackets / run(parseScenario(text), { check: false }).counters.dataPacketsSent
    expect(ratio).toBeGreaterThan(0.5)
    expect(ratio).toBeLessThan(3.5)
  })

  test('queue pairs of one message count as often as they are in use at a time', () => {
    const text = `
name: small messages
topology: {kind: star, hosts: 16}
workload: [{kind: poisson, load: 0.5, sizes: {kind: fixed, size: 1KB}}]
measure: {generate: 100us}
`
    const { messages, queuePairs, queuePairsMost } = forecast(text)
    expect(queuePairsMost).toBe(messages)
    // Half of 16 links are busy, and each message takes some two microseconds alone.
    expect(queuePairs / messages).toBeGreaterThan(0.01)
    expect(queuePairs / messages).toBeLessThan(0.1)
    const together = forecast(`
name: incast
topology: {kind: star, hosts: 16}
workload: [{kind: incast, senders: 12}]
`)
    expect([together.queuePairs, together.queuePairsMost]).toEqual([12, 12])
  })

  const stopped = (topology: string, workload: string, stop: string, more = ''): string => `
name: stopped
topology: ${topology}
congestion: dcqcn
workload: [${workload}]
measure: {generate: ${stop}, stop: ${stop}, end: stop}
${more}`
  const LEAVES = '{kind: leaf-spine, leaves: 4, hostsPerLeaf: 8, spines: 2, hostRate: 40Gbps, fabricRate: 100Gbps}'

  // Large messages are not through by the stop, which began before it.
  test.each([
    ['large messages', stopped(LEAVES, '{kind: poisson, load: 0.7, sizes: {kind: websearch}}', '3ms'), 1.6],
    [
      'large messages as work requests',
      stopped(LEAVES, '{kind: poisson, load: 0.7, workRequests: true, sizes: {kind: websearch}}', '2ms'),
      1.6,
    ],
    [
      'more than links carry',
      stopped('{kind: star, hosts: 6}', '{kind: poisson, load: 3, sizes: {kind: fixed, size: 50KB}}', '400us'),
      1.3,
    ],
    [
      'more than one link carries, beside others',
      stopped(
        '{kind: star, hosts: 6}',
        '{kind: incast, senders: 4, receiver: 5, sizeEach: 10MB}, {kind: poisson, load: 0.1, sizes: {kind: fixed, size: 10KB}}',
        '500us',
        'congestion: none',
      ).replace('congestion: dcqcn', ''),
      1.5,
    ],
    [
      'a hundred queue pairs a NIC',
      stopped(
        '{kind: star, hosts: 9}',
        '{kind: closed-loop, pairs: ["0-7 8"], qpsPerPair: 100, messageSize: 1GB}',
        '2ms',
      ),
      2,
    ],
  ])('until the stop, of %s', (_, text, most) => {
    const ratio = forecast(text).packetHops / run(parseScenario(text), { check: false }).counters.packetHops
    expect(ratio).toBeGreaterThan(1 / most)
    expect(ratio).toBeLessThan(most)
  })

  test('and the timers of its queue pairs', () => {
    const of = (congestion: string): number =>
      forecast(
        stopped(
          '{kind: star, hosts: 9}',
          '{kind: closed-loop, pairs: ["0-7 8"], qpsPerPair: 100, messageSize: 1GB}',
          '2ms',
        ),
        `congestion=${congestion}`,
      ).timerEvents
    expect(of('dcqcn')).toBeCloseTo((800 * 2000) / 55, 0)
    expect(of('dcqcn-connectx4')).toBeCloseTo((800 * 2000) / 4, 0)
    expect(of('none')).toBe(0)
  })

  test.each(['write', 'send', 'read'])('of work requests, %s', (operation) => {
    const text = `
name: work
topology: {kind: star, hosts: 4}
workload: [{kind: closed-loop, pairs: ["0-2 3"], qpsPerPair: 2, outstanding: 2, messageSize: 5KB, messages: 20, operation: ${operation}, workRequests: true}]
`
    const expected = forecast(text)
    const { counters } = run(parseScenario(text))
    // Requests of READs are packets of the send queue like data.
    const requests = operation === 'read' ? 6 * 20 : 0
    const sent = counters.dataPacketsSent - requests
    expect([expected.packetHops, expected.dataPackets]).toEqual([counters.packetHops, sent])
    expect([expected.workHops, expected.workPairs]).toEqual([expected.packetHops, 6])
    expect(forecast(text, 'workload.0.workRequests=false')).toMatchObject({ workHops: 0, workPairs: 0 })
  })

  test('for an endless loop, by what its hosts can send until the stop', () => {
    const text = `
name: endless
topology: {kind: star, hosts: 5, linkRate: 10Gbps}
workload: [{kind: closed-loop, pairs: ["0-3 4"], messageSize: 1MB}]
measure: {end: stop, stop: 20ms}
`
    const expected = forecast(text)
    const { counters } = run(parseScenario(text))
    expect(expected.workloads[0]!.how).toBe('as-finished')
    expect(expected.dataPackets / counters.dataPacketsSent).toBeGreaterThan(0.9)
    expect(expected.dataPackets / counters.dataPacketsSent).toBeLessThan(1.1)
  })

  test('for a job of more messages than are counted, whose queue pairs carry all of them', () => {
    const text = `
topology: {kind: star, hosts: 8}
workload: [{kind: collective, size: 1MB, iterations: 20}]
`
    const simulation = createSimulation(parseScenario(text))
    const [all, some] = [simulation.forecast(), simulation.forecast(16)]
    simulation.close()
    expect(all).toMatchObject({ messages: 2240, queuePairs: 8 })
    expect(some).toMatchObject({ queuePairs: 8, workloads: [{ messages: 16, how: 'as-finished' }] })
    expect(some.dataPackets / all.dataPackets).toBeCloseTo(1, 3)
  })

  test('for more messages than are counted, in proportion to their number', () => {
    const { messages, workloads } = forecast(`
name: many
topology: {kind: star, hosts: 4}
workload: [{kind: poisson, load: 0.5, sizes: {kind: fixed, size: 1KB}, flows: 2000000}]
`)
    expect(workloads[0]).toMatchObject({ how: 'at-least', messages: 500_000 })
    expect(Math.round(messages)).toBe(2_000_000)
  })
})

describe('a run that cannot end in simulated time is refused', () => {
  const slow = (flows: string, more = ''): string => `
name: slow
topology: {kind: star, hosts: 3, linkRate: 1Kbps}
workload: [{kind: trace, flows: [${flows}]}]
${more}`
  const mistakes = (text: string): string => {
    try {
      forecast(text)
      return ''
    } catch (error) {
      if (error instanceof InputError) return error.message
      throw error
    }
  }

  test.each([
    [
      'a start that leaves no time',
      '"0 1 1KB 9007199254740991ps"',
      /^workload\.0: .* 1KB from host 0 to host 1 at 9010s/,
    ],
    ['a message that takes too long', '"0 1 1200KB 0us"', /^workload\.0: .* which take 10400s alone/],
    ['messages too many for one link', '"0 1 900KB 0us", "2 1 900KB 0us"', /^workload: .* link is busy for 14400s/],
  ])('%s', (_, flows, reported) => {
    expect(mistakes(slow(flows))).toMatch(reported)
    expect(mistakes(slow(flows))).toContain('simulated time ends at 2^53 ps, 2.5 hours')
    // A stop ends the run before.
    expect(mistakes(slow(flows, 'measure: {stop: 1s}'))).toBe('')
  })

  test('a run that can end is not refused', () => {
    expect(mistakes(slow('"0 1 900KB 0us", "1 2 900KB 0us"'))).toBe('')
  })
})
