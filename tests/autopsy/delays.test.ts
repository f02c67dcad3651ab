/**
 * Delays of known kind and length, drawn: one message on an idle network, with and without one delay on its critical
 * path. The part that is named after the delay grows by it, within the time of a packet, and no other part does.
 * ROCELAB_SEED is the first seed.
 */
import { expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf, PARTS } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { RNR_WAIT_US } from '../../src/core/wire/aeth.ts'
import { Dice } from '../swarm/dice.ts'

const FIRST = Number(process.env['ROCELAB_SEED'] ?? 1)
const CASES = 200
const NS = 1000
const US = 1000 * NS
/** A packet of 1,000 bytes with all its headers, at 10 Gb/s, is less. */
const PACKET_PS = 0.9 * US

interface Case {
  readonly kind: string
  /** Without the delay, and with it. */
  readonly before: string
  readonly after: string
  /** Parts that grow, and by how much. */
  readonly grows: Readonly<Record<string, number>>
  /** The message that is looked at. */
  readonly flow: number
}

/** Hosts 0 and 1, `hops` switches in a row from node 4 on, hosts 2 and 3. Delays in ns. */
function network(hops: number, delayNs: number, more = ''): string {
  const switches = Array.from({ length: hops }, (_, i) => 4 + i)
  const last = 3 + hops
  const pairs = [[0, 4], [1, 4], [2, last], [3, last], ...switches.slice(1).map((node) => [node - 1, node])]
  const links = pairs.map(([from, to]) => `${from} ${to} 10Gbps ${delayNs}ns`)
  const graph = `{kind: graph, nodes: ${4 + hops}, switches: [${switches.join(', ')}], links: [${links.join(', ')}]}`
  return `topology: ${graph}\ncongestion: none\n${more}\n`
}

const trace = (...flows: string[]): string =>
  `workload: [{kind: trace, flows: [${flows.map((flow) => `"${flow}"`).join(', ')}]}]`

type Draw = (dice: Dice) => Omit<Case, 'kind'>

/** By kind of delay. */
const DRAWS: Readonly<Record<string, Draw>> = {
  distance: (dice) => {
    const [hops, ns, more] = [dice.from(1, 3), dice.from(100, 2000), dice.from(1000, 50_000)]
    const flow = trace(`0 2 ${dice.log(1, 200_000)}B 0us`)
    return {
      before: network(hops, ns, flow),
      after: network(hops, ns + more, flow),
      grows: { propagationPs: (hops + 1) * more * NS },
      flow: 0,
    }
  },
  'distance, of a READ': (dice) => {
    const [hops, ns, more] = [dice.from(1, 3), dice.from(100, 2000), dice.from(1000, 50_000)]
    const flow = trace(`0 2 ${dice.log(1, 200_000)}B 0us op=read`)
    const grownPs = (hops + 1) * more * NS
    return {
      before: network(hops, ns, flow),
      after: network(hops, ns + more, flow),
      grows: { propagationPs: grownPs, requestPropagationPs: grownPs },
      flow: 0,
    }
  },
  'slow switches': (dice) => {
    const [hops, ns, more] = [dice.from(1, 3), dice.from(100, 2000), dice.from(1000, 50_000)]
    const flow = trace(`0 2 ${dice.log(1, 200_000)}B 0us`)
    return {
      before: network(hops, ns, flow),
      after: network(hops, ns, `switch: {latency: ${more}ns}\n${flow}`),
      grows: { switchPs: hops * more * NS },
      flow: 0,
    }
  },
  'software in both hosts': (dice) => {
    const more = dice.from(1000, 80_000)
    const flow = trace(`0 2 ${dice.log(1, 1000)}B 0us`)
    return {
      before: network(1, 500, flow),
      after: network(1, 500, `qp: {hostDelay: {kind: exponential, least: ${more}ns, mean: 0ns}}\n${flow}`),
      grows: { hostPs: more * NS, receivePs: more * NS },
      flow: 0,
    }
  },
  'a slow receive pipeline': (dice) => {
    const more = dice.from(1000, 80_000)
    const flow = trace(`0 2 ${dice.log(1, 1000)}B 0us`)
    const pipeline = `{kind: pipeline, packetTime: ${more}ns, missPenalty: 0ns, contextPenalty: 0ns}`
    return {
      before: network(1, 500, flow),
      after: network(1, 500, `nic: {receive: ${pipeline}}\n${flow}`),
      grows: { receivePs: more * NS },
      flow: 0,
    }
  },
  'a link that is down at first': (dice) => {
    const [atNs, upNs] = [dice.from(2000, 5000), dice.from(10_000, 200_000)]
    const flow = trace(`0 2 ${dice.log(1, 100_000)}B ${atNs}ns`)
    return {
      before: network(1, 500, flow),
      after: network(1, 500, `faults: [{kind: link-down, links: 0-4, down: 1us, up: ${upNs}ns}]\n${flow}`),
      grows: { linkDownPs: (upNs - atNs) * NS },
      flow: 0,
    }
  },
  'a late timeout': (dice) => {
    const packets = dice.from(1, 20)
    const [firstUs, more] = [dice.from(100, 200), dice.from(1, 900)]
    const lost = `faults: [{kind: every-nth, n: ${packets}, until: 40us, links: "0>4"}]`
    const text = (us: number): string =>
      network(1, 500, `qp: {ackTimeout: ${us}us}\n${lost}\n${trace(`0 2 ${packets * 1000}B 0us`)}`)
    return { before: text(firstUs), after: text(firstUs + more), grows: { timeoutWaitPs: more * US }, flow: 0 }
  },
  'a receiver that is not ready': (dice) => {
    const [code, later] = [dice.from(1, 8), dice.from(9, 14)]
    const text = (timer: number): string =>
      network(
        1,
        500,
        `qp: {receiveQueue: 1, receiveRepost: 5us, rnrTimer: ${timer}}\n${trace('0 2 1KB 0us op=send connection=1', '0 2 1KB 0us op=send connection=1')}`,
      )
    const grownPs = (RNR_WAIT_US[later]! - RNR_WAIT_US[code]!) * US
    return { before: text(code), after: text(later), grows: { rnrPs: grownPs }, flow: 1 }
  },
  'data that are fetched again': (dice) => {
    const more = dice.from(2, 60)
    // The packet before the last is lost: by the time the NAK comes all has been sent.
    const packets = dice.from(3, 12)
    const lost = `faults: [{kind: every-nth, n: ${packets - 1}, until: 15us, links: "0>4"}]`
    const text = (us: number): string =>
      network(
        1,
        5000,
        `recovery: {kind: irn, fetchDelay: ${us}us}\npfc: {classes: []}\nqp: {ackTimeout: 10ms}\n${lost}\n${trace(`0 2 ${packets * 1000}B 0us`)}`,
      )
    return { before: text(1), after: text(1 + more), grows: { fetchPs: more * US }, flow: 0 }
  },
  'an earlier message of the queue pair': (dice) => {
    const packets = dice.from(2, 200)
    const flow = `0 2 ${dice.log(1, 20_000)}B 0us connection=1`
    const [before, after] = [
      network(1, 500, trace(flow)),
      (n: number) => trace(`0 2 ${n * 1000}B 0us connection=1`, flow),
    ]
    return { before, after: network(1, 500, after(packets)), grows: { behindPs: lengthOf(packets) }, flow: -1 }
  },
  'another queue pair of the NIC': (dice) => {
    const packets = dice.from(2, 50)
    const flow = `0 2 ${dice.from(60, 100) * 1000}B 0us connection=1`
    const both = trace(flow, `0 3 ${packets * 1000}B 0us connection=2`)
    return {
      before: network(1, 500, trace(flow)),
      after: network(1, 500, both),
      grows: { othersPs: lengthOf(packets) },
      flow: 0,
    }
  },
  'a closed window': (dice) => {
    const [packets, more] = [dice.from(2, 10), dice.from(1000, 20_000)]
    const flow = `qp: {window: 1000B}\n${trace(`0 2 ${packets * 1000}B 0us`)}`
    const grownPs = 2 * more * NS
    return {
      before: network(1, 2000, flow),
      after: network(1, 2000 + more, flow),
      grows: { windowPs: (packets - 1) * 2 * grownPs, propagationPs: grownPs },
      flow: 0,
    }
  },
}

