import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ProgressLine } from '../../src/cli/progress-line.ts'

let written: string[]
beforeEach(() => {
  written = []
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => void vi.useRealTimers())

const terminal = (width: number) => ({ write: (text: string) => void written.push(text), width: () => width })

test('nothing is drawn in the first second, then a few times a second, each time in one write', () => {
  const line = new ProgressLine(terminal(80))
  for (let ms = 0; ms <= 3000; ms += 10) {
    line.update(() => 'half')
    vi.advanceTimersByTime(10)
  }
  expect(written.length).toBeGreaterThan(5)
  expect(written.length).toBeLessThan(12)
  for (const text of written) expect(text).toBe('\rhalf\x1b[K')
  line.clear()
  line.clear()
  expect(written.at(-1)).toBe('\r\x1b[K')
  expect(written.filter((text) => text === '\r\x1b[K')).toHaveLength(1)
})

test('a line is cut before the last column, so that no terminal wraps it', () => {
  const line = new ProgressLine(terminal(10))
  vi.advanceTimersByTime(5000)
  line.update(() => 'x'.repeat(50))
  expect(written).toEqual([`\r${'x'.repeat(9)}\x1b[K`])
})

test('without a terminal nothing is drawn and the text is not computed', () => {
  const line = new ProgressLine(undefined)
  vi.advanceTimersByTime(5000)
  line.update(() => {
    throw new Error('nobody wants this text')
  })
  line.clear()
  expect(written).toEqual([])
})
