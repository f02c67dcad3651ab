/** A single packet of any kind at a fresh endpoint: at most one answer, no error, and nothing is kept that does not end. */
import { expect, test } from 'vitest'
import { FORGERY_NAMES, forge, partsOf, SPOILT, SPOILT_NAMES } from './forge.ts'
import { endOf, questions, recordedFrames } from './rping-ends.ts'
import { drawOf, IPV4, IPV6 } from '../../src/live/peer/pipe.test-bench.ts'
import { MACS } from './world.ts'

const BUDGET = Math.max(0.01, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const COUNT = Math.round(10_000 * BUDGET)
const TIMEOUT_MS = 120_000 * Math.max(1, BUDGET)
/** Long enough for every timer. */
const LATER_PS = 3000e12

/** Frames of an endpoint that one frame causes at once, and in all the time that follows. Its neighbour answers as asked. */
function answersTo(frame: Uint8Array, seed: number, isListening: boolean): { atOnce: Uint8Array[]; all: Uint8Array[] } {
  const { endpoint, peer } = endOf(1, seed, isListening)
  endpoint.onFrame(0, frame)
  const poll = (nowPs: number): Uint8Array[] => {
    const frames = []
    for (let next = endpoint.pollFrame(nowPs); next !== null; next = endpoint.pollFrame(nowPs)) frames.push(next)
    return frames
  }
  const atOnce = poll(0)
  const all = [...atOnce]
  const neighbour = endOf(0, seed + 1, false).endpoint
  for (const sent of atOnce) neighbour.onFrame(0, sent)
  // The neighbour answers questions for its address, and nothing else.
  for (let next = neighbour.station.pollFrame(); next !== null; next = neighbour.station.pollFrame())
    endpoint.onFrame(1, next)
  let nowPs = 1
  for (let n = 0; n < 200 && nowPs < LATER_PS; n++) {
    all.push(...poll(nowPs))
    nowPs = Math.max(nowPs, endpoint.nextPs)
    if (nowPs < LATER_PS) endpoint.onTime(nowPs)
  }
  expect([endpoint.nextPs, peer.agent.count, endpoint.pairs.length, endpoint.device.regionCount]).toEqual([
    Infinity,
    0,
    0,
    0,
  ])
  return { atOnce, all }
}

const sum = (frames: readonly Uint8Array[]): number => frames.reduce((bytes, { length }) => bytes + length, 0)
const isQuestion = (frame: Uint8Array): boolean => frame[12] === 8 && frame[13] === 6 && frame[21] === 1

test(
  'a packet of any kind gets at most one answer, and all that follows is no more than three times as long',
  { timeout: TIMEOUT_MS },
  () => {
    const draw = drawOf(11)
    const frames = recordedFrames()
    const seen = new Set<string>()
    let most = 0
    for (let n = 0; n < COUNT; n++) {
      const base = frames[n % frames.length]!
      const roce = partsOf(base)
      let frame: Uint8Array = base.slice()
      if (n >= frames.length && roce !== null)
        frame = forge(FORGERY_NAMES[draw(FORGERY_NAMES.length)]!, roce, draw, { targets: [], qps: [] })
      else if (n >= frames.length) for (let k = draw(4); k >= 0; k--) frame[draw(frame.length)] = draw(256)
      if (n % 8 === 7 && roce !== null) frame = SPOILT[SPOILT_NAMES[draw(SPOILT_NAMES.length)]!]!(frame, draw)
      const { atOnce, all } = answersTo(frame, n, n % 4 > 0)
      expect(atOnce.length).toBeLessThanOrEqual(1)
      const answers = all.filter((each) => !isQuestion(each))
      most = Math.max(most, answers.length)
      expect(sum(answers)).toBeLessThanOrEqual(3 * Math.max(60, frame.length))
      for (const answer of answers) seen.add(`${answer[12]}.${answer[13]} ${answer.length}`)
    }
    // ARP, and management datagrams, are among the answers; a REQ had three.
    expect([seen.has('8.6 60'), seen.has('8.0 322'), most]).toEqual([true, true, 3])
  },
)

test('questions of a neighbour have one answer each, which is not longer', () => {
  for (const echoBytes of [8, 56, 1400, 8900])
    for (const frame of questions(MACS[0], IPV4[0], IPV6[0]!, echoBytes)) {
      const { all } = answersTo(frame, 5, true)
      expect([all.length, sum(all) <= Math.max(60, frame.length)]).toEqual([1, true])
    }
})
