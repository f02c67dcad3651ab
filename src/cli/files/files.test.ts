import { spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { InputError } from '../../core/base/issue.ts'
import { EXIT_BUG, Failure } from '../failure.ts'
import { diskFailure, fileMistake, writeFailure, writeText, type WriteTextOptions, writeWhole } from './files.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rocelab-files-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a replaced file keeps its permissions and the link to it, and is a new inode', () => {
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

test('a file name of the greatest length can be written', () => {
  const long = 'x'.repeat(255)
  writeText(folder, long, 'text', { force: false })
  expect(readFileSync(path.join(folder, long), 'utf8')).toBe('text')
})

/** A system program, which may be missing. */
const MAKE_PIPE = 'mkfifo'

test('a named pipe is written to and not replaced by a file', () => {
  const pipe = path.join(folder, 'pipe')
  expect(spawnSync(MAKE_PIPE, [pipe]).status).toBe(0)
  // Opened at both ends, so that neither end blocks.
  const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK)
  try {
    writeText(folder, 'pipe', 'text', { force: false })
    expect(statSync(pipe).isFIFO()).toBe(true)
    const bytes = Buffer.alloc(10)
    expect(bytes.toString('utf8', 0, readSync(reader, bytes))).toBe('text')
  } finally {
    closeSync(reader)
  }
})

test('a failed write leaves no temporary file', () => {
  expect(() => writeWhole(folder, 'text')).toThrow(/EISDIR|ENOTEMPTY|EEXIST/)
  expect(readdirSync(path.dirname(folder)).filter((name) => name.startsWith(`.tmp-${process.pid}.`))).toEqual([])
})

test('a file with other content is replaced only with --force, or if isOurs accepts it', () => {
  const at = path.join(folder, 'a.txt')
  const write = (text: string, options: WriteTextOptions): string => {
    writeText(folder, 'a.txt', text, options)
    return readFileSync(at, 'utf8')
  }
  expect(write('one', { force: false })).toBe('one')
  expect(write('one', { force: false })).toBe('one')
  const refused =
    '--out: expected a new file, received an existing file with other content: a.txt (--force replaces it)'
  expect(() => write('two', { force: false })).toThrow(refused)
  expect(() => write('two', { force: false, isOurs: (old) => old !== 'one' })).toThrow(refused)
  expect(readFileSync(at, 'utf8')).toBe('one')
  expect(write('two', { force: false, isOurs: (old) => old === 'one' })).toBe('two')
  expect(write('three', { force: true })).toBe('three')
})

test('an input file is never replaced, under any of its names', () => {
  const read = path.join(folder, 'read.txt')
  writeFileSync(path.join(folder, 'other.txt'), 'other')
  writeFileSync(read, 'read')
  symlinkSync('read.txt', path.join(folder, 'link.txt'))
  const inputs = [path.join(folder, 'other.txt'), read]
  for (const name of ['read.txt', 'link.txt']) {
    expect(() => writeText(folder, name, 'text', { force: true, inputs })).toThrow(
      `--out: expected a new file, received an input file: ${name} (name another file)`,
    )
  }
  expect(readFileSync(read, 'utf8')).toBe('read')
  writeText(folder, 'new.txt', 'text', { force: false, inputs })
  writeText(folder, 'new.txt', 'other text', { force: true, inputs })
  expect(readFileSync(path.join(folder, 'new.txt'), 'utf8')).toBe('other text')
})

test('the message for a path that cannot be written shows it as the user gave it', () => {
  writeText(folder, 'a.txt', '', { force: false })
  expect(() => writeText(folder, path.join('a.txt', 'x'), '', { force: false })).toThrow(
    `${path.join('a.txt', 'x')}: expected a file that can be written, received a path through a file`,
  )
  expect(() => writeText(folder, '.', '', { force: true })).toThrow(
    '.: expected a file that can be written, received a folder',
  )
})

/** An error like those of the system. */
const systemError = (code: string): Error => Object.assign(new Error(`${code}: it says`), { code, syscall: 'write' })

test('a full or failing disk is a system failure, whose message names the file that was not written', () => {
  const reported = (code: string): unknown => writeFailure(systemError(code), 'out.txt', 'a file')
  expect(reported('ENOSPC')).toEqual(new Failure('no space left on the disk: out.txt was not written', EXIT_BUG))
  expect(reported('EDQUOT')).toEqual(new Failure('the disk quota is used up: out.txt was not written', EXIT_BUG))
  expect(reported('EIO')).toEqual(new Failure('out.txt was not written: EIO: it says', EXIT_BUG))
  expect(reported('EMFILE')).toEqual(new Failure('out.txt was not written: EMFILE: it says', EXIT_BUG))
  expect(reported('EROFS')).toBeInstanceOf(InputError)
  expect(reported('EROFS')).toMatchObject({
    message: 'out.txt: expected a file, received a read-only file system',
  })
})

test('a bug is not reported as a mistake of the user', () => {
  for (const bug of [new Error('bug'), new InputError([]), 'text', undefined]) {
    expect(writeFailure(bug, 'out.txt', 'a file')).toBe(bug)
    expect(fileMistake(bug, 'out.txt', 'a file')).toBe(bug)
    expect(diskFailure(bug, 'out.txt')).toBeUndefined()
  }
})

test('an I/O error while reading a file is reported', () => {
  expect(fileMistake(systemError('EIO'), 'in.txt', 'a file')).toEqual(
    new InputError([
      { path: '', file: 'in.txt', expected: 'a file', received: 'a file that cannot be read (EIO)', hint: '' },
    ]),
  )
})
