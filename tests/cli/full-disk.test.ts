import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CaptureReader } from '../../src/core/wire/index.ts'
import { createFolder, rocelab, SMALL, startRocelab } from './program.ts'

const disk = mkdtempSync(path.join(tmpdir(), 'rocelab-disk-'))
const isMounted = mount()
const reason = isMounted ? '' : ' (skipped: needs the right to mount a small disk)'

describe(`a disk of 24 KB${reason}`, () => {
  let at: ReturnType<typeof createFolder>
  beforeAll(() => {
    at = createFolder({ 'small.yaml': SMALL })
  })
  afterAll(() => {
    at.clear()
    if (isMounted) asRoot('umount', disk)
    rmSync(disk, { recursive: true, force: true })
  })

  test.skipIf(!isMounted)('gets no incomplete result, and one clear message after the summary', () => {
    const { code, stdout, stderr } = rocelab(at.folder, 'run', 'small.yaml', '--out', path.join(disk, 'a', 'out'))
    expect(code).toBe(1)
    expect(stdout).toContain('flows finished   4 of 4')
    expect(stdout).not.toContain('result in')
    expect(stderr).toMatch(/^rocelab: no space left on the disk: \S+out was not written\n$/)
    expect(readdirSync(path.join(disk, 'a'))).toEqual([])
  })

  test.skipIf(!isMounted)('still prints the complete object of --json', () => {
    const out = path.join(disk, 'a', 'out')
    const { code, stdout } = rocelab(at.folder, 'run', 'small.yaml', '--json', '--out', out)
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ name: 'small', flows: { finished: 4 }, folder: null })
  })

  test.skipIf(!isMounted)('keeps the old result when the new one does not fit', () => {
    const out = path.join(disk, 'b')
    mkdirSync(out)
    execFileSync('sh', ['-c', 'echo 0123456789abcdef > digest.txt; echo {} > summary.json'], { cwd: out })
    expect(rocelab(at.folder, 'run', 'small.yaml', '--out', out, '--force').code).toBe(1)
    expect(readdirSync(out).toSorted()).toEqual(['digest.txt', 'summary.json'])
    expect(readdirSync(disk).toSorted()).toEqual(['a', 'b'])
    rmSync(out, { recursive: true })
  })

  test.skipIf(!isMounted)('keeps the old file of --out when the new one does not fit', () => {
    const old = path.join(disk, 'old.json')
    writeFileSync(old, '{}', { mode: 0o600 })
    const { code, stderr } = rocelab(at.folder, 'schema', '--out', old, '--force')
    expect(code).toBe(1)
    expect(stderr).toMatch(/^rocelab: no space left on the disk: \S+old\.json was not written\n$/)
    expect(readFileSync(old, 'utf8')).toBe('{}')
    expect(readdirSync(disk).toSorted()).toEqual(['a', 'old.json'])
    rmSync(old)
  })

  test.skipIf(!isMounted)(
    'keeps the frames of a live capture that fit, and ends it with what happened so far',
    async () => {
      const file = path.join(disk, 'all.pcapng')
      const server = startRocelab(
        at.folder,
        'peer',
        'rping',
        '--link',
        '47111:47112',
        '--ip',
        '192.0.2.2',
        '--capture',
        file,
      )
      const link = ['--link', '47112:47111', '--ip', '192.0.2.1', '--connect', '192.0.2.2']
      const client = startRocelab(at.folder, 'peer', 'rping', ...link, '-n', '100000')
      const { code, stdout, stderr } = await server.ended
      client.child.kill('SIGKILL')
      await client.ended
      expect(code).toBe(1)
      expect(stdout).toMatch(/^rping as server: /)
      expect(stderr).toMatch(
        /\nrocelab: no space left on the disk: \S+all\.pcapng has the frames up to then, and no others\n$/,
      )
      let frames = 0
      const reader = new CaptureReader(() => frames++)
      reader.push(new Uint8Array(readFileSync(file)))
      expect([reader.end().damage, frames > 50]).toEqual([null, true])
      rmSync(file)
    },
  )

  test.skipIf(!isMounted)('keeps the points of a sweep that fit', () => {
    const out = path.join(disk, 'sweep')
    const args = ['sweep', 'small.yaml', '--param', 'workload.0.senders=1,2,3,4', '--seeds', '20', '--out', out]
    const { code, stderr } = rocelab(at.folder, ...args)
    expect(code).toBe(1)
    expect(stderr).toMatch(/no space left on the disk: \S+points\.jsonl was not written\n$/)
    const whole = readFileSync(path.join(out, 'points.jsonl'), 'utf8').split('\n').slice(0, -1)
    expect(whole.length).toBeGreaterThan(3)
    for (const line of whole) expect(JSON.parse(line)).toHaveProperty('summary')
    rmSync(out, { recursive: true })
  })

  test.skipIf(!isMounted)('keeps the points of a task that fit; with room the sweep is the one of a large disk', () => {
    const sweep = ['sweep', 'small.yaml', '--param', 'workload.0.senders=1,2,3,4', '--seeds', '20', '--quiet']
    const on = [...sweep, '--out', 'tasks', '--on', 'files', '--task-points', '80']
    rocelab(at.folder, ...sweep, '--out', 'here')
    rocelab(at.folder, ...on)
    const cluster = path.join(at.folder, 'tasks', 'cluster')
    const [job = ''] = readdirSync(cluster).filter((name) => name.startsWith('rocelab-'))
    const logs = path.join(cluster, 'logs')
    mkdirSync(logs)
    mountAt(logs)
    const task = ['task', path.join('tasks', 'cluster', job, 'task-0.jsonl'), '--jobs', '2']
    const { code, stderr } = rocelab(at.folder, ...task)
    expect(code).toBe(1)
    expect(stderr).toMatch(/no space left on the disk: \S+\.jsonl was not written\n$/)
    const kept = path.join(at.folder, 'kept')
    cpSync(logs, kept, { recursive: true })
    asRoot('umount', logs)
    cpSync(kept, logs, { recursive: true })
    const again = rocelab(at.folder, ...task)
    expect(again.code).toBe(0)
    expect(again.stderr).toMatch(/^rocelab: \d\d of 80 points finished, \d+ had ended before\n$/)
    expect(rocelab(at.folder, ...on).code).toBe(0)
    for (const name of ['sweep.csv', 'sweep.json']) {
      const [ours, theirs] = ['tasks', 'here'].map((out) => readFileSync(path.join(at.folder, out, name), 'utf8'))
      expect(ours).toBe(theirs)
    }
  })
})

