/**
 * `rocelab scenario` and `rocelab doctor --try` on folders of real files: the scenario and its page, and the run with a remedy
 * beside the one without.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFolder, type Ended, inFlight, rocelab, ROOT, startRocelab } from './program.ts'

const PODS = path.join(ROOT, 'tests', 'doctor')

interface Page {
  readonly schemaVersion: number
  readonly scenario: string
  readonly names: readonly { name: string; device: string }[]
  readonly page: readonly { kind: string; key: string; device: string; value: unknown; file: string; line: number }[]
}
interface Side {
  readonly flows: number
  readonly unfinished: number
  readonly maxCompletionPs: number | null
  readonly drops: number
}
interface Tried {
  readonly findings: readonly string[]
  readonly changes: readonly object[]
  readonly traffic: string
  readonly seeds: readonly number[]
  readonly before: Side
  readonly after: Side
}

let at: ReturnType<typeof createFolder>
beforeAll(() => {
  at = createFolder({ 'empty/a/notes.txt': 'ask Bob\n', 'there.yaml': 'other: text\n' })
  cpSync(path.join(PODS, 'pod'), path.join(at.folder, 'pod'), { recursive: true })
  cpSync(path.join(PODS, 'pod-cured'), path.join(at.folder, 'cured'), { recursive: true })
})
afterAll(() => at.clear())

const scenario = (...args: string[]): Ended => rocelab(at.folder, 'scenario', '--from', ...args)
const doctor = (...args: string[]): Ended => rocelab(at.folder, 'doctor', ...args)

describe('an archive', () => {
  test('is a folder for scenario and drift, too, under its name', () => {
    execFileSync('tar', ['czf', 'pod.tgz', 'pod'], { cwd: at.folder })
    const whole = readFileSync(path.join(at.folder, 'pod.tgz'))
    writeFileSync(path.join(at.folder, 'cut.tgz'), whole.subarray(0, whole.length / 2))
    const { code, stdout } = scenario('pod.tgz')
    expect([code, stdout]).toEqual([0, scenario('pod').stdout])
    const drift = (...args: string[]): Ended => rocelab(at.folder, 'drift', ...args, '--json')
    const { findings } = JSON.parse(drift('cured', 'pod').stdout) as { findings: object[] }
    expect(findings).toHaveLength(4)
    expect(JSON.parse(drift('cured', 'pod.tgz').stdout)).toEqual({ findings })
    for (const { code: of, stderr } of [scenario('cut.tgz'), drift('cured', 'cut.tgz'), drift('cured', 'no.tgz')])
      expect([of, stderr.split('\n').filter(Boolean).length]).toEqual([2, 1])
  })
})

describe('scenario', () => {
  test('prints a scenario with the mistakes of the folder, and the page beside it', () => {
    const { code, stdout, stderr } = scenario('pod')
    expect(code).toBe(0)
    expect(stdout).toMatch(/names:\s+- "0 gpu1"\s+- "1 gpu2"\s+- "2 leaf1"/)
    expect(stdout).toContain('path: nic.trust')
    const heads = stderr.match(/^(taken|default|assumed|left out) /gm)
    expect(heads?.map((head) => head.trim())).toEqual(['taken', 'assumed', 'left out'])
    expect(stderr).toContain('gpu2/mlnx_qos.txt:8')
  })

  test('writes a file that check and run take, and replaces no other one', () => {
    expect(scenario('cured', '--out', 'cured.yaml').code).toBe(0)
    const { findings } = JSON.parse(rocelab(at.folder, 'check', 'cured.yaml', '--json').stdout) as {
      findings: { severity: string }[]
    }
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([])
    const ran = JSON.parse(rocelab(at.folder, 'run', 'cured.yaml', '--json').stdout) as {
      flows: { finished: number }
      drops: object
    }
    expect([ran.flows.finished, ran.drops]).toEqual([2, {}])
    expect(scenario('cured', '--out', 'there.yaml').code).toBe(2)
    expect(scenario('cured', '--out', 'there.yaml', '--force').code).toBe(0)
    expect(readFileSync(path.join(at.folder, 'there.yaml'), 'utf8')).toContain('- "0 gpu1"')
  })

  test('gives names, page and text as one object', () => {
    const { schemaVersion, names, page, scenario: text } = JSON.parse(scenario('pod', '--json').stdout) as Page
    expect([schemaVersion, names.length, text.includes('kind: graph')]).toEqual([1, 3, true])
    expect(page).toContainEqual(
      expect.objectContaining({
        kind: 'taken',
        key: 'pfc.classes',
        device: 'gpu2',
        value: [],
        file: 'gpu2/mlnx_qos.txt',
        line: 8,
      }),
    )
    expect(page.filter(({ kind }) => kind === 'left out').map(({ key }) => key)).toContain('takesGlobalPause')
  })

  test.each([
    ['a folder that is not there', ['nowhere']],
    ['a folder without links', ['empty']],
    ['traffic of no kind', ['pod', '--traffic', 'flood']],
    ['a storm of a device that is not there', ['pod', '--traffic', 'storm:gpu9']],
  ])('%s is one mistake', (_, args) => {
    const { code, stdout, stderr } = scenario(...args)
    expect([code, stdout, stderr.trim().split('\n').length]).toEqual([2, '', 1])
  })
})

describe('doctor --try', () => {
  const tried = (...args: string[]): Tried => JSON.parse(doctor('pod', '--format', 'json', ...args).stdout) as Tried

  test('loses less with PFC at both ends, from the same seeds', () => {
    const { findings, changes, traffic, seeds, before, after } = tried('--try', 'pfc01@gpu2:eth2')
    expect([findings, traffic, seeds]).toEqual([['pfc01 at gpu2 eth2'], 'incast:8', [1, 2, 3]])
    expect(changes).toContainEqual({ device: 'gpu2', port: 'eth2', field: 'pfcClasses', value: [3] })
    expect(after.drops).toBeLessThan(before.drops / 2)
    expect([before.unfinished > 0, after.unfinished]).toEqual([true, 0])
    expect([before.maxCompletionPs, typeof after.maxCompletionPs]).toEqual([null, 'number'])
    expect(before.flows).toBe(after.flows)
  })

  test('prints both sides', () => {
    const { code, stdout } = doctor('pod', '--try', 'PFC01', '--traffic', 'incast:1')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^drops +[\d,]+ +[\d,]+$/m)
  })

  test.each([
    ['a rule that has not fired', ['pod', '--try', 'buf01']],
    ['a device without the finding', ['pod', '--try', 'pfc01@gpu1']],
    ['a folder without findings', ['cured', '--try', 'pfc01']],
    ['a text that names no rule', ['pod', '--try', 'everything']],
    ['SARIF', ['pod', '--try', 'pfc01', '--format', 'sarif']],
    ['traffic without a finding', ['pod', '--traffic', 'incast:8']],
  ])('%s is one mistake', (_, args) => {
    const { code, stdout, stderr } = doctor(...args)
    expect([code, stdout, stderr.trim().split('\n').length]).toEqual([2, '', 1])
  })

  test('ends at Ctrl-C and shows nothing', async () => {
    const { child, ended } = startRocelab(at.folder, 'doctor', 'pod', '--try', 'pfc01', '--traffic', 'storm:gpu2')
    await inFlight(child)
    child.kill('SIGINT')
    const { code, stdout } = await ended
    // A run that is over before the signal is no failure of this test.
    expect(code === 130 ? stdout : code).toBe(code === 130 ? '' : 0)
  })
})
