/**
 * Trial: a server and a client, one on each guest of a pair, from their start to their end.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Background } from './guest.ts'
import type { GuestPair } from './pair.ts'

export interface TrialOptions {
  /** Lines of shell: the user's files are in the current folder, and on the PATH. */
  readonly server: string
  readonly client: string
  /** A text that the server prints when it is ready; by default it is once it listens, by TCP or by rdma_cm. */
  readonly ready?: string
  /** The server does not end by itself: after the client's end it gets SIGTERM, and its exit code does not count. */
  readonly isDaemon?: boolean
  /** Both are killed then. */
  readonly limitMs?: number
  /** Called with what they print, as they print it. */
  readonly onOutput?: (end: TrialEnd, text: string) => void
}

export type TrialEnd = 'client' | 'server'

export interface ProgramResult {
  /** Exit code, or 128 and the number of the signal that ended it; null: it did not end in time, and was killed. */
  readonly code: number | null
  readonly output: string
}

export interface TrialResult {
  readonly client: ProgramResult
  readonly server: ProgramResult
  /** Whether the server was ready when the client began; if not, it was not within READY_MS. */
  readonly wasReady: boolean
  readonly durationMs: number
}

/** How long a server may take until it is ready, before the client begins all the same. */
export const READY_MS = 10_000
const LIMIT_MS = 60_000
/** Between two looks. */
const LOOK_MS = 50
/** From SIGTERM to SIGKILL. */
const GRACE_MS = 2000

/** In /proc/net/tcp a port that listens has the state 0A; connections of rdma_cm are known to rdma. */
const LISTENS = `cat /proc/net/tcp /proc/net/tcp6 | grep -q ' 0*:0000 0A ' || rdma resource show cm_id | grep -q LISTEN`

/** Runs both. Rejects if a guest ends or does not answer. */
export async function runTrial(pair: GuestPair, options: TrialOptions): Promise<TrialResult> {
  const { ready, isDaemon = false, limitMs = LIMIT_MS } = options
  const printed = { client: '', server: '' }
  pair.onOutput = (end, text) => {
    printed[end] += text
    options.onOutput?.(end, text)
  }
  const startMs = performance.now()
  const leftMs = (): number => startMs + limitMs - performance.now()
  const server = await pair.server.program(options.server)
  const isReady = async (): Promise<boolean> =>
    ready === undefined ? (await pair.server.run(LISTENS)).code === 0 : printed.server.includes(ready)
  const readyEndMs = performance.now() + Math.min(READY_MS, limitMs)
  let wasReady = await isReady()
  while (!wasReady && performance.now() < readyEndMs && (await server.isRunning())) {
    await delay(LOOK_MS)
    wasReady = await isReady()
  }
  const client = await pair.client.program(options.client)
  const clientCode = await codeOf(client, leftMs)
  const isEnded = isDaemon && (await server.isRunning())
  if (isEnded) await server.signal('TERM')
  const graceEndMs = performance.now() + GRACE_MS
  const serverCode = await codeOf(server, isEnded ? () => graceEndMs - performance.now() : leftMs)
  const durationMs = performance.now() - startMs
  await Promise.all([pair.client.drained(), pair.server.drained()])
  pair.onOutput = null
  return {
    client: { code: clientCode, output: printed.client },
    server: { code: isEnded ? 0 : serverCode, output: printed.server },
    wasReady,
    durationMs,
  }
}

/** Waits for the end of a program, or kills it. */
async function codeOf(program: Background, leftMs: () => number): Promise<number | null> {
  while (await program.isRunning()) {
    if (leftMs() <= 0) {
      await program.signal('KILL')
      await program.ended()
      return null
    }
    await delay(LOOK_MS)
  }
  return (await program.ended()).code
}
