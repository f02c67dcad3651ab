/** A program on each of two guests with a fault script between them, and what happened on the wire. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type FaultEvent, FaultLine, type RuleCount } from '../../src/live/faults/fault-line.ts'
import type { PacketKind } from '../../src/live/faults/script.ts'
import { readFaultScript } from '../../src/live/faults/read-script.ts'
import { see, type Seen } from '../../src/live/faults/seen.ts'
import type { Background, Ended, GuestPair } from '../../src/live/drivers/guests/index.ts'

/** Fault scripts. */
export const FOLDER: string = path.join(import.meta.dirname, '../../scenarios/faults')
/** Waits in the guest until a program listens: on TCP port 18515, or by rdma_cm. */
export const LISTENS = `cat /proc/net/tcp /proc/net/tcp6 | grep -q ':4853 0*:0000 0A' || rdma resource show cm_id | grep -q LISTEN`
export const waiting = (line: string): string => `n=0; until ${line} || [ $n = 100 ]; do sleep 0.1; n=$((n+1)); done`

export interface Packet extends FaultEvent {
  readonly seen: Seen
}

/** Everything that passed the line of a script. */
export class Wire {
  readonly line: FaultLine
  readonly #events: FaultEvent[] = []

  /** @param name of a script in scenarios/faults */
  constructor(name: string) {
    const file = path.join(FOLDER, `${name}.yaml`)
    this.line = new FaultLine(
      readFaultScript(readFileSync(file, 'utf8'), file),
      (event) => void this.#events.push(event),
    )
  }

  get counts(): readonly RuleCount[] {
    return this.line.counts
  }

  packets(kind: PacketKind, action?: FaultEvent['action']): Packet[] {
    return this.#events.flatMap((event) => {
      const seen = see(event.frame)
      const isMeant = seen?.kinds.has(kind) === true && (action === undefined || event.action === action)
      return isMeant ? [{ ...event, seen }] : []
    })
  }

  /** Packets of a kind with the PSN and receiver of another. */
  like(kind: PacketKind, { seen, direction }: Packet): Packet[] {
    return this.packets(kind).filter((each) => each.seen.bth.psn === seen.bth.psn && each.direction === direction)
  }
}

export interface Story {
  readonly wire: Wire
  readonly client: Ended
  /** null: it had not ended a second after the client. */
  readonly server: Ended | null
}

/** Starts the server on its guest. Gives it and the wire. */
export async function begin(
  pair: GuestPair,
  script: string,
  command: string,
): Promise<{ wire: Wire; server: Background }> {
  const wire = new Wire(script)
  pair.use(wire.line)
  const server = await pair.server.background(`exec ${command}`)
  await pair.server.run(waiting(LISTENS))
  return { wire, server }
}

/** Runs a program against its server, up to half a minute. */
export async function play(
  pair: GuestPair,
  script: string,
  [server, client]: readonly [string, string],
): Promise<Story> {
  const { wire, server: running } = await begin(pair, script, server)
  const ended = await pair.client.run(`timeout -s KILL 30 ${client}`)
  for (let tries = 0; tries < 10 && (await running.isRunning()); tries++) await pair.server.run('sleep 0.1')
  if (!(await running.isRunning())) return { wire, client: ended, server: await running.ended() }
  await running.kill()
  return { wire, client: ended, server: null }
}
