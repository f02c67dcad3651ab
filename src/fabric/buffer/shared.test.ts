import { describe, expect, test } from 'vitest'
import { Memory } from '../../base/memory.ts'
import { createRandomStreams } from '../../base/random.ts'
import { dynamicFixedPointBytes } from '../formulas.ts'
import { ADMITTED_OVER_XOFF, REFUSED } from './buffer.ts'
import { SharedBuffer, type SharedBufferOptions } from './shared.ts'

const SEED = Number(process.env['ROCELAB_SEED'] ?? 1)
const BUDGET = Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const PACKET = 1086
const LOSSLESS = 3
const LOSSY = 0
const memory = new Memory()
const EGRESS_ALPHA = new Float64Array(8).fill(1)

/** The same for every class. */
function byPort(...alphas: number[]): Float64Array {
  return Float64Array.from({ length: 8 * alphas.length }, (_, i) => alphas[i % alphas.length]!)
}

function bufferWith(fields: Partial<SharedBufferOptions> = {}, alpha = 1 / 16, headroomBytes = 30_000): SharedBuffer {
  const ports = fields.ports ?? 4
  return new SharedBuffer({
    ports,
    poolBytes: 9e6,
    reserveBytes: 0,
    alpha: new Float64Array(8 * (ports + 1)).fill(alpha),
    headroomBytes: new Float64Array(ports + 1).fill(headroomBytes),
    lossless: 1 << LOSSLESS,
    xonOffsetBytes: 0,
    limitedByPool: false,
    egressLimited: 0,
    egressAlpha: EGRESS_ALPHA,
    egressReserveBytes: 0,
    memory,
    ...fields,
  })
}

/** Puts packets in until one is refused; how many bytes it took. */
function fill(buffer: SharedBuffer, port: number, trafficClass: number, sizeBytes = PACKET): number {
  let bytes = 0
  while (buffer.admit(port, trafficClass, 2, sizeBytes) !== REFUSED) bytes += sizeBytes
  return bytes
}

describe('the dynamic threshold', () => {
  test('T-DT-1: with 1 MB of 9 MB in use, a sixteenth is 500,000 and a sixty-fourth 125,000', () => {
    for (const [alpha, expected] of [
      [1 / 16, 500_000],
      [1 / 64, 125_000],
    ] as const) {
      const buffer = bufferWith({ ports: 2, alpha: byPort(0, 1, alpha) })
      for (let i = 0; i < 1000; i++) expect(buffer.admit(1, LOSSY, 2, 1000)).not.toBe(REFUSED)
      expect(buffer.thresholdBytes(2, LOSSY)).toBe(expected)
    }
  })

  test('T-DT-2: a counter takes the packet that brings it up to its threshold, and not one byte more', () => {
    const at = (fillBytes: number): boolean => {
      const buffer = bufferWith({ ports: 2, alpha: byPort(0, 1, 1 / 16) })
      buffer.admit(1, LOSSY, 2, 1e6 - fillBytes)
      buffer.admit(2, LOSSY, 2, fillBytes)
      expect(buffer.thresholdBytes(2, LOSSY)).toBe(500_000)
      return buffer.admit(2, LOSSY, 2, PACKET) !== REFUSED
    }
    expect([at(500_000 - PACKET), at(500_000 - PACKET + 1)]).toEqual([true, false])
  })

  test.each([
    [1 / 16, 529_412],
    [1 / 64, 138_462],
    [1, 4_500_000],
  ])('T-DT-3: alone, a counter with alpha %f comes to rest within a packet of %i', (alpha, expected) => {
    const bytes = fill(bufferWith({}, alpha), 1, LOSSY)
    expect(Math.abs(bytes - expected)).toBeLessThan(PACKET)
  })

  test('T-DT-3: several counters come to rest together where the formula says', () => {
    const buffer = bufferWith({ ports: 8 }, 1 / 4)
    const took = new Float64Array(9)
    for (let isFull = false; !isFull;) {
      isFull = true
      for (let port = 1; port <= 8; port++) {
        if (buffer.admit(port, LOSSY, 2, PACKET) === REFUSED) continue
        took[port]! += PACKET
        isFull = false
      }
    }
    const rest = dynamicFixedPointBytes(1 / 4, 9e6, 8)
    for (let port = 1; port <= 8; port++) expect(Math.abs(took[port]! - rest)).toBeLessThan(3 * PACKET)
  })

  test('a larger alpha gives one port more', () => {
    const buffer = bufferWith({ ports: 2, alpha: Float64Array.of(0, 1 / 16, 1 / 4) })
    expect(fill(buffer, 2, LOSSY)).toBeGreaterThan(3 * fill(buffer, 1, LOSSY))
  })
})