test.skipIf(!isMounted)('a mount point can hold a result, and another with --force', () => {
  const top = mkdtempSync(path.join(tmpdir(), 'rocelab-top-'))
  const at = createFolder({ 'small.yaml': SMALL })
  asRoot('mount', '-t', 'tmpfs', 'tmpfs', top)
  try {
    const args = ['run', 'small.yaml', '--quiet', '--out', top]
    expect(rocelab(at.folder, ...args)).toMatchObject({ code: 0, stdout: `${top}\n`, stderr: '' })
    expect(rocelab(at.folder, ...args).code).toBe(2)
    expect(rocelab(at.folder, ...args, '--seed', '2', '--force')).toMatchObject({ code: 0, stderr: '' })
    expect(readFileSync(path.join(top, 'scenario.yaml'), 'utf8')).toContain('seed: 2')
    expect(readdirSync(top).filter((name) => name.startsWith('.'))).toEqual([])
  } finally {
    asRoot('umount', top)
    rmSync(top, { recursive: true, force: true })
    at.clear()
  }
})

function mount(): boolean {
  try {
    mountAt(disk)
    return true
  } catch {
    return false
  }
}

function mountAt(folder: string): void {
  asRoot('mount', '-t', 'tmpfs', '-o', 'size=24k', 'tmpfs', folder)
}

function asRoot(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: 'ignore' })
}
