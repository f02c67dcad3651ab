/**
 * Naive twin of the stable round robin: a plain list from which a QP that leaves is removed at once.
 */
export interface TwinEntry {
  readonly name: string
  readyPs: number
}

/** As in round-robin.ts. */
const JOINERS = 16

export class RoundRobinTwin {
  private readonly list: TwinEntry[] = []
  private roundRobin = 0
  private packetsLeft = 0
  private leftOfPass = JOINERS
  private readonly packetsPerTurn: number

  constructor(packetsPerTurn: number) {
    this.packetsPerTurn = packetsPerTurn
  }

  enter(entry: TwinEntry): void {
    this.list.push(entry)
    if (this.list.length === 2) this.beginPass()
  }

  leave(entry: TwinEntry): void {
    const at = this.list.indexOf(entry)
    if (at === this.roundRobin) this.packetsLeft = 0
    this.list.splice(at, 1)
    if (at > this.roundRobin) return
    // The entry before the first is the last.
    this.roundRobin = this.roundRobin === 0 ? Math.max(0, this.list.length - 1) : this.roundRobin - 1
  }

  /** Name of the QP that may send at 0 ps, or "-". */
  next(): string {
    const { list } = this
    if (list.length === 1) {
      if (list[0]!.readyPs > 0) return '-'
      this.packetsLeft = this.packetsLeft > 0 && this.roundRobin === 0 ? this.packetsLeft - 1 : this.packetsPerTurn - 1
      this.roundRobin = 0
      return list[0]!.name
    }
    const isServedLeft = this.packetsLeft > 0
    const isPassOver = this.leftOfPass <= 0 && !isServedLeft
    const from = isPassOver ? 0 : isServedLeft ? this.roundRobin : this.roundRobin + 1
    const order = list.map((_, i) => (from + i) % list.length)
    const found = order.find((index) => list[index]!.readyPs <= 0)
    if (found === undefined) return '-'
    if (isServedLeft && found === this.roundRobin) this.packetsLeft--
    else {
      this.packetsLeft = this.packetsPerTurn - 1
      if (isPassOver || found <= this.roundRobin) this.beginPass()
      else this.leftOfPass--
    }
    this.roundRobin = found
    return list[found]!.name
  }

  private beginPass(): void {
    this.leftOfPass = this.list.length + JOINERS
  }
}
