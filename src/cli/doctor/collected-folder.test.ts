/**
 * Collected folders: their limits.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { InputError } from '../../core/base/issue.ts'
import { collectedFolder } from './collected-folder.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rocelab-doctor-'))
  for (const device of ['a', 'b']) {
    mkdirSync(path.join(folder, device, 'more'), { recursive: true })
    writeFileSync(path.join(folder, device, 'one.txt'), '0123456789')
    writeFileSync(path.join(folder, device, 'more', 'two.txt'), '0123456789')
  }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const devicesWithin = (limits: { readonly files: number; readonly bytes: number }): string[] =>
  [...collectedFolder('/', folder, limits).files()].map(([device]) => device)

test('four files of ten bytes are within four files and 40 bytes', () => {
  expect(devicesWithin({ files: 4, bytes: 40 })).toEqual(['a', 'b'])
})

test.each([
  { files: 3, bytes: 40 },
  { files: 4, bytes: 39 },
])('four files of ten bytes are beyond %o', (limits) => {
  expect(() => devicesWithin(limits)).toThrow(InputError)
})

test('folders in the folder of a device are read, and a folder deeper than all is not', () => {
  const deep = path.join(folder, 'a', ...Array.from({ length: 40 }, () => 'x'))
  mkdirSync(deep, { recursive: true })
  writeFileSync(path.join(deep, 'three.txt'), 'x')
  const files = [...collectedFolder('/', folder).files()].flatMap(([, own]) => own.map(({ file }) => file))
  expect(files).toEqual(['a/more/two.txt', 'a/one.txt', 'b/more/two.txt', 'b/one.txt'])
})
