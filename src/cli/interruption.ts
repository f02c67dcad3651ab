/**
 * Interruption: Ctrl-C asks for an orderly end, a second one quits at once.
 * A termination, and a terminal that goes away, ask for the same.
 * npm hands a Ctrl-C on to its child, which the terminal has told already: what follows within a moment is the same one.
 */

/** Signals that come in this time are one key press. A person needs longer for two. */
const SAME_KEY_MS = 300
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export interface Interruption {
  /** What came; undefined as long as nothing did. */
  readonly signal: NodeJS.Signals | undefined
  /** 128 and the signal's number, as shells have it. */
  readonly exitCode: number
  /** Is called once, at the first signal. */
  onRequest(callback: () => void): void
  /** Gives the signals back to the process. */
  release(): void
}

/** Takes over the signals that end a program, until released. `say` gets one line at the first. */
export function watchInterruption(say: (text: string) => void): Interruption {
  let signal: NodeJS.Signals | undefined
  let firstMs = 0
  const callbacks: (() => void)[] = []
  const codeOf = (name: NodeJS.Signals | undefined): number => CODES[name as (typeof SIGNALS)[number]] ?? CODES.SIGINT
  const onSignal = (name: NodeJS.Signals): void => {
    if (signal !== undefined) {
      if (performance.now() - firstMs > SAME_KEY_MS) process.exit(codeOf(name))
      return
    }
    signal = name
    firstMs = performance.now()
    say('stopping; once more quits at once')
    for (const callback of callbacks) callback()
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  return {
    get signal() {
      return signal
    },
    get exitCode() {
      return codeOf(signal)
    },
    onRequest: (callback) => void callbacks.push(callback),
    release() {
      for (const name of SIGNALS) process.off(name, onSignal)
    },
  }
}
