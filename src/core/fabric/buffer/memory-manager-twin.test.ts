/**
 * The memory manager against a twin that keeps the packets themselves and no sums, over random arrivals, departures and
 * new limits, in all combinations of its modes.
 */
import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../../base/random.ts'
import { ADMITTED_OVER_XOFF, REFUSED } from './buffer.ts'
import { MemoryManager, type Limits, type MemoryManagerOptions } from './memory-manager.ts'
import { WatchedBuffer } from './watched.ts'

const SEED = Number(process.env['ROCELAB_SEED'] ?? 1)
const BUDGET = Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1))

interface Stored {
  readonly port: number
  readonly c: number
  readonly out: number
  readonly sizeBytes: number
}

/** Ordinary and headroom bytes of each group and bytes of each queue in maps; every sum is recomputed. */
class Naive {
  o: MemoryManagerOptions
  readonly ordinary = new Map<number, number>()
  readonly headroom = new Map<number, number>()
  readonly queued = new Map<number, number>()
  constructor(options: MemoryManagerOptions) {
    this.o = options
  }
  cells(sizeBytes: number): number {
    let bytes = 0
    while (bytes < sizeBytes) bytes += this.o.cellBytes
    return bytes
  }
  group({ port, c }: Stored): number {
    return port * 8 + this.o.groupOf[c]!
  }
  beyond(of: Limits, held: ReadonlyMap<number, number>, at: number): number {
    return Math.max(0, (held.get(at) ?? 0) - of.reserveBytes[at]!)
  }
  poolUse(pool: number): number {
    let sum = 0
    for (const at of this.ordinary.keys())
      if (this.o.groups.pool[at] === pool) sum += this.beyond(this.o.groups, this.ordinary, at)
    for (const at of this.queued.keys())
      if (this.o.queues.pool[at] === pool) sum += this.beyond(this.o.queues, this.queued, at)
    return sum
  }
  limit(of: Limits, held: ReadonlyMap<number, number>, at: number): number {
    const free = Math.max(0, this.o.poolBytes[of.pool[at]!]! - this.poolUse(of.pool[at]!))
    const wanted = Number.isNaN(of.alpha[at]!) ? of.fixedBytes[at]! : Math.floor(of.alpha[at]! * free)
    return Math.min(wanted, this.beyond(of, held, at) + free)
  }
  fits(of: Limits, held: ReadonlyMap<number, number>, at: number, bytes: number): boolean {
    const after = (held.get(at) ?? 0) + bytes
    return after <= of.reserveBytes[at]! || after - of.reserveBytes[at]! <= this.limit(of, held, at)
  }
  admit(packet: Stored): boolean {
    const bytes = this.cells(packet.sizeBytes)
    const at = this.group(packet)
    const queue = packet.out * 8 + packet.c
    if (!this.fits(this.o.queues, this.queued, queue, bytes)) return false
    if (this.fits(this.o.groups, this.ordinary, at, bytes)) add(this.ordinary, at, bytes)
    else {
      const all = [...this.headroom.values()].reduce((sum, held) => sum + held, 0)
      const isOver =
        (this.headroom.get(at) ?? 0) + bytes > this.o.headroomBytes[at]! || all + bytes > this.o.headroomPoolBytes
      if (isOver) return false
      add(this.headroom, at, bytes)
    }
    add(this.queued, queue, bytes)
    return true
  }
  /** A copy of a flooded packet takes room in its queue only. */
  admitCopy({ c, out, sizeBytes }: Stored): boolean {
    const queue = out * 8 + c
    const isAdmitted = this.fits(this.o.queues, this.queued, queue, this.cells(sizeBytes))
    if (isAdmitted) add(this.queued, queue, this.cells(sizeBytes))
    return isAdmitted
  }
  releaseCopy({ c, out, sizeBytes }: Stored): void {
    add(this.queued, out * 8 + c, -this.cells(sizeBytes))
  }
  release(packet: Stored): void {
    const bytes = this.cells(packet.sizeBytes)
    const at = this.group(packet)
    const first = Math.min(bytes, this.headroom.get(at) ?? 0)
    add(this.headroom, at, -first)
    add(this.ordinary, at, first - bytes)
    add(this.queued, packet.out * 8 + packet.c, -bytes)
  }
  seen(packet: Stored): unknown {
    const { o } = this
    const at = this.group(packet)
    const used = (this.ordinary.get(at) ?? 0) + (this.headroom.get(at) ?? 0)
    const xoff = o.groups.reserveBytes[at]! + this.limit(o.groups, this.ordinary, at)
    const pools = [0, 1, 2, 3].map((pool) => this.poolUse(pool))
    const headroom = this.headroom.get(at) ?? 0
    return [used, headroom, used >= xoff, used <= Math.max(o.xonBytes[at]!, xoff - o.xonOffsetBytes[at]!), pools]
  }
}

function add(to: Map<number, number>, at: number, bytes: number): void {
  to.set(at, (to.get(at) ?? 0) + bytes)
}

