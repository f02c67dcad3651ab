/** A NIC among several QPs, tested by whole runs. */
import { describe, expect, test } from 'vitest'
import { run } from '../../../lab/index.ts'
import { numbersOf, textsOf } from '../../results/index.ts'
import { parseScenario } from '../../../lab/scenario/index.ts'

/** Twelve paced senders to one host over other traffic: rates move pacing deadlines both ways all the time. */
const RACKS = `
name: racks
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 8, hostRate: 25Gbps, fabricRate: 100Gbps}
congestion: timely
workload:
  - {kind: incast, senders: 12, receiver: 0, total: 12MB, start: 1ms}
  - {kind: poisson, load: 0.3, sizes: websearch, tag: background}
measure: {generate: 3ms}
`

describe('a NIC that waits for pacing', () => {
  test.each([1, 2, 3, 4])('never sleeps past the deadline of a QP, seed %i', (seed) => {
    const result = run(parseScenario(RACKS, { sets: [`seed=${seed}`] }), { check: true })
    const statuses = textsOf(result.flows, 'status')
    expect(statuses.length).toBeGreaterThan(20)
    expect(statuses.filter((status) => status !== 'finished')).toEqual([])
  })

  test.each([
    ['hpcc', 'timely'],
    ['conweave', 'timely'],
    ['hpcc', 'hpcc'],
    ['conweave', 'hpcc'],
  ])('completes all flows with compat: %s under %s', (compat, congestion) => {
    const sets = [`compat=${compat}`, `congestion=${congestion}`]
    const result = run(parseScenario(RACKS, { sets }), { check: true })
    expect(textsOf(result.flows, 'status').filter((status) => status !== 'finished')).toEqual([])
  })
})

describe('a NIC writes a codepoint that switches read as the intended class', () => {
  /** More than a port holds without a pause, in messages of every kind and in two lossless classes. */
  const CROWD = `
name: crowd
topology: {kind: star, hosts: 4}
pfc: {classes: [3, 5]}
switch: {buffer: {kind: shared-buffer, size: 900KB}}
congestion: dcqcn
workload:
  - {kind: incast, senders: 3, receiver: 0, total: 3MB}
  - {kind: closed-loop, pairs: ["1-2 3"], messageSize: 500KB, messages: 2, operation: read, trafficClass: 5}
  - {kind: trace, flows: ["0 1 300KB 5us class=5", "2 1 300KB 5us class=1 op=send", "3 1 300KB 5us"]}
`
  const runWith = (...sets: string[]) => run(parseScenario(CROWD, { sets }), { check: true })

  test.each([
    ['classes.dscpMap=["0-63: 0", "26: 3", "40: 5", "11: 1", "48: 6"]'],
    ['classes.dscpMap=["3: 5", "5: 3"]'],
    ['classes.dscpMap=["0-15: 1", "16-31: 3", "32-47: 5", "48: 6"]'],
  ])('%s', (map) => {
    const plain = runWith()
    const mapped = runWith(map)
    expect(plain.counters['pauseFrames']).toBeGreaterThan(0)
    expect(mapped.digest).toBe(plain.digest)
  })
})

describe('ACKs and NAKs', () => {
  const runWith = (...sets: string[]) => {
    const text = `
name: answers
topology: {kind: star, hosts: 3}
classes: {data: 4}
pfc: {classes: [4]}
qp: {ackInterval: 1}
switch: {buffer: {kind: shared-buffer, size: 600KB}, ecn: {classes: [4]}}
workload:
  - {kind: closed-loop, pairs: ["0-1 2"], messageSize: 400KB, messages: 2}
  - {kind: closed-loop, pairs: ["2 0-1"], messageSize: 400KB, messages: 2}
`
    return run(parseScenario(text, { sets }), { check: true })
  }

  test('use the class of their flow by default', () => {
    const plain = runWith()
    expect(plain.counters['pauseFrames']).toBeGreaterThan(0)
    expect(plain.digest).toBe(runWith('classes.ackAtHost=4', 'classes.ackAtSwitch=4').digest)
    expect(plain.digest).not.toBe(runWith('classes.ackAtHost=3').digest)
    expect(plain.digest).not.toBe(runWith('classes.ackAtSwitch=3').digest)
  })

  test('use the class of their flow where workloads have classes of their own', () => {
    const both = ['workload.0.trafficClass=5', 'workload.1.trafficClass=5', 'pfc.classes=[5]', 'switch.ecn.classes=[5]']
    const asData = runWith('classes.data=5', 'pfc.classes=[5]', 'switch.ecn.classes=[5]')
    expect(runWith(...both).digest).toBe(asData.digest)
  })

  test('of one class are sent while those of another are paused', () => {
    // Host 2 is paused in class 5, in which it and others send to host 1; its ACKs to host 0 are in class 4, or in 5 by ackAtHost.
    const text = `
name: two classes
topology: {kind: star, hosts: 6}
pfc: {classes: [4, 5]}
qp: {ackInterval: 1}
switch: {buffer: {kind: shared-buffer, size: 800KB}}
workload:
  - {kind: closed-loop, pairs: ["2-5 1"], messageSize: 1MB, messages: 1, trafficClass: 5}
  - {kind: closed-loop, pairs: ["0 2"], messageSize: 4KB, messages: 20, trafficClass: 4}
`
    const slowestAckPs = (...sets: string[]): number => {
      const { flows, counters } = run(parseScenario(text, { sets }))
      expect(counters.pauseFrames).toBeGreaterThan(0)
      const to = numbersOf(flows, 'destination')
      const received = numbersOf(flows, 'receivedPs')
      const waits = Array.from(numbersOf(flows, 'acknowledgedPs'), (ps, row) =>
        to[row] === 2 ? ps - received[row]! : 0,
      )
      return Math.max(...waits)
    }
    const own = slowestAckPs()
    expect(slowestAckPs('classes.ackAtHost=4')).toBe(own)
    expect(slowestAckPs('classes.ackAtHost=5')).toBeGreaterThan(2 * own)
  })
})
