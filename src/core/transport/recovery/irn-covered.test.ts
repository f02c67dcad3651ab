/**
 * Retransmissions of IRN under a window that covers all data, against a naive count of the packets in the network: those
 * sent and neither named by a NACK nor taken for lost.
 */
import { describe, expect, test } from 'vitest'
import { SECOND, US } from '../../base/params.ts'
import { createRandomStreams } from '../../base/random.ts'
import { doubleWhere, holdWhere, loseWhere, markWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { aimd } from '../congestion/aimd.ts'
import type { CongestionDefinition } from '../congestion/congestion.ts'
import { dctcp } from '../congestion/dctcp.ts'
import { congestions } from '../congestion/index.ts'
import { ldcp } from '../congestion/ldcp.ts'
import { swift } from '../congestion/swift.ts'
import { unwrapPsn } from '../psn.ts'
import { NAK, RETRANSMITTED } from '../segment.ts'
import { irn } from './irn.ts'
import { recoveries } from './index.ts'

interface Counted {
  readonly pair: Pair
  /** Retransmissions that left with the window full, and all. */
  beyond: number
  resent: number
}

function counted(congestion: CongestionDefinition, window = 40): Counted {
  const arrived = new Set<number>()
  const resent = new Set<number>()
  let topPsn = -1
  let timedOutEnd = 0
  const pair = new Pair({
    recovery: scheme(irn),
    congestion: scheme(congestion, { initialWindow: window }),
    qp: { ackInterval: 1, ecnEcho: 'ack', ackTimeout: 320 * US, retryLimit: null },
    delayPs: 10 * US,
    isLogging: false,
    observer: {
      onPost: () => {},
      onArrival: () => {},
      onStep: () => {},
      onSent(_nowPs, psn, segment) {
        if ((segment.flags & RETRANSMITTED) === 0) return
        const { una, nxt } = pair.sender
        let inFlight = 1
        for (let other = una; other < nxt; other++) {
          if (other === psn || arrived.has(other)) continue
          if (resent.has(other) || (other > topPsn && other >= timedOutEnd)) inFlight++
        }
        resent.add(psn)
        count.resent++
        // Below one packet a timer releases one, whatever is in flight.
        const { windowPackets } = pair.sender.congestion
        if (windowPackets >= 1 && inFlight > windowPackets) count.beyond++
      },
    },
  })
  const { sender } = pair
  const onSegment = sender.onSegment.bind(sender)
  sender.onSegment = (nowPs, segment) => {
    const sackPsn = segment.kind === NAK ? unwrapPsn(segment.sackPsn, sender.una) : -1
    onSegment(nowPs, segment)
    if (sackPsn <= sender.una || sackPsn >= sender.highest) return
    arrived.add(sackPsn)
    topPsn = Math.max(topPsn, sackPsn)
  }
  const onTimeout = sender.onTimeout.bind(sender)
  sender.onTimeout = (nowPs) => {
    const before = sender.timeouts
    onTimeout(nowPs)
    if (sender.timeouts === before) return
    resent.clear()
    timedOutEnd = sender.nxt
  }
  const count: Counted = { pair, beyond: 0, resent: 0 }
  return count
}

test('every control with a window declares what it covers, and no other does', () => {
  for (const definition of congestions) {
    const recovery = recoveries.find(
      ({ offers }) => (offers?.multipath === true) === (definition.needs.multipath === true),
    )
    const { congestion } = new Pair({ congestion: scheme(definition), recovery: scheme(recovery!) }).sender
    expect([definition.name, definition.windowCovers !== undefined]).toEqual([definition.name, congestion.hasWindow])
    expect([definition.name, congestion.coversAll === 1]).toEqual([definition.name, definition.windowCovers === 'all'])
  }
})

describe.each([ldcp, aimd, dctcp, swift] as readonly CongestionDefinition[])('$name', (congestion) => {
  test('thirty losses of forty packets are resent as the window lets them, and without it all at once', () => {
    const beyond = [1, 0].map((coversAll) => {
      const count = counted(congestion)
      count.pair.sender.congestion.coversAll = coversAll
      count.pair.forward.rule(loseWhere(({ count: packets }) => packets >= 5 && packets < 35))
      count.pair.postPackets(400)
      expect(count.pair.run(SECOND)).toBe('finished')
      expect(count.resent).toBeGreaterThanOrEqual(30)
      return count.beyond
    })
    expect(beyond[0]).toBe(0)
    expect(beyond[1]).toBeGreaterThan(5)
  })

  test('losses, marks, duplicates and packets that overtake: never more in the network than the window, and an end', () => {
    let resent = 0
    for (let seed = 1; seed <= 150; seed++) {
      const random = createRandomStreams(seed).stream('pipe')
      const count = counted(congestion, 1 + random.below(60))
      const { forward, backward } = count.pair
      const loss = random.uniform() * 0.2
      const late = random.uniform() * 0.1
      const often = (share: number) => (): boolean => random.uniform() < share
      forward.rule(loseWhere(often(loss)))
      forward.rule(doubleWhere(often(0.02)))
      forward.rule(markWhere(often(0.1)))
      forward.rule(holdWhere(25 * US, often(late)))
      backward.rule(loseWhere(often(loss / 2)))
      backward.rule(doubleWhere(often(0.02)))
      count.pair.postPackets(1 + random.below(300))
      expect([seed, count.pair.run(SECOND)]).toEqual([seed, 'finished'])
      expect([seed, count.beyond]).toEqual([seed, 0])
      resent += count.resent
    }
    expect(resent).toBeGreaterThan(1000)
  })
})