describe('against a naive recomputation', () => {
  test(`random arrivals, departures and new limits, from seed ${SEED}`, () => {
    const counts = { admitted: 0, refused: 0, headroom: 0, over: 0, under: 0, configured: 0, queueFull: 0, copies: 0 }
    for (let seed = SEED; seed < SEED + 40 * BUDGET; seed++) {
      const random = createRandomStreams(seed).stream('buffer')
      const pick = <T>(...choices: readonly T[]): T => choices[random.below(choices.length)]!
      const ports = 1 + random.below(4)
      const length = (ports + 1) * 8
      const fixed = {
        ports,
        cellBytes: pick(1, 80, 208),
        groupOf: pick(
          Uint8Array.of(0, 0, 0, 3, 4, 0, 0, 7),
          Uint8Array.from({ length: 8 }, (_, c) => c),
        ),
      }
      const limitsOf = (pools: readonly number[]): Limits => ({
        reserveBytes: Float64Array.from({ length }, () => pick(0, 1248, 5000)),
        alpha: Float64Array.from({ length }, () => pick(NaN, 1 / 16, 0.5, 1, 8)),
        fixedBytes: Float64Array.from({ length }, () => pick(0, 10_000, 60_000, Infinity)),
        pool: Uint8Array.from({ length }, () => pick(...pools)),
      })
      const options = (): MemoryManagerOptions => ({
        ...fixed,
        poolBytes: Float64Array.from({ length: 4 }, () => pick(0, 30_000, 30_000 + random.below(200_000))),
        headroomPoolBytes: pick(Infinity, 0, 20_000),
        groups: limitsOf([0, 0, 1]),
        headroomBytes: Float64Array.from({ length }, () => pick(0, 4000, 30_000)),
        isLossless: Uint8Array.from({ length }, () => pick(0, 1)),
        xonBytes: Float64Array.from({ length }, () => pick(0, 2000)),
        xonOffsetBytes: Float64Array.from({ length }, () => pick(0, 2496)),
        queues: limitsOf([2, 2, 3]),
      })
      let held = options()
      const buffer = new WatchedBuffer(new MemoryManager(held), ports)
      const naive = new Naive(held)
      const stored: Stored[] = []
      const copies: Stored[] = []
      const wrong: string[] = []
      for (let step = 0; step < 400; step++) {
        const packet = {
          port: 1 + random.below(ports),
          c: pick(0, 1, 3, 4),
          out: 1 + random.below(ports),
          sizeBytes: 64 + random.below(1500),
        }
        const at = `seed ${seed}, step ${step}`
        if (random.below(60) === 0) {
          held = options()
          naive.o = held
          buffer.configure(held)
          counts.configured++
        }
        if (stored.length === 0 || random.below(3) > 0) {
          const isFull = !naive.fits(
            held.queues,
            naive.queued,
            packet.out * 8 + packet.c,
            naive.cells(packet.sizeBytes),
          )
          const drops = buffer.egressDrops[packet.out * 8 + packet.c]!
          const admission = buffer.admit(packet.port, packet.c, packet.out, packet.sizeBytes)
          if ((admission !== REFUSED) !== naive.admit(packet)) wrong.push(`${at}: admission`)
          if (buffer.egressDrops[packet.out * 8 + packet.c]! - drops !== (isFull ? 1 : 0)) wrong.push(`${at}: drops`)
          if (isFull) counts.queueFull++
          if (admission !== REFUSED) {
            stored.push(packet)
            const isLossless = held.isLossless[naive.group(packet)] === 1
            const isOver = isLossless && buffer.isOverXoff(packet.port, packet.c)
            if ((admission === ADMITTED_OVER_XOFF) !== isOver) wrong.push(`${at}: XOFF`)
          }
          counts[admission === REFUSED ? 'refused' : 'admitted']++
        } else {
          const gone = stored.splice(random.below(stored.length), 1)[0]!
          buffer.release(gone.port, gone.c, gone.out, gone.sizeBytes)
          naive.release(gone)
        }
        const [isCopied, isCopyGone] = [random.below(6) === 0, random.below(6) === 0]
        if (isCopied) {
          const copy = { ...packet, c: pick(0, 1, 3, 4), out: 1 + random.below(ports) }
          const isAdmitted = naive.admitCopy(copy)
          if (buffer.admitCopy(copy.c, copy.out, copy.sizeBytes) !== isAdmitted) wrong.push(`${at}: copy`)
          if (isAdmitted) copies.push(copy)
          counts.copies++
        } else if (isCopyGone && copies.length > 0) {
          const gone = copies.splice(random.below(copies.length), 1)[0]!
          buffer.releaseCopy(gone.c, gone.out, gone.sizeBytes)
          naive.releaseCopy(gone)
        }
        for (const [queue, bytes] of naive.queued)
          if (buffer.queueBytes[queue] !== bytes) wrong.push(`${at}: queue ${queue}`)
        const { port, c } = packet
        const seen = [
          buffer.usedBy(port, c),
          buffer.headroomUsedBy(port, c),
          buffer.isOverXoff(port, c),
          buffer.isUnderXon(port, c),
        ]
        expect([...seen, [0, 1, 2, 3].map((pool) => buffer.poolUsedBytes(pool))], at).toEqual(naive.seen(packet))
        if (Number(seen[1]) > 0) counts.headroom++
        if (seen[2] === true) counts.over++
        if (seen[3] === true) counts.under++
      }
      expect([...wrong, ...buffer.audit()]).toEqual([])
      for (const { port, c, out, sizeBytes } of stored) buffer.release(port, c, out, sizeBytes)
      for (const { c, out, sizeBytes } of copies) buffer.releaseCopy(c, out, sizeBytes)
      expect([buffer.usedBytes, ...buffer.queueBytes].every((bytes) => bytes === 0)).toBe(true)
      expect(buffer.audit()).toEqual([])
    }
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(150)
  })
})
