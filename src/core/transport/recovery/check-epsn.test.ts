import { describe, expect, test } from 'vitest'
import { lose } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { MS, US } from '../../base/params.ts'
import { ACK_REQUEST, DATA, LAST, NAK } from '../segment.ts'
import { checkEpsn } from './check-epsn.ts'
import { improvedGbn } from './improved-gbn.ts'

/** Last PSNs of messages of packets 0 to 7, 8 and 9, and 10 to 15. */
const LAST_PSNS: readonly number[] = [7, 9, 15]

/** A receiver to which a test hands packets, at times in microseconds. */
class Desk {
  readonly pair: Pair
  constructor(values: Parameters<typeof scheme<typeof checkEpsn>>[1] = {}) {
    this.pair = new Pair({ recovery: scheme(checkEpsn, { nakInterval: 500 * US, ...values }) })
    for (const psn of [0, 1]) this.at(10, psn)
  }
  at(us: number, ...psns: number[]): this {
    this.pair.runUntil(Math.round(us * US))
    for (const psn of psns)
      this.pair.hand({ kind: DATA, psn, payloadBytes: 1024, flags: LAST_PSNS.includes(psn) ? LAST | ACK_REQUEST : 0 })
    return this
  }
  /** Deadline of the timer, microseconds; Infinity: not set. */
  get dueUs(): number {
    return this.pair.receiverTimers.nextPs / US
  }
  /** Times of a NAK, microseconds. */
  naks(psn: number): number[] {
    return this.pair.timesOf(`NAK ${psn}`).map((ps) => ps / US)
  }
}

