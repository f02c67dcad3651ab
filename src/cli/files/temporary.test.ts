import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { clearTemporary } from './temporary.ts'

let top = ''
beforeEach(() => {
  top = mkdtempSync(path.join(tmpdir(), 'rocelab-temporary-'))
})
afterEach(() => rmSync(top, { recursive: true }))

test('clearing a missing folder or a file does nothing', () => {
  writeFileSync(path.join(top, 'file'), '')
  for (const name of ['file', 'nowhere']) expect(() => clearTemporary(path.join(top, name))).not.toThrow()
})

test('clearing a folder that cannot be read throws', () => {
  symlinkSync('circle', path.join(top, 'circle'))
  expect(() => clearTemporary(path.join(top, 'circle'))).toThrow('ELOOP')
})
