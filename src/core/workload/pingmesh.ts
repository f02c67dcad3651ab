/**
 * Pingmesh: every host probes hosts of its ToR, of its podset and beyond, beside whatever else runs, and logs the round
 * trip or the error of each probe.
 * In each interval a host sends `peers` probes to each scope, at instants drawn once for all intervals. The peers of a scope
 * take turns in an order of the host's own, and with each turn of a peer the source port is the next of the list, so that
 * the probes of a pair take different paths; the size of the schedule does not depend on the number of pairs.
 * A probe has a queue pair of its own and waits for no other; work requests take queue pairs in turn that are idle.
 * Source: [MS-Scale] section 5.3: 512 bytes to servers of the ToR, the podset and the data center. That source ports vary
 * is R-Pingmesh's (SIGCOMM 2024); the paper names neither ports nor interval.
 */
import { inputError } from '../base/issue.ts'
import { choice, count, countOrOff, duration, list, MS, NEVER_PS, size, variant } from '../base/params.ts'
import type { RandomStream } from '../base/random.ts'
import { createHostDelay, type HostDelay, hostDelays } from '../transport/host-delay/index.ts'
import { applyLabels, labelParams, streamName } from './labels.ts'
import { type Failure, type Probe, PROBE_SCOPES, type ProbeScope } from './probe.ts'
import { ProbeRows } from './probe-rows.ts'
import { type Peers, peersOf } from './probe-scopes.ts'
import { defineWorkload, type Message, type Source, type WorkloadContext } from './workload.ts'

const S2_53 = '[MS-Scale] section 5.3'
/** Source ports that RoCEv2 senders use: RFC 6335's dynamic ports. */
const FIRST_PORT = 49_152
const PORTS = 16_384

export const pingmesh = defineWorkload({
  name: 'pingmesh',
  help: 'probes of every host to hosts of its ToR, of its podset and beyond, with a log of round trips and errors',
  source: S2_53,
  params: {
    scopes: list(choice(PROBE_SCOPES, { help: 'tor, podset or fabric' }), {
      default: [...PROBE_SCOPES],
      minItems: 1,
      help: 'tor: hosts on the same switch; podset: those reached below the highest tier; fabric: those reached over it. A scope without hosts has no probes',
      source: S2_53,
    }),
    interval: duration({
      default: MS,
      min: 1,
      help: 'time in which each host sends `peers` probes to each scope',
      source: 'ours: under 1% of a load of 30% at 10 Gb/s',
    }),
    peers: count({ default: 1, min: 1, max: 64, help: 'probes of a host to each scope in an interval' }),
    sourcePorts: count({
      default: 16,
      min: 1,
      max: 256,
      help: 'UDP source ports that the probes of a pair take in turn',
    }),
    messageSize: size({ default: 512, min: 1, max: 65_536, help: 'payload of a probe', source: S2_53 }),
    hostLatency: variant(hostDelays, {
      default: 'none',
      help: 'time in a host that a prober measures and the network does not see; drawn at both ends of each probe and added to its round trip',
    }),
    flows: countOrOff({
      default: null,
      min: 1,
      help: 'number of probes in all, over all hosts; off: until measure.generate or the end of the run',
    }),
    start: duration({ default: 0, help: 'time from which hosts probe' }),
    ...labelParams('pingmesh'),
    operation: choice(['send', 'write'], {
      default: 'send',
      help: 'RDMA operation; a SEND that is a work request needs a Receive WQE at the other end',
    }),
  },
  create(values, context) {
    const peers = peersOf(context)
    const scopes = [...new Set(values.scopes)].filter((scope) => peers.reaches(scope))
    if (scopes.length === 0) {
      const there = PROBE_SCOPES.filter((scope) => peers.reaches(scope))
      throw inputError(
        'scopes',
        there.length === 0 ? 'a topology with two hosts or more' : `one of ${there.join(', ')}`,
        values.scopes.join(', '),
        'this topology has no hosts for the scopes given',
      )
    }
    const name = streamName('pingmesh', values.tag, context)
    const random = context.random.stream(name)
    return new PingmeshSource({
      peers,
      slots: slotsOf(values, scopes, peers, context, random),
      ports: drawPorts(values.sourcePorts, random),
      intervalPs: values.interval,
      startPs: values.start,
      untilPs: context.generateUntilPs,
      flows: values.flows ?? Infinity,
      latency: createHostDelay(values.hostLatency, 'hostLatency'),
      latencyOf: context.hostRateBps.map((_, host) => context.random.stream(`${name}/${host}`)),
      label: (out) => {
        applyLabels(out, values)
        out.sizeBytes = values.messageSize
      },
    })
  },
})

