/** LDCP's packets in a network: in which queue they wait, and how long they are on the wire. */
import { expect, test } from 'vitest'
import { INTS } from '../../src/core/base/memory.ts'
import { createRandomStreams } from '../../src/core/base/random.ts'
import { SOUND } from '../../src/core/fabric/link/fault.ts'
import { CODEPOINT, ECN, KIND, SIZE } from '../../src/core/fabric/packets.ts'
import { Mistakes } from '../../src/lab/network/mistakes.ts'
import { buildNetwork } from '../../src/lab/network/network-builder.ts'
import { run } from '../../src/lab/index.ts'
import { Traffic } from '../../src/lab/run/traffic.ts'
import { numbersOf } from '../../src/core/results/index.ts'
import { parseScenario, type Scenario } from '../../src/lab/scenario/index.ts'
import { ACK, CNP, DATA, NOT_ECT, RTT_REQUEST, RTT_RESPONSE } from '../../src/core/transport/segment.ts'

interface Seen {
  readonly kind: number
  readonly codepoint: number
  readonly ecn: number
  readonly sizeBytes: number
}

/** A star, whose last host receives. */
const starOf = (senders: number, more: string): Scenario =>
  parseScenario(`
name: watched
topology: {kind: star, hosts: ${senders + 1}, linkRate: 40Gbps, linkDelay: 2us}
pfc: {classes: []}
${more}
workload: [{kind: incast, senders: ${senders}, receiver: ${senders}, sizeEach: 200KB}]
`)

/** All that arrives at the hosts. */
function arrivals(scenario: Scenario): Seen[] {
  const random = createRandomStreams(1)
  const traffic = new Traffic(scenario)
  const built = buildNetwork(scenario, random, traffic)
  const { network } = built
  const seen: Seen[] = []
  for (const { port } of network.nics) {
    port.fault = {
      verdict(packet) {
        const [kind, codepoint, ecn, sizeBytes] = [KIND, CODEPOINT, ECN, SIZE].map((field) => INTS[packet | field]!)
        seen.push({ kind: kind!, codepoint: codepoint!, ecn: ecn!, sizeBytes: sizeBytes! })
        return SOUND
      },
    }
  }
  network.recordTargets()
  traffic.start(built, random, new Mistakes())
  network.advance(Infinity, Infinity)
  return seen
}

test('packets of the first round trip and behind it have one DSCP and wait in one queue ([LDCP] 2.3)', () => {
  const more = `congestion: ldcp
qp: {ackInterval: 1, ecnEcho: ack, ackTimeout: 1ms}
switch: {wred: {classes: [3], threshold: 60KB}, ecn: {kmin: 5KB, kmax: 60KB, pmax: 0.2}}`
  const data = arrivals(starOf(4, more)).filter(({ kind }) => kind === DATA)
  const [first, later] = [data.filter(({ ecn }) => ecn === NOT_ECT), data.filter(({ ecn }) => ecn !== NOT_ECT)]
  expect([first.length > 50, later.length > 500]).toEqual([true, true])
  expect(new Set(data.map(({ codepoint }) => codepoint))).toEqual(new Set([3]))

  const observed = `observe: [{kind: queue-depth, ports: all, classes: [0, 1, 2, 3, 4, 5, 6, 7], interval: 200ns}]`
  const [depths] = run(starOf(4, `${more}\n${observed}`)).series
  const [classes, bytes] = [numbersOf(depths!, 'trafficClass'), numbersOf(depths!, 'queueBytes')]
  const filled = [...classes].filter((_, row) => bytes[row]! > 0)
  expect([new Set(filled), filled.length > 100]).toEqual([new Set([3]), true])
})

test('on a commercial NIC packets are those of RoCE with DCQCN, and RTT requests and answers go by themselves ([LDCP] 3.2)', () => {
  const sizesOf = (congestion: string): Map<number, number[]> => {
    const seen = arrivals(starOf(2, `congestion: ${congestion}\nqp: {ackInterval: 16}`))
    const kinds = new Set(seen.map(({ kind }) => kind))
    const sizes = (kind: number) => seen.flatMap((each) => (each.kind === kind ? [each.sizeBytes] : []))
    return new Map([...kinds].map((kind) => [kind, [...new Set(sizes(kind))].toSorted((a, b) => a - b)]))
  }
  const [roce, ldcp] = ['dcqcn', 'ldcp-pcc'].map(sizesOf)
  for (const kind of [DATA, ACK, CNP]) expect(ldcp!.get(kind), `kind ${kind}`).toEqual(roce!.get(kind))
  expect(new Set(roce!.keys())).toEqual(new Set([DATA, ACK, CNP]))
  expect(new Set(ldcp!.keys())).toEqual(new Set([DATA, ACK, CNP, RTT_REQUEST, RTT_RESPONSE]))
})

test('work requests carry byte sequence numbers in RoCE, if the window counts bytes: four bytes at each link', () => {
  const takesPs = (windowUnit: string, recovery: string): number => {
    const { flows } = run(
      parseScenario(`
name: lsn
topology: {kind: star, hosts: 2, linkRate: 25Gbps}
pfc: {classes: []}
switch: {ecn: {kmin: 20KB, kmax: 60KB, pmax: 0.1}, wred: {classes: [3], threshold: 60KB}}
recovery: ${recovery}
congestion: {kind: ldcp, windowUnit: ${windowUnit}}
qp: {ecnEcho: ack, ackTimeout: 320us}
workload: [{kind: trace, workRequests: true, flows: [0 1 1000B 0us]}]
`),
    )
    return numbersOf(flows, 'receivedPs')[0]!
  }
  expect(takesPs('bytes', 'go-back-n') - takesPs('packets', 'go-back-n')).toBe(2 * 4 * 320)
  expect(takesPs('bytes', 'irn') - takesPs('packets', 'irn')).toBe(0)
})
