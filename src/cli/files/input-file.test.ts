import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readText, readTextIfThere } from './input-file.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'rocelab-input-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What is said of a file of these bytes, or its text. */
function reported(bytes: Buffer | string): string {
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
  expect(reported(bytes)).toBe(
    `input.txt: expected a text, received text that is not UTF-8 (looks like ${coding}; save it as UTF-8)`,
  )
})

test('a text in Latin-1 is shown where its first letter stands that UTF-8 has not', () => {
  const rest = '(looks like Latin-1 (ISO 8859-1, Windows-1252); save it as UTF-8)'
  expect(reported(Buffer.from(TEXT, 'latin1'))).toBe(
    `input.txt:2:4: expected a text, received text that is not UTF-8: the byte 0xFC ${rest}`,
  )
  // Behind letters of two and four bytes that are UTF-8, a column each but for what JavaScript counts as two.
  const mixed = Buffer.concat([Buffer.from('# für\nü\u{1F600}', 'utf8'), Buffer.from('ß', 'latin1')])
  expect(reported(mixed)).toMatch(/^input\.txt:2:4: .* the byte 0xDF /)
  // A letter that is cut off at the end.
  expect(reported(Buffer.from('ü', 'utf8').subarray(0, 1))).toMatch(/^input\.txt:1:1: .* the byte 0xC3 /)
})

test('bytes that are no text at all are no Latin-1', () => {
  expect(reported(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0xe0, 0x80]))).toContain(
    'a file that is no text',
  )
  expect(reported(Buffer.from([0x1b, 0x01, 0xe4, 0x20, 0x02]))).toContain('a file that is no text')
})

test('a text in UTF-8 is read whole, also where it is longer than a chunk', () => {
  expect(reported(TEXT)).toBe(`text ${TEXT}`)
  const long = 'äöü€'.repeat(400_000)
  expect(reported(long)).toBe(`text ${long}`)
})

test('a file that is not there is none, or a mistake', () => {
  writeFileSync(path.join(folder, 'there.txt'), 'text')
  expect(readTextIfThere(folder, 'there.txt', 'a text')).toBe('text')
  expect(readTextIfThere(folder, 'nowhere.txt', 'a text')).toBeUndefined()
  expect(readTextIfThere(folder, 'there.txt/below', 'a text')).toBeUndefined()
  expect(() => readText(folder, 'nowhere.txt', 'a text')).toThrow('received no such file or folder')
  expect(() => readTextIfThere(folder, 'x'.repeat(300), 'a text')).toThrow('received a name that is too long')
})

test('a text that is too large, a folder and a device without an end are refused', () => {
  const large = path.join(folder, 'large.txt')
  writeFileSync(large, '')
  truncateSync(large, 600e6)
  expect(() => readText(folder, 'large.txt', 'a text')).toThrow(
    'large.txt: expected a text, received a file of 600 MB (a text may have at most 268 MB)',
  )
  const saidOf = (file: string): string => {
    try {
      return readText('/', file, 'a text')
    } catch (error) {
      return String(error)
    }
  }
  expect(saidOf(folder)).toMatch(/: expected a text, received a folder$/)
  expect(saidOf('dev/zero')).toMatch(/: expected a text, received a device without an end$/)
  expect(saidOf('dev/null')).toBe('')
})

test('a text in UTF-16 is known by its mark alone, whatever its letters', () => {
  expect(reported(utf16('\uFEFF文字'))).toContain('looks like UTF-16LE')
  expect(reported(utf16('\uFEFF文字').swap16())).toContain('looks like UTF-16BE')
  // Either half of a mark is a letter of Latin-1.
  for (const text of ['ÿa', 'þa', 'aÿ', 'aþ', 'ÿÿ', 'þþ']) {
    expect(reported(Buffer.from(text, 'latin1'))).toContain('looks like Latin-1')
  }
})

test('a text in UTF-16 without a mark may have some letters from elsewhere', () => {
  const text = 'name: klein, mit einigen Zeichen wie 文 und 字'
  expect(reported(utf16(text))).toContain('looks like UTF-16LE')
  expect(reported(utf16(text).swap16())).toContain('looks like UTF-16BE')
})

test.each([
  ['nothing but zeros', Buffer.alloc(100), '1:1'],
  ['one zero at an odd place', Buffer.from('line\nab\0cdefghijklmn'), '2:3'],
  ['one zero at an even place', Buffer.from('line\na\0bcdefghijklmn'), '2:2'],
])('%s make no UTF-16', (_, bytes, location) => {
  expect(reported(bytes)).toBe(`input.txt:${location}: expected a text, received a file that is no text`)
})

test('texts have tabs and line ends, and no other control characters', () => {
  const withByte = (byte: number): string => reported(Buffer.from([0x61, byte, 0x62, 0xe4]))
  for (const byte of [9, 10, 11, 12, 13, 32]) expect(withByte(byte)).toContain('looks like Latin-1')
  for (const byte of [1, 8, 14, 31]) expect(withByte(byte)).toMatch(/^input\.txt:1:4: .* a file that is no text$/)
})

test('the place of a wrong byte counts letters of any length, and lines from the first', () => {
  const locationIn = (before: string): string | undefined =>
    /^input\.txt:(\d+:\d+): /.exec(reported(Buffer.concat([Buffer.from(before, 'utf8'), Buffer.from([0xe4])])))?.[1]
  expect(['', 'a', 'ü', '€', '\u{1F600}', '€€a'].map(locationIn)).toEqual(['1:1', '1:2', '1:2', '1:2', '1:3', '1:4'])
  expect(['\n', '\n\n', 'ab\n', 'ü\n€', '\n\na'].map(locationIn)).toEqual(['2:1', '3:1', '2:1', '2:2', '3:2'])
})
