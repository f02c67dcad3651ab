/**
 * The bare loop: the minimal work of a packet simulator in JavaScript, to calibrate the machine.
 * A fat tree of arity k; every host exchanges 32 packets with fixed partners. Packets are handles, ports are objects with
 * a FIFO, two events per packet-hop (arrival, end of transmission), a timing wheel without ties, next hops from a table.
 * No classes, buffer accounting, marking, pauses, transport, digest, or counters except hops.
 * Measured rates are compared with a bare loop run in the same minute, since machines differ and are shared.
 */

const BUCKETS = 1 << 15
const MASK = BUCKETS - 1

class BarePort {
  head = -1
  tail = -1
  isBusy = false
  peerNode = 0
}

/** Million packet-hops per CPU second of a bare fat tree of `arity`, over about `hops` packet-hops after a warm-up. */
export function bareLoop(arity: number, hops: number, cpuSeconds: () => number): number {
  const half = arity / 2
  const hosts = (arity * half * half) | 0
  const edges = arity * half
  const nodes = hosts + 2 * edges + half * half
  const links: [number, number][] = []
  for (let h = 0; h < hosts; h++) links.push([h, hosts + Math.floor(h / half)])
  for (let e = 0; e < edges; e++)
    for (let a = 0; a < half; a++) links.push([hosts + e, hosts + edges + Math.floor(e / half) * half + a])
  for (let a = 0; a < edges; a++)
    for (let c = 0; c < half; c++) links.push([hosts + edges + a, hosts + 2 * edges + (a % half) * half + c])
  const ports: BarePort[] = []
  const portTo = Array.from({ length: nodes }, () => new Map<number, number>())
  for (const [a, b] of links) {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const port = new BarePort()
      port.peerNode = to
      portTo[from]!.set(to, ports.length)
      ports.push(port)
    }
  }
  // Next port by node and destination: upward by the number of the destination, downward by its position.
  const route = new Int32Array(nodes * hosts)
  for (let node = 0; node < nodes; node++) {
    for (let d = 0; d < hosts; d++) {
      const edge = hosts + Math.floor(d / half)
      const pod = Math.floor(d / (half * half))
      let to = -1
      if (node === d) continue
      if (node < hosts) to = hosts + Math.floor(node / half)
      else if (node < hosts + edges)
        to = node === edge ? d : hosts + edges + Math.floor((node - hosts) / half) * half + (d % half)
      else if (node < hosts + 2 * edges) {
        const at = node - hosts - edges
        to = Math.floor(at / half) === pod ? edge : hosts + 2 * edges + (at % half) * half + ((d >> 1) % half)
      } else to = hosts + edges + pod * half + Math.floor((node - hosts - 2 * edges) / half)
      route[node * hosts + d] = portTo[node]!.get(to)!
    }
  }
  const packets = hosts * 32
  const destination = new Int32Array(packets)
  const source = new Int32Array(packets)
  const at = new Int32Array(packets)
  const next = new Int32Array(packets)
  const size = new Int32Array(packets)
  // Events: slot < packets is the arrival of that packet, other slots are ends of transmission of ports.
  const slots = packets + ports.length
  const timePs = new Float64Array(slots)
  const nextEvent = new Int32Array(slots)
  const heads = new Int32Array(BUCKETS).fill(-1)
  let nowPs = 0
  let cursor = 0
  const schedule = (slot: number, t: number): void => {
    timePs[slot] = t
    const bucket = (t * (1 / 1024)) & MASK
    let before = -1
    let i = heads[bucket]!
    while (i >= 0 && timePs[i]! <= t) {
      before = i
      i = nextEvent[i]!
    }
    nextEvent[slot] = i
    if (before < 0) heads[bucket] = slot
    else nextEvent[before] = slot
  }
  const send = (id: number, port: BarePort): void => {
    const packet = port.head
    if (packet < 0) {
      port.isBusy = false
      return
    }
    port.head = next[packet]!
    port.isBusy = true
    const endPs = nowPs + size[packet]! * 200
    at[packet] = port.peerNode
    schedule(packets + id, endPs)
    schedule(packet, endPs + 2_000_000)
  }
  const enqueue = (id: number, packet: number): void => {
    const port = ports[id]!
    next[packet] = -1
    if (port.head < 0) port.head = packet
    else next[port.tail] = packet
    port.tail = packet
    if (!port.isBusy) send(id, port)
  }
  for (let p = 0; p < packets; p++) {
    source[p] = p % hosts
    destination[p] = (p * 7 + 1 + (p >> 3)) % hosts
    if (destination[p] === source[p]) destination[p] = (destination[p]! + 1) % hosts
    size[p] = p % 3 === 0 ? 66 : 1106
    enqueue(route[source[p]! * hosts + destination[p]!]!, p)
  }
  const advance = (count: number): void => {
    let left = count
    while (left > 0) {
      let slot = heads[cursor]!
      while (slot < 0) {
        cursor = (cursor + 1) & MASK
        slot = heads[cursor]!
      }
      heads[cursor] = nextEvent[slot]!
      nowPs = timePs[slot]!
      if (slot >= packets) {
        send(slot - packets, ports[slot - packets]!)
        continue
      }
      left--
      let node = at[slot]!
      if (node === destination[slot]) {
        // The packet is sent back, so that the load never ends.
        const back = source[slot]!
        source[slot] = node
        destination[slot] = back
        node = source[slot]!
      }
      enqueue(route[node * hosts + destination[slot]!]!, slot)
    }
  }
  advance(hops / 10)
  const start = cpuSeconds()
  advance(hops)
  return hops / (cpuSeconds() - start) / 1e6
}