/** Time on the link of a message of full packets, ps. */
function lengthOf(packets: number): number {
  const alonePs = (n: number): number =>
    numbersOf(run(parseScenario(`name: one\n${network(1, 0, trace(`0 2 ${n * 1000}B 0us`))}`)).flows, 'receivedPs')[0]!
  // A single packet is on two links.
  return alonePs(packets) - alonePs(1) / 2
}

function partsOf(text: string, flow: number): Map<string, number> {
  const { flows } = run(parseScenario(`name: delay\nobserve: [autopsy]\n${text}`), { check: true })
  const row = flow < 0 ? flows.rowCount + flow : flow
  return new Map([
    ['total', numbersOf(flows, 'receivedPs')[row]! - numbersOf(flows, 'startPs')[row]!],
    ...PARTS.map(({ column }): [string, number] => [column, numbersOf(flows, column)[row]!]),
  ])
}

test(`${CASES} delays are found in the part that is named after them`, () => {
  const kinds = Object.entries(DRAWS)
  const wrong: string[] = []
  for (let i = 0; i < CASES; i++) {
    const [kind, draw] = kinds[i % kinds.length]!
    const { before, after, grows, flow } = draw(new Dice(FIRST * 1000 + i))
    const [was, is] = [partsOf(before, flow), partsOf(after, flow)]
    const expected = new Map(Object.entries(grows))
    expected.set(
      'total',
      [...expected.values()].reduce((sum, ps) => sum + ps, 0),
    )
    for (const [part, ps] of is) {
      const grownPs = ps - was.get(part)!
      const off = grownPs - (expected.get(part) ?? 0)
      // Several delays in a row may each be off by a part of a packet.
      if (!(Math.abs(off) <= PACKET_PS))
        wrong.push(`case ${i}, ${kind}: ${part} grew by ${grownPs} ps, not by ${expected.get(part) ?? 0}\n${after}`)
    }
  }
  expect(wrong.slice(0, 5).join('\n'), `${wrong.length} parts`).toBe('')
})
