/** Two endpoints that run rping over the connection manager, in simulated time, and frames of both. */
import { RpingPeer } from '../../src/live/cm/rping-peer.ts'
import { LiveEndpoint } from '../../src/live/peer/endpoint.ts'
import { writeEthernet } from '../../src/core/wire/ethernet.ts'
import { writeIpFrame } from '../../src/core/wire/frame.ts'
import { type IpHeader, writeIp } from '../../src/core/wire/ip.ts'
import {
  ARP,
  multicastMac,
  PROTOCOL_ICMP,
  PROTOCOL_ICMPV6,
  solicitedNode,
  writeArp,
  writeEcho,
  writeNeighbour,
} from '../../src/core/wire/neighbours/index.ts'
import { drawOf, IPV4, IPV6 } from '../../src/live/peer/pipe.test-bench.ts'
import { MACS, World } from './world.ts'

export const RPING_PORT = 7174
const DELAY_PS = 5e6

export interface End {
  readonly peer: RpingPeer
  readonly endpoint: LiveEndpoint
}

export function endOf(index: 0 | 1, seed: number, isListening = true): End {
  const draw = drawOf(seed)
  const peer = new RpingPeer({ ip: IPV4[index], draw, caGuid: BigInt(index + 1), mtuBytes: 1024 })
  const endpoint = new LiveEndpoint({ mac: MACS[index], ip4: IPV4[index], ip6: IPV6[index]!, draw, agent: peer.agent })
  peer.attach(endpoint)
  if (isListening) peer.listen(RPING_PORT)
  return { peer, endpoint }
}

/** Lets both ends speak. `inject` gives a frame for an end, or null; it is asked until its time is over. */
export class Ends {
  nowPs = 0
  readonly ends: readonly [End, End]
  /** Sees each frame that leaves an end. */
  onSent: (frame: Uint8Array, from: 0 | 1) => void = () => {}
  #flying: { readonly atPs: number; readonly to: 0 | 1; readonly frame: Uint8Array }[] = []

  constructor(seed: number) {
    this.ends = [endOf(0, seed), endOf(1, seed + 1)]
  }

  /** Work up to a time, or until nothing is left to do. */
  run(untilPs: number): void {
    for (;;) {
      this.ends.forEach(({ endpoint }, from) => {
        for (let frame = endpoint.pollFrame(this.nowPs); frame !== null; frame = endpoint.pollFrame(this.nowPs)) {
          this.onSent(frame, from as 0 | 1)
          this.#flying.push({ atPs: this.nowPs + DELAY_PS, to: (1 - from) as 0 | 1, frame })
        }
      })
      const nextPs = Math.min(this.#flying[0]?.atPs ?? Infinity, ...this.ends.map(({ endpoint }) => endpoint.nextPs))
      if (nextPs > untilPs) {
        if (untilPs !== Infinity) this.nowPs = untilPs
        return
      }
      this.nowPs = Math.max(this.nowPs, nextPs)
      while ((this.#flying[0]?.atPs ?? Infinity) <= this.nowPs) {
        const { to, frame } = this.#flying.shift()!
        this.ends[to].endpoint.onFrame(this.nowPs, frame)
      }
      for (const { endpoint } of this.ends) if (endpoint.nextPs <= this.nowPs) endpoint.onTime(this.nowPs)
    }
  }

  inject(to: 0 | 1, frame: Uint8Array): void {
    this.ends[to].endpoint.onFrame(this.nowPs, frame)
  }
}

const ipOf = (source: Uint8Array, destination: Uint8Array, protocol: number, hopLimit: number): IpHeader => {
  const fields = { source, destination, dscp: 0, ecn: 0, hopLimit, protocol }
  return source.length === 4
    ? { ...fields, version: 4, identification: 7, isUnfragmented: true }
    : { ...fields, version: 6, flowLabel: 0 }
}

/** Questions of a neighbour to end 1: ARP, solicitations to its group and to itself, echo of both versions. */
export function questions(mac: number, ip4: Uint8Array, ip6: Uint8Array, echoBytes = 56): Uint8Array[] {
  const [own4, own6, ownMac] = [IPV4[1], IPV6[1]!, MACS[1]]
  const message = { operation: 'request', senderMac: mac, senderIp: ip4, targetMac: 0, targetIp: own4 } as const
  const packets = [solicitedNode(own6), own6].map((to) => {
    const ip = ipOf(ip6, to, PROTOCOL_ICMPV6, 255)
    const body = writeNeighbour(ip, { kind: 'solicitation', target: own6, mac, isSolicited: false })
    return { ip, body, to: to === own6 ? ownMac : multicastMac(to) }
  })
  for (const [source, own] of [
    [ip4, own4],
    [ip6, own6],
  ] as const) {
    const ip = ipOf(source, own, source.length === 4 ? PROTOCOL_ICMP : PROTOCOL_ICMPV6, 64)
    packets.push({ ip, body: writeEcho(ip, { isReply: false, rest: new Uint8Array(echoBytes) }), to: ownMac })
  }
  return [
    writeEthernet({ destination: 2 ** 48 - 1, source: mac, tag: null, etherType: ARP }, writeArp(message)),
    ...packets.map(({ ip, body, to }) => {
      const start = ip.version === 4 ? 20 : 40
      const packet = new Uint8Array(start + body.length)
      writeIp(packet, ip, body.length)
      packet.set(body, start)
      return writeIpFrame({ destination: to, source: mac, tag: null }, ip, packet)
    }),
  ]
}

/** Frames for end 1 of all kinds that two ends exchange: packets of queue pairs, management datagrams, questions. */
export function recordedFrames(): Uint8Array[] {
  const frames: Uint8Array[] = questions(MACS[0], IPV4[0], IPV6[0]!)
  const world = new World({
    seed: 3,
    connections: 2,
    attacker: ({ bytes, to }) => {
      if (to === 1 && frames.length < 400) frames.push(bytes)
      return [[], []]
    },
  })
  world.run(900)
  const ends = new Ends(3)
  ends.onSent = (frame, from) => void (from === 0 && frames.push(frame))
  ends.ends[0].peer.connect(0, IPV4[1], RPING_PORT, 3, 3000)
  ends.run(1e12)
  // A port on which nobody listens, and a disconnection by the other end.
  ends.ends[0].peer.connect(ends.nowPs, IPV4[1], 1, 1)
  ends.ends[1].peer.connect(ends.nowPs, IPV4[0], RPING_PORT, 1)
  ends.run(2e12)
  return frames
}
