import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readText, readTextIfThere } from './input-file.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'rocelab-input-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The text of a file with these bytes, or the message of the error. */
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

test('for a text in Latin-1, line and column of the first byte that is not UTF-8 are reported', () => {
  const rest = '(looks like Latin-1 (ISO 8859-1, Windows-1252); save it as UTF-8)'
  expect(reported(Buffer.from(TEXT, 'latin1'))).toBe(
    `input.txt:2:4: expected a text, received text that is not UTF-8: byte 0xFC ${rest}`,
  )
  // After characters of two and four bytes in UTF-8; columns count UTF-16 code units.
  const mixed = Buffer.concat([Buffer.from('# für\nü\u{1F600}', 'utf8'), Buffer.from('ß', 'latin1')])
  expect(reported(mixed)).toMatch(/^input\.txt:2:4: .* byte 0xDF /)
  // A character that is cut off at the end.
  expect(reported(Buffer.from('ü', 'utf8').subarray(0, 1))).toMatch(/^input\.txt:1:1: .* byte 0xC3 /)
})

test('binary data is not mistaken for Latin-1', () => {
  expect(reported(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0xe0, 0x80]))).toContain(
    'a file that is not text',
  )
  expect(reported(Buffer.from([0x1b, 0x01, 0xe4, 0x20, 0x02]))).toContain('a file that is not text')
})

test('a text in UTF-8 longer than a chunk is read completely', () => {
  expect(reported(TEXT)).toBe(`text ${TEXT}`)
  const long = 'äöü€'.repeat(400_000)
  expect(reported(long)).toBe(`text ${long}`)
})

test('a missing file is undefined or a mistake, depending on the function', () => {
  writeFileSync(path.join(folder, 'there.txt'), 'text')
  expect(readTextIfThere(folder, 'there.txt', 'a text')).toBe('text')
  expect(readTextIfThere(folder, 'nowhere.txt', 'a text')).toBeUndefined()
  expect(readTextIfThere(folder, 'there.txt/below', 'a text')).toBeUndefined()
  expect(() => readText(folder, 'nowhere.txt', 'a text')).toThrow('received no such file or folder')
  expect(() => readTextIfThere(folder, 'x'.repeat(300), 'a text')).toThrow('received a name that is too long')
})

test('a text that is too large, a folder and an endless device are refused', () => {
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
  expect(saidOf('dev/zero')).toMatch(/: expected a text, received an endless device$/)
  expect(saidOf('dev/null')).toBe('')
})

test('a byte order mark alone identifies UTF-16', () => {
  expect(reported(utf16('\uFEFF文字'))).toContain('looks like UTF-16LE')
  expect(reported(utf16('\uFEFF文字').swap16())).toContain('looks like UTF-16BE')
  // Each byte of a mark alone is a character of Latin-1.
  for (const text of ['ÿa', 'þa', 'aÿ', 'aþ', 'ÿÿ', 'þþ']) {
    expect(reported(Buffer.from(text, 'latin1'))).toContain('looks like Latin-1')
  }
})

test('UTF-16 without a mark is recognized with some characters that are not Latin', () => {
  const text = 'name: klein, mit einigen Zeichen wie 文 und 字'
  expect(reported(utf16(text))).toContain('looks like UTF-16LE')
  expect(reported(utf16(text).swap16())).toContain('looks like UTF-16BE')
})

test.each([
  ['nothing but zeros', Buffer.alloc(100), '1:1'],
  ['one zero at an odd place', Buffer.from('line\nab\0cdefghijklmn'), '2:3'],
  ['one zero at an even place', Buffer.from('line\na\0bcdefghijklmn'), '2:2'],
])('%s make no UTF-16', (_, bytes, location) => {
  expect(reported(bytes)).toBe(`input.txt:${location}: expected a text, received a file that is not text`)
})

test('texts may contain tabs and line ends, but no other control characters', () => {
  const withByte = (byte: number): string => reported(Buffer.from([0x61, byte, 0x62, 0xe4]))
  for (const byte of [9, 10, 11, 12, 13, 32]) expect(withByte(byte)).toContain('looks like Latin-1')
  for (const byte of [1, 8, 14, 31]) expect(withByte(byte)).toMatch(/^input\.txt:1:4: .* a file that is not text$/)
})

test('line and column of a wrong byte count characters of any length, from 1', () => {
  const locationIn = (before: string): string | undefined =>
    /^input\.txt:(\d+:\d+): /.exec(reported(Buffer.concat([Buffer.from(before, 'utf8'), Buffer.from([0xe4])])))?.[1]
  expect(['', 'a', 'ü', '€', '\u{1F600}', '€€a'].map(locationIn)).toEqual(['1:1', '1:2', '1:2', '1:2', '1:3', '1:4'])
  expect(['\n', '\n\n', 'ab\n', 'ü\n€', '\n\na'].map(locationIn)).toEqual(['2:1', '3:1', '2:1', '2:2', '3:2'])
})
