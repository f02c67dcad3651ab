/** Random numbers of the system, for queue pair numbers, PSNs, keys and IDs that nobody can guess. */
import { randomBytes } from 'node:crypto'

/** A number from 0 to `below` - 1; `below` is at most 2^32. */
export function systemDraw(below: number): number {
  // 48 bits, so that no number is noticeably more frequent than another.
  return randomBytes(6).readUIntBE(0, 6) % below
}
