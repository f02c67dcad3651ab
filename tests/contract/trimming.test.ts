/**
 * The contract of recoveries that use trimmed headers: if packets are only lost by trimming, everything finishes
 * without a timeout, and each trimmed packet is resent once per trimming. Other recoveries treat it as a loss.
 */
import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../../src/core/base/random.ts'
import { US } from '../../src/core/base/params.ts'
import { mpRdma as mpRdmaWindow } from '../../src/core/transport/congestion/mp-rdma.ts'
import { none } from '../../src/core/transport/congestion/none.ts'
import { checkEpsn } from '../../src/core/transport/recovery/check-epsn.ts'
import { goBackN } from '../../src/core/transport/recovery/go-back-n.ts'
import { improvedGbn } from '../../src/core/transport/recovery/improved-gbn.ts'
import { irn } from '../../src/core/transport/recovery/irn.ts'
import { mpRdma } from '../../src/core/transport/recovery/mp-rdma.ts'
import { recoveries } from '../../src/core/transport/recovery/index.ts'
import { sendTwice } from '../../src/core/transport/recovery/send-twice.ts'
import { DATA } from '../../src/core/transport/segment.ts'
import { BUDGET, FIRST_SEED, pick } from '../support/pair-cases.ts'
import { loseWhere, trimWhere } from '../support/pair-pipe.ts'
import { Pair, scheme, type Outcome, type PairOptions } from '../support/pair.ts'

const CASES = 150 * BUDGET
const QP = { ackInterval: 1, ackTimeout: 400 * US, ecnEcho: 'ack', retryLimit: null } as const

interface Run {
  readonly outcome: Outcome
  readonly timeouts: number
  readonly trimmed: number
  readonly retransmissions: number
}

/** Some messages over a pipe that trims and loses nothing else; headers arrive when their packets would, or earlier. */
function trimmedRun(seed: number, options: PairOptions): Run {
  const random = createRandomStreams(seed).stream('trimming')
  const delayPs = pick(random, 1, 5) * US
  const share = pick(random, 0.02, 0.2, 0.5)
  const isRead = random.below(4) === 0
  const pair = new Pair({ ...options, delayPs, isRead })
  const aheadPs = pick(random, 0, 0.5, 1) * delayPs
  pair.forward.rule(trimWhere(aheadPs, () => random.uniform() < share))
  for (let message = 0; message < 3; message++) {
    const bytes = 1 + random.below(40_000)
    if (isRead) pair.read(bytes)
    else pair.post(bytes)
    pair.runUntil(pair.nowPs + random.below(10 * US))
  }
  const outcome = pair.run()
  return {
    outcome,
    timeouts: pair.sender.timeouts + pair.receiver.timeouts,
    trimmed: pair.forward.faults.trimmed,
    retransmissions: pair.sender.retransmissions,
  }
}

const HEARING = [
  ['irn', scheme(irn), none],
  ['irn with fetchDelay', scheme(irn, { fetchDelay: 2 * US }), none],
  ['irn with nackThreshold', scheme(irn, { nackThreshold: 3 }), none],
  ['irn without a cap', scheme(irn, { bdpFlowControl: false }), none],
  ['irn with resend: oldest', scheme(irn, { resend: 'oldest' }), none],
  ['mp-rdma', scheme(mpRdma), mpRdmaWindow],
] as const

describe.each(HEARING)('%s', (name, recovery, congestion) => {
  // MP-RDMA also resends late packets if it has nothing new to send.
  const mostBeyond = name === 'mp-rdma' ? Infinity : 0
  test(`${CASES} cases from seed ${FIRST_SEED} are finished without a timeout`, () => {
    let trimmed = 0
    let retransmissions = 0
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
      const run = trimmedRun(seed, { recovery, congestion: scheme(congestion), qp: QP })
      expect([run.outcome, run.timeouts], `seed ${seed}`).toEqual(['finished', 0])
      const beyond = run.retransmissions - run.trimmed
      expect([beyond >= 0, beyond <= mostBeyond], `seed ${seed}`).toEqual([true, true])
      trimmed += run.trimmed
      retransmissions += run.retransmissions
    }
    expect(trimmed).toBeGreaterThan(CASES)
    console.log(`${name}: ${trimmed} trimmed, ${retransmissions} sent again`)
  })
})

