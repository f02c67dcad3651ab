/**
 * Messages alone in networks that are drawn: links side by side of unlike rates and lengths, hosts with several ports of
 * unlike rates, every choice of paths and ports. None is faster than its ideal time; where one path is left it takes that
 * time, and where a queue pair keeps one of several paths, the best of many does.
 */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf, type Result, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { Dice } from '../swarm/dice.ts'

const GBPS = [10, 25, 40, 100] as const
const SIZES = [1, 700, 1024, 1025, 2500, 9000, 60_001, 300_000] as const
const PLAIN = ['write', 'send', 'read'] as const
const ONE_PATH = ['ecmp', '{kind: adaptive, per: flow}'] as const
const SEVERAL_PATHS = ['spray', '{kind: spray, pick: round-robin}', 'adaptive', '{kind: flowlet, gap: 100ns}'] as const
const SECOND_PS = 1e12

/** A row of switches between two hosts. */
interface Shape {
  /** Most links side by side between two switches, and most ports of a host. */
  readonly links: number
  readonly ports: number
}

/** Each port of a host is on a switch at its end of the row; a second row may join some of them. */
function drawGraph(dice: Dice, { links, ports }: Shape): string {
  const rows = ports > 1 ? dice.from(1, 2) : 1
  const length = dice.from(1, 3)
  const text: string[] = []
  const link = (a: number, b: number): void => {
    text.push(`"${a} ${b} ${dice.one(GBPS)}Gbps ${dice.one([1, 50, 700, 2000])}ns"`)
  }
  const at = (row: number, i: number): number => 2 + row * length + i
  for (let host = 0; host < 2; host++) {
    const count = dice.from(ports > 1 && host === 0 ? 2 : rows, Math.max(rows, ports))
    for (let port = 0; port < count; port++) link(host, at(port % rows, host === 0 ? 0 : length - 1))
  }
  for (let row = 0; row < rows; row++)
    for (let i = 0; i + 1 < length; i++) for (let k = dice.from(1, links); k > 0; k--) link(at(row, i), at(row, i + 1))
  const switches = Array.from({ length: rows * length }, (_, i) => i + 2)
  return `{kind: graph, nodes: ${2 + switches.length}, switches: [${switches.join()}], links: [${text.join()}]}`
}

interface Drawn {
  readonly shape: Shape
  readonly balances: readonly string[]
  readonly portChoices: readonly string[]
  /** Messages of each size and operation. */
  readonly messages: number
}

function drawScenario(dice: Dice, { shape, balances, portChoices, messages }: Drawn): string {
  const forwarding = dice.one(['store-and-forward', '{kind: cut-through, header: 64B}'])
  const flows: string[] = []
  for (const bytes of [dice.one(SIZES), dice.one(SIZES)])
    for (const operation of PLAIN)
      for (let i = 0; i < messages; i++) {
        const hosts = flows.length % 2 === 0 ? '0 1' : '1 0'
        flows.push(`"${hosts} ${bytes}B ${flows.length * 3}ms op=${operation}"`)
      }
  // Early packets wait for late ones, and ACKs never hold data back.
  return `{name: alone, seed: ${dice.from(1, 1000)}, topology: ${drawGraph(dice, shape)},
    balance: ${dice.one(balances)}, nic: {portChoice: ${dice.one(portChoices)}}, pfc: {classes: []},
    switch: {forwarding: ${forwarding}, latency: ${dice.one([0, 300])}ns, buffer: {size: 64MB, alpha: 8}},
    recovery: {kind: irn, nackThreshold: 4000, bdpFlowControl: false}, qp: {ackTimeout: 2ms},
    workload: [{kind: trace, flows: [${flows.join()}]}]}`
}

interface Row {
  readonly key: string
  readonly tookPs: number
  readonly idealPs: number
  readonly ackTookPs: number
  readonly idealAckPs: number
}

