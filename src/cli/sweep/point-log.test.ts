import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PointLog } from './point-log.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rocelab-log-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const file = (): string => path.join(folder, 'points.jsonl')
const text = (): string => readFileSync(file(), 'utf8')

/** Opens the log, adds `points`, closes it, and returns the lines that were found. */
function linesWith(...points: unknown[]): readonly unknown[] {
  const log = new PointLog(folder, 'out')
  for (const point of points) log.add(point)
  log.close()
  return log.lines
}

describe('a point log', () => {
  test('has one line per point and returns them', () => {
    expect(linesWith({ key: 'a' }, { key: 'b' })).toEqual([])
    expect(text()).toBe('{"key":"a"}\n{"key":"b"}\n')
    expect(linesWith()).toEqual([{ key: 'a' }, { key: 'b' }])
    expect(readdirSync(folder)).toEqual(['points.jsonl'])
  })

  test('ignores a last line without a line end, whatever its length', () => {
    linesWith({ key: 'a' })
    appendFileSync(file(), `{"key":"torn","values":"${'x'.repeat(5000)}`)
    expect(linesWith({ key: 'b' })).toEqual([{ key: 'a' }])
    expect(text()).toBe('{"key":"a"}\n{"key":"b"}\n')
    // Also if it was cut within a character.
    appendFileSync(file(), Buffer.from([0x22, 0xc3]))
    expect(linesWith({ key: 'ü' })).toEqual([{ key: 'a' }, { key: 'b' }])
    expect(linesWith({ key: 'c' })).toEqual([{ key: 'a' }, { key: 'b' }, { key: 'ü' }])
  })

  test('overwrites an incomplete line left by a failed write', () => {
    const log = new PointLog(folder, 'out')
    log.add({ key: 'a' })
    appendFileSync(file(), 'half of a line that a full disk left')
    log.add({ key: 'b' })
    log.close()
    expect(text()).toBe('{"key":"a"}\n{"key":"b"}\n')
  })

  test('returns undefined for lines that are not JSON, and keeps those after them', () => {
    writeFileSync(file(), 'x\n{"key":"a"}\n\n{"key"\n{"key":"b"}\n')
    expect(linesWith()).toEqual([undefined, { key: 'a' }, undefined, undefined, { key: 'b' }])
  })

  test('creates its folder and locks it', () => {
    const log = new PointLog(path.join(folder, 'deep', 'out'), 'deep/out')
    expect(() => new PointLog(path.join(folder, 'deep', 'out'), 'deep/out')).toThrow(`process ${process.pid}`)
    log.close()
    new PointLog(path.join(folder, 'deep', 'out'), 'deep/out').close()
  })

  test('is created only in a new or empty folder, or that of a sweep', () => {
    writeFileSync(path.join(folder, 'thesis.txt'), '')
    expect(() => new PointLog(folder, 'out')).toThrow(
      '--out: expected a new folder, or that of a sweep, received something else in out',
    )
    expect(readdirSync(folder)).toEqual(['thesis.txt'])
    mkdirSync(path.join(folder, 'empty'))
    new PointLog(path.join(folder, 'empty'), 'out').close()
    expect(readdirSync(path.join(folder, 'empty'))).toEqual(['points.jsonl'])
  })

  test('leaves no lock if it cannot be opened', () => {
    mkdirSync(file())
    expect(() => new PointLog(folder, 'out')).toThrow(
      `${path.join('out', 'points.jsonl')}: expected a log of this program, received a folder`,
    )
    expect(readdirSync(folder)).toEqual(['points.jsonl'])
  })
})
