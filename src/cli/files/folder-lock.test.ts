import { spawn, spawnSync } from 'node:child_process'
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { lockFolder } from './folder-lock.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rocelab-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Holder {
  readonly pid: number
  readonly host: string
  readonly started: string
}
const file = (): string => path.join(folder, 'sweep.lock')
const ours = (): Holder => {
  const unlock = lockFolder(folder, 'out', 'sweep')
  const holder = JSON.parse(readFileSync(file(), 'utf8')) as Holder
  unlock()
  return holder
}
const leave = (holder: Partial<Holder>): void => writeFileSync(file(), JSON.stringify(holder))
/** A process that was there and is not any more. */
const gone = (): number => spawnSync(process.execPath, ['--version']).pid

/** A file system that answers otherwise than the one of the tests. */
function onAnother(functions: Partial<typeof fs>, act: () => void): void {
  const real = { ...fs }
  Object.assign(fs, functions)
  syncBuiltinESMExports()
  try {
    act()
  } finally {
    for (const name of Object.keys(functions) as 'linkSync'[]) fs[name] = real[name]
    syncBuiltinESMExports()
  }
}

const systemError = (code: string): Error => Object.assign(new Error(code), { code, syscall: 'link' })
const without = (code: string): Partial<typeof fs> => ({
  linkSync: () => {
    throw systemError(code)
  },
})

describe('a lock on another file system', () => {
  test.each(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'])('without hard links (%s) is one all the same', (code) => {
    onAnother(without(code), () => {
      const unlock = lockFolder(folder, 'out', 'sweep')
      expect((JSON.parse(readFileSync(file(), 'utf8')) as Holder).pid).toBe(process.pid)
      expect(() => lockFolder(folder, 'out', 'sweep')).toThrow(`process ${process.pid} on `)
      unlock()
      leave({ ...ours(), pid: gone() })
      expect(ours().pid).toBe(process.pid)
      expect(readdirSync(folder)).toEqual([])
    })
  })

  test('that fails is told as it is', () => {
    onAnother(without('EIO'), () => expect(() => lockFolder(folder, 'out', 'sweep')).toThrow('EIO'))
    expect(readdirSync(folder)).toEqual([])
    rmSync(folder, { recursive: true })
    expect(() => lockFolder(folder, 'out', 'sweep')).toThrow('ENOENT')
  })

  test('where another one takes the stale lock away first is taken all the same', () => {
    leave({ ...ours(), pid: gone() })
    let taken = 0
    const { renameSync } = fs
    const takenFirst = (from: string, to: string): void => {
      if (taken++ === 0) rmSync(from)
      renameSync(from, to)
    }
    onAnother({ renameSync: takenFirst as typeof fs.renameSync }, () => expect(ours().pid).toBe(process.pid))
    expect(taken).toBe(1)
    leave({ ...ours(), pid: gone() })
    const failing = (): void => {
      throw systemError('EIO')
    }
    onAnother({ renameSync: failing }, () => expect(() => lockFolder(folder, 'out', 'sweep')).toThrow('EIO'))
  })
})

test('a stale lock that another one has taken over in the meantime is put back, and is theirs', () => {
  const holder = ours()
  const theirs = { ...holder, host: 'elsewhere' }
  leave({ ...holder, pid: gone() })
  const { renameSync } = fs
  let isTaken = false
  const takenBefore = (from: string, to: string): void => {
    if (!isTaken) leave(theirs)
    isTaken = true
    renameSync(from, to)
  }
  onAnother({ renameSync: takenBefore as typeof fs.renameSync }, () => {
    expect(() => lockFolder(folder, 'out', 'sweep')).toThrow(' on elsewhere at work in out')
  })
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual(theirs)
  expect(readdirSync(folder)).toEqual(['sweep.lock'])
})

describe('a lock', () => {
  test('says who holds it, and leaves nothing when it is given back', () => {
    expect(ours()).toEqual({ pid: process.pid, host: hostname(), started: expect.any(String) as string })
    expect(readdirSync(folder)).toEqual([])
  })

  test('is held by one at a time, and by each command for itself', () => {
    const unlock = lockFolder(folder, 'out', 'sweep')
    expect(() => lockFolder(folder, 'out', 'sweep')).toThrow(
      `--out: expected a folder that no other sweep writes, received process ${process.pid} on ${hostname()} at work in out`,
    )
    lockFolder(folder, 'out', 'reproduce')()
    unlock()
    lockFolder(folder, 'out', 'sweep')()
    expect(readdirSync(folder)).toEqual([])
  })

  test('of a process that is gone is taken over', () => {
    leave({ ...ours(), pid: gone() })
    expect(ours().pid).toBe(process.pid)
    expect(readdirSync(folder)).toEqual([])
  })

  test.skipIf(process.platform !== 'linux')('of a process whose number another one has now is taken over', () => {
    const { started } = ours()
    expect(started).toMatch(/^\d+$/)
    // This process and a child: both are there, and neither is the one that took the lock.
    const child = spawn(process.execPath, ['--eval', 'setTimeout(() => {}, 60_000)'])
    try {
      for (const pid of [process.pid, child.pid!]) {
        leave({ ...ours(), pid, started: '1' })
        expect(ours()).toEqual({ pid: process.pid, host: hostname(), started })
      }
    } finally {
      child.kill('SIGKILL')
    }
  })

  test('of a process that is there is left alone', () => {
    leave(ours())
    const text = readFileSync(file(), 'utf8')
    expect(() => lockFolder(folder, 'out', 'sweep')).toThrow('(wait for it or name another folder; if there is no such')
    expect(readFileSync(file(), 'utf8')).toBe(text)
    expect(readdirSync(folder)).toEqual(['sweep.lock'])
  })

  test('from another machine is left alone, be its process there or not', () => {
    leave({ ...ours(), host: 'elsewhere', pid: gone() })
    expect(() => lockFolder(folder, 'out', 'sweep')).toThrow(' on elsewhere at work in out')
    expect(readdirSync(folder)).toEqual(['sweep.lock'])
  })

  test.each(['', '{"pid": 7', '{"pid": "7", "host": "x", "started": ""}', '{"pid": 7, "host": 1, "started": ""}', '7'])(
    'that nobody can read is taken over: %s',
    (text) => {
      writeFileSync(file(), text)
      expect(ours().pid).toBe(process.pid)
      expect(readdirSync(folder)).toEqual([])
    },
  )
})
