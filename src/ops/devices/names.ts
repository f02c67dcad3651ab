/**
 * Names: one device or port as different devices call it.
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

/** Devices by name, also where one is called by its whole domain name. */
export class DeviceNames {
  readonly #names = new Map<string, string>()

  constructor(names: Iterable<string>) {
    for (const name of names) this.#names.set(name.toLowerCase(), name)
  }

  /** Undefined: no device that is known. */
  find(name: string): string | undefined {
    const key = name.trim().toLowerCase()
    return this.#names.get(key) ?? this.#names.get(key.split('.', 1)[0]!)
  }
}
