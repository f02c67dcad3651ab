/**
 * Interruption: the first Ctrl-C, SIGTERM or SIGHUP requests an orderly end, a second one quits at once.
 * npm forwards a Ctrl-C to its child, which the terminal has signalled already, so signals within SAME_KEY_MS count once.
 */
/** Signals within this time are one key press; a person needs longer for two. */
const SAME_KEY_MS = 300
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export interface Interruption {
  /** The first signal; undefined before any. */
  readonly signal: NodeJS.Signals | undefined
  /** 128 plus the signal's number, as in shells. */
  readonly exitCode: number
  /** Registers a callback for the first signal. */
  onRequest(callback: () => void): void
  /** Restores the default handling of the signals. */
  release(): void
}

/** Handles the signals that end a program until released. @param say receives a message at the first signal. */
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
    say('stopping; interrupt again to quit at once')
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
