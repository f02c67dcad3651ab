/**
 * Addresses in place of those of a fabric: the same for the same one everywhere, whatever its spelling. A GID that holds an
 * IPv4 address follows that address, and one that holds a MAC address (EUI-64) follows that. Addresses of one IPv4 /24 or
 * IPv6 /64 stay together, so that both ends of a subnet do; masks, loopback, multicast and unset addresses stay as they are.
 * Source: RFC 4291 (forms of IPv6 addresses), section 2.5.1 and appendix A (EUI-64).
 */

const GROUPS = 8
/** fe80::/10. */
const isLinkLocal = ([first = 0]: readonly number[]): boolean => first >= 0xfe80 && first < 0xfec0
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

/** Numbers from 1 for keys, in the order in which they come. */
class Numbers {
  readonly #numbers = new Map<string, number>()

  of(key: string): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.#numbers.size + 1)
    return this.#numbers.size
  }
}

export class Addresses {
  readonly #subnets4 = new Numbers()
  readonly #subnets6 = new Numbers()
  readonly #ends6 = new Numbers()
  readonly #macs = new Numbers()
  readonly #guids = new Numbers()
  /** All that was replaced, by its spelling. */
  readonly replaced = new Map<string, string>()

  /** @param text "10.1.2.3" with or without "/24"; undefined: no address */
  v4(text: string): string | undefined {
    const [address = '', length] = text.split('/')
    const bytes = address.split('.').map(Number)
    if (bytes.length !== 4 || bytes.some((byte) => byte > 255)) return undefined
    const [first = 0, , , last = 0] = bytes
    if (first === 0 || first === 127 || first >= 224) return text
    const made = this.#noted(address, this.#mapped4(bytes.slice(0, 3).join('.'), last))
    return length === undefined ? made : `${made}/${length}`
  }

  /** @param text "fe80::1" or eight groups, with or without "/64"; undefined: no address */
  v6(text: string): string | undefined {
    const [address = '', length] = text.split('/')
    const groups = groupsOf(address)
    if (groups === undefined) return undefined
    const [first = 0] = groups
    const isUnset = groups.slice(0, 7).every((group) => group === 0) && groups[7]! <= 1
    if (isUnset || first >= 0xff00) return text
    const made = this.#noted(address, spelled(this.#groups(groups), address))
    return length === undefined ? made : `${made}/${length}`
  }

  /** @param text six octets or more, between ":", "-" or "." */
  mac(text: string): string {
    const digits = text.replaceAll(/[^0-9a-f]/gi, '').toLowerCase()
    if (/^0*$/.test(digits) || /^(?:01|33|ff)/.test(digits)) return text
    const made = digits.length === 12 ? this.#mac(digits) : `02${hex(this.#guids.of(digits), digits.length - 2)}`
    let at = 0
    return this.#noted(
      text,
      text.replaceAll(/[0-9a-f]/gi, () => made.charAt(at++)),
    )
  }

  /** @param text "9803:9b03:009e:1234" */
  guid(text: string): string {
    if (/^[0:]*$/.test(text)) return text
    const made = `02${hex(this.#guids.of(text.toLowerCase()), 14)}`
    return this.#noted(text, made.match(/.{4}/g)!.join(':'))
  }

  #noted(text: string, made: string): string {
    this.replaced.set(text, made)
    return made
  }

  #mapped4(subnet: string, last: number): string {
    const number = this.#subnets4.of(subnet)
    return `${10 + Math.floor(number / 2 ** 16)}.${Math.floor(number / 256) % 256}.${number % 256}.${last}`
  }

  #mac(digits: string): string {
    return `02${hex(this.#macs.of(digits), 10)}`
  }

  #groups(groups: readonly number[]): number[] {
    const [high = 0, low = 0] = groups.slice(6)
    if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
      const bytes = [high >> 8, high & 255, low >> 8]
      if (bytes[0] === 0 || bytes[0] === 127 || bytes[0]! >= 224) return [...groups]
      const [a = 0, b = 0, c = 0, d = 0] = this.#mapped4(bytes.join('.'), low & 255)
        .split('.')
        .map(Number)
      return [...groups.slice(0, 6), a * 256 + b, c * 256 + d]
    }
    const prefix = isLinkLocal(groups)
      ? groups.slice(0, 4)
      : [0xfd00, 0, 0, this.#subnets6.of(groups.slice(0, 4).join(':')) % 2 ** 16]
    return [...prefix, ...this.#end(groups.slice(4))]
  }

  /** The last 64 bits: made of a MAC address, or a number. */
  #end(groups: readonly number[]): number[] {
    const [a = 0, b = 0, c = 0, d = 0] = groups
    if ((b & 0xff) !== 0xff || c >> 8 !== 0xfe) return [0, 0, 0, this.#ends6.of(groups.join(':')) % 2 ** 16]
    const mac = this.#mac(hex(a ^ 0x0200, 4) + hex(b >> 8, 2) + hex(c & 255, 2) + hex(d, 4))
    const [x = 0, y = 0, z = 0] = mac.match(/.{4}/g)!.map((group) => Number.parseInt(group, 16))
    return [x ^ 0x0200, (y & 0xff00) | 0xff, 0xfe00 | (y & 0xff), z]
  }
}

/** Its eight groups; undefined: no IPv6 address. */
function groupsOf(text: string): number[] | undefined {
  const [, head, a, b, c, d] = /^(.*:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text) ?? []
  const whole =
    head === undefined ? text : `${head}${hex(Number(a) * 256 + Number(b), 1)}:${hex(Number(c) * 256 + Number(d), 1)}`
  const halves = whole.split('::')
  if (halves.length > 2) return undefined
  const [left, right = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const groups = [...left!, ...right]
  if (halves.length === 1 ? groups.length !== GROUPS : groups.length >= GROUPS) return undefined
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined
  const zeros = Array.from({ length: GROUPS - groups.length }, () => '0')
  return [...left!, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}

/** As the original is spelled: in full, with a decimal end, or short. */
function spelled(groups: readonly number[], like: string): string {
  if (like.includes('.')) {
    const [high = 0, low = 0] = groups.slice(6)
    return `::ffff:${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
  }
  if (!like.includes('::')) {
    const isPadded = /^(?:[0-9a-f]{4}:){7}[0-9a-f]{4}$/i.test(like)
    return groups.map((group) => hex(group, isPadded ? 4 : 1)).join(':')
  }
  // The first zeros are left out, as in "fe80::1".
  const short = groups.map((group) => hex(group, 1)).join(':')
  return short.replace(/(?:^|:)0(?::0)+(?::|$)/, '::')
}
