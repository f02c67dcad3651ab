/** Runs a session over a link and a TCP connection until it is done or has failed. */
import type { Socket } from 'node:net'
import type { Party } from '../party.ts'
import type { Session } from '../peer/session.ts'
import { plainBytes } from './bytes.ts'
import { Drive } from './drive.ts'
import type { FrameLink } from './frame-link.ts'

/** After its end a session answers for so long what the other end sends again, whose last ACK may be lost. */
const LINGER_MS = 300

/** @param party the session's endpoint, or what is wrapped around it. */
export async function runSession(
  session: Session,
  party: Party,
  link: FrameLink,
  socket: Socket,
  signal: AbortSignal,
): Promise<void> {
  socket.setNoDelay(true)
  let finish = (): void => {}
  const finished = new Promise<void>((resolve) => (finish = resolve))
  const drive = new Drive(party, link, (nowPs) => {
    const bytes = session.takeData(nowPs)
    if (bytes.length > 0 && !socket.destroyed) socket.write(bytes)
    if (session.isDone || session.failure !== null) finish()
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
  signal.addEventListener('abort', finish)
  await finished
  // The last bytes of the exchange leave before the connection ends.
  socket.end()
  if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, LINGER_MS))
  drive.stop()
  socket.destroy()
}
