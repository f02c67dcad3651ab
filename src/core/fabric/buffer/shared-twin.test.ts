/** The shared buffer against a twin that keeps no sums, over random arrivals and departures. */
import { describe, expect, test } from 'vitest'
import { Memory } from '../../base/memory.ts'
import { createRandomStreams } from '../../base/random.ts'
import { ADMITTED_OVER_XOFF, REFUSED } from './buffer.ts'
import { createSharedBuffer } from './egress-pool.ts'
import type { SharedBufferOptions } from './shared.ts'

const SEED = Number(process.env['ROCELAB_SEED'] ?? 1)
const BUDGET = Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const memory = new Memory()

/** The same rules, keeping only the bytes of each counter; all sums are recomputed. */
class Naive {
  readonly #o: SharedBufferOptions
  /** Ordinary and headroom bytes by "port/class", bytes by "out/class". */
  readonly ordinary = new Map<string, number>()
  readonly headroom = new Map<string, number>()
  readonly egress = new Map<string, number>()
  constructor(options: SharedBufferOptions) {
    this.#o = options
  }
  get used(): number {
    return [...this.ordinary.values(), ...this.headroom.values()].reduce((sum, bytes) => sum + bytes, 0)
  }
  get free(): number {
    let shared = 0
    for (const bytes of this.ordinary.values()) shared += Math.max(0, bytes - this.#o.reserveBytes)
    return this.#o.poolBytes - shared
  }
  threshold(port: number, c: number): number {
    return Math.max(0, Math.floor(this.#o.alpha[c * (this.#o.ports + 1) + port]! * this.free))
  }
  shared(key: string): number {
    return Math.max(0, (this.ordinary.get(key) ?? 0) - this.#o.reserveBytes)
  }
  admit(port: number, c: number, out: number, bytes: number): boolean {
    const o = this.#o
    const key = `${port}/${c}`
    const outKey = `${out}/${c}`
    const isLimited = (o.egressLimited & (1 << c)) !== 0
    const inQueue = (this.egress.get(outKey) ?? 0) + bytes
    if (isLimited && o.egressPoolBytes !== null) {
      const beyond = (b: number): number => Math.max(0, b - o.egressReserveBytes)
      const free = o.egressPoolBytes - [...this.egress.values()].reduce((sum, b) => sum + beyond(b), 0)
      if (beyond(inQueue - bytes) + bytes > o.egressAlpha[c]! * free) return false
    } else if (isLimited && inQueue > o.egressReserveBytes) {
      const free = o.poolBytes - [...this.egress.values()].reduce((sum, b) => sum + b, 0)
      if (inQueue - o.egressReserveBytes > o.egressAlpha[c]! * free) return false
    }
    const ordinary = (this.ordinary.get(key) ?? 0) + bytes
    if (o.limitedByTotal) {
      const inHeadroom = (this.headroom.get(key) ?? 0) + bytes
      const isOwn = ordinary + inHeadroom - bytes <= o.reserveBytes
      if (!isOwn && this.used > o.poolBytes && inHeadroom > o.headroomBytes[port]!) return false
      if (this.used + bytes > o.poolBytes) this.headroom.set(key, inHeadroom)
      else this.ordinary.set(key, ordinary)
      if (isLimited) this.egress.set(outKey, inQueue)
      return true
    }
    const limit = o.limitedByPool ? this.free + this.shared(key) : this.threshold(port, c)
    if (ordinary <= o.reserveBytes || ordinary - o.reserveBytes <= limit) this.ordinary.set(key, ordinary)
    else {
      if ((o.lossless & (1 << c)) === 0) return false
      const inHeadroom = (this.headroom.get(key) ?? 0) + bytes
      if (inHeadroom > o.headroomBytes[port]! && bytes + this.shared(key) > limit) return false
      this.headroom.set(key, inHeadroom)
    }
    if (isLimited) this.egress.set(outKey, inQueue)
    return true
  }
  release(port: number, c: number, out: number, bytes: number): void {
    const key = `${port}/${c}`
    const first = Math.min(bytes, this.headroom.get(key) ?? 0)
    this.headroom.set(key, (this.headroom.get(key) ?? 0) - first)
    this.ordinary.set(key, (this.ordinary.get(key) ?? 0) - (bytes - first))
    if ((this.#o.egressLimited & (1 << c)) !== 0)
      this.egress.set(`${out}/${c}`, this.egress.get(`${out}/${c}`)! - bytes)
  }
  isOverXoff(port: number, c: number): boolean {
    const key = `${port}/${c}`
    return (this.headroom.get(key) ?? 0) > 0 || this.shared(key) >= this.threshold(port, c)
  }
  isUnderXon(port: number, c: number): boolean {
    const key = `${port}/${c}`
    if ((this.headroom.get(key) ?? 0) > 0) return false
    return this.shared(key) === 0 || this.shared(key) + this.#o.xonOffsetBytes <= this.threshold(port, c)
  }
}

describe('against a naive recomputation', () => {
  test(`random arrivals and departures, from seed ${SEED}`, () => {
    const counts = { admitted: 0, refused: 0, headroom: 0, over: 0, under: 0 }
    const wrong: string[] = []
    for (let seed = SEED; seed < SEED + 30 * BUDGET; seed++) {
      const random = createRandomStreams(seed).stream('buffer')
      const pick = <T>(...choices: readonly T[]): T => choices[random.below(choices.length)]!
      const ports = 1 + random.below(5)
      const options: SharedBufferOptions = {
        ports,
        poolBytes: 20_000 + random.below(400_000),
        reserveBytes: pick(0, 1049, 4096),
        alpha: Float64Array.from({ length: 8 * (ports + 1) }, () => pick(1 / 64, 1 / 16, 1 / 8, 0.5, 1, 2)),
        headroomBytes: Float64Array.from({ length: ports + 1 }, () => pick(0, 5000, 30_000)),
        lossless: pick(0, 8, 8, 24),
        xonOffsetBytes: pick(0, 3072),
        limitedByPool: pick(false, true),
        limitedByTotal: pick(false, false, true),
        egressLimited: pick(0, 0xff, 0xe7),
        egressCounted: 0xff,
        egressAlpha: Float64Array.from({ length: 8 }, () => pick(0.25, 1)),
        egressReserveBytes: pick(0, 1049),
        egressPoolBytes: pick(null, null, 20_000 + random.below(400_000)),
        memory,
      }
      const buffer = createSharedBuffer(options)
      const naive = new Naive(options)
      const stored: [port: number, c: number, out: number, bytes: number][] = []
      for (let step = 0; step < 600; step++) {
        const at = [1 + random.below(ports), pick(0, 3, 4), 1 + random.below(ports), 64 + random.below(1500)] as const
        const [port, c] = at
        if (stored.length === 0 || random.below(3) > 0) {
          const admission = buffer.admit(...at)
          const isIn = admission !== REFUSED
          if (isIn !== naive.admit(...at)) wrong.push(`seed ${seed}, step ${step}`)
          if (isIn) stored.push([...at])
          if (
            isIn &&
            (admission === ADMITTED_OVER_XOFF) !== ((options.lossless & (1 << c)) !== 0 && buffer.isOverXoff(port, c))
          )
            wrong.push(`seed ${seed}, step ${step}: XOFF`)
          counts[isIn ? 'admitted' : 'refused']++
        } else {
          const gone = stored.splice(random.below(stored.length), 1)[0]!
          buffer.release(...gone)
          naive.release(...gone)
        }
        const seen = [
          buffer.usedBytes,
          buffer.thresholdBytes(port, c),
          buffer.isOverXoff(port, c),
          buffer.isUnderXon(port, c),
          buffer.headroomUsedBy(port, c),
        ]
        const headroom = naive.headroom.get(`${port}/${c}`) ?? 0
        const known = [
          naive.used,
          naive.threshold(port, c),
          naive.isOverXoff(port, c),
          naive.isUnderXon(port, c),
          headroom,
        ]
        expect(seen, `seed ${seed}, step ${step}`).toEqual(known)
        if (headroom > 0) counts.headroom++
        if (seen[2] === true) counts.over++
        if (seen[3] === true) counts.under++
      }
      expect([wrong, buffer.audit()]).toEqual([[], []])
      for (const gone of stored) buffer.release(...gone)
      const empty = Math.floor(options.alpha[1]! * options.poolBytes)
      expect([buffer.usedBytes, buffer.thresholdBytes(1, 0)]).toEqual([0, empty])
    }
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(300)
  })
})