describe('limited by the pool alone', () => {
  test('a lossy counter takes all that is free, under any alpha', () => {
    const bytes = fill(bufferWith({ limitedByPool: true }, 1 / 64), 1, LOSSY)
    expect(bytes).toBe(Math.floor(9e6 / PACKET) * PACKET)
  })

  test('a lossless one asks for a pause at its threshold, and pays from headroom when the pool is empty', () => {
    const buffer = bufferWith({ limitedByPool: true })
    while (!buffer.isOverXoff(1, LOSSLESS)) buffer.admit(1, LOSSLESS, 2, PACKET)
    expect(buffer.usedBy(1, LOSSLESS) - dynamicFixedPointBytes(1 / 16, 9e6, 1)).toBeLessThan(PACKET)
    expect(buffer.headroomUsedBy(1, LOSSLESS)).toBe(0)
    fill(buffer, 1, LOSSLESS)
    const inHeadroom = buffer.headroomUsedBy(1, LOSSLESS)
    expect(inHeadroom).toBe(Math.floor(30_000 / PACKET) * PACKET)
    expect(buffer.usedBytes - inHeadroom).toBe(Math.floor(9e6 / PACKET) * PACKET)
    expect(buffer.audit()).toEqual([])
  })
})

describe('headroom', () => {
  /** A lossless counter that has just been refused by the pool: so many packets in headroom. */
  function over(packets: number): SharedBuffer {
    const buffer = bufferWith({ xonOffsetBytes: 3072 })
    while (!buffer.isOverXoff(1, LOSSLESS)) buffer.admit(1, LOSSLESS, 2, PACKET)
    for (let i = 0; i < packets; i++) expect(buffer.admit(1, LOSSLESS, 2, PACKET)).not.toBe(REFUSED)
    return buffer
  }

  test('XOFF comes with the packet that is the first in headroom, or that reaches the threshold', () => {
    const buffer = bufferWith()
    let before = 0
    while (!buffer.isOverXoff(1, LOSSLESS)) {
      before = buffer.usedBy(1, LOSSLESS)
      buffer.admit(1, LOSSLESS, 2, PACKET)
    }
    expect(before).toBeLessThan(dynamicFixedPointBytes(1 / 16, 9e6, 1))
    expect(buffer.usedBy(1, LOSSLESS) + PACKET).toBeGreaterThan(dynamicFixedPointBytes(1 / 16, 9e6, 1))
    expect(buffer.headroomUsedBy(1, LOSSLESS)).toBe(PACKET)
  })

  test('T-DT-4: drains before the resume, and before anything else', () => {
    const buffer = over(5)
    const inHeadroom = buffer.headroomUsedBy(1, LOSSLESS)
    expect(inHeadroom).toBe(6 * PACKET)
    const ordinary = buffer.usedBy(1, LOSSLESS) - inHeadroom
    for (let left = inHeadroom - PACKET; left > 0; left -= PACKET) {
      buffer.release(1, LOSSLESS, 2, PACKET)
      expect([buffer.headroomUsedBy(1, LOSSLESS), buffer.isUnderXon(1, LOSSLESS)]).toEqual([left, false])
    }
    buffer.release(1, LOSSLESS, 2, PACKET)
    expect([buffer.headroomUsedBy(1, LOSSLESS), buffer.usedBy(1, LOSSLESS)]).toEqual([0, ordinary])
    let released = 0
    while (!buffer.isUnderXon(1, LOSSLESS)) {
      buffer.release(1, LOSSLESS, 2, PACKET)
      released += PACKET
    }
    // The threshold rises by a sixteenth of what is released.
    expect(released).toBeGreaterThan(3072 - 2 * PACKET)
    expect(released).toBeLessThan(3072 + PACKET)
  })

  test('is the last a lossless class gets: then packets are refused', () => {
    const buffer = over(0)
    let inHeadroom = buffer.headroomUsedBy(1, LOSSLESS)
    while (buffer.admit(1, LOSSLESS, 2, PACKET) !== REFUSED) inHeadroom += PACKET
    expect(inHeadroom).toBe(Math.floor(30_000 / PACKET) * PACKET)
  })

  test('is not for lossy classes, and of each port alone', () => {
    const buffer = over(3)
    fill(buffer, 2, LOSSY)
    expect(buffer.headroomUsedBy(2, LOSSY)).toBe(0)
    expect(buffer.headroomUsedBy(2, LOSSLESS)).toBe(0)
  })
})

