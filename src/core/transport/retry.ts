/**
 * Waits of a queue pair whose peer is silent. By IBTA all are one timeout. ConnectX with adaptive retransmission first waits in
 * short steps, whatever the timeout says, then in multiples of it (docs/models/hardware.md).
 * Times have one unit throughout, that of their caller.
 */

export interface RetryPolicy {
  /** Waits before the first retransmissions, as long as they are within the timeout; in order. */
  readonly steps: readonly number[]
  /** Least timeout, whatever is asked for. */
  readonly floor: number
  /** Waits behind the steps, in timeouts. */
  readonly factor: number
}

export interface RetrySchedule {
  /** A wait behind each transmission; after the last the queue pair gives up, or, without a limit, goes on with it. */
  readonly waits: readonly number[]
  /** The first ones of them that are steps, which hardware counts apart from timeouts. */
  readonly steps: number
}

/**
 * @param retries consecutive timeouts that are tolerated; null: any number
 * With steps, the last retry behind them waits no longer than the step that would follow, and no wait is left for retries 0 and 1.
 */
export function retrySchedule(
  { steps, floor, factor }: RetryPolicy,
  timeout: number,
  retries: number | null,
): RetrySchedule {
  const asked = Math.max(timeout, floor)
  const longest = factor * asked
  const past = steps.findIndex((step) => step > asked)
  const early = past < 0 ? steps : steps.slice(0, past)
  if (early.length === 0) return { waits: Array.from({ length: (retries ?? 0) + 1 }, () => longest), steps: 0 }
  const next = Math.min(steps[early.length] ?? Infinity, longest)
  const late =
    retries === null
      ? [next, longest]
      : retries < 2
        ? []
        : [next, ...Array.from({ length: retries - 2 }, () => longest)]
  return { waits: [...early, ...late], steps: early.length }
}

/** IBTA 9.7.6.1.3. */
export const ibtaRetry: RetryPolicy = { steps: [], floor: 0, factor: 1 }

/** Retries of an unlimited queue pair, counted down. */
const UNLIMITED = 2 ** 30

/** A schedule as the timers of a queue pair read it. Times are picoseconds. */
export class RetryTimers {
  /** Timeouts that were steps. */
  stepTimeouts = 0
  private readonly waits: Float64Array
  private readonly steps: number

  constructor({ waits, steps }: RetrySchedule) {
    this.waits = Float64Array.from(waits)
    this.steps = steps
  }

  /** Timeouts that are tolerated. @param retries as asked for; null: any number */
  limitOf(retries: number | null): number {
    return retries === null ? UNLIMITED : this.waits.length - 1
  }

  /** @param timeouts so far, since the last progress */
  waitPs(timeouts: number): number {
    return this.waits[Math.min(timeouts, this.waits.length - 1)]!
  }

  /** @param timeouts before it, since the last progress */
  onTimeout(timeouts: number): void {
    if (timeouts < this.steps) this.stepTimeouts++
  }
}
