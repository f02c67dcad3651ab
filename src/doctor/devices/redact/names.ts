/**
 * Names in place of those of a fabric: devices are box1, box2, ... in the order of their names, other words word1, word2, ...
 * Words of the vocabulary and numbers stay. The same name has the same replacement everywhere.
 */
import { isKnownWord } from './vocabulary.ts'

const PIECES = /([^\w\u0080-\uFFFF]+)/
/** Names that stand in a text as one word. Words of a language, numbers and names of ports are not taken for a device. */
const ONE_WORD = /^[\w\u0080-\uFFFF](?:[\w\u0080-\uFFFF.-]*[\w\u0080-\uFFFF])$/
const PORT = /^(?:eth|ethernet|swp|et|xe|ge|ib|mlx|rdma|roce|po|port|vlan|bond|lo|q|tc|prio|en[opsx])[\d_./-]*$/i
const isFound = (name: string): boolean =>
  ONE_WORD.test(name) && !PORT.test(name) && !(isKnownWord(name) && /^(?:\D+|\d.*)$/.test(name))

export class Names {
  readonly #devices = new Map<string, string>()
  /** Those that are found in texts; by names in small letters. */
  readonly #found = new Map<string, string>()
  readonly #words = new Map<string, string>()

  /** @param devices with files or links @param named others that files name; a device may have its domain behind its name */
  constructor(devices: Iterable<string>, named: Iterable<string> = []) {
    const own = new Set(devices)
    const keys = new Set([...own].map((name) => name.toLowerCase()))
    const others = [...named].filter(
      (name) => !keys.has(name.toLowerCase()) && !keys.has(name.toLowerCase().split('.', 1)[0]!),
    )
    const sorted = [...new Set([...own, ...others])].sort()
    const digits = String(sorted.length).length
    for (const [i, name] of sorted.entries()) {
      const box = `box${String(i + 1).padStart(digits, '0')}`
      this.#devices.set(name, box)
      if (isFound(name)) this.#found.set(name, box).set(name.toLowerCase(), box)
    }
  }

  /** The name of a device, as a folder or a list of links names it. */
  device(name: string): string {
    return this.#devices.get(name) ?? this.word(name)
  }

  /** A word with dots and dashes in it, as it stands in a text. */
  token(text: string): string {
    const box = this.#boxOf(text) ?? this.#boxOf(text.split('.', 1)[0]!)
    if (box !== undefined) return box
    return text
      .split(PIECES)
      .map((piece, i) => (i % 2 === 1 ? piece : (this.#boxOf(piece) ?? this.word(piece))))
      .join('')
  }

  #boxOf(name: string): string | undefined {
    return this.#found.get(name) ?? this.#found.get(name.toLowerCase())
  }

  /** A word of letters, digits and underscores. */
  word(piece: string): string {
    if (piece === '' || isKnownWord(piece)) return piece
    const known = this.#words.get(piece)
    if (known !== undefined) return known
    const made = `word${this.#words.size + 1}`
    this.#words.set(piece, made)
    return made
  }

  /** All that was replaced. */
  get replaced(): readonly { readonly kind: 'device' | 'word'; readonly from: string; readonly to: string }[] {
    return [
      ...[...this.#devices].map(([from, to]) => ({ kind: 'device' as const, from, to })),
      ...[...this.#words].map(([from, to]) => ({ kind: 'word' as const, from, to })),
    ]
  }
}
