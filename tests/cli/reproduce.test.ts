import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { experiments } from '../../src/papers/index.ts'
import { createFolder, rocelab, startRocelab, until } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder()
})
afterEach(() => at.clear())

test('experiments are listed with title and source', () => {
  const { code, stdout } = rocelab(at.folder, 'reproduce')
  expect(code).toBe(0)
  for (const { name, title, source } of experiments) {
    expect(stdout).toContain(name)
    expect(stdout).toContain(title)
    expect(stdout).toContain(source)
  }
})

test('--json prints one object on standard output, and messages on standard error', () => {
  const { code, stdout, stderr } = rocelab(
    at.folder,
    'reproduce',
    'livelock',
    '--seeds',
    '1,3',
    '--json',
    '--out',
    'live',
  )
  expect(code).toBe(0)
  expect(stdout).toMatch(/^\{.*\}\n$/)
  const { tables, claims, remarks, ...rest } = JSON.parse(stdout) as {
    readonly claims: readonly Readonly<Record<string, string>>[]
    readonly tables: readonly { readonly title: string; readonly columns: string[]; readonly rows: string[][] }[]
    readonly remarks: readonly string[]
  }
  expect(rest).toMatchObject({ experiment: 'livelock', size: 'small', seeds: [1, 3], folder: 'live' })
  expect(claims[0]).toMatchObject({ id: 'rce.livelock.gb0.send', paper: '0 Gb/s', verdict: 'reproduced' })
  expect(Object.keys(claims[0]!)).toEqual(expect.arrayContaining(['statement', 'measured', 'reason']))
  expect(remarks.length).toBeGreaterThan(1)
  for (const { columns, rows } of tables) expect(rows.map((row) => row.length)).toEqual(rows.map(() => columns.length))
  expect(stderr).toContain('report in live')
  expect(readdirSync(path.join(at.folder, 'live'))).toContain('livelock.md')
  expect(readFileSync(path.join(at.folder, 'live', 'livelock.md'), 'utf8')).toContain(tables[0]!.rows[0]!.join(' | '))
})

test('--report writes a page and names it; a report without one has no page of an earlier report', () => {
  const run = (...args: string[]): string =>
    rocelab(at.folder, 'reproduce', 'livelock', '--out', 'live', '--quiet', ...args).stdout
  const page = path.join(at.folder, 'live', 'report.html')
  expect(run('--report')).toMatch(/report in live, its page: live\/report\.html\n$/)
  expect(readFileSync(page, 'utf8')).toContain('[MS-Scale]')
  expect(run('--report')).toMatch(/its page: live\/report\.html\n$/)
  expect(run()).toMatch(/report in live\n$/)
  expect(existsSync(page)).toBe(false)
})

test('the list of experiments is JSON too', () => {
  const list = JSON.parse(rocelab(at.folder, 'reproduce', '--json').stdout) as { readonly experiment: string }[]
  expect(list.map(({ experiment }) => experiment)).toEqual(experiments.map(({ name }) => name))
})

test.each([
  [['reproduce', 'pfc-rose'], 'did you mean pfc-roce?'],
  [['reproduce', 'pfc-roce', '--size', 'huge'], 'Expected "huge" to be one of (small|full)'],
  [['reproduce', 'pfc-roce', '--seeds', 'many'], '--seeds: expected a number of seeds'],
])('%j is a mistake', (args, expected) => {
  expect(rocelab(at.folder, ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(expected) as string })
})

test('a foreign folder, or a path that cannot be a folder, is refused before anything runs', () => {
  mkdirSync(path.join(at.folder, 'mine'))
  writeFileSync(path.join(at.folder, 'mine', 'thesis.txt'), '')
  for (const [out, expected] of [
    ['mine', '--out: expected a new folder, or that of an earlier report, received something else in mine'],
    [
      'mine/thesis.txt',
      'mine/thesis.txt: expected a folder that can be written, received a file of that name (choose another folder name)',
    ],
    ['mine/thesis.txt/x', 'mine/thesis.txt/x: expected a folder that can be written, received a path through'],
  ] as const) {
    const { code, stdout, stderr } = rocelab(at.folder, 'reproduce', 'livelock', '--out', out)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(expected)
  }
  expect(readdirSync(path.join(at.folder, 'mine'))).toEqual(['thesis.txt'])
})

