/**
 * Branches of class-of-service that are attached to a port: settings of the port itself, of the aggregate that it belongs to, and of
 * wildcards, the closest first.
 * Source: Juniper, "Assigning CoS Components to Interfaces".
 */
import { type Branch } from '../tree.ts'
import { isPort, isWildcard, matches } from './names.ts'
import type { JunosPort } from './ports.ts'

/** Wildcards for interfaces that are followed. */
const WILDCARDS_MAX = 64

export class Attached {
  readonly #exact = new Map<string, Branch>()
  readonly #wildcards: readonly Branch[]

  constructor(cos: Branch | undefined) {
    const all = cos?.all('interfaces') ?? []
    for (const branch of all) if (!isWildcard(branch.word)) this.#exact.set(branch.word, branch)
    this.#wildcards = all
      .filter(({ word }) => isWildcard(word))
      .sort((a, b) => closeness(b.word) - closeness(a.word))
      .slice(0, WILDCARDS_MAX)
  }

  /** Ports that are named without wildcards. */
  ports(): Branch[] {
    return [...this.#exact.values()].filter(({ word }) => isPort(word))
  }

  /** All branches, those of ports that nobody knows too. */
  all(): Branch[] {
    return [...this.#exact.values(), ...this.#wildcards]
  }

  of({ name, aggregate }: JunosPort): Branch[] {
    return [name, aggregate]
      .flatMap((each) => this.#exact.get(each) ?? [])
      .concat(
        [name, aggregate].flatMap((each) =>
          each === '' ? [] : this.#wildcards.filter(({ word }) => matches(word, each)),
        ),
      )
  }
}

/** Letters that a wildcard fixes. */
const closeness = (word: string): number => (word === 'all' ? -1 : word.replace(/\[[^\]]{0,100}\]|[*?]/g, '').length)

/** Branches of the logical interfaces below: unit 0 first, then all that are written. */
export function unitsOf(branches: readonly Branch[]): Branch[] {
  return branches.flatMap((branch) => {
    const units = branch.all('unit')
    const rank = ({ word }: Branch): number => (word === '0' ? 0 : word === '*' ? 1 : 2)
    return units.sort((a, b) => rank(a) - rank(b))
  })
}
