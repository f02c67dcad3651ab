import { expect, test } from 'vitest'
import { BrokenLaw, Bug } from '../../src/core/base/assert.ts'
import { inputError } from '../../src/core/base/issue.ts'
import { Memory } from '../../src/core/base/memory.ts'
import { BrokenRun, exitCodeOf, Failure, failureText } from '../../src/cli/failure.ts'
import { diskFailure, fileMistake } from '../../src/cli/files/files.ts'
import { waitText } from '../../src/cli/progress-line.ts'

const where = { name: 'incast', seed: 7, nowPs: 1_234_567, events: 99 }
const thrownBy = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}
const system = (code: string): Error => Object.assign(new Error(code), { code })

test('the message of a bug names the run and its state, and shows the stack only if asked to', () => {
  const text = failureText(new BrokenRun(where, new Bug('a queue is shorter than nothing')))
  expect(text.split('\n').slice(0, 2)).toEqual([
    'rocelab: bug: a queue is shorter than nothing',
    '  scenario incast, seed 7, simulated time 1.23457 us (1234567 ps), event 99',
  ])
  expect(text).not.toMatch(/\n\s+at /)
  expect(failureText(new BrokenRun(where, new Bug('x')), true)).toMatch(/\n\s+at /)
})

test('a broken law is not called a bug twice', () => {
  expect(failureText(new BrokenRun(where, new BrokenLaw(5, 3, ['x'])))).toMatch(/^rocelab: broken law at/)
})

test('a run with more packets than the memory holds is not a bug, and the message says what to make smaller', () => {
  const full = thrownBy(() => new Memory().take(2 ** 30))
  const text = failureText(new BrokenRun(where, full))
  expect(text).toMatch(/^rocelab: the \d+ MB for packets, queues and events are full: a smaller network/)
  expect(text).toContain('seed')
  expect(text).not.toMatch(/bug|ROCELAB_DEBUG|\n\s+at /)
  expect(exitCodeOf(new BrokenRun(where, full))).toBe(1)
})

test('a run whose tables exceed the memory is not a bug, whatever error V8 throws', () => {
  const errors = [new RangeError('Array buffer allocation failed'), new RangeError('Map maximum size exceeded')]
  for (const error of [...errors, thrownBy(() => new Float64Array(2 ** 40))]) {
    expect(failureText(new BrokenRun(where, error))).toMatch(/^rocelab: the memory for flows, .* is full \(\d+ MB/)
  }
  expect(failureText(new BrokenRun(where, new RangeError('precision out of range')))).toMatch(
    /^rocelab: bug: precision/,
  )
})

test('exit codes distinguish bugs from mistakes', () => {
  expect(exitCodeOf(new BrokenRun(where, new TypeError('x')))).toBe(1)
  expect(exitCodeOf(new TypeError('x'))).toBe(1)
  expect(exitCodeOf(inputError('a', 'b', 'c'))).toBe(2)
  expect(exitCodeOf(new Failure('interrupted', 130))).toBe(130)
})

test('a full disk is a failure with one line, a wrong path is a mistake', () => {
  const full = diskFailure(system('ENOSPC'), 'out')
  expect(failureText(full)).toBe('rocelab: no space left on the disk: out was not written')
  expect(exitCodeOf(full)).toBe(1)
  expect(diskFailure(system('ENOENT'), 'out')).toBeUndefined()
  expect(failureText(fileMistake(system('ENOENT'), 'x.yaml', 'a scenario file'))).toBe(
    'x.yaml: expected a scenario file, received no such file or folder',
  )
  const other = system('EBADF')
  expect(fileMistake(other, 'x', 'a file')).toBe(other)
})

test('waiting times have at most two units', () => {
  expect([0.2, 99, 100, 5999, 7200, Infinity, NaN].map(waitText)).toEqual([
    '1 s',
    '99 s',
    '1 min 40 s',
    '99 min 59 s',
    '2 h 0 min',
    '?',
    '?',
  ])
})
