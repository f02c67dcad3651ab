/**
 * A random case for the order checker: the requests of each side, the connection's values and the faults of the path.
 * The seed determines everything.
 */
import { US } from '../../src/core/base/params.ts'
import {
  CONNECTION_DEFAULTS,
  type ConnectionValues,
  OP_COMPARE_SWAP,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_SEND_IMMEDIATE,
  OP_SEND_INVALIDATE,
  OP_WRITE,
  OP_WRITE_IMMEDIATE,
  type Operation,
} from '../../src/core/verbs/index.ts'
import type { VerbsRule } from '../support/verbs-pair.ts'
import { Dice } from '../swarm/dice.ts'

/** One request of the case; addresses are offsets in the other side's memory. */
export interface PlannedRequest {
  readonly operation: Operation
  readonly lengthBytes: number
  /** WRITE: destination; READ: source. Atomics: the counter. */
  readonly remoteOffset: number
  readonly immediate: number
  readonly compare: bigint
  readonly swap: bigint
  readonly isFenced: boolean
  readonly isUnsignalled: boolean
  /** First byte of its payload. */
  readonly mark: number
}

export interface PlannedCase {
  readonly seed: number
  readonly values: Partial<ConnectionValues>
  readonly hasBytes: boolean
  readonly psns: readonly [number, number]
  readonly sharedDepth: number | null
  readonly receiveDepth: number
  readonly sendDepth: number
  /** Receive WQEs posted before anything is sent; each is posted again some time after its use. */
  readonly firstReceives: number
  readonly repostPs: number
  /** By side: A, B. */
  readonly requests: readonly [readonly PlannedRequest[], readonly PlannedRequest[]]
  readonly rules: readonly [VerbsRule, VerbsRule]
}

export const COUNTERS = 4
/** Bytes of each side's memory: the counters, a part that never changes, and the target of WRITEs. */
export const STILL_OFFSET = 64
export const STILL_BYTES = 8192
export const FRESH_OFFSET = STILL_OFFSET + STILL_BYTES
export const RECEIVE_BYTES = 6000

export function planCase(seed: number): PlannedCase {
  const dice = new Dice(seed)
  const mode = dice.chance(0.6) ? 'irn' : 'roce'
  const mtuBytes = dice.one([64, 256, 1024])
  const capPackets = dice.log(1, 100)
  const isShared = dice.chance(0.3)
  const first = dice.from(0, 4)
  return {
    seed,
    values: {
      mode,
      mtuBytes,
      readsOut: dice.from(1, 6),
      readsIn: 6,
      retryLimit: null,
      rnrRetryLimit: null,
      rnrTimerCode: dice.from(1, 6),
      ackTimeoutPs: dice.from(40, 400) * US,
      ackInterval: dice.one([1, 1, 2, 7]),
      capPackets,
      hasCredits: dice.chance(0.6),
      lsnWindowBytes: mode === 'roce' && dice.chance(0.3) ? dice.log(1, 20_000) : null,
      selectiveRepeat: {
        ...CONNECTION_DEFAULTS.selectiveRepeat,
        capPackets,
        bitmapBits: capPackets,
        nackThreshold: dice.one([1, 1, 1, 3]),
        fetchDelayPs: dice.one([0, 0, 2 * US]),
      },
    },
    hasBytes: dice.chance(0.9),
    psns: [dice.one([0, 0xffffff - dice.from(0, 50)]), dice.from(0, 0xffffff)],
    sharedDepth: isShared ? dice.from(1, 20) : null,
    receiveDepth: dice.from(1, 20),
    sendDepth: dice.one([4, 32, 128]),
    firstReceives: first,
    repostPs: dice.log(1, 60) * US,
    requests: [planRequests(dice, dice.from(1, 40)), dice.chance(0.4) ? planRequests(dice, dice.from(1, 20)) : []],
    rules: [planFaults(dice), planFaults(dice)],
  }
}

function planRequests(dice: Dice, count: number): PlannedRequest[] {
  const requests: PlannedRequest[] = []
  let freshEnd = FRESH_OFFSET
  const written: { readonly at: number; readonly lengthBytes: number }[] = []
  for (let k = 0; k < count; k++) {
    const base = {
      lengthBytes: dice.chance(0.1) ? 0 : dice.log(1, dice.chance(0.2) ? RECEIVE_BYTES : 600),
      remoteOffset: 0,
      immediate: dice.from(0, 2 ** 31),
      compare: 0n,
      swap: 0n,
      isFenced: dice.chance(0.1),
      isUnsignalled: dice.chance(0.2),
      mark: dice.from(0, 255),
    }
    const operation = dice.one([
      OP_SEND,
      OP_SEND,
      OP_SEND_IMMEDIATE,
      OP_SEND_INVALIDATE,
      OP_WRITE,
      OP_WRITE,
      OP_WRITE,
      OP_WRITE_IMMEDIATE,
      OP_WRITE_IMMEDIATE,
      OP_READ,
      OP_READ,
      OP_COMPARE_SWAP,
      OP_FETCH_ADD,
      OP_FETCH_ADD,
    ] as const)
    if (operation === OP_WRITE || operation === OP_WRITE_IMMEDIATE) {
      requests.push({ ...base, operation, remoteOffset: freshEnd })
      written.push({ at: freshEnd, lengthBytes: base.lengthBytes })
      freshEnd += base.lengthBytes
    } else if (operation === OP_READ) {
      const index = written.length > 0 && dice.chance(0.5) ? dice.one(written) : null
      const lengthBytes = index === null ? Math.min(base.lengthBytes, STILL_BYTES) : index.lengthBytes
      const remoteOffset = index === null ? STILL_OFFSET + dice.from(0, STILL_BYTES - lengthBytes) : index.at
      requests.push({ ...base, operation, lengthBytes, remoteOffset })
      // Overwritten after a fence: the READ before it must return the earlier bytes.
      if (index !== null && dice.chance(0.5)) {
        requests.push({
          ...base,
          operation: OP_WRITE,
          lengthBytes,
          remoteOffset,
          isFenced: true,
          mark: base.mark ^ 0x55,
        })
      }
    } else if (operation >= OP_COMPARE_SWAP) {
      const swap = BigInt(dice.from(1, 2 ** 31)) << BigInt(dice.from(0, 30))
      requests.push({ ...base, operation, remoteOffset: 8 * dice.from(0, COUNTERS - 1), swap, compare: 0n })
    } else requests.push({ ...base, operation })
  }
  return requests
}

/** Loss, copies and delays, independent or in bursts. */
function planFaults(dice: Dice): VerbsRule {
  const isClean = dice.chance(0.15)
  const loss = isClean || dice.chance(0.2) ? 0 : dice.log(1, 250) / 1000
  const copy = isClean || dice.chance(0.5) ? 0 : dice.log(1, 100) / 1000
  const late = isClean || dice.chance(0.4) ? 0 : dice.log(1, 300) / 1000
  const latestPs = dice.log(1, 40) * US
  const burst = dice.chance(0.3) ? dice.from(2, 8) : 1
  let left = 0
  return (passage) => {
    if (left > 0) {
      left--
      passage.copies = 0
    } else if (dice.chance(loss / burst)) {
      left = burst - 1
      passage.copies = 0
    } else if (dice.chance(copy)) passage.copies = dice.from(2, 3)
    if (dice.chance(late)) passage.latePs = dice.from(1, latestPs)
  }
}
