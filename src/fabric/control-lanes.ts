/**
 * HOT. Control lanes: control packets of a NIC that wait for the port, a line for each class, first come, first served;
 * classes by turns.
 * Invariant: a bit of `waiting` is set while its line has a packet.
 */
import { ControlQueue } from './control-queue.ts'

export class ControlLanes {
  private readonly lines: ControlQueue[] = Array.from({ length: 8 }, () => new ControlQueue())
  /** Classes with a packet. */
  private waiting = 0
  /** Class that was served last. */
  private last = 0

  /** Something waits that no pause of these classes holds back. */
  mayGo(paused: number): boolean {
    return (this.waiting & ~paused) !== 0
  }

  /** Puts in line a packet whose NEXT is -1. */
  push(packet: number, trafficClass: number): void {
    this.lines[trafficClass]!.push(packet)
    this.waiting |= 1 << trafficClass
  }

  /** Takes one that may go; there is one. */
  take(paused: number): number {
    const ready = this.waiting & ~paused
    // The next class behind the last one, going round; mostly there is one class.
    const behind = ready & (-2 << this.last)
    const candidates = behind === 0 ? ready : behind
    const trafficClass = 31 - Math.clz32(candidates & -candidates)
    this.last = trafficClass
    const line = this.lines[trafficClass]!
    const packet = line.take()
    if (line.head < 0) this.waiting &= ~(1 << trafficClass)
    return packet
  }
}
