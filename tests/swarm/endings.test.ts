/**
 * Runs that could last for ever: each ends without a stop time, and its flows have the reason as status. And runs that
 * only seem to: each goes on as long as something can still happen.
 */
import { describe, expect, test } from 'vitest'
import { createSimulation } from '../../src/lab/index.ts'
import { numbersOf, type Result, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { timesAsLong } from '../support/growth.ts'

const EVENTS_MAX = 20_000_000

/** Runs the scenario of a YAML flow mapping under all laws. */
function ended(text: string): Result {
  const simulation = createSimulation(parseScenario(`{name: ending, ${text}}`), { check: true })
  for (let events = 0; simulation.advance(50_000); events += 50_000) {
    if (events > EVENTS_MAX) throw new Error(`no end after ${EVENTS_MAX} events, ${simulation.progress().nowPs} ps`)
  }
  return simulation.result(false)
}

const statuses = (result: Result): string[] => [...new Set(textsOf(result.flows, 'status'))].toSorted()

/** One message over one switch (node 2). */
const one = (flow = '0 1 100KB 0us'): string => `topology: star, workload: [{kind: trace, flows: ["${flow}"]}]`
/** Two hosts send to the third, over node 3. */
const two = 'topology: {kind: star, hosts: 3}, workload: [{kind: trace, flows: ["0 2 1MB 0us", "1 2 1MB 0us"]}]'
/** Four switches in a ring that all send the same way round, each message three hops. */
const ring = `
  topology: {kind: graph, nodes: 8, switches: [4, 5, 6, 7], links: [
    "0 4 100Gbps 1us", "1 5 100Gbps 1us", "2 6 100Gbps 1us", "3 7 100Gbps 1us",
    "4 5 100Gbps 1us", "5 6 100Gbps 1us", "6 7 100Gbps 1us", "7 4 100Gbps 1us"],
    routes: ["4: 1-3 via 2", "5: 0,2-3 via 3", "6: 0-1,3 via 3", "7: 0-2 via 3"]},
  workload: [{kind: trace, flows: ["0 3 4MB 0us", "1 0 4MB 0us", "2 1 4MB 0us", "3 2 4MB 0us"]}]`

describe('a run that would never end names the reason', () => {
  test.each([
    [
      'a lost tail and no timeout',
      `${one('0 1 10KiB 0us')}, faults: [{kind: every-nth, n: 10, links: "0>2"}]`,
      ['stalled: packets lost and no timeout set'],
    ],
    [
      'a READ request lost and no timeout',
      `${one('0 1 1KB 0us op=read')}, faults: [{kind: every-nth, n: 1, packets: control}]`,
      ['stalled: packets lost and no timeout set'],
    ],
    [
      'the cable of the receiver cut for good',
      `${one()}, faults: [{kind: link-down, links: "1-2", down: 3us}]`,
      ['link down'],
    ],
    [
      'the cable of the sender cut for good',
      `${one()}, qp: {ackTimeout: 100us}, faults: [{kind: link-down, links: "0-2", down: 3us}]`,
      ['link down'],
    ],
    [
      'the cable cut, and retries that end',
      `${one()}, qp: {ackTimeout: 100us, retryLimit: 3}, faults: [{kind: link-down, links: "1-2", down: 3us}]`,
      ['retry limit reached'],
    ],
    [
      'retries that take longer than the patience for silence',
      `${one()}, qp: {ackTimeout: 50ms}, faults: [{kind: link-down, links: "1-2", down: 3us}]`,
      ['retry limit reached'],
    ],
    [
      'the cable cut, and retries without an end',
      `${one()}, qp: {ackTimeout: 100us, retryLimit: off}, faults: [{kind: link-down, links: "1-2", down: 3us}]`,
      ['link down'],
    ],
    [
      'a message longer than the way to the next loss, from its start each time',
      `${one('0 1 300KB 0us').replace('star', '{kind: star, linkRate: 10Gbps}')}, recovery: go-back-0,
       faults: [{kind: ip-id, links: "0>2"}]`,
      ['livelock: sending without progress'],
    ],
    [
      'SENDs to nobody who receives',
      `${one('0 1 1KB 0us op=send')}, qp: {receiveQueue: 0}`,
      ['livelock: sending without progress'],
    ],
    [
      'no ACK that ever arrives',
      `${one()}, qp: {ackTimeout: 1ms, retryLimit: off}, faults: [{kind: bernoulli, probability: 1, packets: control}]`,
      ['livelock: sending without progress'],
    ],
    [
      'buffers that wait for each other all the way round',
      `${ring}, switch: {buffer: {kind: input-queued, portBuffer: 300KB, xoff: 100KB}}`,
      ['stalled: its class is paused for good'],
    ],
    [
      'a lost resume frame where pauses last',
      `${two}, pfc: {expiry: false, refresh: 0}, switch: {buffer: {kind: input-queued, xoff: 100KB}},
       faults: [{kind: corruption, bitErrorRatio: 0.001, links: "3>0"}]`,
      ['finished', 'stalled: its class is paused for good'],
    ],
  ])('%s', (_what, text, expected) => {
    expect(statuses(ended(text))).toEqual(expected)
  })
})

describe('a run that ends by the clock shows flows that would never have finished', () => {
  const circling = `${one('0 1 4MB 0us').replace('star', '{kind: star, linkRate: 40Gbps}')}, recovery: go-back-0,
    faults: [{kind: ip-id, links: "0>2"}]`
  test.each([
    ['a message from its start each time, over most of the run', circling, '5ms', 'livelock: sending without progress'],
    ['the same, for as long as silence may last', circling, '150ms', 'livelock: sending without progress'],
    ['the same, before it can be known', circling, '200us', 'still sending at the stop'],
    [
      'no ACK that ever arrives',
      `${one()}, qp: {ackTimeout: 1ms, retryLimit: off}, faults: [{kind: bernoulli, probability: 1, packets: control}]`,
      '300ms',
      'livelock: sending without progress',
    ],
    [
      'a lost tail and no timeout',
      `${one('0 1 10KiB 0us')}, faults: [{kind: every-nth, n: 10, links: "0>2"}]`,
      '300ms',
      'stalled: packets lost and no timeout set',
    ],
    [
      'the same, where nothing moved for most of the run',
      `${one('0 1 10KiB 0us')}, faults: [{kind: every-nth, n: 10, links: "0>2"}]`,
      '100us',
      'stalled: packets lost and no timeout set',
    ],
    [
      'two hosts that no cable joins',
      `topology: {kind: graph, nodes: 4, switches: [2, 3], links: ["0 2 100Gbps 1us", "1 3 100Gbps 1us"]},
       workload: [{kind: trace, flows: ["0 1 10KB 0us"]}]`,
      '100us',
      'stalled: no route',
    ],
    [
      'the same message, posted a moment ago',
      `${one('0 1 10KiB 295ms')}, faults: [{kind: every-nth, n: 10, links: "0>2"}]`,
      '300ms',
      'still sending at the stop',
    ],
    [
      'a lost tail, and a timeout that would have come',
      `${one('0 1 10KiB 0us')}, qp: {ackTimeout: 200ms}, faults: [{kind: every-nth, n: 10, links: "0>2"}]`,
      '190ms',
      'still sending at the stop',
    ],
    [
      'a cable that is cut',
      `${one()}, qp: {ackTimeout: 1ms, retryLimit: off}, faults: [{kind: link-down, links: "1-2", down: 3us, up: 700ms}]`,
      '300ms',
      'link down',
    ],
    [
      'buffers that wait for each other all the way round',
      `${ring}, switch: {buffer: {kind: input-queued, portBuffer: 300KB, xoff: 100KB}}`,
      '300ms',
      'stalled: its class is paused for good',
    ],
  ])('%s', (_what, text, stop, expected) => {
    expect(statuses(ended(`${text}, measure: {stop: ${stop}}`))).toEqual([expected])
  })
})

test('a flow whose window lets a packet go every 100 ms is waited for', () => {
  const slow = `topology: {kind: dumbbell, leftHosts: 1, rightHosts: 1, bottleneckDelay: 500us},
    switch: {buffer: {size: 200MB}}, congestion: swift, workload: [{kind: trace, flows: ["0 1 23500KB 0ps"]}]`
  const { simulatedPs, flows } = ended(slow)
  expect([textsOf(flows, 'status'), simulatedPs > 2e12]).toEqual([['finished'], true])
})

test('a run in which no message is drawn ends with its generation', () => {
  const empty = `topology: {kind: star, hosts: 8}, workload: [{kind: poisson, load: 0.000001, sizes: {kind: fixed, size: 100KB}}]`
  const { simulatedPs, stalledFromPs, flows } = ended(`${empty}, measure: {generate: 5ms}`)
  expect([simulatedPs, stalledFromPs, flows.rowCount]).toEqual([5e9, null, 0])
})

describe('with a class that is paused for good', () => {
  const locked = `${ring}, switch: {buffer: {kind: shared-buffer, size: 1MB}}`
  const PAUSED = 'stalled: its class is paused for good'
  const alsoLossy = locked
    .replace('nodes: 8,', 'nodes: 9,')
    .replace('"7 4 100Gbps 1us"', '"7 4 100Gbps 1us", "8 4 100Gbps 1us"')
    .replace('flows: [', 'flows: ["0 4 60KB 5us class=0", ')
  const isLost = 'faults: [{kind: bernoulli, probability: 1, links: "4>8", packets: data}]'

  test.each(['100us', '1ms', '50ms'])('a run that ends by the clock says so after %s too', (stop) => {
    expect(statuses(ended(`${locked}, measure: {stop: ${stop}}`))).toEqual([PAUSED])
  })

  test('flows whose window keeps the NIC from being paused are reported too', () => {
    expect(statuses(ended(`${locked}, congestion: hpcc, qp: {ecnEcho: ack}`))).toEqual([PAUSED])
  })

  test('flows of other classes have their own reasons, and a flow in livelock does not affect those of others', () => {
    const own = 'classes: {ackAtHost: 0, ackAtSwitch: 0}'
    const ofClasses = (text: string): string[] => {
      const { flows } = ended(text)
      const classes = numbersOf(flows, 'trafficClass')
      return textsOf(flows, 'status').map((status, row) => `${classes[row]}: ${status}`)
    }
    const paused = Array.from({ length: 4 }, () => `3: ${PAUSED}`)
    expect(ofClasses(`${alsoLossy}, ${isLost}, ${own}`).toSorted()).toEqual([
      '0: stalled: packets lost and no timeout set',
      ...paused,
    ])
    const inVain = `${alsoLossy}, ${isLost}, ${own}, recovery: {kind: irn}, qp: {ackTimeout: 1ms, retryLimit: off}`
    expect(ofClasses(inVain).toSorted()).toEqual(['0: livelock: sending without progress', ...paused])
  })
})

describe('ports that wait for each other', () => {
  const deep = 'switch: {buffer: {kind: input-queued, portBuffer: 300KB, xoff: 100KB}}'
  test.each([
    ['input-queued', deep],
    ['shared buffers', 'switch: {buffer: {kind: shared-buffer, size: 1MB}}'],
  ])('round a ring are reported, with the switches in the order of waiting: %s', (_what, buffer) => {
    const { pauseCircle, simulatedPs } = ended(`${ring}, ${buffer}`)
    expect(pauseCircle).toMatchObject({ trafficClass: 3 })
    const at = pauseCircle!.nodes.map((name) => Number(name.split(' ')[1]))
    expect(at.toSorted((a, b) => a - b)).toEqual([4, 5, 6, 7])
    // Each sends to the next.
    at.forEach((node, k) => expect(at[(k + 1) % 4]).toBe(node === 7 ? 4 : node + 1))
    expect(pauseCircle!.sincePs).toBeGreaterThan(0)
    expect(pauseCircle!.sincePs).toBeLessThan(simulatedPs / 2)
  })

  test('in a row are no circle, nor those that pause each other with packets for other ports', () => {
    // Both ways between two switches, and more than each host can take.
    const chain = `topology: {kind: dumbbell, leftHosts: 3, rightHosts: 3, bottleneckRate: 400Gbps},
      workload: [{kind: trace, flows: ["0 3 2MB 0us", "1 3 2MB 0us", "2 3 2MB 0us", "3 0 2MB 0us", "4 0 2MB 0us", "5 0 2MB 0us"]}]`
    const { pauseCircle, counters } = ended(`${chain}, ${deep}, measure: {stop: 100us}`)
    expect([pauseCircle, counters.pausedPs['tier 1']! > 0]).toEqual([null, true])
    expect(ended(`${ring}, ${deep}, pfc: {classes: []}, qp: {ackTimeout: 100us}`).pauseCircle).toBeNull()
  })
})

describe('a run that goes on after a long silence is not ended', () => {
  test.each([
    [
      'a link that comes back after most of a second',
      `${one()}, qp: {ackTimeout: 1ms, retryLimit: off}, faults: [{kind: link-down, links: "1-2", down: 3us, up: 700ms}]`,
    ],
    [
      'an RNR timer of 655 ms',
      `${one('0 1 10KB 0us op=send connection=1", "0 1 10KB 0us op=send connection=1')}, qp: {receiveQueue: 1, receiveRepost: 5us, rnrTimer: 0}`,
    ],
    [
      'a Receive WQE that comes back after half a second',
      `${one('0 1 10KB 0us op=send connection=1", "0 1 10KB 0us op=send connection=1')}, qp: {receiveQueue: 1, receiveRepost: 500ms, rnrTimer: 20}`,
    ],
    [
      'an acknowledgement timeout of a fifth of a second',
      `${one('0 1 10KiB 0us')}, qp: {ackTimeout: 200ms}, faults: [{kind: every-nth, n: 10, links: "0>2"}]`,
    ],
    ['a message that starts late', one('0 1 10KB 900ms')],
  ])('%s', (_what, text) => {
    expect(statuses(ended(text))).toEqual(['finished'])
  })
})

describe('earlier bugs that kept a run from ending, or broke it', () => {
  test('pauses that are sent again after next to no time leave room for data, and time goes on', () => {
    const result = ended(`${two}, pfc: {refresh: 0.000000001}, switch: {buffer: {kind: shared-buffer, size: 400KB}}`)
    expect(statuses(result)).toEqual(['finished'])
    expect(result.counters.pauseFrames).toBeGreaterThan(10)
  })

  test('a PFC frame that would take effect after its link went down is discarded', () => {
    const result = ended(
      `${two}, qp: {ackTimeout: 500us, retryLimit: off}, pfc: {expiry: false, refresh: 0, reactionTime: 20us},
       switch: {buffer: {kind: shared-buffer, size: 3MB, alpha: 1/64}},
       faults: [{kind: link-down, links: "0-3", down: 20us, up: 60us}]`,
    )
    expect(result.counters.pauseFrames).toBeGreaterThan(0)
    expect(statuses(result)).toEqual(['finished'])
  })

  test('a READ longer than the window arrives', () => {
    expect(statuses(ended(`${one('0 1 100KB 0us op=read')}, qp: {window: 10KB}`))).toEqual(['finished'])
  })

  test('bytes freed at the end of a transmission go back to any of hundreds of ports', () => {
    const result = ended(
      `topology: {kind: star, hosts: 300}, switch: {release: end, buffer: {kind: input-queued}},
       workload: [{kind: incast, senders: 280, receiver: 299, sizeEach: 5KB}]`,
    )
    expect(statuses(result)).toEqual(['finished'])
  })

  test('a weight of 0 keeps a class waiting and does not hang the scheduler', () => {
    const weighted = (weight: number) => () => {
      const weights = Array.from({ length: 8 }, () => weight).join(', ')
      const result = ended(
        `${two.replace('1 2 1MB 0us', '1 2 1MB 0us class=4')}, switch: {scheduler: dwrr, weights: [${weights}], dwrrQuantum: 64B}`,
      )
      expect(statuses(result)).toEqual(['finished'])
    }
    expect(timesAsLong(weighted(0), weighted(1), 10)).toBeLessThan(10)
  })
})
