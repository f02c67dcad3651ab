/**
 * Naive twins of the round robin: plain lists that are looked through. Stable: a QP that leaves is removed at once.
 * Compacting: it is removed when a search passes it.
 */
export interface TwinEntry {
  readonly name: string
  readyPs: number
}

/** Methods of the stable and of the compacting twin. */
export interface Twin {
  enter(entry: TwinEntry): void
  leave(entry: TwinEntry): void
  /** Name of the QP that may send now, or "-". */
  next(nowPs: number): string
}

const NONE = '-'

/** As in round-robin.ts. */
const JOINERS = 16

export class RoundRobinTwin implements Twin {
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

  next(nowPs: number): string {
    const { list } = this
    if (list.length === 1) {
      if (list[0]!.readyPs > nowPs) return NONE
      this.packetsLeft = this.packetsLeft > 0 && this.roundRobin === 0 ? this.packetsLeft - 1 : this.packetsPerTurn - 1
      this.roundRobin = 0
      return list[0]!.name
    }
    const isServedLeft = this.packetsLeft > 0
    const isPassOver = this.leftOfPass <= 0 && !isServedLeft
    const from = isPassOver ? 0 : isServedLeft ? this.roundRobin : this.roundRobin + 1
    const order = list.map((_, i) => (from + i) % list.length)
    const found = order.find((index) => list[index]!.readyPs <= nowPs)
    if (found === undefined) return NONE
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

export class CompactingTwin implements Twin {
  private list: TwinEntry[] = []
  private readonly done = new Set<TwinEntry>()
  private pointer = 0

  enter(entry: TwinEntry): void {
    if (!this.done.delete(entry)) this.list.push(entry)
  }

  leave(entry: TwinEntry): void {
    this.done.add(entry)
  }

  next(nowPs: number): string {
    const { list, done } = this
    const order = list.map((_, i) => (this.pointer + 1 + i) % list.length)
    const at = order.findIndex((index) => list[index]!.readyPs <= nowPs && !done.has(list[index]!))
    const found = at < 0 ? undefined : list[order[at]!]!
    const passed = order.slice(0, at < 0 ? order.length : at).filter((index) => done.has(list[index]!))
    if (passed.length > 0) {
      const first = Math.min(...passed)
      const leaving = new Set(list.filter((entry, i) => i >= first && done.has(entry)))
      this.list = list.filter((entry) => !leaving.has(entry))
      for (const entry of leaving) done.delete(entry)
    }
    if (found === undefined) return NONE
    this.pointer = this.list.indexOf(found)
    return found.name
  }
}
