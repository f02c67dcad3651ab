/** Runs rping over a link: as the server until one client has left, as the client until its connection has ended. */
import type { RpingPeer, RpingSession } from '../cm/rping-peer.ts'
import { RPING_PORT } from '../cm/rping.ts'
import type { Party } from '../party.ts'
import { Drive } from './drive.ts'
import type { FrameLink } from './frame-link.ts'

/** A connection to be made as the client. */
export interface RpingTarget {
  /** 4 or 16 bytes. */
  readonly ip: Uint8Array
  readonly port?: number
  /** Pings. */
  readonly count: number
  readonly sizeBytes?: number
}

/** After its end a session answers for so long what the other end sends again, whose last answer may be lost. */
const LINGER_MS = 300

/**
 * @param party the endpoint of the peer, or what is wrapped around it
 * @param target null: be the server
 * @returns the session that ran; null: there was none before the signal, or no queue pair is left
 */
export async function runRping(
  peer: RpingPeer,
  party: Party,
  link: FrameLink,
  target: RpingTarget | null,
  signal?: AbortSignal,
): Promise<RpingSession | null> {
  let session: RpingSession | null = null
  let finish = (): void => {}
  const finished = new Promise<void>((resolve) => (finish = resolve))
  const drive = new Drive(party, link, () => {
    session ??= peer.sessions[0] ?? peer.ended[0] ?? null
    const { state } = session?.connection ?? { state: 'none' }
    if (state === 'time wait' || state === 'closed') finish()
  })
  signal?.addEventListener('abort', finish)
  if (signal?.aborted === true) finish()
  if (target === null) peer.listen(RPING_PORT)
  else if (peer.connect(drive.nowPs, target.ip, target.port ?? RPING_PORT, target.count, target.sizeBytes) === null)
    finish()
  drive.wake()
  await finished
  if (signal?.aborted !== true) await new Promise((resolve) => setTimeout(resolve, LINGER_MS))
  drive.stop()
  return session
}
