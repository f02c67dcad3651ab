import { getHeapStatistics } from 'node:v8'
import { expect, test, vi } from 'vitest'
import { OutOfMemory } from '../core/base/memory.ts'
import { expectHeapRoom } from './heap-room.ts'

vi.mock('node:v8', () => ({ getHeapStatistics: vi.fn<typeof getHeapStatistics>() }))

test('a run ends at 80 % of what --max-old-space-size gives, and names that number; V8 adds 48 MiB for young objects', () => {
  const mebibyte = 2 ** 20
  const use = (usedBytes: number): void => {
    const found = { heap_size_limit: 148 * mebibyte, used_heap_size: usedBytes }
    vi.mocked(getHeapStatistics).mockReturnValue(found as ReturnType<typeof getHeapStatistics>)
    expectHeapRoom()
  }
  expect(() => use(80 * mebibyte)).not.toThrow()
  expect(() => use(80 * mebibyte + 1)).toThrow(OutOfMemory)
  expect(() => use(80 * mebibyte + 1)).toThrow('100 MB')
})
