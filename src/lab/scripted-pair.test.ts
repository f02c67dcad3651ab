import { describe, expect, test } from 'vitest'
import { US } from '../core/base/params.ts'
import { parseScenario } from './scenario/index.ts'
import { recoveries } from '../core/transport/recovery/index.ts'
import { ScriptedPair } from './scripted-pair.ts'

const pairOf = (...lines: string[]): ScriptedPair =>
  new ScriptedPair(
    parseScenario(
      ['name: x', 'topology: {kind: star, hosts: 2, linkRate: 40Gbps}', 'workload: [permutation]', ...lines].join('\n'),
    ),
    20 * US,
  )

const ack = (psn: number, echo = false) => ({ kind: 'ACK', psn, echo })

describe('a message through a script', () => {
  test('arrives as it is sent when nothing happens to it', () => {
    expect(pairOf().play({ packets: 3 })).toEqual({
      sent: [0, 1, 2],
      answers: [ack(0), ack(1), ack(2)],
      isFinished: true,
    })
  })

  test('loses a lost packet once', () => {
    const { sent, answers } = pairOf('qp: {ackInterval: 256}').play({ packets: 5, lost: [2] })
    expect(sent).toEqual([0, 1, 2, 3, 4, 2, 3, 4])
    expect(answers).toEqual([{ kind: 'NAK', psn: 2, echo: false }, ack(4)])
  })

  test('has marks echoed as the scenario sets it, and only where packets can be marked', () => {
    const played = (...lines: string[]) => pairOf(...lines).play({ packets: 3, marked: [1] }).answers
    expect(played()).toEqual([ack(0), ack(1), ack(2)])
    expect(played('congestion: dctcp', 'qp: {ecnEcho: ack, ackTimeout: 320us}')).toEqual([ack(0), ack(1, true), ack(2)])
    expect(played('congestion: dcqcn', 'qp: {ackInterval: 0}')).toMatchObject([{ kind: 'CNP' }])
  })

  test('waits for deadlines of both ends, and stops where there are none', () => {
    expect(pairOf('qp: {ackTimeout: 1ms}').play({ packets: 2, lost: [1] })).toMatchObject({
      sent: [0, 1, 1],
      isFinished: true,
    })
    expect(pairOf().play({ packets: 2, lost: [1] })).toMatchObject({ sent: [0, 1], isFinished: false })
  })

  test.each(recoveries)('$name brings a message over a lost packet', ({ name }) => {
    const { sent, isFinished } = pairOf(
      `recovery: ${name}`,
      ...(name === 'mp-rdma' ? ['congestion: mp-rdma', 'qp: {ecnEcho: ack, ackTimeout: 320us}'] : []),
    ).play({ packets: 6, lost: [3] })
    expect(isFinished).toBe(true)
    expect(sent.filter((psn) => psn === 3).length).toBeGreaterThan(1)
  })
})

describe('a congestion control with ACK events by hand', () => {
  test('gets an ACK event, and its deadlines', () => {
    const pair = pairOf('congestion: {kind: dcqcn, rateInterval: 50us}')
    pair.control.onCnp(0, 0)
    expect(pair.control.rateBps).toBe(20e9)
    pair.passTo(50 * US)
    expect(pair.control.rateBps).toBe(30e9)
    pair.acknowledge(50 * US, { cumulativePsn: 1, marked: true })
    expect(pair.control.rateBps).toBeLessThan(30e9)
  })
})

describe('a sender with ACKs by hand', () => {
  test('sends posted packets up to a time, and those that an ACK releases', () => {
    const pair = pairOf('recovery: {kind: irn, cap: 4}', 'qp: {ackInterval: 1, ackTimeout: 320us}')
    pair.post(0, 10)
    expect(pair.sendUntil(0)).toEqual([{ psn: 0, path: 0 }])
    expect(pair.sendUntil(10 * US).map(({ psn }) => psn)).toEqual([1, 2, 3])
    pair.answer(10 * US, { cumulativePsn: 2 })
    expect(pair.sendUntil(20 * US).map(({ psn }) => psn)).toEqual([4, 5])
  })

  test('serves its deadlines in between', () => {
    const pair = pairOf('qp: {ackTimeout: 100us}')
    pair.post(0, 2)
    expect(pair.sendUntil(150 * US).map(({ psn }) => psn)).toEqual([0, 1, 0, 1])
  })

  test('takes a packet that an ACK names for one out of order, and reads the path of an ACK', () => {
    const tcp = pairOf('recovery: {kind: iwarp, initialWindow: 5}', 'qp: {ackInterval: 1}')
    tcp.post(0, 5)
    tcp.sendUntil(10 * US)
    for (const psn of [1, 2, 3]) tcp.answer(10 * US, { cumulativePsn: 0, psn })
    expect(tcp.sendUntil(20 * US).map(({ psn }) => psn)).toEqual([0])
    const paths = pairOf(
      'recovery: {kind: mp-rdma, probe: 0}',
      'congestion: {kind: mp-rdma, initialWindow: 4}',
      'qp: {ackInterval: 1, ecnEcho: ack, ackTimeout: 320us}',
    )
    paths.post(0, 20)
    paths.sendUntil(10 * US)
    paths.answer(10 * US, { cumulativePsn: 0, psn: 0, path: 7 })
    expect(paths.sendUntil(11 * US)).toEqual([{ psn: 4, path: 7 }])
  })
})
