/** The command line of `rocelab guests`: mistakes, and what is missing on a machine. Guests are in tests/guests. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFolder, rocelab, rocelabWith } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder()
})
afterEach(() => at.clear())

const PROGRAMS = ['--server', 'a', '--client', 'b']

test('reports the mistakes of all scripts at once', () => {
  writeFileSync(path.join(at.folder, 'close.yaml'), '- {match: data, do: close}\n')
  writeFileSync(path.join(at.folder, 'wrong.yaml'), '- {match: dat, do: drop}\n')
  const scripts = ['close.yaml', 'wrong.yaml=failure', 'last-ack', 'none=success', 'last-ack-lost=end']
  const { code, stderr } = rocelab(at.folder, 'guests', ...PROGRAMS, ...scripts.flatMap((each) => ['--script', each]))
  expect(code).toBe(2)
  const lines = stderr.trimEnd().split('\n')
  expect(lines.map((line) => line.split(':')[0])).toEqual(['close.yaml', 'wrong.yaml', '--script'])
  expect(lines[2]).toContain('last-ack-lost')
})

test('a command is a line', () => {
  const { code, stderr } = rocelab(at.folder, 'guests', '--server', 'a\nb', '--client', ' ')
  expect([code, stderr.match(/^--\w+/gm)]).toEqual([2, ['--server', '--client']])
})

test('says what a machine lacks, and which package has it', () => {
  const { code, stderr } = rocelabWith({ PATH: at.folder }, at.folder, 'guests', ...PROGRAMS)
  expect(code).toBe(2)
  const isKind = process.platform === 'linux' && process.arch === 'x64'
  expect(stderr).toContain(isKind ? 'sudo apt-get install qemu-system-x86' : 'Linux on x86-64')
})
