/** The user's files in a guest: what is copied, and what is refused, all at once. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { InputError } from '../../../core/base/issue.ts'
import { systemWith } from './files.ts'
import { findProgram } from './host-commands.ts'
import type { GuestSystem } from './system.ts'

const hasTools = process.platform === 'linux' && ['cpio', 'ldd'].every((name) => findProgram(name) !== undefined)
if (!hasTools) console.warn('files of guests: skipped, there is no cpio or ldd on this machine')

let folder: string
let system: GuestSystem
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rocelab-files-'))
  // Three bytes, so that the second archive does not begin at a multiple of four by itself.
  writeFileSync(path.join(folder, 'initrd.gz'), 'abc')
  system = { kernel: '', initrd: path.join(folder, 'initrd.gz'), libraries: ['libc.so.6'] }
})
afterEach(() => rmSync(folder, { recursive: true }))

const named = (name: string, content: string | Uint8Array): string => {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}
const mistakesOf = async (...sources: string[]): Promise<string[]> => {
  const error: unknown = await systemWith(system, sources).catch((reason: unknown) => reason)
  if (!(error instanceof InputError)) throw error
  return error.issues.map(({ path: file }) => path.basename(file))
}

describe.skipIf(!hasTools)('files', () => {
  test('come behind the system, which stays as it is, and go when they are removed', async () => {
    const loaded = await systemWith(system, [named('one.txt', 'first'), path.dirname(named('more/two.txt', 'second'))])
    const bytes = readFileSync(loaded.initrd, 'latin1')
    expect(bytes.slice(0, 10)).toBe('abc\0' + '070701')
    for (const text of ['files/one.txt\0', 'files/two.txt\0', 'first', 'second']) expect(bytes).toContain(text)
    expect(readFileSync(system.initrd, 'utf8')).toBe('abc')
    loaded.remove()
    expect(existsSync(loaded.initrd)).toBe(false)
  })

  test('bring the libraries that guests lack', async () => {
    const loaded = await systemWith(system, [findProgram('bash')!])
    const bytes = readFileSync(loaded.initrd, 'latin1')
    expect(bytes).toMatch(/files-libraries\/libtinfo/)
    expect(bytes).not.toContain('files-libraries/libc.so.6')
    loaded.remove()
  })

  test('that cannot run in a guest are refused, all of them', async () => {
    const other = Buffer.alloc(64)
    other.write('\x7fELF\x02\x01', 'latin1')
    // AArch64.
    other.writeUInt16LE(183, 18)
    const python = named('script.py', '#!/usr/bin/env python3\n')
    expect(await mistakesOf(python, named('other', other), named('run.sh', '#!/bin/sh -e\n'))).toEqual([
      'other',
      'script.py',
    ])
  })

  test('of one name, and those that are not there, are refused', async () => {
    expect(await mistakesOf(named('a/prog', ''), named('b/prog', ''))).toEqual(['prog'])
    expect(await mistakesOf(path.join(folder, 'none'))).toEqual(['none'])
  })
})
