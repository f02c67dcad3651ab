/**
 * Headroom of a NIC: bytes that may arrive after it has paused, which the receive buffer of a lossless priority has to hold.
 * Source: Linux, mlx5e port_buffer.c: links count as 40 Gb/s at least.
 */

const RATE_LEAST_BPS = 40e9

export function nicHeadroomBytes(rateBps: number, cableM: number, mtuBytes: number): number {
  return Math.round(((301 + 2.16 * cableM) * Math.max(rateBps, RATE_LEAST_BPS)) / 1e9 + 2.72 * mtuBytes)
}
