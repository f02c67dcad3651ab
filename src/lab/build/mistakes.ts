/**
 * Mistakes: input errors of several parts of a build, kept so that they are told at once.
 */
import { InputError, type Issue } from '../../base/issue.ts'

export class Mistakes {
  readonly #issues: Issue[] = []

  /** What `make` returns; undefined where it throws an InputError, whose issues are kept. */
  attempt<T>(make: () => T): T | undefined {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      for (const issue of error.issues) this.#issues.push(issue)
      return undefined
    }
  }

  /** What `make` returns, without which nothing else can be looked at: throws what was kept if it throws. */
  demand<T>(make: () => T): T {
    const made = this.attempt(make)
    if (made === undefined) throw new InputError(this.#issues)
    return made
  }

  /** What `make` returns, or else `otherwise`, which only lets the build go on to find more. */
  attemptOr<T>(make: () => T, otherwise: () => T): T {
    return this.attempt(make) ?? otherwise()
  }

  /** Throws what was kept; done before anything runs on parts that may be missing. */
  settle(): void {
    if (this.#issues.length > 0) throw new InputError(this.#issues)
  }
}