/** One probe of an interval: who sends it when, and whose turn it is. */
interface Slot {
  readonly host: number
  readonly scope: ProbeScope
  /** Since the start of the interval. */
  readonly phasePs: number
  readonly peerCount: number
  /** Peers take turns from `first` on in steps of `stride`, which has no divisor in common with their number. */
  readonly first: number
  readonly stride: number
}

interface SlotValues {
  readonly peers: number
  readonly interval: number
}

/** In order of time, ties by host and scope. */
function slotsOf(
  { peers: each, interval }: SlotValues,
  scopes: readonly ProbeScope[],
  peers: Peers,
  { hostCount }: WorkloadContext,
  random: RandomStream,
): Slot[] {
  const slots: Slot[] = []
  for (let host = 0; host < hostCount; host++) {
    for (const scope of scopes) {
      const peerCount = peers.count(host, scope)
      if (peerCount === 0) continue
      for (let k = 0; k < each; k++) {
        const phasePs = Math.floor(random.uniform() * interval)
        const first = random.below(peerCount)
        let stride = 1 + random.below(peerCount)
        while (commonDivisor(stride, peerCount) > 1) stride = 1 + random.below(peerCount)
        slots.push({ host, scope, phasePs, peerCount, first, stride })
      }
    }
  }
  return slots.sort((a, b) => a.phasePs - b.phasePs)
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}

/** Distinct ports. */
function drawPorts(number: number, random: RandomStream): number[] {
  const ports = new Set<number>()
  while (ports.size < number) ports.add(FIRST_PORT + random.below(PORTS))
  return [...ports]
}

interface Mesh {
  readonly peers: Peers
  readonly slots: readonly Slot[]
  readonly ports: readonly number[]
  readonly intervalPs: number
  readonly startPs: number
  readonly untilPs: number
  readonly flows: number
  /** null: none. */
  readonly latency: HostDelay | null
  /** Stream of each prober, for both ends. */
  readonly latencyOf: readonly RandomStream[]
  readonly label: (out: Message) => void
}

class PingmeshSource implements Source {
  nextStartPs: number = NEVER_PS
  readonly #mesh: Mesh
  readonly #rows = new ProbeRows()
  #round = 0
  #slot = 0

  constructor(mesh: Mesh) {
    this.#mesh = mesh
    this.#lookAhead()
  }

  get leftBytes(): number {
    return Infinity
  }

  take(out: Message): void {
    const { peers, slots, ports, latency, latencyOf, label } = this.#mesh
    const { host, scope, peerCount, first, stride } = slots[this.#slot]!
    const visit = (first + this.#round * stride) % peerCount
    label(out)
    out.startPs = this.nextStartPs
    out.source = host
    out.destination = peers.at(host, scope, visit)
    out.connection = -1
    // Once around all peers of the slot, each is met with the next port.
    out.sourcePort = ports[(Math.floor(this.#round / peerCount) + visit) % ports.length]!
    const addedPs = latency === null ? 0 : latency.drawPs(latencyOf[host]!) + latency.drawPs(latencyOf[host]!)
    this.#rows.add(out, scope, addedPs)
    if (++this.#slot === slots.length) {
      this.#slot = 0
      this.#round++
    }
    this.#lookAhead()
  }

  onComplete(nowPs: number, messageNumber: number): void {
    this.#rows.end(nowPs, messageNumber, 'ok')
  }

  onFailed(nowPs: number, messageNumber: number, failure: Failure): void {
    this.#rows.end(nowPs, messageNumber, failure)
  }

  probes(nowPs: number): readonly Probe[] {
    return this.#rows.probes(nowPs)
  }

  #lookAhead(): void {
    const { slots, intervalPs, startPs, untilPs, flows } = this.#mesh
    const timePs = startPs + this.#round * intervalPs + slots[this.#slot]!.phasePs
    this.nextStartPs = this.#rows.count < flows && timePs < untilPs ? timePs : NEVER_PS
  }
}
