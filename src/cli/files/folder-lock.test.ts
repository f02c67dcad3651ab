import { spawn, spawnSync } from 'node:child_process'
import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { hostname, tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
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
  const lock = lockFolder(folder, 'out', 'sweep')
  const holder = JSON.parse(readFileSync(file(), 'utf8')) as Holder
  lock.release()
  return holder
}
const leave = (holder: Partial<Holder>): void => writeFileSync(file(), JSON.stringify(holder))
/** Process id of a process that has ended. */
const gone = (): number => spawnSync(process.execPath, ['--version']).pid

/** Runs `act` with some functions of node:fs replaced. */
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
  test.each(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'])('works without hard links (%s)', (code) => {
    onAnother(without(code), () => {
      const lock = lockFolder(folder, 'out', 'sweep')
      expect((JSON.parse(readFileSync(file(), 'utf8')) as Holder).pid).toBe(process.pid)
      expect(() => lockFolder(folder, 'out', 'sweep')).toThrow(`process ${process.pid} on `)
      lock.release()
      leave({ ...ours(), pid: gone() })
      expect(ours().pid).toBe(process.pid)
      expect(readdirSync(folder)).toEqual([])
    })
  })

  test('reports system errors unchanged', () => {
    onAnother(without('EIO'), () => expect(() => lockFolder(folder, 'out', 'sweep')).toThrow('EIO'))
    expect(readdirSync(folder)).toEqual([])
    rmSync(folder, { recursive: true })
    expect(() => lockFolder(folder, 'out', 'sweep')).toThrow('ENOENT')
  })

  test('is taken even if another process removes the stale lock first', () => {
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

test('a lock that another process has taken over in the meantime is left to it', () => {
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
    expect(() => lockFolder(folder, 'out', 'sweep')).toThrow(' on elsewhere writing out')
  })
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual(theirs)
  expect(readdirSync(folder)).toEqual(['sweep.lock'])
})

describe('a lock', () => {
  test('names its holder, and leaves no file when released', () => {
    expect(ours()).toEqual({ pid: process.pid, host: hostname(), started: expect.any(String) as string })
    expect(readdirSync(folder)).toEqual([])
  })

  test('is held by one process at a time, separately for each command', () => {
    const lock = lockFolder(folder, 'out', 'sweep')
    expect(() => lockFolder(folder, 'out', 'sweep')).toThrow(
      `--out: expected a folder that no other sweep is writing, received process ${process.pid} on ${hostname()} writing out`,
    )
    lockFolder(folder, 'out', 'reproduce').release()
    lock.release()
    lockFolder(folder, 'out', 'sweep').release()
    expect(readdirSync(folder)).toEqual([])
  })

  test('of a dead process is taken over', () => {
    leave({ ...ours(), pid: gone() })
    expect(ours().pid).toBe(process.pid)
    expect(readdirSync(folder)).toEqual([])
  })

  test.skipIf(process.platform !== 'linux')('of a dead process whose id was reused is taken over', () => {
    const { started } = ours()
    expect(started).toMatch(/^\d+$/)
    // Both this process and a child are running, but neither has taken the lock.
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

  test('of a running process is respected', () => {
    leave(ours())
    const text = readFileSync(file(), 'utf8')
    expect(() => lockFolder(folder, 'out', 'sweep')).toThrow('(wait for it or name another folder; if no such')
    expect(readFileSync(file(), 'utf8')).toBe(text)
    expect(readdirSync(folder)).toEqual(['sweep.lock'])
  })

  test('from another machine is respected, even if its process id is not in use here', () => {
    leave({ ...ours(), host: 'elsewhere', pid: gone() })
    expect(() => lockFolder(folder, 'out', 'sweep')).toThrow(' on elsewhere writing out')
    expect(readdirSync(folder)).toEqual(['sweep.lock'])
  })

  test('from another machine is taken over when it has not been written for ten minutes', () => {
    const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000)
    leave({ ...ours(), host: 'elsewhere' })
    utimesSync(file(), minutesAgo(9), minutesAgo(9))
    expect(() => lockFolder(folder, 'out', 'sweep')).toThrow(
      /its last sign of life was 540 s ago, and after 10 minutes/,
    )
    utimesSync(file(), minutesAgo(11), minutesAgo(11))
    expect(ours().host).toBe(hostname())
    expect(readdirSync(folder)).toEqual([])
  })

  test('that was taken over is noticed by its former holder, who leaves it alone', () => {
    const lock = lockFolder(folder, 'out', 'sweep')
    lock.expectHeld()
    const theirs = { ...(JSON.parse(readFileSync(file(), 'utf8')) as Holder), host: 'elsewhere' }
    leave(theirs)
    expect(() => lock.expectHeld()).toThrow('out was taken over by another process')
    lock.release()
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual(theirs)
  })

  test('is written again while its holder lives, and not once it is released', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const lock = lockFolder(folder, 'out', 'sweep')
      const text = readFileSync(file(), 'utf8')
      utimesSync(file(), new Date(0), new Date(0))
      vi.advanceTimersByTime(60_000)
      expect(statSync(file()).mtimeMs).toBeGreaterThan(0)
      expect(readFileSync(file(), 'utf8')).toBe(text)
      lock.release()
      vi.advanceTimersByTime(60_000)
      expect(readdirSync(folder)).toEqual([])
    } finally {
      vi.useRealTimers()
    }
  })

  test.each(['', '{"pid": 7', '{"pid": "7", "host": "x", "started": ""}', '{"pid": 7, "host": 1, "started": ""}', '7'])(
    'that is damaged is taken over: %s',
    (text) => {
      writeFileSync(file(), text)
      expect(ours().pid).toBe(process.pid)
      expect(readdirSync(folder)).toEqual([])
    },
  )
})
