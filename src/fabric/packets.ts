/**
 * HOT. Packets: what exists by the million, as integer handles into parallel columns.
 * A packet has one owner at a time: a queue, the wire (an arrival event), or the code that just took it.
 * Invariant: made = freed + alive; a freed handle is used again before a new one.
 */

/** Packet kinds beyond transport's segment kinds (0..5). */
export const PFC = 6

export class Packets {
  /** Frame bytes, without preamble and gap. */
  sizeBytes = new Int32Array(1024)
  kind = new Uint8Array(1024)
  /** Class in the device it is in. */
  trafficClass = new Uint8Array(1024)
  /** What switches classify by: DSCP, or PCP. */
  codepoint = new Uint8Array(1024)
  ecn = new Uint8Array(1024)
  flags = new Uint8Array(1024)
  syndrome = new Int32Array(1024)
  psn = new Int32Array(1024)
  payloadBytes = new Int32Array(1024)
  /** Queue pair * 2, + 1 on the way back; the ECMP hash and the demultiplexer go by it. PFC: class vector. */
  flow = new Int32Array(1024)
  /** Position of the destination host. PFC: quanta. */
  destination = new Int32Array(1024)
  /** IP identification, 16 bits, counted per host. */
  ipId = new Uint16Array(1024)
  /** Port it arrives at, or arrived at. */
  at = new Int32Array(1024)
  /** In a switch: port it is to leave by. */
  out = new Int32Array(1024)
  /** Next in whatever list it is in, -1 at the end. */
  next = new Int32Array(1024)
  /** Transmission start of the data packet it is, or answers. */
  sentPs = new Float64Array(1024)
  made = 0
  freed = 0

  #free = -1
  #used = 0

  get alive(): number {
    return this.made - this.freed
  }

  alloc(): number {
    this.made++
    const packet = this.#free
    if (packet >= 0) {
      this.#free = this.next[packet]!
      return packet
    }
    if (this.#used === this.sizeBytes.length) this.#grow()
    return this.#used++
  }

  free(packet: number): void {
    this.freed++
    this.next[packet] = this.#free
    this.#free = packet
  }

  #grow(): void {
    const length = this.sizeBytes.length * 2
    this.sizeBytes = longer(this.sizeBytes, new Int32Array(length))
    this.kind = longer(this.kind, new Uint8Array(length))
    this.trafficClass = longer(this.trafficClass, new Uint8Array(length))
    this.codepoint = longer(this.codepoint, new Uint8Array(length))
    this.ecn = longer(this.ecn, new Uint8Array(length))
    this.flags = longer(this.flags, new Uint8Array(length))
    this.syndrome = longer(this.syndrome, new Int32Array(length))
    this.psn = longer(this.psn, new Int32Array(length))
    this.payloadBytes = longer(this.payloadBytes, new Int32Array(length))
    this.flow = longer(this.flow, new Int32Array(length))
    this.destination = longer(this.destination, new Int32Array(length))
    this.ipId = longer(this.ipId, new Uint16Array(length))
    this.at = longer(this.at, new Int32Array(length))
    this.out = longer(this.out, new Int32Array(length))
    this.next = longer(this.next, new Int32Array(length))
    this.sentPs = longer(this.sentPs, new Float64Array(length))
  }
}

function longer<A extends Int32Array | Uint8Array | Uint16Array | Float64Array>(from: A, to: A): A {
  to.set(from)
  return to
}
