/**
 * Assertions: for bugs only (never for input). The run stops and prints scenario, seed, time and event.
 * Those on the path of every packet stand behind `if (CHECKED)`: the build leaves them out of the fast program, and keeps
 * them in the checked one (scripts/inline.mjs), which tests and `--check` load.
 */

/** false in the fast program. */
export const CHECKED: boolean = true

/** A broken law of the program itself. Exit code 1. */
export class Bug extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Bug'
  }
}

/** Laws of the model that a run has broken, found by its checks. */
export class BrokenLaw extends Bug {
  constructor(nowPs: number, events: number, broken: readonly string[]) {
    super(`broken law at ${nowPs} ps, event ${events}: ${broken.slice(0, 5).join('; ')}`)
    this.name = 'BrokenLaw'
  }
}

/** Stops the run with a constant message when `condition` is false. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Bug(message)
}
