/**
 * Mistakes: input errors of several parts of a build, collected so that they are reported together.
 */
import { InputError, type Issue } from '../../core/base/issue.ts'

export class Mistakes {
  readonly #issues: Issue[] = []

  add({ issues }: InputError): void {
    for (const issue of issues) this.#issues.push(issue)
  }

  /** Returns the result of `make`; undefined, and the issues collected, where it throws an InputError. */
  attempt<T>(make: () => T): T | undefined {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      this.add(error)
      return undefined
    }
  }

  /** For a part that everything else needs: throws all issues collected so far where `make` throws an InputError. */
  demand<T>(make: () => T): T {
    const made = this.attempt(make)
    if (made === undefined) throw new InputError(this.#issues)
    return made
  }

  /** Returns the result of `make`, or that of `otherwise`, with which the build goes on to find more mistakes. */
  attemptOr<T>(make: () => T, otherwise: () => T): T {
    return this.attempt(make) ?? otherwise()
  }

  /** Throws the issues collected; called before anything runs on parts that stand in for others. */
  settle(): void {
    if (this.#issues.length > 0) throw new InputError(this.#issues)
  }
}
