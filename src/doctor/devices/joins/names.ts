/**
 * Names: one device or port as different devices, lists and people call it. A name in another spelling is taken where it can
 * mean one thing only.
 */

/** Long forms of the words with which interfaces begin. */
const LONG: readonly (readonly [RegExp, string])[] = [
  [/^eth(?=\d+\/)/, 'ethernet'],
  [/^et(?=\d)/, 'ethernet'],
  [/^po(?=\d)/, 'port-channel'],
]

/** A port by the form in which all spellings of it are equal. */
export function portKey(name: string): string {
  let key = name.trim().toLowerCase().replaceAll(/\s/g, '')
  for (const [short, long] of LONG) key = key.replace(short, long)
  return key
}

/** Words for the ports of switches, which lists shorten or leave out: "Eth1", "Et1", "Ethernet1", "1". */
const numberOf = (name: string): string | undefined =>
  /^(?:e|et|eth|ethernet|swp|port)?(\d[\d/:.s]*)$/.exec(portKey(name))?.[1]

/** Ports of one device by any spelling. */
export class PortNames {
  readonly #names = new Map<string, string>()
  /** By their numbers alone; '': several have them. */
  readonly #numbers = new Map<string, string>()

  /** @param aliases other names of ports: "mlx5_1"  @param byNumber whether the number of a port tells which it is */
  constructor(names: Iterable<string>, aliases: Iterable<readonly [alias: string, name: string]>, byNumber: boolean) {
    for (const [alias, name] of aliases) this.#names.set(portKey(alias), name)
    for (const name of names) {
      this.#names.set(portKey(name), name)
      const number = byNumber ? numberOf(name) : undefined
      if (number !== undefined) this.#numbers.set(number, this.#numbers.has(number) ? '' : name)
    }
  }

  /** Undefined: no port that is known, or several may be meant. */
  find(name: string): string | undefined {
    const exact = this.#names.get(portKey(name))
    if (exact !== undefined) return exact
    const number = numberOf(name)
    return (number !== undefined && this.#numbers.get(number)) || undefined
  }
}

/** "gpu1" of "gpu1.example.com"; an address has no short form. */
function shortOf(key: string): string {
  const [first = ''] = key.split('.', 1)
  return /^\d*$/.test(first) ? key : first
}

/** Devices by name, also where one of both names is that with its domain. */
export class DeviceNames {
  readonly #names = new Map<string, string>()
  /** By the names without domains; '': several have it. */
  readonly #short = new Map<string, string>()

  constructor(names: Iterable<string>) {
    for (const name of names) {
      const key = name.toLowerCase()
      if (this.#names.has(key)) continue
      this.#names.set(key, name)
      const short = shortOf(key)
      if (short !== key) this.#short.set(short, this.#short.has(short) ? '' : name)
    }
  }

  /** Undefined: no device that is known, or several may be meant. */
  find(name: string): string | undefined {
    const key = name.trim().toLowerCase()
    const short = shortOf(key)
    return this.#names.get(key) ?? (short === key ? this.#short.get(key) || undefined : this.#names.get(short))
  }
}
