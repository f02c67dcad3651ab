/**
 * Things that `rocelab doctor` writes for others: the page as a file, the commands to collect, and redacted copies, which never
 * replace anything.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFolder, type Ended, rocelab, ROOT } from './program.ts'

const POD = path.join(ROOT, 'tests', 'doctor', 'pod')

let at: ReturnType<typeof createFolder>
beforeAll(() => {
  at = createFolder({ 'full/a.txt': 'mine\n', 'other.html': 'mine\n' })
  cpSync(POD, path.join(at.folder, 'pod'), { recursive: true })
  writeFileSync(path.join(at.folder, 'pod', 'gpu1', 'notes.txt'), 'ask Bob\n')
})
afterAll(() => at.clear())

const doctor = (...args: string[]): Ended => rocelab(at.folder, 'doctor', ...args)
const read = (...names: string[]): string => readFileSync(path.join(at.folder, ...names), 'utf8')

describe('a page', () => {
  test('is written to a file, or printed, and replaces nothing but a page', () => {
    expect(doctor('pod', '--format', 'html', '--out', 'pod.html').code).toBe(3)
    expect(read('pod.html')).toMatch(/^<!doctype html>/)
    expect(doctor('pod', '--format', 'html').stdout).toBe(read('pod.html'))
    expect(doctor('pod', '--format', 'html', '--out', 'pod.html').code).toBe(3)
    expect(doctor('pod', '--format', 'html', '--out', 'other.html').code).toBe(2)
    expect(read('other.html')).toBe('mine\n')
  })
})

describe('commands to collect', () => {
  test('are those of the languages that are named', () => {
    const { commands } = JSON.parse(doctor('--collect', 'eos', 'mlnx_qos', '--format', 'json').stdout) as {
      commands: { language: string; command: string }[]
    }
    expect(new Set(commands.map(({ language }) => language))).toEqual(new Set(['mlnx_qos', 'eos']))
    expect(commands.map(({ command }) => command)).toContain('show running-config')
    expect(doctor('--collect').stdout).toContain('show_gids')
    expect(doctor('--collect', 'ios').code).toBe(2)
    expect(doctor('pod', '--format', 'sh').code).toBe(2)
    expect(doctor().code).toBe(2)
  })

  test('are a script that collects a host into a folder that is read', () => {
    const tools = path.join(at.folder, 'tools')
    mkdirSync(tools)
    const nic = path.join(POD, 'gpu1', 'mlnx_qos.txt')
    writeFileSync(path.join(tools, 'mlnx_qos'), `#!/bin/sh\n[ "$1 $2" = "-i eth2" ] && cat ${nic}\n`, { mode: 0o755 })
    const script = doctor('--collect', 'mlnx_qos', '--format', 'sh').stdout
    mkdirSync(path.join(at.folder, 'new'))
    const env = { PATH: `${tools}:${process.env['PATH'] ?? ''}`, DEVICE: 'gpu1', INTERFACES: 'eth2' }
    execFileSync('sh', ['-c', script], { cwd: path.join(at.folder, 'new'), env })
    const { stdout } = doctor('new', '--format', 'json')
    const { devices } = JSON.parse(stdout) as { devices: { device: string; files: { form: string }[] }[] }
    expect(devices.map(({ device, files }) => [device, files.map(({ form }) => form)])).toEqual([
      ['gpu1', ['mlnx_qos']],
    ])
    expect(read('new', 'collected.tsv')).toMatch(/^path\ttime\tcommand\ngpu1\/\S+\t\S+Z\tmlnx_qos -i eth2\n$/)
  })
})

describe('a redacted copy', () => {
  test('has no name of the original, the same findings, and a list of what stands for what if asked for', () => {
    const { code, stdout } = doctor('pod', '--redact', 'copy', '--redact-map', 'names.tsv')
    expect(code).toBe(0)
    expect(stdout).toContain('gpu1/notes.txt')
    expect(stdout).toContain('the same as before')
    const names = readdirSync(path.join(at.folder, 'copy'), { recursive: true, encoding: 'utf8' })
    const texts = names.filter((name) => /\.\w+$/.test(name)).map((name) => read('copy', name))
    for (const text of [...names, ...texts]) expect(text).not.toMatch(/gpu[12]|leaf1|Bob/)
    const idsOf = (folder: string): string[] =>
      (JSON.parse(doctor(folder, '--format', 'json').stdout) as { findings: { id: string }[] }).findings.map(
        ({ id }) => id,
      )
    expect(idsOf('copy')).toEqual(idsOf('pod'))
    expect(read('names.tsv')).toContain('device\tgpu1\tbox1\n')
    expect(readdirSync(at.folder).filter((name) => name.startsWith('.tmp'))).toEqual([])
  })

  test.each([
    ['a folder that has something', ['--redact', 'full']],
    ['a folder in the one that is read', ['--redact', 'pod/copy']],
    ['a list in the copy', ['--redact', 'second', '--redact-map', 'second/names.tsv']],
    ['a list that is there', ['--redact', 'second', '--redact-map', 'other.html']],
    ['a list without a copy', ['--redact-map', 'names2.tsv']],
  ])('is not written to %s', (_, args) => {
    expect(doctor('pod', ...args).code).toBe(2)
    expect([read('full', 'a.txt'), existsSync(path.join(at.folder, 'second'))]).toEqual(['mine\n', false])
    expect(readdirSync(at.folder).filter((name) => name.startsWith('.tmp'))).toEqual([])
  })
})
