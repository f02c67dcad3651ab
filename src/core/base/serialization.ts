/**
 * Serialization: how long a number of bytes takes at a rate, on the scenario's clock.
 * Units: bytes, bit/s, picoseconds. Exact: bytes * 8e12 keeps its low 15 bits clear, so the product is exact in a
 * double up to 2^68 and one correctly rounded division follows.
 */

export type TimeRounding = 'nearest' | 'truncate-q64'

export interface Serialization {
  /** Picoseconds to send `sizeBytes` (0 or more) at `rateBps` (above 0), a multiple of the clock's step. */
  durationPs(sizeBytes: number, rateBps: number): number
}

/** A clock of step `quantumPs` (integer, 1 or more). Source of truncate-q64: ns-3.17's 64.64 seconds. */
export function createSerialization(quantumPs: number, rounding: TimeRounding): Serialization {
  if (rounding === 'nearest') {
    return {
      durationPs: (sizeBytes, rateBps) => Math.floor((sizeBytes * 8e12) / rateBps / quantumPs + 0.5) * quantumPs,
    }
  }
  const stepsPerSecond = 1e12 / quantumPs
  return {
    durationPs(sizeBytes, rateBps) {
      const seconds = (sizeBytes * 8) / rateBps
      const steps = seconds * stepsPerSecond
      const whole = Math.floor(steps)
      const rest = steps - whole
      // Near a whole number of steps the double cannot tell which side the fixed-point value falls on.
      if (rest < 1e-4 || rest > 1 - 1e-4) return truncatedSteps(seconds, quantumPs) * quantumPs
      return whole * quantumPs
    },
  }
}

/** floor( floor(seconds * 2^64) * 10^12 / (quantumPs * 2^64) ), exactly. */
export function truncatedSteps(seconds: number, quantumPs: number): number {
  // A double times a power of two is exact; its floor as an integer is exact too.
  const fixed = BigInt(Math.floor(seconds * 2 ** 64))
  return Number((fixed * 1_000_000_000_000n) / (BigInt(quantumPs) << 64n))
}
