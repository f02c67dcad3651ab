/**
 * Progress line: one line on a terminal, redrawn in place a few times a second.
 * Nothing is drawn in the first second, so short commands print no progress, nor without a terminal.
 * A redraw is one write: carriage return, text, and erase to the end of the line, so that nothing flickers.
 */
import type { Terminal } from './context.ts'

const FIRST_AFTER_MS = 1200
const EVERY_MS = 200

export class ProgressLine {
  readonly #terminal: Terminal | undefined
  #startMs = performance.now()
  #lastMs = -Infinity
  #isShown = false

  constructor(terminal: Terminal | undefined) {
    this.#terminal = terminal
  }

  /** Counts time from now on. */
  restart(): void {
    this.#startMs = performance.now()
  }

  /** Draws the result of `text` if the last redraw is long enough ago. */
  update(text: (elapsedMs: number) => string): void {
    if (this.#terminal === undefined) return
    const nowMs = performance.now()
    if (nowMs - this.#startMs < FIRST_AFTER_MS || nowMs - this.#lastMs < EVERY_MS) return
    this.#lastMs = nowMs
    this.#isShown = true
    // The last column stays free: some terminals wrap when it is written.
    const line = text(nowMs - this.#startMs).slice(0, Math.max(1, this.#terminal.width() - 1))
    this.#terminal.write(`\r${line}\x1b[K`)
  }

  /** Erases the line. */
  clear(): void {
    if (!this.#isShown) return
    this.#isShown = false
    this.#terminal?.write('\r\x1b[K')
  }
}

/** "42 %", four columns wide. */
export function percent(share: number): string {
  return `${String(Math.floor(Math.min(1, Math.max(0, share)) * 100)).padStart(3)} %`
}

/** "12 s left": extrapolated from `fraction` of the work done after `seconds`; "? left" for 0. */
export function leftText(fraction: number, seconds: number): string {
  return `${fraction > 0 ? waitText((seconds * (1 - fraction)) / fraction) : '?'} left`
}

/** "12 s", "3 min 20 s", "2 h 5 min"; "?" if unknown. */
export function waitText(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds > 1e6) return '?'
  const whole = Math.ceil(seconds)
  if (whole < 100) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 100) return `${minutes} min ${whole % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
