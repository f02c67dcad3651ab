/** Formats of packets in the name of the capturing program: what is written is read, and nothing of other programs. */
import { expect, test } from 'vitest'
import { FORMAT_IRN, FORMAT_LSN, FORMAT_ROCE } from '../opcodes.ts'
import { formatsIn, withFormats } from './formats.ts'

const PROGRAM = 'rocelab 1.2.3'

test('one format of all is short, several are by queue pair, and the standard one needs no words', () => {
  const [irn, lsn, roce] = [FORMAT_IRN, FORMAT_LSN, FORMAT_ROCE]
  expect(withFormats(PROGRAM, [])).toBe(PROGRAM)
  expect(withFormats(PROGRAM, [[2, roce]])).toBe(PROGRAM)
  const all = withFormats(PROGRAM, [
    [2, irn],
    [9, irn],
  ])
  expect(formatsIn(all)!(77)).toBe(irn)
  const some = withFormats(PROGRAM, [
    [4, irn],
    [2, irn],
    [3, irn],
    [9, lsn],
    [5, roce],
    [11, irn],
  ])
  expect(some).toBe(`${PROGRAM} formats=1:2-4+11,2:9`)
  expect([1, 2, 3, 4, 5, 9, 11, 12].map(formatsIn(some)!)).toEqual([roce, irn, irn, irn, roce, lsn, irn, roce])
})

test('a number that queue pairs of two formats have is not said', () => {
  const text = withFormats(PROGRAM, [
    [2, FORMAT_IRN],
    [2, FORMAT_ROCE],
    [3, FORMAT_IRN],
  ])
  expect([2, 3].map(formatsIn(text)!)).toEqual([FORMAT_ROCE, FORMAT_IRN])
})

test.each(['', 'Dumpcap 4', 'Dumpcap formats=1:*', PROGRAM, `${PROGRAM} formats=`, `${PROGRAM} formats=x`])(
  '"%s" says nothing',
  (application) => {
    expect(formatsIn(application)).toBeNull()
  },
)
