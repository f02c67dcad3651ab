import { describe, expect, test } from 'vitest'
import { INTS, Memory } from '../../base/memory.ts'
import { createRandomStreams } from '../../base/random.ts'
import { ACK, CNP, DATA, NAK, READ_REQUEST } from '../../transport/segment.ts'
import { DROP_FCS, DROP_LOSS } from '../counters.ts'
import {
  bernoulliFault,
  corruptionFault,
  everyNthFault,
  faultChain,
  gilbertElliottFault,
  ipIdFault,
  type LinkFault,
  SOUND,
} from './fault.ts'
import { IP_ID, KIND, Packets, PFC, SIZE } from '../packets.ts'

const packet = new Packets(new Memory()).alloc()
const CONTROL = [ACK, NAK, CNP, READ_REQUEST]

function verdict(fault: LinkFault, kind: number = DATA, ipId = 0, sizeBytes = 1106): number {
  INTS[packet | KIND] = kind
  INTS[packet | IP_ID] = ipId
  INTS[packet | SIZE] = sizeBytes
  return fault.verdict(packet)
}

const stream = (name: string) => createRandomStreams(7).stream(name)
const lossesOf = (fault: LinkFault, packets: number): boolean[] =>
  Array.from({ length: packets }, () => verdict(fault) !== SOUND)
const share = (losses: readonly boolean[]): number => losses.filter(Boolean).length / losses.length

describe('losses by chance', () => {
  test('occur with the given probability among the selected packets', () => {
    const fault = bernoulliFault(0.02, 'data', stream('a'))
    // Four standard deviations of 100,000 tries are 0.0018.
    expect(Math.abs(share(lossesOf(fault, 100_000)) - 0.02)).toBeLessThan(0.0018)
    expect(lossesOf(bernoulliFault(0, 'data', stream('a')), 1000)).not.toContain(true)
    const always = (choice: 'data' | 'control' | 'both') => bernoulliFault(1, choice, stream('a'))
    expect([...CONTROL, PFC].map((kind) => verdict(always('data'), kind))).toEqual([SOUND, SOUND, SOUND, SOUND, SOUND])
    expect(CONTROL.map((kind) => verdict(always('control'), kind))).toEqual(CONTROL.map(() => DROP_LOSS))
    expect([DATA, PFC].map((kind) => verdict(always('control'), kind))).toEqual([SOUND, SOUND])
    expect([DATA, ACK, PFC].map((kind) => verdict(always('both'), kind))).toEqual([DROP_LOSS, DROP_LOSS, SOUND])
  })

  test('come in bursts with the length and distance of the Gilbert-Elliott chain', () => {
    const losses = lossesOf(
      gilbertElliottFault({ toBad: 0.01, toGood: 0.25, lossGood: 0, lossBad: 1 }, 'data', stream('b')),
      200_000,
    )
    // Bad for toBad / (toBad + toGood) of the time, for 1 / toGood packets in a row.
    expect(share(losses)).toBeCloseTo(0.01 / 0.26, 2)
    const bursts = losses.filter((isLost, i) => isLost && !(losses[i - 1] ?? false)).length
    expect(losses.filter(Boolean).length / bursts).toBeGreaterThan(3.7)
    expect(losses.filter(Boolean).length / bursts).toBeLessThan(4.3)
  })

  test('step to the next state before each packet, including the first', () => {
    const losses = (toBad: number, toGood: number): boolean[] =>
      lossesOf(gilbertElliottFault({ toBad, toGood, lossGood: 0, lossBad: 1 }, 'data', stream('e')), 4)
    expect(losses(1, 1)).toEqual([true, false, true, false])
    expect(losses(1, 0)).toEqual([true, true, true, true])
    expect(losses(0, 1)).toEqual([false, false, false, false])
  })

  test('step with the selected packets only', () => {
    const fault = gilbertElliottFault({ toBad: 1, toGood: 1, lossGood: 0, lossBad: 1 }, 'data', stream('f'))
    const kinds = [ACK, DATA, CNP, NAK, DATA, ACK, DATA]
    const lost = [SOUND, DROP_LOSS, SOUND, SOUND, SOUND, SOUND, DROP_LOSS]
    expect(kinds.map((kind) => verdict(fault, kind))).toEqual(lost)
  })

  test('of two states mix', () => {
    const fault = gilbertElliottFault({ toBad: 0.05, toGood: 0.05, lossGood: 0.01, lossBad: 0.5 }, 'data', stream('c'))
    expect(share(lossesOf(fault, 200_000))).toBeCloseTo((0.01 + 0.5) / 2, 1)
    expect(Math.abs(share(lossesOf(fault, 200_000)) - 0.255)).toBeLessThan(0.02)
  })

  test('by bit errors grow with the frame size, and include PFC frames', () => {
    const ratio = 1e-5
    const of = (sizeBytes: number, kind: number): number => {
      const fault = corruptionFault(ratio, stream('d'))
      return share(Array.from({ length: 50_000 }, () => verdict(fault, kind, 0, sizeBytes) !== SOUND))
    }
    expect(Math.abs(of(1106, DATA) - (1 - (1 - ratio) ** (8 * 1106)))).toBeLessThan(0.005)
    expect(Math.abs(of(84, PFC) - (1 - (1 - ratio) ** (8 * 84)))).toBeLessThan(0.0015)
    expect(verdict(corruptionFault(1, stream('d')), PFC)).toBe(DROP_FCS)
    expect(verdict(corruptionFault(0, stream('d')))).toBe(SOUND)
  })
})

describe('losses by number', () => {
  test('are every n-th of the selected packets after the offset', () => {
    const fault = everyNthFault(3, 2, 'data')
    const kinds = [DATA, ACK, DATA, DATA, DATA, ACK, PFC, DATA, DATA, DATA, DATA]
    // The third after the first two, and the third after that.
    expect(kinds.map((kind) => verdict(fault, kind) === DROP_LOSS)).toEqual(
      [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1].map((bit) => bit === 1),
    )
  })

  test('are those with the low byte of their IP identification', () => {
    const fault = ipIdFault(0xff, 'data')
    expect([0xff, 0x1ff, 0xfe, 0xff00, 0xffff].map((id) => verdict(fault, DATA, id))).toEqual([
      DROP_LOSS,
      DROP_LOSS,
      SOUND,
      SOUND,
      DROP_LOSS,
    ])
    expect(verdict(fault, ACK, 0xff)).toBe(SOUND)
  })
})

test('a packet lost by one of several faults is not seen by those after it', () => {
  const chain = faultChain([everyNthFault(2, 0, 'both'), everyNthFault(2, 0, 'both'), corruptionFault(0, stream('e'))])
  // Packets 1, 3, 5 and 7, which the first fault lets through, are 1 to 4 of the second.
  expect(
    lossesOf(chain, 8)
      .map((isLost, i) => (isLost ? i + 1 : 0))
      .filter(Boolean),
  ).toEqual([2, 3, 4, 6, 7, 8])
})
