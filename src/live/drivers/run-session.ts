/** Runs a session over a link and a TCP connection until it is done or has failed. */
import type { Socket } from 'node:net'
import type { Party } from '../party.ts'
import type { Session } from '../peer/session.ts'
import { plainBytes } from './bytes.ts'
import { Drive } from './drive.ts'
import type { FrameLink } from './frame-link.ts'

/** After its end a session answers for so long what the other end sends again, whose last ACK may be lost. */
const LINGER_MS = 300

/** How a run ended. `silent`: nothing came from the other end for as long as was allowed; the session tells the rest. */
export type SessionEnd = 'done' | 'failed' | 'silent' | 'interrupted'

/**
 * @param party the session's endpoint, or what is wrapped around it
 * @param silenceMs how long nothing may come from the other end, neither bytes of the exchange nor packets for its queue pairs
 */
export async function runSession(
  session: Session,
  party: Party,
  link: FrameLink,
  socket: Socket,
  signal: AbortSignal,
  silenceMs = Infinity,
): Promise<SessionEnd> {
  socket.setNoDelay(true)
  let finish = (_end: SessionEnd): void => {}
  const finished = new Promise<SessionEnd>((resolve) => (finish = resolve))
  const watch = new SilenceWatch(session, silenceMs, () => finish('silent'))
  const drive = new Drive(party, link, (nowPs) => {
    const bytes = session.takeData(nowPs)
    if (bytes.length > 0 && !socket.destroyed) socket.write(bytes)
    watch.look()
    if (session.isDone) finish('done')
    else if (session.failure !== null) finish('failed')
  })
  socket.on('data', (bytes) => {
    session.onData(drive.nowPs, plainBytes(bytes))
    drive.wake()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    session.onEnd(drive.nowPs)
    drive.wake()
  })
  const interrupt = (): void => finish('interrupted')
  if (signal.aborted) interrupt()
  signal.addEventListener('abort', interrupt)
  const end = await finished
  watch.stop()
  signal.removeEventListener('abort', interrupt)
  // The last bytes of the exchange leave before the connection ends.
  socket.end()
  if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, LINGER_MS))
  drive.stop()
  socket.destroy()
  return end
}

/** Notices that nothing has come from the other end for some time. */
class SilenceWatch {
  readonly #session: Session
  readonly #timer: NodeJS.Timeout | undefined
  #heard = 0

  constructor(session: Session, limitMs: number, onSilence: () => void) {
    this.#session = session
    if (limitMs < Infinity) this.#timer = setTimeout(onSilence, limitMs)
  }

  look(): void {
    const { heard } = this.#session
    if (heard !== this.#heard) this.#timer?.refresh()
    this.#heard = heard
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
