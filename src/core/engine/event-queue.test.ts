import { describe, expect, test } from 'vitest'
import { DOUBLES, Memory } from '../base/memory.ts'
import { createRandomStreams, type RandomStream } from '../base/random.ts'
import { EventQueue } from './event-queue.ts'
import { EVENT_ORDER, EVENT_PS, POOLED } from './event-record.ts'

const SEED = Number(process.env['ROCELAB_SEED'] ?? 1)
const BUDGET = Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1))

interface Event {
  readonly timePs: number
  readonly order: number
  readonly code: number
}

/** The same interface with a sorted array. */
class SortedTwin {
  readonly #events: Event[] = []
  nowPs = 0
  get size(): number {
    return this.#events.length
  }
  schedule(timePs: number, order: number, code: number): void {
    let at = this.#events.length
    while (at > 0 && isBehind(this.#events[at - 1]!, timePs, order)) at--
    this.#events.splice(at, 0, { timePs, order, code })
  }
  take(limitPs: number): Event | undefined {
    const [first] = this.#events
    if (first === undefined || first.timePs > limitPs) return undefined
    this.nowPs = first.timePs
    return this.#events.shift()
  }
}

function isBehind(event: Event, timePs: number, order: number): boolean {
  return event.timePs > timePs || (event.timePs === timePs && event.order > order)
}

interface Counts {
  taken: number
  ties: number
  near: number
  far: number
  refused: number
  drawnEarlier: number
  foreseen: number
  own: number
}

/** Distances of events in one schedule: about one bucket, about the window, and far beyond, in any mixture. */
function drawDelay(random: RandomStream, widthPs: number): number {
  const windowPs = widthPs * 32_768
  switch (random.below(8)) {
    case 0:
      return 0
    case 1:
      return random.below(3)
    case 2:
    case 3:
      return random.below(widthPs * 4)
    case 4:
      return widthPs * random.below(40_000)
    case 5:
      return windowPs - 2 + random.below(5)
    case 6:
      return windowPs * random.below(5) + random.below(windowPs)
    default:
      return random.below(2 ** 30) * 2 ** random.below(14)
  }
}

/** Both queues get the same calls; their results must be equal, one by one. */
function compare(seed: number, widthBits: number, steps: number, counts: Counts): void {
  const random = createRandomStreams(seed).stream(`schedule/${widthBits}`)
  const memory = new Memory()
  const queue = new EventQueue(memory, widthBits)
  const twin = new SortedTwin()
  const spare = memory.take(8)
  /** Free records of an owner outside the queue; the code of a record's event is its offset. */
  const records: number[] = []
  const drawn: number[] = []
  const times: number[] = []
  const density = 1 + random.below(60)
  if (random.below(4) === 0) {
    // Somewhere far from the start of time.
    const farPs = random.below(2 ** 31) * 2 ** random.below(19)
    queue.schedule(farPs, queue.draw(), POOLED)
    queue.take()
    twin.nowPs = farPs
  }
  for (let step = 0; step < steps; step++) {
    if (random.below(20) === 0) queue.retune(1 + random.below(100))
    const isAdding = twin.size < density ? random.below(4) > 0 : random.below(4) === 0
    if (isAdding) {
      if (random.below(3) === 0) {
        queue.drawInto(spare)
        drawn.push(DOUBLES[(spare >> 1) | EVENT_ORDER]!)
      }
      const isEarlier = drawn.length > 0 && random.below(3) === 0
      const order = isEarlier ? drawn.splice(random.below(drawn.length), 1)[0]! : queue.draw()
      if (isEarlier) counts.drawnEarlier++
      // Now and then at the time of another event.
      const known = times.length > 0 && random.below(4) === 0 ? times[random.below(times.length)]! : -1
      const isTie = known >= twin.nowPs
      if (isTie) counts.ties++
      const timePs = isTie ? known : twin.nowPs + drawDelay(random, 2 ** widthBits)
      if (timePs - twin.nowPs < 2 ** (widthBits + 15)) counts.near++
      else counts.far++
      times.push(timePs)
      if (times.length > 20) times.shift()
      const choice = random.below(4)
      const isOwn = choice >= 2
      const code = isOwn ? (records.pop() ?? memory.take(8)) : random.below(2 ** 30) * 2 + POOLED
      if (isOwn) counts.own++
      if (choice === 0) queue.schedule(timePs, order, code)
      else if (choice === 1) queue.after(timePs - twin.nowPs, code)
      else if (choice === 2) {
        DOUBLES[(code >> 1) | EVENT_PS] = timePs
        DOUBLES[(code >> 1) | EVENT_ORDER] = order
        queue.enter(code, code)
      } else queue.enterAfter(code, timePs - twin.nowPs, code)
      // An event scheduled relative to now is assigned its order at once.
      twin.schedule(timePs, choice === 0 || choice === 2 ? order : queue.draw() - 1, code)
    } else {
      const limitPs = random.below(5) === 0 ? twin.nowPs + drawDelay(random, 2 ** widthBits) : Infinity
      const expected = twin.take(limitPs)
      queue.limitPs = limitPs
      const foreseen = queue.peek()
      const code = queue.take()
      queue.limitPs = Infinity
      if (code >= 0 !== (expected !== undefined)) throw new Error(`seed ${seed}, step ${step}: taken ${code}`)
      if (expected === undefined) counts.refused++
      else {
        counts.taken++
        const { nowPs, currentOrder } = queue
        if (foreseen >= 0) {
          counts.foreseen++
          if (foreseen !== code) throw new Error(`seed ${seed}, step ${step}: ${foreseen} was predicted as next`)
        }
        if (nowPs !== expected.timePs || currentOrder !== expected.order || code !== expected.code)
          throw new Error(
            `seed ${seed}, step ${step}: ${nowPs}/${currentOrder}, not ${expected.timePs}/${expected.order}`,
          )
        if ((code & POOLED) === 0) records.push(code)
      }
    }
    if (step % 100 === 0 && queue.size !== twin.size)
      throw new Error(`seed ${seed}, step ${step}: ${queue.size} events, not ${twin.size}`)
  }
  for (let expected = twin.take(Infinity); expected !== undefined; expected = twin.take(Infinity)) {
    const code = queue.take()
    expect([queue.nowPs, queue.currentOrder, code]).toEqual([expected.timePs, expected.order, expected.code])
  }
  expect(queue.take()).toBe(-1)
  memory.release()
}

describe('against a sorted array', () => {
  test.each([6, 7, 8, 9, 10, 11, 12])(`buckets of 2^%i ps, from seed ${SEED}`, (widthBits) => {
    const counts: Counts = { taken: 0, ties: 0, near: 0, far: 0, refused: 0, drawnEarlier: 0, foreseen: 0, own: 0 }
    for (let i = 0; i < 40 * BUDGET; i++) compare(SEED + i, widthBits, 400, counts)
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(100)
  })

  test('more events than it has room for at first, in one bucket and in the far heap', () => {
    const queue = new EventQueue(new Memory(), 10)
    const twin = new SortedTwin()
    const random = createRandomStreams(SEED).stream('many')
    for (let code = POOLED; code < 20_000; code += 2) {
      const timePs = random.below(2) === 0 ? random.below(1000) : 2 ** 40 + random.below(2 ** 30)
      const order = queue.draw()
      queue.schedule(timePs, order, code)
      twin.schedule(timePs, order, code)
    }
    for (let i = 0; i < 10_000; i++) {
      expect(queue.take()).toBe(twin.take(Infinity)!.code)
    }
  })

  test('thousands of events at a few instants, with orders drawn long before, while others leave', () => {
    for (let seed = SEED; seed < SEED + 20 * BUDGET; seed++) {
      const random = createRandomStreams(seed).stream('lockstep')
      const queue = new EventQueue(new Memory(), 10)
      const twin = new SortedTwin()
      const spare = new Memory().take(8)
      const orders: number[] = []
      for (let round = 0; round < 6; round++) {
        for (let i = 0; i < 400; i++) {
          queue.drawInto(spare)
          orders.push(DOUBLES[(spare >> 1) | EVENT_ORDER]!)
        }
        const instants = [0, 1, 40_000, 40_001, 2 ** 30].map((delayPs) => twin.nowPs + delayPs)
        for (let i = 0; i < 390; i++) {
          const timePs = instants[random.below(instants.length)]!
          const order = random.below(2) === 0 ? orders.shift()! : orders.splice(random.below(orders.length), 1)[0]!
          queue.schedule(timePs, order, 2 * i + POOLED)
          twin.schedule(timePs, order, 2 * i + POOLED)
          if (random.below(500) === 0) queue.retune(1 + random.below(100))
        }
        expect(queue.size).toBe(twin.size)
        for (let left = random.below(380); left > 0; left--) {
          const { timePs, order, code } = twin.take(Infinity)!
          queue.limitPs = timePs - 1
          expect(queue.take()).toBe(-1)
          queue.limitPs = Infinity
          expect([queue.take(), queue.nowPs, queue.currentOrder]).toEqual([code, timePs, order])
        }
      }
      while (twin.size > 0) expect(queue.take()).toBe(twin.take(Infinity)!.code)
    }
  })

  test('hundreds of events in each of the narrowest buckets, some of them before others that were sorted', () => {
    for (let seed = SEED; seed < SEED + 10 * BUDGET; seed++) {
      const random = createRandomStreams(seed).stream('dense')
      const memory = new Memory()
      const queue = new EventQueue(memory, 7)
      const twin = new SortedTwin()
      const spare = memory.take(8)
      const orders: number[] = []
      const add = (timePs: number, order: number, code: number): void => {
        queue.schedule(timePs, order, code)
        twin.schedule(timePs, order, code)
      }
      for (let i = 0; i < 500; i++) add(random.below(400), queue.draw(), POOLED)
      for (let step = 0; step < 3000; step++) {
        // 128 ps for as many events as one bucket holds: from the second call on, buckets of several are crowds.
        if (step % 400 === 0) queue.retune(400)
        const { timePs, order } = twin.take(Infinity)!
        queue.take()
        expect([queue.nowPs, queue.currentOrder]).toEqual([timePs, order])
        queue.drawInto(spare)
        orders.push(DOUBLES[(spare >> 1) | EVENT_ORDER]!)
        // At this instant, in the bucket of the cursor, or behind it; in the order of causes or not.
        const delayPs = random.below(3) === 0 ? random.below(2) * random.below(100) : 200 + random.below(200)
        const isEarlier = random.below(2) === 0 || orders.length > 100
        add(timePs + delayPs, isEarlier ? orders.shift()! : queue.draw(), POOLED)
      }
      expect(queue.size).toBe(twin.size)
      while (twin.size > 0) {
        const { timePs, order } = twin.take(Infinity)!
        queue.take()
        expect([queue.nowPs, queue.currentOrder]).toEqual([timePs, order])
      }
      memory.release()
    }
  })

  test('up to the end of time: 2^53 ps', () => {
    const queue = new EventQueue(new Memory(), 6)
    const times = [2 ** 50, 2 ** 50 + 1, 2 ** 52 + 63, 2 ** 52 + 64, 2 ** 53 - 1]
    for (const timePs of times.toReversed()) queue.schedule(timePs, queue.draw(), 1)
    expect(times.map(() => (queue.take() >= 0 ? queue.nowPs : -1))).toEqual(times)
  })
})

describe('ties', () => {
  test('follow the order assigned by draw(), not the time of entering the queue', () => {
    const queue = new EventQueue(new Memory())
    const early = queue.draw()
    queue.schedule(100, queue.draw(), 3)
    queue.schedule(100, early, 1)
    queue.after(100, 5)
    const codes = [1, 3, 5].map(() => queue.take())
    expect(codes).toEqual([1, 3, 5])
  })

  test('of far events are kept when they move to the wheel', () => {
    const queue = new EventQueue(new Memory(), 6)
    const orders = [queue.draw(), queue.draw(), queue.draw()]
    queue.schedule(2 ** 40, orders[2]!, 5)
    queue.schedule(2 ** 40, orders[0]!, 1)
    queue.schedule(2 ** 40 - 2 ** 20, queue.draw(), 7)
    queue.take()
    queue.schedule(2 ** 40, orders[1]!, 3)
    expect([0, 1, 2].map(() => queue.take())).toEqual([1, 3, 5])
  })
})

test('an event that is not due stays, and an earlier one that is scheduled afterwards is taken first', () => {
  const queue = new EventQueue(new Memory())
  queue.schedule(2 ** 30, queue.draw(), 1)
  queue.limitPs = 2 ** 30 - 1
  expect(queue.take()).toBe(-1)
  queue.limitPs = Infinity
  expect(queue.nowPs).toBe(0)
  queue.schedule(5, queue.draw(), 3)
  expect([queue.take(), queue.size]).toEqual([3, 1])
})

test('nothing is scheduled into the past', () => {
  const queue = new EventQueue(new Memory())
  queue.schedule(10, queue.draw(), 1)
  queue.take()
  expect(() => queue.schedule(9, queue.draw(), 1)).toThrow('past')
})
