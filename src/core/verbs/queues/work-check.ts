/**
 * Work check: whether the fields of a work request are valid. Checked when it is posted, since a queued request cannot
 * be taken back.
 */
import { LOCAL_WRITE } from '../access.ts'
import { MemoryRegion } from '../memory-region.ts'
import { isOperation, OP_READ } from './operation.ts'
import type { ReceiveWork, SendWork } from './work-request.ts'

const WORD_MAX = 2 ** 32 - 1

/** Keys and immediates have 32 bits, addresses are whole numbers below 2^53, operands of atomics are bigints. */
export function isSendWork(work: SendWork): boolean {
  return (
    isObject(work) &&
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
  return isObject(work) && typeof work.id === 'number' && isRegion(work.region) && isAddress(work.address)
}

/**
 * Whether the local memory of a work request is registered here, in this domain, with enough room and the right to the
 * access needed (IBTA 10.7.2.2).
 */
export function isLocalGood(
  work: SendWork,
  domain: number,
  memory: { regionOf(key: number): MemoryRegion | null },
): boolean {
  const { region, operation } = work
  if (region === null || region === undefined) return true
  const lengthBytes = operation > OP_READ ? 8 : (work.lengthBytes ?? 0)
  // No memory is accessed.
  if (lengthBytes === 0) return true
  // Domain numbers are per device: a region of another device may have the same one.
  if (memory.regionOf(region.key) !== region) return false
  return region.allows(domain, operation >= OP_READ ? LOCAL_WRITE : 0, work.address ?? 0, lengthBytes)
}

function isObject(work: object | null | undefined): boolean {
  return typeof work === 'object' && work !== null
}

/** A region, null, or left out by a caller in JavaScript. */
function isRegion(region: MemoryRegion | null | undefined): boolean {
  return region === null || region === undefined || region instanceof MemoryRegion
}

function isAddress(value: number | undefined): boolean {
  return value === undefined || (Number.isSafeInteger(value) && value >= 0)
}

function isWord(value: number | undefined): boolean {
  return value === undefined || (Number.isInteger(value) && value >= 0 && value <= WORD_MAX)
}

/** 64 bits, signed or unsigned. */
function isOperand(value: bigint | undefined): boolean {
  return value === undefined || (typeof value === 'bigint' && value >= -(2n ** 63n) && value < 2n ** 64n)
}