function rowsOf({ flows }: Result): Row[] {
  const [start, received, acknowledged, ideal, idealAck, size, source] = [
    'startPs',
    'receivedPs',
    'acknowledgedPs',
    'idealPs',
    'idealAcknowledgedPs',
    'sizeBytes',
    'source',
  ].map((name) => numbersOf(flows, name)) as Float64Array[]
  return textsOf(flows, 'operation').map((operation, row) => ({
    key: `${source![row]} ${operation} ${size![row]}B`,
    tookPs: received![row]! - start![row]!,
    idealPs: ideal![row]!,
    ackTookPs: operation === 'read' ? NaN : acknowledged![row]! - start![row]!,
    idealAckPs: idealAck![row]!,
  }))
}

/** Networks in which no flow is ever disturbed; loss ends the test. */
function eachDrawn(count: number, seed: number, drawn: Drawn, look: (rows: Row[], text: string) => void): void {
  for (let i = 0; i < count; i++) {
    const text = drawScenario(new Dice(seed * 1000 + i), drawn)
    const result = run(parseScenario(text))
    expect(new Set(textsOf(result.flows, 'status')), text).toEqual(new Set(['finished']))
    look(rowsOf(result), text)
  }
}

function expectNoneFaster(rows: readonly Row[], text: string): void {
  for (const { key, tookPs, idealPs } of rows) {
    expect(idealPs, text).toBeGreaterThan(0)
    expect(tookPs, `${key}: ${text}`).toBeGreaterThanOrEqual(idealPs)
  }
  for (const { key, ackTookPs, idealAckPs } of acknowledgedOf(rows))
    expect(ackTookPs, `${key}: ${text}`).toBeGreaterThanOrEqual(idealAckPs)
}

/** All but READs. */
function acknowledgedOf(rows: readonly Row[]): Row[] {
  return rows.filter(({ ackTookPs }) => !Number.isNaN(ackTookPs))
}

/** Times of a full frame, and of an ACK, at the slowest rate. */
const PACKET_PS = (1126 * 8 * SECOND_PS) / (10 * 1e9)
const ACK_PS = (86 * 8 * SECOND_PS) / (10 * 1e9)

describe('a message alone', () => {
  test('on the only path takes its ideal time', () => {
    const drawn = { shape: { links: 1, ports: 1 }, balances: [...ONE_PATH, ...SEVERAL_PATHS], portChoices: ['bound'] }
    eachDrawn(40, 1, { ...drawn, messages: 1 }, (rows, text) => {
      for (const { key, tookPs, idealPs } of rows) expect(tookPs, `${key}: ${text}`).toBe(idealPs)
      expectNoneFaster(rows, text)
      // The ACK of a short last packet may wait for the one before it.
      for (const { key, ackTookPs, idealAckPs } of acknowledgedOf(rows))
        expect(ackTookPs - idealAckPs, `${key}: ${text}`).toBeLessThan(ACK_PS)
    })
  })

  test('on one of several paths takes no less than its ideal time, and on the best of them that time', () => {
    const drawn = { shape: { links: 2, ports: 1 }, balances: ONE_PATH, portChoices: ['bound'], messages: 40 }
    eachDrawn(40, 2, drawn, (rows, text) => {
      expectNoneFaster(rows, text)
      // The request of a READ takes a path of its own.
      for (const key of new Set(acknowledgedOf(rows).map((row) => row.key))) {
        const alike = rows.filter((row) => row.key === key)
        const restPs = Math.min(...alike.map(({ tookPs, idealPs }) => tookPs - idealPs))
        expect(restPs, `${key}: ${text}`).toBeLessThanOrEqual(PACKET_PS)
      }
    })
  })

  test('over several paths takes no less', () => {
    const drawn = { shape: { links: 3, ports: 1 }, balances: SEVERAL_PATHS, portChoices: ['bound'], messages: 3 }
    eachDrawn(60, 3, drawn, expectNoneFaster)
  })

  test('bound to one port of unlike ports takes its ideal time', () => {
    const drawn = { shape: { links: 1, ports: 3 }, balances: ONE_PATH, portChoices: ['bound'], messages: 3 }
    eachDrawn(60, 4, drawn, (rows, text) => {
      for (const { key, tookPs, idealPs } of rows) expect(tookPs, `${key}: ${text}`).toBe(idealPs)
    })
  })

  test('over unlike ports takes no less', () => {
    const balances = [...ONE_PATH, ...SEVERAL_PATHS]
    const drawn = { shape: { links: 2, ports: 3 }, balances, portChoices: ['spray', 'least-queue'], messages: 3 }
    eachDrawn(80, 5, drawn, expectNoneFaster)
  })
})

