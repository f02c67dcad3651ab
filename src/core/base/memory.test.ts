import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { DOUBLES, INTS, LINE, Memory, OutOfMemory } from './memory.ts'
import { createRandomStreams } from './random.ts'

const SEED = Number(process.env['ROCELAB_SEED'] ?? 1)
const BUDGET = Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1))

/** Writes a number all over a region. */
function fill(at: number, length: number, value: number): void {
  INTS.fill(value, at, at + length)
}

function isAll(at: number, length: number, value: number): boolean {
  return INTS.subarray(at, at + length).every((one) => one === value)
}

describe('regions', () => {
  test('are the same bytes as integers and as doubles', () => {
    const memory = new Memory()
    const at = memory.take(LINE)
    DOUBLES[at >> 1] = 1
    expect([INTS[at], INTS[at + 1]]).toEqual([0, 0x3ff00000])
    memory.release()
  })

  test('begin at multiples of the given power of two, so that an index can be joined to their offset', () => {
    const memory = new Memory()
    memory.take(3)
    for (const length of [1, 16, 17, 1000, 4096, 5000]) {
      const at = memory.takeWhole(length)
      expect(at % LINE).toBe(0)
      expect(at | (length - 1)).toBe(at + length - 1)
    }
    expect(memory.take(100, 1024) % 1024).toBe(0)
    memory.release()
  })

  test(`never overlap, are 0 at first and stay as they are while others come and go, from seed ${SEED}`, () => {
    const random = createRandomStreams(SEED).stream('regions')
    const living: { memory: Memory; regions: { at: number; length: number }[]; value: number }[] = []
    const wrong: string[] = []
    let dirty = 0
    const before = { taken: 0, reused: 0 }
    for (let step = 1; step <= 400 * BUDGET; step++) {
      if (living.length > 0 && random.below(3) === 0) {
        const [one] = living.splice(random.below(living.length), 1)
        if (!one!.regions.every(({ at, length }) => isAll(at, length, one!.value))) wrong.push(`step ${step}: changed`)
        dirty = Math.max(dirty, ...one!.regions.map(({ at, length }) => at + length))
        one!.memory.release()
        continue
      }
      const memory = new Memory()
      const regions = Array.from({ length: 1 + random.below(4) }, () => {
        const length = 1 + random.below(2000)
        const at = random.below(2) === 0 ? memory.take(length, LINE << random.below(8)) : memory.takeWhole(length)
        before.taken++
        if (at < dirty) before.reused++
        if (!isAll(at, length, 0)) wrong.push(`step ${step}: not 0`)
        fill(at, length, step)
        return { at, length }
      })
      living.push({ memory, regions, value: step })
    }
    for (const { memory, regions, value } of living) {
      if (!regions.every(({ at, length }) => isAll(at, length, value))) wrong.push('changed at the end')
      memory.release()
    }
    expect(wrong).toEqual([])
    expect(before.reused).toBeGreaterThan(before.taken / 4)
  })
})

test('adjacent released regions are joined', () => {
  const memories = Array.from({ length: 20 }, () => new Memory())
  for (let i = 0; i < 5; i++) for (const memory of memories) memory.take(1000)
  for (const i of [3, 1, 7, 5, 19, 0, 2, 4, 6, 8, 18, 9, 17, 10, 16, 11, 15, 12, 14, 13]) memories[i]!.release()
  const all = new Memory()
  expect(all.take(INTS.length)).toBe(0)
  expect(() => new Memory().take(1)).toThrow(OutOfMemory)
  all.release()
})

test('regions are released when their owner is garbage-collected', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const length = 1000 * LINE
  const forget = (): number => new Memory().take(length)
  const spot = (): number => {
    const memory = new Memory()
    const at = memory.take(length)
    memory.release()
    return at
  }
  const from = forget()
  expect(spot()).toBeGreaterThan(from)
  for (let round = 0; round < 50 && spot() > from; round++) {
    collect()
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
  }
  // The next region is at the first free offset that is large enough.
  expect(spot()).toBeLessThanOrEqual(from)
})

test('no memory is taken after its release', () => {
  const memory = new Memory()
  memory.release()
  expect(() => memory.take(1)).toThrow('after it was released')
})

describe('records', () => {
  test('do not overlap, come back at multiples of their length, and are 0 again', () => {
    const memory = new Memory()
    const taken: { at: number; length: number }[] = []
    for (let i = 0; i < 3000; i++) {
      const length = [16, 64, 1024][i % 3]!
      const at = memory.takeRecord(length)
      expect(at % length).toBe(0)
      expect(isAll(at, length, 0)).toBe(true)
      fill(at, length, i)
      taken.push({ at, length })
      // Every fifth reuses a released one.
      if (i % 5 === 4) {
        const { at: old, length: size } = taken.shift()!
        memory.giveRecord(old, size)
      }
    }
    const spots = taken.toSorted((a, b) => a.at - b.at)
    expect(spots.every(({ at }, i) => i === 0 || spots[i - 1]!.at + spots[i - 1]!.length <= at)).toBe(true)
    memory.release()
  })

  test('of simulations of one queue pair each take a few lines, so that tens of thousands fit before any is closed', () => {
    const memories = Array.from({ length: 20_000 }, () => {
      const memory = new Memory()
      for (let i = 0; i < 3; i++) memory.takeRecord(LINE)
      return memory
    })
    const ats = memories.map((memory) => memory.takeRecord(LINE))
    expect(Math.max(...ats) - Math.min(...ats)).toBeLessThan(20_000 * 5 * LINE)
    for (const memory of memories) memory.release()
  })
})
