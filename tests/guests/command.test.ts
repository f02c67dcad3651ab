/**
 * `rocelab guests` with the program of docs/guides/ci-without-a-nic.md: it finds the mistakes, and passes without them.
 * An interrupted command leaves no guest behind.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readPcapng } from '../../src/core/wire/captures/pcapng-reader.test-data.ts'
import { guestObstacle } from '../../src/live/drivers/guests/index.ts'
import { createFolder, rocelab, startRocelab, until } from '../cli/program.ts'
import { fencesOf, read } from '../docs/pages.ts'
import { onPath } from '../support/on-path.ts'
import { CACHE } from './cache.ts'

const canBuild =
  existsSync('/usr/include/rdma/rdma_verbs.h') && ['cc', 'patch'].every((name) => onPath(name) !== undefined)
const obstacle = guestObstacle() ?? (canBuild ? null : 'there is no cc, no patch or no librdmacm-dev on this machine')
if (obstacle !== null) console.warn(`rocelab guests: skipped, ${obstacle}`)

interface Printed {
  readonly runs: readonly {
    readonly isExpected: boolean
    readonly client: { readonly code: number | null; readonly output: string }
    readonly server: { readonly code: number | null }
    readonly reasons: readonly { readonly kind: string }[]
    readonly rules: readonly { readonly acted: number }[]
  }[]
}

/** Guests that a process started. */
const guestsIn = (pid: number): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const isChild = new RegExp(`^PPid:\\t${pid}$`, 'm').test(readFileSync(`/proc/${name}/status`, 'utf8'))
        return isChild && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('rl.mark=')
      } catch {
        return false
      }
    })

describe.skipIf(obstacle !== null)('rocelab guests', () => {
  let at: ReturnType<typeof createFolder>
  beforeAll(() => {
    const page = fencesOf(read('docs/guides/ci-without-a-nic.md'))
    const files = page.filter(({ title }) => /^(deliver\.c|fixed\.diff)$/.test(title))
    at = createFolder(Object.fromEntries(files.map(({ title, text }) => [title, text])))
    const run = (program: string, ...args: string[]): void => void execFileSync(program, args, { cwd: at.folder })
    run('patch', '-s', '-o', 'fixed.c', 'deliver.c', 'fixed.diff')
    for (const name of ['deliver', 'fixed'])
      run('cc', '-Wall', '-Werror', '-o', name, `${name}.c`, '-lrdmacm', '-libverbs')
  })
  afterAll(() => at?.clear())
  const args = (program: string, ...more: string[]): string[] => {
    const programs = ['--file', program, '--server', program, '--client', `${program} server`]
    return ['guests', '--cache', CACHE, ...programs, '--script', 'remote-operation-error=failure', ...more]
  }

  test('a program that does not look at the status of completions is found', () => {
    const { code, stdout } = rocelab(at.folder, ...args('deliver', '--for', '10s', '--json'))
    const { runs } = JSON.parse(stdout) as Printed
    expect(code).toBe(1)
    expect(runs).toMatchObject([{ client: { code: 0, output: '100 messages delivered\n' }, server: { code: null } }])
    expect(runs[0]!.reasons.map(({ kind }) => kind)).toEqual(['no-failure', 'killed'])
  })

  test('one that does is as expected, and its packets are in the capture', () => {
    const { code, stdout } = rocelab(at.folder, ...args('fixed', '--capture', 'all.pcapng'))
    expect(code).toBe(0)
    expect(stdout).toMatch(/^client \| remote operation error$/m)
    const { frames } = readPcapng(readFileSync(path.join(at.folder, 'all.pcapng')))
    expect(frames.map(({ comment }) => comment)).toContain('rule 1: nak, made here')
  })

  test.each(['SIGINT', 'SIGKILL'] as const)('%s ends the guests too', async (signal) => {
    const { child, ended } = startRocelab(at.folder, ...args('deliver'))
    await until(() => guestsIn(child.pid!).length === 2)
    const guests = guestsIn(child.pid!)
    child.kill(signal)
    expect((await ended).code).toBe(signal === 'SIGINT' ? 130 : null)
    await until(() => guests.every((pid) => !existsSync(`/proc/${pid}`)))
  })
})
