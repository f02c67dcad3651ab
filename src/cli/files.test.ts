import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeText, writeWhole } from './files.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rocelab-files-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a file that is replaced keeps its rights and its place behind a link, and is a new file', () => {
  const old = path.join(folder, 'old.txt')
  writeFileSync(old, 'old', { mode: 0o600 })
  symlinkSync('old.txt', path.join(folder, 'link.txt'))
  const before = statSync(old).ino
  writeText(folder, 'link.txt', 'new', { force: true })
  expect(readFileSync(old, 'utf8')).toBe('new')
  expect(statSync(old).mode & 0o777).toBe(0o600)
  expect(statSync(old).ino).not.toBe(before)
  expect(readdirSync(folder).toSorted()).toEqual(['link.txt', 'old.txt'])
})

test('a name as long as names may be is written, and what is no file is written to as it is', () => {
  const long = 'x'.repeat(255)
  writeText(folder, long, 'text', { force: false })
  expect(readFileSync(path.join(folder, long), 'utf8')).toBe('text')
  writeText(folder, '/dev/null', 'text', { force: false })
  expect(statSync('/dev/null').isFile()).toBe(false)
})

test('what cannot be put in its place leaves nothing beside it', () => {
  expect(() => writeWhole(folder, 'text')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
  expect(readdirSync(path.dirname(folder)).filter((name) => name.startsWith(`.tmp-${process.pid}.`))).toEqual([])
})
