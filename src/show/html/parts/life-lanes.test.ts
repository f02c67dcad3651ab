/** Lanes of a flow's life: contiguous from its posting to its completion, with the waits at the ports where they were. */
import { expect, test } from 'vitest'
import { PARTS } from '../../../core/results/index.ts'
import type { LifeHop } from '../page-data.ts'
import { lifeLanes } from './life-lanes.ts'

const START_PS = 5_000_000

/** Parts of a flow, in the order given. */
function partsOf(spans: Readonly<Record<string, number>>) {
  return Object.entries(spans).map(([column, spanPs]) => {
    const { label, end } = PARTS.find((part) => part.column === column)!
    return { label, end, column, colour: '', spanPs }
  })
}
const hopAt = (port: string, leftPs: number, queuePs: number, pausedPs: number): LifeHop => {
  return { port, leftPs, queuePs, pausedPs, leftAt: '', queued: '', paused: '', behind: '' }
}
/** "sender: own bytes 0 to 200", in ps from the posting. */
const textsOf = (...args: Parameters<typeof lifeLanes>): string[] =>
  lifeLanes(...args).flatMap(({ where, spans }) =>
    spans.map(
      ({ part, fromPs, toPs }) => `${where}: ${part?.label ?? 'way'} ${fromPs - START_PS} to ${toPs - START_PS}`,
    ),
  )

const SENDER = { ownPs: 200, ratePs: 300 }
const NETWORK = { wirePs: 40, propagationPs: 50, switchPs: 10, queuePs: 100, pausedPs: 60, receivePs: 30 }

test('the packet waits at each port until it leaves, and is under way before', () => {
  const hops = [
    hopAt('host 1 port 1', START_PS + 500, 0, 0),
    hopAt('leaf 0 port 3', START_PS + 630, 80, 0),
    hopAt('leaf 1 port 2', START_PS + 750, 20, 60),
  ]
  expect(textsOf(partsOf({ ...SENDER, ...NETWORK }), hops, START_PS)).toEqual([
    'sender: own bytes 0 to 200',
    'sender: rate 200 to 500',
    'leaf 0 port 3: way 500 to 550',
    'leaf 0 port 3: queues 550 to 630',
    'leaf 1 port 2: way 630 to 670',
    'leaf 1 port 2: queues 670 to 690',
    'leaf 1 port 2: paused in the network 690 to 750',
    'receiver: way 750 to 760',
    'receiver: receiver 760 to 790',
  ])
})

test('without ports the sums of the network stand one behind the other, and the receiver comes last', () => {
  expect(textsOf(partsOf({ ...SENDER, ...NETWORK }), [], START_PS).slice(2)).toEqual([
    'network: serialization 500 to 540',
    'network: propagation 540 to 590',
    'network: switches 590 to 600',
    'network: queues 600 to 700',
    'network: paused in the network 700 to 760',
    'receiver: receiver 760 to 790',
  ])
})

test('a READ begins with its request', () => {
  const parts = partsOf({ requestPs: 10, requestWirePs: 5, requestReceivePs: 5, ownPs: 20, wirePs: 10 })
  expect(textsOf(parts, [], START_PS)).toEqual([
    'request: READ request 0 to 10',
    'request: request: serialization 10 to 15',
    'request: request: host 15 to 20',
    'sender: own bytes 20 to 40',
    'network: serialization 40 to 50',
  ])
})

test('ports that a copy left before its message was posted hold nothing of its time', () => {
  const hops = [hopAt('host 1 port 1', START_PS - 300, 0, 0), hopAt('leaf 0 port 3', START_PS - 100, 150, 0)]
  expect(textsOf(partsOf({ propagationPs: 50, receivePs: 30 }), hops, START_PS)).toEqual([
    'receiver: way 0 to 50',
    'receiver: receiver 50 to 80',
  ])
})