test.each([
  ...[goBackN, sendTwice, checkEpsn, improvedGbn].map(
    (recovery) => [recovery.name, scheme(recovery, { trimmed: 'nak' }), scheme(recovery)] as const,
  ),
  [
    'irn with resend: go-back-n',
    scheme(irn, { resend: 'go-back-n' }),
    scheme(irn, { resend: 'go-back-n', trimmed: 'ignore' }),
  ],
] as const)('%s, which can report one trimmed packet at a time, needs few timeouts', (name, hearing, unmarked) => {
  const [few, many] = [hearing, unmarked].map((recovery) => {
    let timeouts = 0
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
      const run = trimmedRun(seed, { recovery, qp: QP })
      expect(run.outcome, `seed ${seed}`).toBe('finished')
      timeouts += run.timeouts
    }
    return timeouts
  })
  console.log(`${name}: ${few} timeouts, and ${many} where trimmed packets are lost`)
  expect(many).toBeGreaterThan(CASES)
  expect(few! / many!).toBeLessThan(0.1)
})

/** Recoveries that use trimmed headers only if configured, or never. */
const others = recoveries.filter(({ name }) => name !== 'mp-rdma' && name !== 'irn')

test.each(others)('$name: a trimmed packet counts as lost', (recovery) => {
  const runs = [trimWhere(0, ({ count }) => count === 5), loseWhere(({ count }) => count === 5)].map((rule) => {
    const pair = new Pair({ recovery: scheme(recovery), qp: { ackTimeout: 400 * US, ackInterval: 1 } })
    pair.forward.rule(rule)
    pair.postPackets(20)
    expect(pair.run()).toBe('finished')
    return pair.log
  })
  expect(runs[0]).toEqual(runs[1])
})

describe('IRN', () => {
  const delayPs = 2 * US
  /** Ten packets, of which some are trimmed in their first transmission. */
  const ten = (trimmed: readonly number[], aheadPs = 0): Pair => {
    const pair = new Pair({ recovery: scheme(irn), qp: QP, delayPs })
    const isChosen = ({ segment, nth }: { segment: { psn: number }; nth: number }): boolean =>
      trimmed.includes(segment.psn) && nth === 1
    pair.forward.rule(trimWhere(aheadPs, isChosen))
    pair.postPackets(10)
    return pair
  }

  test('the last packet of a message is resent after a round trip', () => {
    const pair = ten([9])
    expect(pair.run()).toBe('finished')
    expect(pair.sender.timeouts).toBe(0)
    const [first, again] = pair.timesOf('data 9')
    expect(again! - first!).toBe(2 * delayPs)
  })

  test.each([0, 1.5 * US])(
    'each of several trimmed packets is resent once, in whatever order the notices arrive: %d ps ahead',
    (aheadPs) => {
      const pair = ten([2, 3, 7, 9], aheadPs)
      expect(pair.run()).toBe('finished')
      expect(pair.dataSent.slice(10).toSorted((a, b) => a - b)).toEqual([2, 3, 7, 9])
      expect(pair.sender.retransmissions).toBe(4)
    },
  )

  test('a packet lost without a notice among them is recovered as usual', () => {
    const pair = ten([3, 6], 1.5 * US)
    pair.forward.rule(loseWhere(({ segment, nth }) => segment.kind === DATA && segment.psn === 4 && nth === 1))
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent.slice(10).toSorted((a, b) => a - b)).toEqual([3, 4, 6])
    expect(pair.sender.timeouts).toBe(0)
  })

  test('a packet that is trimmed again is resent again', () => {
    const pair = new Pair({ recovery: scheme(irn), qp: QP, delayPs })
    pair.forward.rule(trimWhere(0, ({ segment, nth }) => segment.psn === 4 && nth < 4))
    pair.postPackets(10)
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent.filter((psn) => psn === 4)).toHaveLength(4)
    expect([pair.sender.retransmissions, pair.sender.timeouts]).toEqual([3, 0])
  })

  test('a stale notice of a packet that was resent since has no effect', () => {
    const pair = ten([4], -30 * US)
    expect(pair.run()).toBe('finished')
    pair.calm()
    expect(pair.dataSent.filter((psn) => psn === 4)).toHaveLength(2)
  })

  test('the congestion control is notified of one loss per window', () => {
    const pair = ten([2, 5, 6, 9], 1.5 * US)
    let losses = 0
    pair.sender.congestion.onLoss = () => void losses++
    expect(pair.run()).toBe('finished')
    expect(losses).toBe(1)
  })

  test('trimmed: ignore waits for the usual loss recovery', () => {
    const pair = new Pair({ recovery: scheme(irn, { trimmed: 'ignore' }), qp: QP, delayPs })
    pair.forward.rule(trimWhere(0, ({ segment, nth }) => segment.psn === 9 && nth === 1))
    pair.postPackets(10)
    expect(pair.run()).toBe('finished')
    expect(pair.sender.timeouts).toBe(1)
  })
})

