/**
 * Work check: numbers of a work request that a queue can keep. What was taken into a queue cannot be taken back.
 */
import { MemoryRegion } from './memory-region.ts'
import { isOperation } from './operation.ts'
import type { ReceiveWork } from './receive-queue.ts'
import type { SendWork } from './send-queue.ts'

const WORD_MAX = 2 ** 32 - 1

/** Keys and immediates have 32 bits, addresses are whole numbers below 2^53, operands of atomics are bigints. */
export function isSendWork(work: SendWork): boolean {
  return (
    typeof work.id === 'number' &&
    isRegion(work.region) &&
    isOperation(work.operation) &&
    isAddress(work.address) &&
    isAddress(work.remoteAddress) &&
    isWord(work.remoteKey) &&
    isWord(work.immediate) &&
    isWord(work.invalidateKey) &&
    isOperand(work.compare) &&
    isOperand(work.swap)
  )
}

export function isReceiveWork(work: ReceiveWork): boolean {
  return typeof work.id === 'number' && isRegion(work.region) && isAddress(work.address)
}

/** One of memory, or none: whoever writes JavaScript may leave it out. */
function isRegion(region: MemoryRegion | null | undefined): boolean {
  return region === null || region === undefined || region instanceof MemoryRegion
}

function isAddress(value: number | undefined): boolean {
  return value === undefined || (Number.isSafeInteger(value) && value >= 0)
}

function isWord(value: number | undefined): boolean {
  return value === undefined || (Number.isInteger(value) && value >= 0 && value <= WORD_MAX)
}

/** 64 bits, with a sign or without. */
function isOperand(value: bigint | undefined): boolean {
  return value === undefined || (typeof value === 'bigint' && value >= -(2n ** 63n) && value < 2n ** 64n)
}
