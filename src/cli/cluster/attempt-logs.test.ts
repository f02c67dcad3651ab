import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AttemptNote, AttemptLogs, CLUSTER, createAttemptLog } from './attempt-logs.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rocelab-attempts-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NOTE: AttemptNote = { attempt: { host: 'node1', pid: 7, at: '2026-01-01T00:00:00Z', threads: 2 } }

test('points of all attempts are read once, notes are left out, and only damaged lines are undefined', () => {
  const logs = new AttemptLogs(folder, folder)
  expect(logs.next()).toEqual([])
  const [first, second] = [createAttemptLog(folder, folder, '7-1'), createAttemptLog(folder, folder, '7-2')]
  first.add(NOTE)
  first.add({ key: 'a' })
  second.add(NOTE)
  expect(logs.next()).toEqual([{ key: 'a' }])
  first.add({ key: 'b', failed: true })
  first.close()
  second.close()
  const files = readdirSync(path.join(folder, CLUSTER, 'logs')).toSorted()
  appendFileSync(path.join(folder, CLUSTER, 'logs', files[1]!), 'torn{\n{"key":"c"}\n')
  expect(logs.next()).toEqual([{ key: 'b', failed: true }, undefined, { key: 'c' }])
  expect(logs.next()).toEqual([])
})
