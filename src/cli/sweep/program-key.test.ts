import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { VERSION } from '../../core/base/version.ts'
import { packageRoot } from '../package-root.ts'
import { hash, runKey } from './program-key.ts'

test('the key of a run depends on its scenario and on the program', () => {
  const stamp = path.join(packageRoot, 'dist', '.stamp')
  const program = existsSync(stamp) ? `${VERSION} ${readFileSync(stamp, 'utf8')}` : VERSION
  expect(runKey('name: one')).toBe(hash(`${program}\nname: one`))
  expect(runKey('name: one')).not.toBe(runKey('name: two'))
})

test('a key is 32 hex digits, which are valid as a folder name', () => {
  expect(hash('text')).toMatch(/^[0-9a-f]{32}$/)
})
