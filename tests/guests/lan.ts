/** Two guests, and a hub between them whose line can be exchanged between tests. */
import { Hub, type HubEnd } from '../../src/live/drivers/hub.ts'
import { type Direction, type Line, PlainLine } from '../../src/live/faults/line.ts'
import { guestSystem } from './build.ts'
import { freeUdpPorts, Guest } from './guest.ts'

/** Addresses of the two. */
export const IP4 = ['192.0.2.1', '192.0.2.2'] as const
export const IP6 = ['2001:db8::1', '2001:db8::2'] as const

export class Lan {
  /** The first end of the line: frames that it sends go `out`. */
  readonly first: Guest
  readonly second: Guest
  /** Ports of the hub, for another program in its place. */
  readonly ends: readonly [HubEnd, HubEnd]
  readonly #hub: Hub
  readonly #relay: { line: Line }

  static async start(): Promise<Lan> {
    const system = await guestSystem()
    const ports = await freeUdpPorts(4)
    const relay: { line: Line } = { line: new PlainLine() }
    const through: Line = {
      onFrame: (nowPs: number, direction: Direction, frame: Uint8Array) => relay.line.onFrame(nowPs, direction, frame),
      pollFrame: (nowPs: number, direction: Direction) => relay.line.pollFrame(nowPs, direction),
      get nextPs() {
        return relay.line.nextPs
      },
    }
    const end = (at: number): HubEnd => ({ localPort: ports[2 * at]!, remotePort: ports[2 * at + 1]! })
    const hub = await Hub.open(end(0), end(1), through)
    const guests = await Promise.all(
      [0, 1].map((at) =>
        Guest.start(system, {
          name: `guest ${at + 1}`,
          ip4: `${IP4[at]}/24`,
          ip6: `${IP6[at]}/64`,
          mac: `52:54:00:00:00:0${at + 1}`,
          localPort: end(at).remotePort,
          remotePort: end(at).localPort,
        }),
      ),
    )
    const lan = new Lan(guests[0]!, guests[1]!, [end(0), end(1)], hub, relay)
    await Promise.all([lan.first.knows(lan.second.addresses), lan.second.knows(lan.first.addresses)])
    return lan
  }

  private constructor(first: Guest, second: Guest, ends: readonly [HubEnd, HubEnd], hub: Hub, relay: { line: Line }) {
    this.first = first
    this.second = second
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
    this.first.stop()
    this.second.stop()
    await this.#hub.close()
  }
}
