/** Two guests that are joined by a line, which can be exchanged between tests: a client and a server. */
import { type Direction, type Line, PlainLine } from '../../faults/line.ts'
import { Hub, type HubEnd } from '../hub.ts'
import { freeUdpPorts, Guest, type GuestError } from './guest.ts'
import { type BuildOptions, type GuestSystem, guestSystem } from './system.ts'

/** Addresses of the two. In both guests they have the names of the guests, too. */
export const CLIENT: GuestAddresses = { ip4: '192.0.2.2', ip6: '2001:db8::2', mac: '52:54:00:00:00:02' }
export const SERVER: GuestAddresses = { ip4: '192.0.2.1', ip6: '2001:db8::1', mac: '52:54:00:00:00:01' }

export interface GuestAddresses {
  readonly ip4: string
  readonly ip6: string
  readonly mac: string
}

export interface PairOptions extends BuildOptions {
  /** The system of both; by default what guestSystem() gives. */
  readonly system?: GuestSystem
  readonly line?: Line
  /** MTU of Ethernet: 1500 gives an RDMA MTU of 1024, 4500 one of 4096. */
  readonly mtuBytes?: number
  /** Called when one of them did not boot, and is booted again. */
  readonly onReboot?: (error: GuestError) => void
}

export class GuestPair {
  /** The first end of the line: frames that it sends go `out`. */
  readonly client: Guest
  readonly server: Guest
  /** Ports of the hub, for another program in its place. */
  readonly ends: readonly [HubEnd, HubEnd]
  /** Called with what programs print that were started by `program()` of a guest. */
  onOutput: ((end: 'client' | 'server', text: string) => void) | null = null
  readonly #hub: Hub
  readonly #relay: Relay

  /** Boots both: 5 s, and once the time of a build. Rejects with the reason of the signal if that ends it. */
  static async start(options: PairOptions = {}): Promise<GuestPair> {
    const { line = new PlainLine(), mtuBytes = 1500, signal, onReboot } = options
    const system = options.system ?? (await guestSystem(options))
    const ports = await freeUdpPorts(4)
    const relay = new Relay(line)
    const end = (at: number): HubEnd => ({ localPort: ports[2 * at]!, remotePort: ports[2 * at + 1]! })
    const ends = [end(0), end(1)] as const
    const hub = await Hub.open(...ends, relay)
    const output: { to: GuestPair | null } = { to: null }
    const started = await Promise.allSettled(
      (['client', 'server'] as const).map((name, at) => {
        const { ip4, ip6, mac } = name === 'client' ? CLIENT : SERVER
        return Guest.start(system, {
          name,
          ip4: `${ip4}/24`,
          ip6: `${ip6}/64`,
          mac,
          mtuBytes,
          localPort: ends[at]!.remotePort,
          remotePort: ends[at]!.localPort,
          onOutput: (text) => output.to?.onOutput?.(name, text),
          ...(signal === undefined ? {} : { signal }),
          ...(onReboot === undefined ? {} : { onReboot }),
        })
      }),
    )
    const guests = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    try {
      for (const each of started) if (each.status === 'rejected') throw each.reason
      const [client, server] = guests as [Guest, Guest]
      await Promise.all([introduce(client, server), introduce(server, client)])
      return (output.to = new GuestPair(client, server, ends, hub, relay))
    } catch (error) {
      for (const guest of guests) guest.stop()
      await hub.close()
      throw error
    }
  }

  private constructor(client: Guest, server: Guest, ends: readonly [HubEnd, HubEnd], hub: Hub, relay: Relay) {
    this.client = client
    this.server = server
    this.ends = ends
    this.#hub = hub
    this.#relay = relay
  }

  /** Frames of now on go through this line. */
  use(line: Line): void {
    this.#relay.line = line
  }

  /** Gives the ports of the hub back. */
  async leave(): Promise<void> {
    await this.#hub.close()
  }

  async stop(): Promise<void> {
    this.client.stop()
    this.server.stop()
    await this.#hub.close()
  }
}

/** A line in whose place another one can come. */
class Relay implements Line {
  line: Line
  constructor(line: Line) {
    this.line = line
  }

  onFrame(nowPs: number, direction: Direction, frame: Uint8Array): void {
    this.line.onFrame(nowPs, direction, frame)
  }

  pollFrame(nowPs: number, direction: Direction): Uint8Array | null {
    return this.line.pollFrame(nowPs, direction)
  }

  get nextPs(): number {
    return this.line.nextPs
  }
}

/** Each knows the other's addresses, so that nothing has to be resolved, and both names. */
async function introduce(guest: Guest, other: Guest): Promise<void> {
  await guest.knows(other.addresses)
  await guest.names(CLIENT.ip4, 'client')
  await guest.names(SERVER.ip4, 'server')
}
