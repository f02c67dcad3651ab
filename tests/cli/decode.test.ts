/** `rocelab decode`: text, JSON, SARIF and tables of a clean and of a lossy capture; exit codes; input that is no capture. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Script } from '../../src/live/decode/script.test-data.ts'
import { numbersOf, readCsv, readParquet, textsOf } from '../../src/core/results/index.ts'
import { createFolder, type Ended, MAIN, rocelab } from './program.ts'

const begun = (): Script => new Script().write(1).ack(1, 1).write(2).ack(2, 2)
const CLEAN = begun().file()
const LOSSY = begun().write(3).write(4).ack(3, 2, 0x60).write(3).write(4).ack(4, 4).write(5).ack(5, 4, 0x62).file()
const TWO = begun().write(1, { qp: 40 }).file()

let at: ReturnType<typeof createFolder>
beforeAll(() => {
  at = createFolder({ 'text.txt': 'no capture\n', 'empty.pcap': '' })
  const files = { 'clean.pcapng': CLEAN, 'lossy.pcapng': LOSSY, 'two.pcapng': TWO, 'cut.pcapng': LOSSY.slice(0, -20) }
  for (const [name, bytes] of Object.entries(files)) writeFileSync(path.join(at.folder, name), bytes)
  writeFileSync(path.join(at.folder, 'packed.pcapng.gz'), gzipSync(CLEAN))
  mkdirSync(path.join(at.folder, 'folder'))
})
afterAll(() => at.clear())

const decode = (...args: string[]): Ended => rocelab(at.folder, 'decode', ...args)
interface Json {
  readonly schemaVersion: number
  readonly file: string
  readonly connections: { number: number; directions: { requestsAgain: number; naks: object }[] }[]
  readonly findings: { id: string; severity: string }[]
}
const jsonOf = (...args: string[]): Json[] =>
  decode(...args, '--json')
    .stdout.trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json)
const idsOf = (text: string): string[] => [...text.matchAll(/capture-[a-z-]+/g)].map(([id]) => id)
const LOSSY_IDS = ['capture-nak-remote-access', 'capture-loss-after', 'capture-retransmission-nak']

describe('text', () => {
  test('of a clean capture has its counts and no finding', () => {
    const { code, stdout, stderr } = decode('clean.pcapng')
    expect([code, stderr, idsOf(stdout)]).toEqual([0, '', []])
    expect(stdout).toMatch(/^4 frames, 4 RoCEv2 packets/m)
    expect(stdout).toMatch(/#1 RC 10\.0\.0\.1 QP 18 to 10\.0\.0\.2 QP 17.* 2 WRITE/)
    expect(stdout).toMatch(/^nothing wrong/m)
  })

  test('of a lossy capture has the gravest finding first, with connection, frame and PSN', () => {
    const { code, stdout } = decode('lossy.pcapng')
    expect([code, idsOf(stdout)]).toEqual([0, LOSSY_IDS])
    const story = stdout.split('\n').slice(0, 10)
    expect(story.find((line) => line.startsWith('  error'))).toMatch(
      /#1 10\.0\.0\.1 to 10\.0\.0\.2 QP 17, at .*frame 12: .*PSN 000005/,
    )
    expect(story.findIndex((line) => line.startsWith('  error'))).toBe(
      story.findIndex((line) => line.startsWith('1 error, 2 warnings')) + 1,
    )
    expect(story.some((line) => /warning.*PSN 000003/.test(line))).toBe(true)
    expect(idsOf(decode('lossy.pcapng', '--findings').stdout)).toEqual(LOSSY_IDS)
  })

  test('of a capture that is cut says so before all', () => {
    const { code, stdout } = decode('cut.pcapng', '--findings')
    expect([code, idsOf(stdout)[0]]).toEqual([0, 'capture-file-damaged'])
  })

  test('of one connection leaves out the others, and lists its packets', () => {
    expect(jsonOf('two.pcapng', '--flow', '3')[0]!.connections.map(({ number }) => number)).toEqual([3])
    const lines = decode('lossy.pcapng', '--flow', '1', '--packets').stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(1 + 12)
    expect(lines[8]).toMatch(/^8 .*-> +000003 .*again$/)
    expect(decode('two.pcapng', '--flow', '9').code).toBe(2)
    expect(decode('two.pcapng', '--packets').code).toBe(2)
  })
})

describe('the story of a connection', () => {
  test('is that of the gravest finding, or of --flow, in order of time', () => {
    const { code, stdout } = decode('lossy.pcapng', '--explain')
    const lines = stdout.split('\n')
    expect([code, lines[0]]).toEqual([0, expect.stringContaining('#1: RC, A is 10.0.0.1 QP 18')])
    const lineOf = (pattern: RegExp): number => lines.findIndex((line) => pattern.test(line))
    expect(lineOf(/B misses PSN 000003/)).toBeGreaterThan(0)
    expect(lineOf(/A sends 2 packets again, PSN 000003 to 000004/)).toBe(lineOf(/B misses PSN 000003/) + 1)
    expect(lineOf(/B refuses PSN 000005/)).toBeGreaterThan(lineOf(/again, PSN/))
    expect(lineOf(/B refuses PSN 000005/)).toBeLessThan(14)
    const other = JSON.parse(decode('two.pcapng', '--explain', '--flow', '3', '--json').stdout) as {
      connection: { number: number }
      ending: { kind: string }
      events: { kind: string }[]
    }
    expect([other.connection.number, other.ending.kind, other.events.map(({ kind }) => kind)]).toEqual([
      3,
      'open',
      ['traffic'],
    ])
  })

  test('needs a file that can be read twice, and is not of rocelab explain', () => {
    expect(decode('-', '--explain').stderr).toContain('--explain')
    const { code, stderr } = rocelab(at.folder, 'explain', 'lossy.pcapng')
    expect([code, stderr]).toEqual([2, expect.stringContaining('rocelab decode lossy.pcapng --explain')])
  })
})

describe('for programs', () => {
  test('each file is a line of JSON', () => {
    const both = jsonOf('clean.pcapng', 'lossy.pcapng')
    expect(both.map(({ schemaVersion, file }) => [schemaVersion, file])).toEqual([
      [1, 'clean.pcapng'],
      [1, 'lossy.pcapng'],
    ])
    expect(both.map(({ findings }) => findings.map(({ id }) => id))).toEqual([[], LOSSY_IDS])
    const [there, back] = both[1]!.connections[0]!.directions
    expect([there!.requestsAgain, back!.naks]).toEqual([2, { 60: 1, 62: 1 }])
  })

  test('SARIF has the same findings', () => {
    const { runs } = JSON.parse(decode('lossy.pcapng', '--sarif').stdout) as {
      runs: { results: { ruleId: string }[] }[]
    }
    expect(runs[0]!.results.map(({ ruleId }) => ruleId)).toEqual(LOSSY_IDS)
  })

  test('tables are written to a folder', () => {
    expect(decode('lossy.pcapng', '--out', 'tables').code).toBe(0)
    const findings = readCsv('findings', readFileSync(path.join(at.folder, 'tables', 'findings.csv'), 'utf8'))
    expect(textsOf(findings, 'id')).toEqual(LOSSY_IDS)
  })

  test('tables are Parquet as well, and packets if asked for', async () => {
    expect(decode('lossy.pcapng', '--out', 'all', '--packets').code).toBe(0)
    const read = (name: string) => readParquet(new Uint8Array(readFileSync(path.join(at.folder, 'all', name))))
    expect(textsOf(await read('findings.parquet'), 'id')).toEqual(LOSSY_IDS)
    expect((await read('connections.parquet')).rowCount).toBe(2)
    const packets = await read('packets.parquet')
    expect([...numbersOf(packets, 'psn')]).toEqual([1, 1, 2, 2, 3, 4, 3, 3, 4, 4, 5, 5])
    expect(textsOf(packets, 'note').filter((note) => note === 'again')).toHaveLength(2)
    // A table is not written over another.
    expect(decode('lossy.pcapng', '--out', 'all').code).toBe(0)
    expect(decode('clean.pcapng', '--out', 'all').code).toBe(2)
    expect(decode('lossy.pcapng', '--out', 'all', '--packets').code).toBe(2)
  })

  test('the exit code says whether there are findings as grave as asked', () => {
    const codes = (...args: string[]): (number | null)[] =>
      ['error', 'warning', 'note'].map((level) => decode(...args, '--fail-on', level).code)
    expect([codes('clean.pcapng'), codes('lossy.pcapng')]).toEqual([
      [0, 0, 0],
      [3, 3, 3],
    ])
    expect(decode('clean.pcapng', 'lossy.pcapng', '--fail-on', 'error').code).toBe(3)
  })

  test('standard input is a file', () => {
    const read = spawnSync(process.execPath, [MAIN, 'decode', '-', '--json'], { input: LOSSY, encoding: 'utf8' })
    expect((JSON.parse(read.stdout) as Json).findings.map(({ id }) => id)).toEqual(LOSSY_IDS)
  })
})

test.each(['text.txt', 'empty.pcap', 'packed.pcapng.gz', 'folder', 'missing.pcapng'])(
  '%s is refused in one line that names it',
  (name) => {
    const { code, stdout, stderr } = decode(name)
    expect([code, stdout, stderr.trimEnd().split('\n').length]).toEqual([2, '', 1])
    expect(stderr).toContain(name)
  },
)
