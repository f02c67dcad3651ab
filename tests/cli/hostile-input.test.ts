/**
 * Input that nobody should have written: it costs a message and exit code 2, never a stack trace, nor the machine's memory.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFolder, rocelab, SMALL } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => {
  at = createFolder({ 'small.yaml': SMALL })
})
afterEach(() => at.clear())

const write = (name: string, data: string | Uint8Array): void => writeFileSync(path.join(at.folder, name), data)

describe('a long list of mistakes', () => {
  const LISTS = 'name: long\ntopology: {kind: star, hosts: 3}\nworkload: [{kind: trace, flows: {file: trace.txt}}]\n'

  test('in a trace shows its first hundred and counts the others', () => {
    write('long.yaml', LISTS)
    write('trace.txt', '0 9 1KB 1us\n'.repeat(200_000))
    const { code, stderr } = rocelab(at.folder, 'check', 'long.yaml')
    const lines = stderr.trimEnd().split('\n')
    expect([code, lines.length]).toEqual([2, 101])
    expect(lines[0]).toBe('trace.txt:1:1: workload.0.flows.0: expected a host 0 to 2, received "9"')
    expect(lines[100]).toMatch(/^long\.yaml: expected no further mistakes, received 199900 more /)
  })

  test('that only the network can see is no longer', () => {
    const faults = Array.from({ length: 500 }, () => '{kind: every-nth, links: "0-77", n: 9}').join(', ')
    write('long.yaml', `${SMALL}faults: [${faults}]\n`)
    const { code, stderr } = rocelab(at.folder, 'check', 'long.yaml')
    const lines = stderr.trimEnd().split('\n')
    expect([code, lines.length]).toEqual([2, 101])
    expect(lines[100]).toContain('received 400 more')
  })
})
