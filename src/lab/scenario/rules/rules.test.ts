import { describe, expect, test } from 'vitest'
import { formatIssue, InputError } from '../../../core/base/issue.ts'
import { checkScenario, parseScenario } from '../index.ts'

const TEXT = `name: pair
topology: {kind: star, hosts: 2}
workload: [{kind: incast, senders: 1, sizeEach: 1KB}]
`

/** A shared buffer of 64 KiB. */
const shared = (parts: string): string => `switch.buffer={kind: shared-buffer, size: 64KiB, ${parts}}`
const down = (cut: string): string => `faults=[{kind: link-down, ${cut}}]`

/** The issue of an input buffer; empty where it is sound. */
function mistakeOf(portBuffer: string, xoff: string, xonOffset: string): string {
  const buffer = `switch.buffer={kind: input-queued, portBuffer: ${portBuffer}, xoff: ${xoff}, xonOffset: ${xonOffset}}`
  try {
    parseScenario(TEXT, { sets: [buffer] })
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('xoff of an input buffer is at most its size, whatever xonOffset is', () => {
  expect(mistakeOf('240KB', '240KB', '0B')).toBe('')
  expect(mistakeOf('240KB', '240KB', '240KB')).toBe('')
  for (const xonOffset of ['0B', '1B', '100KB', '240KB']) {
    expect(mistakeOf('240KB', '240001B', xonOffset)).toContain(
      'switch.buffer.xoff: expected at most portBuffer, 240KB, received 240001B',
    )
  }
})

test('xonOffset of an input buffer is at most xoff', () => {
  expect(mistakeOf('240KB', '200KB', '200KB')).toBe('')
  expect(mistakeOf('240KB', '200KB', '200001B')).toContain(
    'switch.buffer.xonOffset: expected at most xoff, 200KB, received 200001B',
  )
})

test.each([
  [
    'switch.buffer={kind: input-queued, portBuffer: 3KB}',
    'switch.buffer.xoff: expected at most portBuffer, 3KB, received 220KB (the default of xoff is 220KB: set switch.buffer.xoff too, such as 1.5KB, which leaves 1.5KB for packets that arrive after XOFF)',
  ],
  [
    'switch.buffer={kind: shared-buffer, size: 3KB, egressReserve: 0B}',
    'switch.buffer.reserve: expected at most the whole buffer, 3KB, received 4KiB (the default is 4KiB: set it too)',
  ],
])('a default that %s breaks is named, with what to set', (buffer, message) => {
  expect(() => parseScenario(TEXT, { sets: [buffer] })).toThrow(message)
})

/** Messages for the small scenario with these overrides, without locations. */
function issuesWith(...sets: string[]): string[] {
  try {
    parseScenario(TEXT, { sets })
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map(({ path, expected, received, hint }) => formatIssue({ path, expected, received, hint }))
  }
}

describe('a value at its limit is sound', () => {
  test.each([
    ['equal marking thresholds, which are a step', ['switch.ecn.kmin=5KB', 'switch.ecn.kmax=5KB']],
    ['equal thresholds of TIMELY', ['congestion={kind: timely, tLow: 50us, tHigh: 50us}']],
    ['the smallest window at which an ACK is requested', ['qp.window=15361B', 'qp.ackInterval=16']],
    ['a window of one byte, where every packet requests an ACK', ['qp.window=1B', 'qp.ackInterval=1']],
    ['a run that stops just after warm-up', ['measure={warmUp: 1ms, stop: 1000001ns}']],
    ['a run whose generation ends just after warm-up', ['measure={warmUp: 1ms, generate: 1000001ns}']],
    ['a link that comes up just after it went down', [down('links: 0-2, down: 1ms, up: 1000001ns')]],
    ['parts of a buffer as large as the whole', [shared('reserve: 64KiB, egressReserve: 64KiB, headroom: 64KiB')]],
  ])('%s', (_, sets) => expect(issuesWith(...sets)).toEqual([]))
})

describe('a rule does not apply where a setting switches off its subject', () => {
  test.each([
    ['no window, where no ACK is requested', ['qp.window=off', 'qp.ackInterval=0']],
    ['a window that varies', ['qp.window=1MB', 'qp.windowVariable=true']],
    ['completion at the receiver, where there are no ACKs', ['measure.completion=receiver', 'qp.ackInterval=0']],
    ['completion at the sender, where there are ACKs', ['measure.completion=sender']],
    ['a run that ends at its stop time', ['measure={end: stop, stop: 1ms}']],
    ['a run that ends when generation ends', ['measure={end: stop, generate: 1ms}']],
    ['an endless workload with a stop time', ['workload=[closed-loop]', 'measure.stop=1ms']],
    ['an endless workload with an end of generation', ['workload=[poisson]', 'measure.generate=1ms']],
    [
      'alphas of two classes',
      [shared('reserve: 0B, egressReserve: 0B, byClass: [{class: 3, alpha: 1}, {class: 4, alpha: 1}]')],
    ],
    ['pause times of two classes', ['pfc.byClass=[{class: 3, quanta: 9}, {class: 4, quanta: 9}]']],
    ['a link that never comes up again', [down('links: 0-2, down: 1ms')]],
    [
      'a buffer without pauses that is smaller than the default xoff',
      ['pfc.classes=[]', 'switch.buffer={kind: input-queued, portBuffer: 3KB}'],
    ],
    ['a congestion control without thresholds of TIMELY', ['congestion=dcqcn']],
    [
      'faults on sets of links, and in one direction',
      [
        'faults=[{kind: bernoulli, probability: 0.1, links: " all "}, {kind: bernoulli, probability: 0.1, links: hosts}, {kind: bernoulli, probability: 0.1, links: fabric}, {kind: bernoulli, probability: 0.1, links: 0>2}]',
      ],
    ],
  ])('%s', (_, sets) => expect(issuesWith(...sets)).toEqual([]))
})

test('a scenario that was not made by parsing is checked against the same rules', () => {
  const scenario = parseScenario(TEXT)
  const { ecn } = scenario.switch
  const wrong = {
    ...scenario,
    switch: { ...scenario.switch, ecn: { ...ecn, kmin: 5000, kmax: 4000, classes: [3, 3] } },
  }
  expect(checkScenario(wrong).map(({ path }) => path.join('.'))).toEqual(['switch.ecn.kmax', 'switch.ecn.classes.1'])
})

test('a malformed map of classes suppresses no other mistake', () => {
  expect(issuesWith('classes.dscpMap=["1-0: 3"]', 'qp.windowVariable=true')).toHaveLength(2)
})

test('the class of data needs a codepoint if one of several workloads, or one line of a trace, uses it', () => {
  const named = 'classes.dscpMap=["0-63: 0", "48: 6", "5: 5"]'
  const own = '{kind: permutation, trafficClass: 5}'
  expect(issuesWith(named, `workload=[${own}]`)).toEqual([])
  expect(issuesWith(named, `workload=[${own}, permutation]`)).toEqual([
    'classes.data: expected a class that some DSCP maps to, received class 3 (map one to it in classes.dscpMap, such as "24: 3")',
  ])
  expect(issuesWith(named, 'workload=[{kind: trace, flows: ["0 1 1KB 0us class=5", "0 1 1KB 0us class=4"]}]')).toEqual([
    'workload.0.flows.1: expected a class that some DSCP maps to, received class 4 (map one to it in classes.dscpMap, such as "32: 4")',
  ])
})

test.each(['!all', 'all!', '1 hosts', 'all, hosts', 'fabric,', ''])('faults on the links %j are refused', (links) => {
  expect(issuesWith(`faults=[{kind: bernoulli, probability: 0.1, links: ${JSON.stringify(links)}}]`)).toEqual([
    `faults.0.links: expected all, hosts, fabric, or "A-B", "A>B" or "A", nodes by number or name, received ${JSON.stringify(links)}`,
  ])
})

describe('impossible combinations are reported with location and unit', () => {
  test.each([
    [
      'switch.ecn.byRate=[{rate: 1Gbps, kmin: 2KB, kmax: 3KB, pmax: 1}, {rate: 10Gbps, kmin: 2KB, kmax: 1KB, pmax: 1}]',
      'switch.ecn.byRate.1.kmax: expected at least kmin, 2KB, received 1KB (marking rises from kmin to kmax)',
    ],
    [
      'switch.ecn.byRate=[{rate: 1Gbps, kmin: 2KB, kmax: 3KB, pmax: 1}, {rate: 1Gbps, kmin: 2KB, kmax: 3KB, pmax: 1}]',
      'switch.ecn.byRate.1.rate: expected each rate once, received 1Gbps again',
    ],
    [
      'congestion={kind: timely, tLow: 50us, tHigh: 49us}',
      'congestion.tHigh: expected at least tLow, 50us, received 49us (between them the gradient decides)',
    ],
    ['switch.ecn.classes=[3, 4, 3]', 'switch.ecn.classes.2: expected each class once, received 3 again'],
    ['switch.wred.classes=[3, 3]', 'switch.wred.classes.1: expected each class once, received 3 again'],
    ['switch.qcn.classes=[3, 3]', 'switch.qcn.classes.1: expected each class once, received 3 again'],
    ['switch.strictClasses=[0, 0]', 'switch.strictClasses.1: expected each class once, received 0 again'],
    [
      'switch.weights=[1, 1, 1, 1, 1, 1, 1, 1, 1]',
      'switch.weights: expected 8 weights, one for each class, received 9',
    ],
    [
      'nic.addresses=["0: 10.0.0.1", "1: 10.0.0.256"]',
      'nic.addresses.1: expected "HOST: ADDRESS", such as "0: 10.0.0.1", received "1: 10.0.0.256"',
    ],
    [
      'balance={kind: ecmp, seeds: ["2: 7", "2: 8"]}',
      'balance.seeds.1: expected each node once, received node 2 again',
    ],
    [
      'workload=[{kind: poisson, flows: 1, load: 0.5, sizes: {kind: cdf, points: ["5 0", "4 100"]}}]',
      'workload.0.sizes.points.1: expected bytes of at least 5, as at the point before',
    ],
    [
      'measure={warmUp: 1ms, stop: 1ms}',
      'measure.stop: expected later than warmUp, 1ms, or off, received 1ms (nothing would be measured)',
    ],
    [
      'qp={window: 15360B, ackInterval: 16}',
      'qp.window: expected at least 15361B, received 15KiB (an ACK is requested every 16 packets of 1KiB',
    ],
    [
      down('links: "0>2", down: 1ms'),
      'faults.0.links: expected "A-B" or "A", nodes by number or name, comma separated, received "0>2"',
    ],
    [
      down('links: "0-2, 1>2", down: 1ms'),
      'faults.0.links: expected "A-B" or "A", nodes by number or name, comma separated, received "0-2, 1>2"',
    ],
    [
      shared('reserve: 0B, egressReserve: 65537B'),
      'switch.buffer.egressReserve: expected at most the whole buffer, 64KiB, received 65537B',
    ],
    [
      shared('reserve: 0B, egressReserve: 0B, headroom: 65537B'),
      'switch.buffer.headroom: expected at most the whole buffer, 64KiB, received 65537B',
    ],
  ])('%s', (set, message) => {
    const found = issuesWith(set)
    expect(found.join('\n').slice(0, message.length)).toBe(message)
    expect(found).toHaveLength(message.split('\n').length)
  })
})

test('a rule over a whole group is skipped while a part of it cannot be read', () => {
  expect(issuesWith('topology={kind: graph, nodes: x, switches: [1], links: [0 1 40Gbps 2us]}')).toEqual([
    expect.stringMatching(/^topology\.nodes: expected a whole number/),
  ])
})