describe('the ideal time', () => {
  const slowdownsOf = (text: string): number[] => {
    const rows = rowsOf(run(parseScenario(text)))
    return rows.map(({ tookPs, idealPs }) => tookPs / idealPs)
  }

  test('is that of the best of two links of which ECMP takes one', () => {
    const flows = Array.from({ length: 12 }, (_, i) => `"0 1 1MB ${10 * i}ms"`).join()
    const slowdowns = slowdownsOf(`{name: two, topology: {kind: graph, nodes: 4, switches: [2, 3], links:
      ["0 2 100Gbps 1us", "1 3 100Gbps 1us", "2 3 10Gbps 1us", "2 3 100Gbps 1us"]}, workload: [{kind: trace, flows: [${flows}]}]}`)
    expect(slowdowns.filter((slowdown) => slowdown === 1).length).toBeGreaterThan(2)
    for (const slowdown of slowdowns.filter((each) => each !== 1)) expect(slowdown).toBeCloseTo(9.68, 2)
  })

  test('of a message that is sprayed is that of all uplinks together, which round robin fills', () => {
    const spray = (pick: string): number[] =>
      slowdownsOf(`{name: spray, balance: {kind: spray, pick: ${pick}}, recovery: {kind: irn, nackThreshold: 64},
        topology: {kind: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 1, hostRate: 100Gbps, fabricRate: 25Gbps},
        workload: [{kind: trace, flows: ["0 1 10MB 0us"]}]}`)
    const [even] = spray('round-robin')
    expect(even).toBeGreaterThanOrEqual(1)
    expect(even).toBeLessThan(1.01)
    expect(spray('random')[0]).toBeGreaterThan(even!)
  })

  test('over three ports to one is that of the one', () => {
    const [slowdown] =
      slowdownsOf(`{name: funnel, nic: {portChoice: spray}, recovery: {kind: irn, bdpFlowControl: false},
      topology: {kind: graph, nodes: 3, switches: [2], links:
        ["0 2 100Gbps 1us", "0 2 100Gbps 1us", "0 2 100Gbps 1us", "1 2 100Gbps 1us"]},
      workload: [{kind: trace, flows: ["0 1 1MB 0us"]}]}`)
    expect(slowdown).toBeGreaterThanOrEqual(1)
    expect(slowdown).toBeLessThan(1.01)
  })
})

describe('while a link is down', () => {
  const flowsOf = (more: string): Result =>
    run(
      parseScenario(`{name: outage, topology: {kind: leaf-spine, leaves: 3, spines: 1, hostsPerLeaf: 1},
        workload: [{kind: trace, tag: early, flows: ["1 2 10KB 0us", "2 1 10KB 0us"]},
          {kind: incast, tag: late, senders: 2, receiver: 0, total: 20KB, start: 50us}],
        faults: [{kind: switch-down, switches: leaf 0, down: 40us, up: 5ms}], ${more}}`),
    )

  test('ideal times are those of the network as built', () => {
    const qp = 'qp: {ackTimeout: 1ms, retryLimit: off}'
    const [open, stopped] = ['', ', measure: {stop: 10ms}'].map((more) => flowsOf(qp + more).flows)
    expect(numbersOf(stopped!, 'idealPs')).toEqual(numbersOf(open!, 'idealPs'))
    expect(numbersOf(stopped!, 'idealPs').every((ps) => ps > 0)).toBe(true)
  })

  test('a measurement changes no digest, whatever starts from a round trip', () => {
    for (const congestion of ['dctcp', 'swift']) {
      const more = `congestion: ${congestion}, qp: {ackTimeout: 1ms, retryLimit: off, ecnEcho: ack, readAcks: true}`
      expect(flowsOf(`${more}, measure: {stop: 10ms}`).digest).toBe(flowsOf(more).digest)
    }
    const irn = 'recovery: irn, qp: {ackTimeout: 1ms, retryLimit: off}'
    expect(flowsOf(`${irn}, measure: {stop: 10ms}`).digest).toBe(flowsOf(irn).digest)
  })
})