describe('a class with thresholds of its own', () => {
  test('takes its share of the pool, whatever others may take', () => {
    const ports = 2
    const alpha = new Float64Array(8 * (ports + 1)).fill(1 / 16)
    alpha.fill(8, LOSSY * (ports + 1), (LOSSY + 1) * (ports + 1))
    const buffer = bufferWith({ ports, alpha })
    expect([buffer.thresholdBytes(1, LOSSLESS), buffer.thresholdBytes(1, LOSSY)]).toEqual([562_500, 72e6])
    // With alpha 8 a queue rests where it has 8/9 of the pool; what is left is shared as before.
    const bytes = fill(buffer, 1, LOSSY)
    expect(Math.abs(bytes - dynamicFixedPointBytes(8, 9e6, 1))).toBeLessThan(PACKET)
    expect(buffer.thresholdBytes(2, LOSSLESS)).toBe(Math.floor((9e6 - bytes) / 16))
  })

  test('leaves its egress queues at a share of their own', () => {
    const egressAlpha = Float64Array.of(1 / 8, 1, 1, 1, 1, 1, 1, 1)
    const buffer = bufferWith({ egressLimited: 0xff, egressAlpha }, 128)
    expect(Math.abs(fill(buffer, 1, 0) - dynamicFixedPointBytes(1 / 8, 9e6, 1))).toBeLessThan(PACKET)
    expect(fill(buffer, 1, 1)).toBeGreaterThan(dynamicFixedPointBytes(1 / 8, 9e6, 1) * 3)
  })
})

describe('the reserve', () => {
  test('is there for each counter when the pool is gone', () => {
    const buffer = bufferWith({ ports: 2, reserveBytes: 4096, alpha: byPort(0, 1, 0) })
    fill(buffer, 1, LOSSY)
    expect(buffer.thresholdBytes(2, LOSSY)).toBe(0)
    expect(fill(buffer, 2, LOSSY)).toBe(3 * PACKET)
    expect(fill(buffer, 2, 1)).toBe(3 * PACKET)
  })

  test('is paid before the pool, and given back after it', () => {
    const buffer = bufferWith({ reserveBytes: 4096 })
    for (let i = 0; i < 3; i++) buffer.admit(1, LOSSY, 2, 2000)
    expect(buffer.thresholdBytes(1, LOSSY)).toBe(Math.floor((9e6 - 1904) / 16))
    buffer.release(1, LOSSY, 2, 2000)
    expect(buffer.thresholdBytes(1, LOSSY)).toBe(562_500)
  })
})

describe('lossy egress queues', () => {
  test('are refused beyond their share of what is free', () => {
    const buffer = bufferWith({ egressLimited: 1 << LOSSY, egressAlpha: new Float64Array(8).fill(1 / 8) }, 128)
    const bytes = fill(buffer, 1, LOSSY)
    const rest = dynamicFixedPointBytes(1 / 8, 9e6, 1)
    expect(Math.abs(bytes - rest)).toBeLessThan(2 * PACKET)
    expect(buffer.admit(1, LOSSY, 3, PACKET)).not.toBe(REFUSED)
    expect(buffer.admit(1, LOSSLESS, 2, PACKET)).not.toBe(REFUSED)
  })
  test('keep their reserve', () => {
    const buffer = bufferWith(
      { egressLimited: 1 << LOSSY, egressAlpha: new Float64Array(8), egressReserveBytes: 3000 },
      128,
    )
    expect(fill(buffer, 1, LOSSY)).toBe(2 * PACKET)
  })
})

/** The same rules with nothing remembered but what lies where; every sum is made anew. */
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
    if (isLimited && inQueue > o.egressReserveBytes) {
      const free = o.poolBytes - [...this.egress.values()].reduce((sum, b) => sum + b, 0)
      if (inQueue - o.egressReserveBytes > o.egressAlpha[c]! * free) return false
    }
    const ordinary = (this.ordinary.get(key) ?? 0) + bytes
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
        egressLimited: pick(0, 0xff, 0xe7),
        egressAlpha: Float64Array.from({ length: 8 }, () => pick(0.25, 1)),
        egressReserveBytes: pick(0, 1049),
        memory,
      }
      const buffer = new SharedBuffer(options)
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

  test('an audit finds bytes given back twice', () => {
    const buffer = bufferWith({ reserveBytes: 4096 })
    buffer.admit(1, LOSSLESS, 2, 9000)
    buffer.admit(2, LOSSLESS, 2, 500)
    expect(buffer.audit()).toEqual([])
    buffer.release(2, LOSSLESS, 2, 1000)
    expect(buffer.audit().join()).toMatch(/negative/)
  })
})
