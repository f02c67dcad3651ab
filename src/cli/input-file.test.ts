import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readText, readTextIfThere } from './input-file.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'rocelab-input-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What is said of a file of these bytes, or its text. */
function told(bytes: Buffer | string): string {
  writeFileSync(path.join(folder, 'input.txt'), bytes)
  try {
    return `text ${readText(folder, 'input.txt', 'a text')}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const TEXT = 'name: klein\n# für alle\n'
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')

test.each([
  ['UTF-16LE', utf16(TEXT), 'UTF-16LE'],
  ['UTF-16LE with its mark', utf16(`\uFEFF${TEXT}`), 'UTF-16LE'],
  ['UTF-16BE', utf16(TEXT).swap16(), 'UTF-16BE'],
  ['UTF-16BE with its mark', utf16(`\uFEFF${TEXT}`).swap16(), 'UTF-16BE'],
])('a text in %s is named as such', (_, bytes, coding) => {
  expect(told(bytes)).toBe(
    `input.txt: expected a text, received text that is not UTF-8 (looks like ${coding}; save it as UTF-8)`,
  )
})

test('a text in Latin-1 is shown where its first letter stands that UTF-8 has not', () => {
  const rest = '(looks like Latin-1 (ISO 8859-1, Windows-1252); save it as UTF-8)'
  expect(told(Buffer.from(TEXT, 'latin1'))).toBe(
    `input.txt:2:4: expected a text, received text that is not UTF-8: the byte 0xFC ${rest}`,
  )
  // Behind letters of two and four bytes that are UTF-8, a column each but for what JavaScript counts as two.
  const mixed = Buffer.concat([Buffer.from('# für\nü\u{1F600}', 'utf8'), Buffer.from('ß', 'latin1')])
  expect(told(mixed)).toMatch(/^input\.txt:2:4: .* the byte 0xDF /)
  // A letter that is cut off at the end.
  expect(told(Buffer.from('ü', 'utf8').subarray(0, 1))).toMatch(/^input\.txt:1:1: .* the byte 0xC3 /)
})

test('bytes that are no text at all are no Latin-1', () => {
  expect(told(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0xe0, 0x80]))).toContain('a file that is no text')
  expect(told(Buffer.from([0x1b, 0x01, 0xe4, 0x20, 0x02]))).toContain('a file that is no text')
})

test('a text in UTF-8 is read whole, also where it is longer than a chunk', () => {
  expect(told(TEXT)).toBe(`text ${TEXT}`)
  const long = 'äöü€'.repeat(400_000)
  expect(told(long)).toBe(`text ${long}`)
})

test('a file that is not there is none, or a mistake', () => {
  expect(readTextIfThere(folder, 'nowhere.txt', 'a text')).toBeUndefined()
  expect(readTextIfThere(folder, 'input.txt/below', 'a text')).toBeUndefined()
  expect(() => readText(folder, 'nowhere.txt', 'a text')).toThrow('received no such file or folder')
})
