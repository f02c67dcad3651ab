/**
 * AETH syndrome: type and value of an ACK or NAK, 7 bits; the eighth is reserved and ignored.
 * Source: IBTA 9.7.5.2; code tables as in the Linux kernel's RDMA core.
 */

export const SYNDROME_ACK_UNLIMITED = 0x1f
export const SYNDROME_RNR = 0x20
/** Codes from here to the first NAK code are reserved. */
export const SYNDROME_RESERVED = 0x40
export const SYNDROME_PSN_ERROR = 0x60
export const SYNDROME_INVALID_REQUEST = 0x61
export const SYNDROME_REMOTE_ACCESS = 0x62
export const SYNDROME_REMOTE_OPERATION = 0x63

/** Credits by code 0..30: 0..4 one by one, then 6, 8, 12, 16, ... two codes per doubling. */
export const CREDITS: readonly number[] = Array.from({ length: 31 }, (_, code) =>
  code < 4 ? code : code % 2 === 0 ? 2 ** (code / 2) : 3 * 2 ** ((code - 3) / 2),
)

/** Largest code whose value does not exceed `credits`; 0x1f (no limit) for Infinity. */
export function creditCode(credits: number): number {
  if (credits === Infinity) return SYNDROME_ACK_UNLIMITED
  let code = 0
  while (code < 30 && CREDITS[code + 1]! <= credits) code++
  return code
}

/** Wait after an RNR NAK in microseconds by its 5-bit code. Code 0 is the longest. */
export const RNR_WAIT_US: readonly number[] = [
  655_360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560, 3840, 5120, 7680, 10_240,
  15_360, 20_480, 30_720, 40_960, 61_440, 81_920, 122_880, 163_840, 245_760, 327_680, 491_520,
]
