/** rocelab expect: logs and lines about fabrics as people give them, and what ends it. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ncclLog, perftestLog } from '../../src/doctor/expect/drawn.test-data.ts'
import type { Expectation, Simulated } from '../../src/doctor/expect/index.ts'
import { createFolder, rocelab } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder({
    'good.log': perftestLog(392, 1_048_576, 4096, 8),
    'low.log': perftestLog(250, 1_048_576, 4096, 8),
    'nccl.log': ncclLog(16, 8, 'NVIDIA H100', [{ bytes: 2 ** 33, busGBs: 44 }]),
    'counters.txt': 'before: packet_seq_err 1\nafter: packet_seq_err 5\n',
    'fabric.txt': '8x400G RoCE x 2 servers\nMTU 4096\n',
    'notes.txt': 'nothing measured here\n',
  })
})
afterEach(() => at.clear())

const answersOf = (...args: string[]): Expectation['answers'] => {
  const { code, stdout, stderr } = rocelab(at.folder, 'expect', ...args, '--json')
  expect([code, stderr]).toEqual([0, ''])
  return (JSON.parse(stdout) as Expectation).answers
}

test('a log and a line; a log and a file of lines; a set fact wins', () => {
  expect(answersOf('good.log', '--fabric', '400G RoCE')[0]).toMatchObject({ verdict: 'as-expected', part: 'link' })
  expect(answersOf('nccl.log', '--fabric', 'fabric.txt')[0]).toMatchObject({ verdict: 'far-below' })
  expect(answersOf('good.log', '--fabric', '400G RoCE', '--set', 'rate=200G')[0]).toMatchObject({
    verdict: 'above-link',
  })
})

test('the files of a fabric say what all its hosts agree in', () => {
  const { stdout } = rocelab(process.cwd(), 'expect', `${at.folder}/good.log`, '--fabric', 'tests/doctor/pod', '--json')
  const { understood } = JSON.parse(stdout) as Expectation
  expect(understood).toContainEqual({ name: 'servers', value: 2, from: 'files' })
})

test('--fail-on below ends with 3 where a number is below, and with 0 where it is not', () => {
  const codeOf = (log: string): number | null =>
    rocelab(at.folder, 'expect', log, '--fabric', '400G RoCE', '--fail-on', 'below').code
  expect([codeOf('good.log'), codeOf('low.log')]).toEqual([0, 3])
})

test('a line about a fabric alone gives what to expect of it', () => {
  const { code, stdout } = rocelab(at.folder, 'expect', '8x400G RoCE x 16 servers', '--json')
  const { rows } = JSON.parse(stdout) as { rows: { sizeBytes: number; toBps: number }[] }
  expect(code).toBe(0)
  expect(rows.at(-1)!.toBps / 8e9).toBeCloseTo(392.2, 0)
})

test('--simulate fills every row of the sizes asked for, and changes nothing else', () => {
  const tableOf = (...more: string[]) => {
    const { code, stdout } = rocelab(at.folder, 'expect', '2x100G x 2 servers', '--sizes', '8..1M', '--json', ...more)
    expect(code).toBe(0)
    return JSON.parse(stdout) as { rows: { sizeBytes: number; simulated?: Simulated }[] }
  }
  const { rows } = tableOf('--simulate')
  expect(rows.map(({ sizeBytes }) => sizeBytes)).toEqual(Array.from({ length: 18 }, (_, i) => 2 ** (3 + i)))
  expect(rows.every(({ simulated }) => simulated?.by === 'packets' && simulated.busBps![0] > 0)).toBe(true)
  expect(rows.map((row) => ({ ...row, simulated: undefined }))).toEqual(tableOf().rows)
})

test('the rows of a log have simulated ones beside them, and the verdict stays', () => {
  const [low] = answersOf('nccl.log', '--fabric', 'fabric.txt', '--simulate')
  expect(low).toMatchObject({ verdict: 'far-below', rows: [{ simulated: { algorithm: 'ring' } }] })
  const { code, stdout, stderr } = rocelab(at.folder, 'expect', 'good.log', '--fabric', '400G RoCE', '--simulate')
  expect([code, stdout.includes('simulated')]).toEqual([0, false])
  expect(stderr).toContain('nothing is simulated')
})

test('every mistake is named at once, and ends it with 2', () => {
  const linesOf = (...args: string[]): number => {
    const { code, stderr } = rocelab(at.folder, 'expect', ...args)
    expect(code).toBe(2)
    return stderr.trim().split('\n').length
  }
  expect(linesOf('gone.log', 'lost.log')).toBe(2)
  expect(linesOf('good.log', '--set', 'colour=red', '--set', 'mtu=big')).toBe(2)
  expect(linesOf('notes.txt', 'counters.txt')).toBe(2)
  expect(linesOf('400G RoCE', '--fabric', '400G RoCE')).toBe(1)
  expect(linesOf('good.log', '--sizes', '8..16G')).toBe(1)
  expect(linesOf('400G RoCE', '--sizes', '16G..8')).toBe(1)
})
