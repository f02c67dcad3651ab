import { expect, test } from 'vitest'
import { Pair } from '../../../../tests/support/pair.ts'
import { GBPS } from '../../base/params.ts'

test.each([
  [40, 221_200],
  [100, 88_480],
  [400, 22_120],
])('B0: alone on a line of %i Gb/s a flow sends 1086-byte frames every %i ps', (gbps, gapPs) => {
  const pair = new Pair({ lineRateBps: gbps * GBPS })
  pair.postPackets(100, 'send')
  expect(pair.run()).toBe('finished')
  const times = Array.from({ length: 100 }, (_, psn) => pair.timesOf(`data ${psn}`)[0])
  expect(times).toEqual(Array.from({ length: 100 }, (_, i) => i * gapPs))
})

test('B0: the first packet of a WRITE takes 16 bytes more, a short last one less', () => {
  const pair = new Pair()
  pair.post(1024 + 10)
  pair.post(0)
  pair.post(1024)
  expect(pair.run()).toBe('finished')
  const starts = [0, 1, 2, 3].map((psn) => pair.timesOf(`data ${psn}`)[0])
  expect(starts).toEqual([0, 1122 * 200, (1122 + 92) * 200, (1122 + 92 + 98) * 200])
})
