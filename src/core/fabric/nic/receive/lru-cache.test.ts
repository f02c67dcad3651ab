import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../../../base/random.ts'
import { LruCache } from './lru-cache.ts'

describe('an LRU cache', () => {
  test('holds what was used last, and lets go of what was used longest ago', () => {
    const cache = new LruCache(2)
    expect([cache.touch(7), cache.touch(8), cache.touch(7)]).toEqual([false, false, true])
    expect(cache.touch(9)).toBe(false)
    expect([cache.touch(7), cache.touch(8)]).toEqual([true, false])
    expect(cache.size).toBe(2)
  })

  test('misses always when a cycle is one longer than it, and never when it is as long', () => {
    const missesOf = (keys: number): number => {
      const cache = new LruCache(64)
      let misses = 0
      for (let i = 0; i < 1000; i++) if (!cache.touch(i % keys)) misses++
      return misses
    }
    expect([missesOf(64), missesOf(65)]).toEqual([64, 1000])
  })

  test('is empty after it was cleared', () => {
    const cache = new LruCache(4)
    for (let key = 0; key < 4; key++) cache.touch(key)
    cache.clear()
    expect([0, 1, 2, 3].map((key) => cache.touch(key))).toEqual([false, false, false, false])
  })

  test('does as a list does that is searched from end to end, also with large keys and one entry', () => {
    const random = createRandomStreams(3).stream('keys')
    for (const entries of [1, 2, 7, 100]) {
      const cache = new LruCache(entries)
      const list: number[] = []
      for (let i = 0; i < 5000; i++) {
        const key = random.below(2 * entries + 1) * 2 ** random.below(2) * 2 ** 31 + random.below(2)
        const at = list.indexOf(key)
        if (at >= 0) list.splice(at, 1)
        list.push(key)
        if (list.length > entries) list.shift()
        expect(cache.touch(key)).toBe(at >= 0)
        expect(cache.size).toBe(list.length)
      }
    }
  })
})
