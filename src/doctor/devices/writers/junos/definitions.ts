/**
 * Definitions: profiles, maps and classifiers with their names, each once for all ports that have the same.
 */
import type { WriteOptions } from '../writer.ts'
import type { Statement } from './statements.ts'

export class Definitions {
  readonly #nameOf: WriteOptions['nameOf']
  /** By kind, then by content. */
  readonly #known = new Map<string, Map<string, { readonly name: string; readonly inside: readonly Statement[] }>>()
  readonly #counts = new Map<string, number>()

  constructor({ nameOf }: WriteOptions) {
    this.#nameOf = nameOf
  }

  /** Name of the definition. @param kind that it stands under @param purpose what it is for, beyond its kind */
  use(kind: string, inside: readonly Statement[], purpose = kind): string {
    let all = this.#known.get(kind)
    if (all === undefined) this.#known.set(kind, (all = new Map()))
    const key = `${purpose} ${JSON.stringify(inside)}`
    const found = all.get(key)
    if (found !== undefined) return found.name
    const count = (this.#counts.get(purpose) ?? 0) + 1
    this.#counts.set(purpose, count)
    const name = this.#nameOf(count === 1 ? purpose : `${purpose} variant ${count}`)
    all.set(key, { name, inside })
    return name
  }

  /** @param prefix word in front of each name */
  statements(kind: string, prefix = ''): Statement[] {
    return [...(this.#known.get(kind)?.values() ?? [])].map(({ name, inside }) => ({
      words: `${prefix}${name}`,
      inside,
    }))
  }
}
