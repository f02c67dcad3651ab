/**
 * Faults of one direction of a link: the verdict on a packet when it arrives, before anything else.
 * Each mechanism has a random stream of its own link direction. PFC frames suffer only from corruption and link down.
 * Source: [MS-Scale] 4.1 (IP-ID), Gilbert 1960 and Elliott 1963 (bursts), 802.3 (FCS).
 */
import { exp, ln } from '../../base/math.ts'
import { INTS } from '../../base/memory.ts'
import type { RandomStream } from '../../base/random.ts'
import { DROP_FCS, DROP_LOSS } from '../counters.ts'
import { IP_ID, KIND, PFC, SIZE } from '../packets.ts'
import { DATA } from '../../transport/segment.ts'

/** Verdict: no drop. */
export const SOUND = -1

export interface LinkFault {
  /** A drop reason (counters.ts), or SOUND. */
  verdict(packet: number): number
}

type PacketChoice = 'data' | 'control' | 'both'

function isChosen(choice: PacketChoice, kind: number): boolean {
  if (kind === PFC) return false
  return choice === 'both' || (kind === DATA) === (choice === 'data')
}

export function bernoulliFault(probability: number, choice: PacketChoice, random: RandomStream): LinkFault {
  return {
    verdict: (packet) => (isChosen(choice, INTS[packet | KIND]!) && random.uniform() < probability ? DROP_LOSS : SOUND),
  }
}

export function everyNthFault(n: number, offset: number, choice: PacketChoice): LinkFault {
  let seen = -offset
  return {
    verdict(packet) {
      if (!isChosen(choice, INTS[packet | KIND]!)) return SOUND
      seen++
      return seen > 0 && seen % n === 0 ? DROP_LOSS : SOUND
    },
  }
}

export function ipIdFault(lowByte: number, choice: PacketChoice): LinkFault {
  return {
    verdict: (packet) =>
      isChosen(choice, INTS[packet | KIND]!) && (INTS[packet | IP_ID]! & 0xff) === lowByte ? DROP_LOSS : SOUND,
  }
}

export interface GilbertElliottOptions {
  readonly toBad: number
  readonly toGood: number
  readonly lossGood: number
  readonly lossBad: number
}

export function gilbertElliottFault(o: GilbertElliottOptions, choice: PacketChoice, random: RandomStream): LinkFault {
  let isBad = false
  return {
    verdict(packet) {
      if (!isChosen(choice, INTS[packet | KIND]!)) return SOUND
      if (random.uniform() < (isBad ? o.toGood : o.toBad)) isBad = !isBad
      return random.uniform() < (isBad ? o.lossBad : o.lossGood) ? DROP_LOSS : SOUND
    },
  }
}

/** The receiver finds the frame's FCS wrong with probability 1 - (1 - ber)^bits. */
export function corruptionFault(bitErrorRatio: number, random: RandomStream): LinkFault {
  const logSound = bitErrorRatio >= 1 ? -Infinity : ln(1 - bitErrorRatio)
  return {
    verdict: (packet) => (random.uniform() >= exp(INTS[packet | SIZE]! * 8 * logSound) ? DROP_FCS : SOUND),
  }
}

/** Several faults on one direction: each sees the packets that those before it have let through. */
export function faultChain(faults: readonly LinkFault[]): LinkFault {
  if (faults.length === 1) return faults[0]!
  return {
    verdict(packet) {
      for (const fault of faults) {
        const reason = fault.verdict(packet)
        if (reason !== SOUND) return reason
      }
      return SOUND
    },
  }
}