describe('go-back-N', () => {
  test('reports a trimmed packet once, when everything before it has arrived', () => {
    const pair = new Pair({ recovery: scheme(goBackN, { trimmed: 'nak' }), qp: QP, delayPs: 2 * US })
    pair.forward.rule(trimWhere(1.5 * US, ({ segment, nth }) => segment.psn === 9 && nth === 1))
    pair.postPackets(10)
    expect(pair.run()).toBe('finished')
    expect(pair.answers.filter((answer) => answer.startsWith('NAK'))).toEqual(['NAK 9'])
    expect(pair.dataSent.slice(10)).toEqual([9])
    expect(pair.sender.timeouts).toBe(0)
  })
})

describe('Check EPSN', () => {
  test.each([
    ['nak', 0],
    ['ignore', 1],
  ] as const)(
    'starts its timer at the header of a trimmed last packet, unless that is dropped: %s',
    (trimmed, timeouts) => {
      const recovery = scheme(checkEpsn, { trimmed, nakInterval: 20 * US })
      const pair = new Pair({ recovery, qp: QP, delayPs: 2 * US })
      const isNew = ({ segment, nth }: { segment: { kind: number; psn: number }; nth: number }, psn: number): boolean =>
        segment.kind === DATA && segment.psn === psn && nth === 1
      // Nothing else behind the loss arrives.
      pair.forward.rule(loseWhere((passage) => [6, 7, 8].some((psn) => isNew(passage, psn))))
      pair.forward.rule(trimWhere(0, (passage) => isNew(passage, 9)))
      pair.postPackets(10)
      expect(pair.run()).toBe('finished')
      expect(pair.sender.timeouts).toBe(timeouts)
      expect(pair.dataSent.slice(10, 14)).toEqual([6, 7, 8, 9])
    },
  )
})

test('MP-RDMA resends the trimmed packet after a round trip, and none before it', () => {
  const pair = new Pair({ recovery: scheme(mpRdma), congestion: scheme(mpRdmaWindow), qp: QP, delayPs: 2 * US })
  pair.forward.rule(trimWhere(0, ({ segment, nth }) => segment.psn === 4 && nth === 1))
  pair.postPackets(10)
  expect(pair.run()).toBe('finished')
  const [first, again] = pair.timesOf('data 4')
  expect(again! - first!).toBeGreaterThanOrEqual(4 * US)
  expect(again! - first!).toBeLessThan(5 * US)
  expect(pair.dataSent.slice(0, pair.dataSent.lastIndexOf(4)).filter((psn) => psn === 3)).toHaveLength(1)
  expect(pair.sender.timeouts).toBe(0)
})
