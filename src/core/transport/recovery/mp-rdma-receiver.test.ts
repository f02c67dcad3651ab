import { expect, test } from 'vitest'
import { holdWhere, lose, markWhere } from '../../../../tests/support/pair-pipe.ts'
import { createRandomStreams } from '../../base/random.ts'
import { US } from '../../base/params.ts'
import { DATA, ECE, LAST, PATH_MASK, SACK, Segment, SEND } from '../segment.ts'
import { pairOf } from './mp-rdma.test-bench.ts'
import { MpRdmaReceiver } from './mp-rdma-receiver.ts'

test('every packet is acknowledged at once: with its path, its PSN, the cumulative PSN, and its mark', () => {
  const pair = pairOf()
  const arrived: { psn: number; path: number; marked: boolean; ps: number }[] = []
  const answers: { psn: number | null; cumulative: number; path: number; marked: boolean; ps: number }[] = []
  pair.forward.rule(lose(DATA, 7, 1))
  pair.forward.rule(holdWhere(US, ({ count }) => count % 9 === 4))
  pair.forward.rule(markWhere(({ count }) => count % 5 === 2))
  pair.forward.rule(({ segment: { psn, flags }, copies, isMarked, latePs, startPs }) => {
    if (copies > 0) arrived.push({ psn, path: flags & PATH_MASK, marked: isMarked, ps: startPs + 12 * US + latePs })
  })
  pair.backward.rule(({ segment: { psn, sackPsn, flags }, startPs }) => {
    const named = (flags & SACK) === 0 ? null : sackPsn
    const answer = { psn: named, cumulative: psn, path: flags & PATH_MASK, marked: (flags & ECE) !== 0, ps: startPs }
    answers.push(answer)
  })
  pair.postPackets(60)
  expect(pair.run()).toBe('finished')
  pair.calm()
  arrived.sort((a, b) => a.ps - b.ps)
  // The ACK of a duplicate names none.
  const known = new Set<number>()
  const due = arrived.map(({ psn, ...rest }) => ({ psn: known.has(psn) ? null : (known.add(psn), psn), ...rest }))
  expect(answers.map(({ psn, path, marked, ps }) => ({ psn, path, marked, ps }))).toEqual(due)
  expect(known.size).toBe(60)
  // A message is complete with its last missing packet: nothing of it is acknowledged cumulatively before.
  const whole = answers.findIndex(({ cumulative }) => cumulative === 59)
  expect(known.size + answers.slice(0, whole).filter(({ psn }) => psn === null).length).toBe(whole + 1)
  expect(new Set(answers.slice(0, whole).map(({ cumulative }) => cumulative)).size).toBe(1)
  expect(new Set(answers.map(({ path }) => path)).size).toBeGreaterThan(5)
  expect(answers.filter(({ marked }) => marked).length).toBeGreaterThan(5)
})

test('slots are empty, received, tail or tail with completion: whole messages at the head are cleared, in any order of arrival', () => {
  const random = createRandomStreams(5).stream('arrivals')
  let early = 0
  for (let round = 0; round < 200; round++) {
    // Messages of one to five packets, WRITEs or SENDs: a SEND needs a completion.
    const slots: { last: boolean; send: boolean }[] = []
    while (slots.length < 40) {
      const packets = 1 + random.below(5)
      const send = random.below(2) === 1
      for (let i = 1; i <= packets; i++) slots.push({ last: i === packets, send })
    }
    const waiting = slots.map((_, psn) => psn)
    const receiver = new MpRdmaReceiver(64)
    receiver.startAt(0)
    const there = new Set<number>()
    let head = 0
    while (waiting.length > 0) {
      const [psn] = waiting.splice(random.below(Math.min(6, waiting.length)), 1) as [number]
      const { last, send } = slots[psn]!
      const flags = (last ? LAST : 0) | (send ? SEND : 0)
      expect(receiver.onData(0, psn, Object.assign(new Segment(), { psn, flags, payloadBytes: 1 }))).toBe(true)
      there.add(psn)
      // In the survey's words: a block from the head whose last slot is a tail leaves, and reports its completion.
      let [messages, completions] = [0, 0]
      for (let end = head; there.has(end); end++) {
        if (!slots[end]!.last) continue
        messages++
        if (slots[end]!.send) completions++
        head = end + 1
      }
      expect([receiver.wholeMessages, receiver.wholeSends, receiver.replyPsn]).toEqual([
        messages,
        completions,
        head - 1,
      ])
      if (psn > head) early++
    }
    expect(head).toBe(slots.length)
  }
  expect(early).toBeGreaterThan(1000)
})