test('locks its folder: a second process reports the holder, and the lock of a killed one is taken over', async () => {
  const out = path.join(at.folder, 'out')
  const lock = path.join(out, 'reproduce.lock')
  const first = startRocelab(at.folder, 'reproduce', 'pfc-roce', '--jobs', '1', '--out', 'out')
  await until(() => existsSync(lock))
  const { code, stdout, stderr } = rocelab(at.folder, 'reproduce', 'livelock', '--out', 'out')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(
    /^--out: expected a folder that no other reproduce is writing, received process \d+ on .* writing out \(/,
  )
  expect(stderr).toContain(`process ${first.child.pid} on `)
  first.child.kill('SIGKILL')
  await first.ended
  expect(existsSync(lock)).toBe(true)
  expect(rocelab(at.folder, 'reproduce', 'survey-examples', '--out', 'out')).toMatchObject({ code: 0, stderr: '' })
  expect(readdirSync(out)).toContain('report.txt')
  expect(existsSync(lock)).toBe(false)
})

test('finished runs survive an interruption', async () => {
  const runs = path.join(at.folder, 'results', 'pfc-roce-small', 'runs')
  const { child, ended } = startRocelab(at.folder, 'reproduce', 'pfc-roce')
  await until(() => existsSync(runs) && readdirSync(runs).some((name) => !name.includes('.tmp-')))
  child.kill('SIGINT')
  const { code, stdout, stderr } = await ended
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' })
  expect(stderr).toContain('finished runs are kept; repeat the command to resume')
  expect(readdirSync(runs).length).toBeGreaterThan(0)
})

test('adding seeds to a report runs only the new ones, and one run to check that the program is the same', () => {
  const all = (...args: string[]) => rocelab(at.folder, 'reproduce', 'livelock', '--json', ...args)
  const first = all('--seeds', '1', '--out', 'one')
  const whole = all('--seeds', '2', '--out', 'two')
  const more = all('--seeds', '2', '--from', 'one/livelock.csv', '--out', 'more')
  expect([first.code, whole.code, more.code]).toEqual([0, 0, 0])
  const text = (folder: string, name: string): string => readFileSync(path.join(at.folder, folder, name), 'utf8')
  expect(text('more', 'livelock.csv')).toBe(text('two', 'livelock.csv'))
  expect(text('more', 'livelock.md')).toContain(
    'are taken from an earlier report; one was run again and had the same events.',
  )
  expect(text('more', 'livelock.md').replace(/\n[^\n]*earlier report[^\n]*\n/, '')).toBe(text('two', 'livelock.md'))
})

test('runs are taken from several files, and those of another experiment are ignored', () => {
  const all = (...args: string[]) => rocelab(at.folder, 'reproduce', 'livelock', '--json', '--quiet', ...args)
  expect([all('--seeds', '1', '--out', 'one').code, all('--seeds', '2,3', '--out', 'others').code]).toEqual([0, 0])
  const csv = readFileSync(path.join(at.folder, 'others', 'livelock.csv'), 'utf8')
    .trimEnd()
    .split('\n')
  writeFileSync(
    path.join(at.folder, 'mixed.csv'),
    `${[...csv, csv.at(-1)!.replace(/^("[^"]*"|[^,]*),/, 'irn | no PFC | none,')].join('\n')}\n`,
  )
  const joined = all('--seeds', '1,2,3', '--from', 'one/livelock.csv,mixed.csv', '--out', 'joined')
  expect(joined).toMatchObject({ code: 0 })
  const whole = all('--seeds', '1,2,3', '--out', 'whole')
  const claims = (stdout: string): unknown => (JSON.parse(stdout) as { claims: unknown }).claims
  expect(claims(joined.stdout)).toEqual(claims(whole.stdout))
})

test('runs of another program or experiment are refused', () => {
  expect(rocelab(at.folder, 'reproduce', 'livelock', '--out', 'one').code).toBe(0)
  const file = path.join(at.folder, 'one', 'livelock.csv')
  const csv = readFileSync(file, 'utf8')
  const take = (experiment: string) =>
    rocelab(at.folder, 'reproduce', experiment, '--from', 'one/livelock.csv', '--out', 'new')
  writeFileSync(file, csv.replaceAll(/,1,[0-9a-f]{16},/g, ',1,0123456789abcdef,'))
  const other = take('livelock')
  expect(other).toMatchObject({ code: 2, stdout: '' })
  expect(other.stderr).toMatch(
    /^one\/livelock\.csv: .*, seed 1: expected the events of this program, [0-9a-f]{16}, received 0123456789abcdef \(the earlier runs are from another version of the program: run them again\)\n$/,
  )
  const wrong = take('clos-ecmp')
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
  expect(wrong.stderr).toContain('one/livelock.csv:2:1: expected runs at points of this experiment and size, received')
  const none = rocelab(at.folder, 'reproduce', 'livelock', '--from', 'none.csv')
  expect(none).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('none.csv: expected the CSV of an earlier report') as string,
  })
})
