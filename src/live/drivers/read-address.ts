/** Addresses as Node and people write them. */
import { isIPv4, isIPv6 } from 'node:net'

/** 4 or 16 bytes; IPv4 in an address of IPv6 is IPv4. null: no address, or one with a zone. */
export function readAddress(input: string): Uint8Array | null {
  const text = input.replace(/^::ffff:(?=[\d.]+$)/i, '')
  if (isIPv4(text)) return Uint8Array.from(text.split('.'), Number)
  if (!isIPv6(text) || /[.%]/.test(text)) return null
  const [head = '', tail] = text.split('::')
  const groups = (part: string): number[] => (part === '' ? [] : part.split(':').map((each) => parseInt(each, 16)))
  const [first, last] = [groups(head), groups(tail ?? '')]
  const words = [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last]
  return Uint8Array.from(words.flatMap((word) => [word >> 8, word & 0xff]))
}

/** An address of a socket. @throws Error for one with a zone */
export function addressOfSocket(text: string | undefined): Uint8Array {
  const address = readAddress(text ?? '')
  if (address === null) throw new Error(`addresses with a zone cannot be used: ${text}`)
  return address
}
