/**
 * IPv4 addresses of hosts, which path choice hashes.
 */
import { type Assignment, readAssignments } from '../../../core/base/assignments.ts'

/** The 32 bits of an IPv4 address, signed; undefined if the text is not an address. */
export function parseAddress(text: string): number | undefined {
  const bytes = text.split('.').map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : 256))
  if (bytes.length !== 4 || bytes.some((byte) => byte > 255)) return undefined
  return bytes.reduce((address, byte) => (address << 8) | byte, 0)
}

/** The text of an address. */
export function formatAddress(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.')
}

/**
 * Reads `nic.addresses`: addresses by index of the host.
 * @throws InputError with every line that cannot be read.
 */
export function readAddresses(lines: readonly string[]): Assignment<number>[] {
  return readAssignments(lines, 'nic.addresses', {
    form: '"HOST: ADDRESS", such as "0: 10.0.0.1"',
    noun: 'host',
    read: parseAddress,
  })
}
