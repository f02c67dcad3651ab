/**
 * Layer 2 tables of one switch: which of its hosts the ARP table (IP to MAC address) and the MAC table (MAC address to
 * port) know. A host has one port here, so an entry is named by the port's local index.
 * A MAC entry is renewed by every packet from the host; an ARP entry only by an answer to an ARP request.
 * Units: picoseconds. Shapes: by local port index; 0 unused.
 * Source: [MS-Scale] 4.2.
 */

/** State of a host's entries. */
export const COMPLETE = 0
/** ARP entry there, MAC entry gone: "incomplete" in [MS-Scale] 4.2. */
export const INCOMPLETE = 1
/** No ARP entry. */
export const UNKNOWN = 2

/** The part of a port that matters to its entries. */
export interface TablePort {
  /** When its link last went down; below 0: never. */
  readonly cutPs: number
}

export interface TableTimes {
  readonly arpAgeingPs: number
  readonly macAgeingPs: number
  /** MAC entries of a port are removed when its link goes down. */
  readonly forgetsOnLinkDown: boolean
}

export class Layer2Tables {
  private readonly ports: readonly (TablePort | undefined)[]
  private times: TableTimes
  /** Last packet from the host, or its answer. */
  private readonly seenPs: Float64Array
  /** Last answer to an ARP request; -Infinity: no entry. */
  private readonly answeredPs: Float64Array

  /** When the link had last gone down at the last answer: an answer in the instant of the cut came after it, or not. */
  private readonly answerCutPs: Float64Array

  /** All entries are new at time 0. */
  constructor(ports: readonly (TablePort | undefined)[], times: TableTimes) {
    this.ports = ports
    this.times = times
    this.seenPs = new Float64Array(ports.length)
    this.answeredPs = new Float64Array(ports.length)
    this.answerCutPs = new Float64Array(ports.length).fill(-1)
  }

  /** Other ages, which hold from now on for entries that are there too. */
  configure(times: TableTimes): void {
    this.times = times
  }

  /** COMPLETE, INCOMPLETE or UNKNOWN. */
  stateOf(port: number, nowPs: number): number {
    if (!this.hasArp(port)) return UNKNOWN
    return this.hasMac(port, nowPs) ? COMPLETE : INCOMPLETE
  }

  /** An entry stays until its switch has asked for it again in vain. */
  hasArp(port: number): boolean {
    return this.answeredPs[port]! !== -Infinity
  }

  hasMac(port: number, nowPs: number): boolean {
    const seenPs = this.seenPs[port]!
    if (!(nowPs < seenPs + this.times.macAgeingPs)) return false
    const { cutPs } = this.ports[port]!
    return !this.times.forgetsOnLinkDown || cutPs < seenPs || cutPs === this.answerCutPs[port]
  }

  /** When the ARP entry has reached its age; -Infinity: there is none. */
  arpUntilPs(port: number): number {
    return this.answeredPs[port]! + this.times.arpAgeingPs
  }

  /** A packet has come from the host. */
  learn(port: number, nowPs: number): void {
    this.seenPs[port] = nowPs
  }

  /** The host has answered an ARP request. */
  answer(port: number, nowPs: number): void {
    this.answeredPs[port] = nowPs
    this.seenPs[port] = nowPs
    this.answerCutPs[port] = this.ports[port]!.cutPs
  }

  forgetMac(port: number): void {
    this.seenPs[port] = -Infinity
  }

  forgetArp(port: number): void {
    this.answeredPs[port] = -Infinity
  }
}