describe('check-epsn', () => {
  test('T-CE-1: a lost NAK is repeated when the interval is over', () => {
    const desk = new Desk().at(100, 3).at(104, 7)
    desk.at(599.999)
    expect(desk.naks(2)).toEqual([100])
    desk.at(620, 2)
    expect(desk.naks(2)).toEqual([100, 600])
    desk.at(621, 3, 4, 5, 6, 7)
    expect(desk.dueUs).toBe(Infinity)
    desk.at(5000)
    expect(desk.pair.answers).toEqual(['NAK 2', 'NAK 2', 'ACK 7'])
  })

  test('T-CE-2: a packet that was lost twice is reported again when the interval is over', () => {
    const desk = new Desk().at(100, 3).at(104, 7).at(620, 3, 4, 5, 6, 7).at(1099)
    expect(desk.naks(2)).toEqual([100, 600])
    desk.at(1101)
    expect(desk.naks(2)).toEqual([100, 600, 1100])
  })

  test('a NAK sent by the timer reports no longer round trip than an immediate one', () => {
    const recovery = scheme(checkEpsn, { nakInterval: 500 * US })
    const pair = new Pair({ recovery, qp: { ackTimeout: 100 * MS }, delayPs: 10 * US })
    pair.forward.rule(lose(DATA, 2, 1))
    pair.backward.rule(lose(NAK, 2, 1))
    const oneWayUs: number[] = []
    pair.backward.rule(({ segment, startPs }) => {
      if (segment.kind === NAK) oneWayUs.push((startPs - segment.sentPs) / US)
    })
    pair.postPackets(8)
    expect(pair.run()).toBe('finished')
    expect(oneWayUs.length).toBeGreaterThan(1)
    expect(oneWayUs.filter((us) => us < 10 || us > 11)).toEqual([])
  })

  test('T-CE-3: without loss the timer never starts', () => {
    const desk = new Desk().at(100, 2, 3, 4, 5, 6, 7)
    expect(desk.dueUs).toBe(Infinity)
    desk.at(5000)
    expect(desk.pair.answers).toEqual(['ACK 7'])
  })

  test('T-CE-4: with the last packet lost too it never starts either', () => {
    const desk = new Desk().at(100, 3, 4, 5, 6).at(5000)
    expect(desk.naks(2)).toEqual([100])
  })

  test('T-CE-5: when only the last packet is missing at the end, the rule with < sends no NAK and the one with <= does', () => {
    const naks = (inclusive: boolean): number[] =>
      new Desk({ inclusive }).at(100, 3).at(104, 7).at(620, 2, 3, 4, 5, 6).at(1500).naks(7)
    expect(naks(false)).toEqual([])
    expect(naks(true)).toEqual([1120])
  })

  test('the timer starts anew with each packet that comes in order', () => {
    const desk = new Desk().at(100, 3).at(104, 7).at(400, 2).at(800, 3).at(1299)
    expect(desk.naks(4)).toEqual([])
    expect(desk.at(1301).naks(4)).toEqual([1300])
  })

  test('of two messages the further last packet counts', () => {
    const desk = new Desk().at(100, 3).at(104, 7, 9)
    desk.at(300, 2, 3, 4, 5, 6, 7)
    desk.at(801)
    expect(desk.naks(8)).toEqual([800])
  })

  test('the further last packet counts even if it arrives before the nearer one', () => {
    const desk = new Desk().at(100, 3).at(104, 9, 7).at(300, 2, 3, 4, 5, 6, 7).at(801)
    expect(desk.naks(8)).toEqual([800])
  })

  test('a second last packet does not move a timer that runs', () => {
    const desk = new Desk().at(100, 3).at(104, 7).at(300, 2).at(310, 9).at(900)
    expect(desk.naks(3)).toEqual([310, 800])
  })

  test('each message has its timer, however that of the one before ended', () => {
    const desk = new Desk().at(100, 3).at(104, 7).at(620, 2, 3, 4, 5, 6, 7)
    desk.at(1000, 9).at(1501)
    expect(desk.naks(8)).toEqual([1000, 1500])
    // Only the last packet is missing: the timer ends without a NAK.
    desk.at(1600, 8).at(2200, 9).at(2300, 11, 15).at(2801)
    expect(desk.naks(10)).toEqual([2300, 2800])
  })

  test('the very first packet may be the one that is missing', () => {
    const pair = new Pair({ recovery: scheme(checkEpsn, { nakInterval: 500 * US }) })
    pair.hand({ kind: DATA, psn: 2, payloadBytes: 1024, flags: LAST | ACK_REQUEST })
    pair.runUntil(501 * US)
    expect(pair.timesOf('NAK 0')).toEqual([0, 500 * US])
  })

  test('a copy of the last packet of a whole message starts nothing', () => {
    const desk = new Desk().at(100, 2, 3, 4, 5, 6, 7, 7)
    expect([desk.dueUs, desk.pair.answers]).toEqual([Infinity, ['ACK 7', 'ACK 7']])
  })

  test('without a NAK interval nothing is reported again', () => {
    const desk = new Desk({ nakInterval: null }).at(100, 3).at(104, 7).at(1e5)
    expect(desk.naks(2)).toEqual([100])
  })

  test('an interval of 0 reports every packet out of order and needs no timer', () => {
    const desk = new Desk({ nakInterval: 0 }).at(100, 3).at(104, 7).at(1000)
    expect(desk.naks(2)).toEqual([100, 104])
  })

  test('saves the timeout when the NAK is lost', () => {
    const pair = new Pair({
      recovery: scheme(checkEpsn, { nakInterval: 500 * US }),
      qp: { ackInterval: 256, ackTimeout: 100 * MS },
    })
    pair.forward.rule(lose(DATA, 2, 1))
    pair.backward.rule(lose(NAK, 2, 1))
    pair.postPackets(8)
    expect(pair.run()).toBe('finished')
    expect([pair.sender.timeouts, pair.receiver.naksSent]).toEqual([0, 2])
    expect(pair.nowPs).toBeLessThan(MS)
  })
})

describe('improved-gbn', () => {
  const pairWith = (): Pair =>
    new Pair({
      recovery: scheme(improvedGbn, { nakInterval: 500 * US }),
      qp: { ackInterval: 256, ackTimeout: 100 * MS },
    })

  test('T-CE-4: the copy of the last packet starts the timer when the first is lost', () => {
    const pair = pairWith()
    pair.forward.rule(lose(DATA, 2, 1))
    pair.forward.rule(lose(DATA, 7, 1))
    pair.backward.rule(lose(NAK, 2, 1))
    pair.postPackets(8)
    expect(pair.run()).toBe('finished')
    expect([pair.sender.timeouts, pair.receiver.naksSent]).toEqual([0, 2])
  })

  test('with only the last packet lost the copy is in order and completes the message', () => {
    const pair = pairWith()
    pair.forward.rule(lose(DATA, 7, 1))
    pair.postPackets(8)
    expect(pair.run()).toBe('finished')
    expect([pair.sender.timeouts, pair.receiver.naksSent]).toEqual([0, 0])
  })
})
