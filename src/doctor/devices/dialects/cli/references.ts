/**
 * References: names that a configuration defines and uses, so that those of one side only are found.
 */
import type { Facts } from '../facts.ts'
import type { Line } from '../text.ts'
import { allOf, type Entry, settingIn, type Settings } from './entries.ts'

interface Use {
  readonly what: string
  readonly name: string
  readonly port: string
  readonly line: Line
}

export class References {
  readonly #defined = new Map<string, { readonly what: string; readonly name: string; readonly line: Line }>()
  readonly #meantForPfc = new Set<string>()
  readonly #used = new Map<string, Use>()

  /** @param isForPfc whether it is meant for PFC or ECN, so that nothing but applying it makes sense */
  define(what: string, name: string, line: Line, isForPfc: boolean): void {
    const key = `${what} ${name}`
    if (!this.#defined.has(key)) this.#defined.set(key, { what, name, line })
    if (isForPfc) this.#meantForPfc.add(key)
  }

  /** Defines what entries of a kind name. @param isForPfc whether a name is meant for PFC or ECN; absent: none */
  defineAll(what: string, entries: readonly Entry[], kind: string, isForPfc?: (name: string) => boolean): void {
    for (const { args, line } of allOf(entries, kind)) this.define(what, args[0]!, line, isForPfc?.(args[0]!) === true)
  }

  /** Uses of class-maps by the classes of policies. */
  useClasses(what: string, entries: readonly Entry[], policies: string): void {
    for (const policy of allOf(entries, policies))
      for (const { args, line } of allOf(policy.entries, 'class')) this.use(what, args[0]!, '', line)
  }

  /** @param port '': the device */
  use(what: string, name: string, port: string, line: Line): void {
    this.#used.set(`${what} ${name} ${port}`, { what, name, port, line })
  }

  /** Names in the settings of ports, or of the device under ''. @param kinds key of a setting, and what it names */
  useSettings(
    ports: readonly { readonly name: string; readonly scopes: readonly Settings[] }[],
    kinds: readonly (readonly [key: string, what: string])[],
  ): void {
    for (const { name, scopes } of ports)
      for (const [key, what] of kinds) {
        const applied = settingIn(scopes, key)
        if (applied !== undefined) this.use(what, applied.args[0]!, name, applied.line)
      }
  }

  /** Notes the names of one side only. @param builtIn names that the device itself defines */
  report(builtIn: RegExp, facts: Facts): void {
    const used = new Set<string>()
    for (const { what, name, port, line } of this.#used.values()) {
      const key = `${what} ${name}`
      used.add(key)
      if (!this.#defined.has(key) && !builtIn.test(name)) facts.refer('undefined', what, name, line, port)
    }
    for (const [key, { what, name, line }] of this.#defined)
      if (this.#meantForPfc.has(key) && !used.has(key)) facts.refer('unapplied', what, name, line)
  }
}
