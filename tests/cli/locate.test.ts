/**
 * `rocelab locate`: a folder of tables, a result with counters, the forms of output, mistakes.
 */
import { cpSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Located } from '../../src/doctor/index.ts'
import { createFolder, type Ended, rocelab } from './program.ts'

const TABLES = path.join(import.meta.dirname, 'locate')

/** A host stops receiving at 1 ms, while others of two racks go on to send to all. */
const STORM = `name: storm
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3, hostRate: 10Gbps, fabricRate: 10Gbps}
congestion: none
switch: {buffer: {kind: shared-buffer, size: 300KB}}
workload: [{kind: poisson, load: 0.3, sizes: {kind: fixed, size: 20KB}}]
faults: [{kind: pause-storm, hosts: host 1, from: 1ms}]
measure: {stop: 8ms}
observe: [{kind: counters, interval: 500us}]
`

let at: ReturnType<typeof createFolder>
beforeAll(() => {
  at = createFolder({
    'storm.yaml': STORM,
    'bad/edges.csv': 'device_a,port_a,device_b,port_b\na,1,b,1\na,1,c,1\n',
    'bad/counters.csv': 'device,port,priority,name,value,time_ns\na,1,3,txBites,1,0\na,1,9,txBytes,1,0\n',
    'half/edges.csv': 'device_a,port_a,device_b,port_b\na,1,b,1\n',
    ...Object.fromEntries(
      [
        ['titles', ''],
        ['once', 'a,1,3,pauseRxUs,0,0\n'],
        ['others', 'c,1,3,pauseRxUs,0,0\nc,1,3,pauseRxUs,9,1000\n'],
      ].flatMap(([folder, rows]) => [
        [`${folder}/edges.csv`, 'device_a,port_a,device_b,port_b\na,1,b,1\n'],
        [`${folder}/counters.csv`, `device,port,priority,name,value,time_ns\n${rows}`],
      ]),
    ),
    'linkless/edges.csv': 'device_a,port_a,device_b,port_b\n',
  })
  cpSync(TABLES, path.join(at.folder, 'tables'), { recursive: true })
  cpSync(path.join(TABLES, 'counters.csv'), path.join(at.folder, 'linkless', 'counters.csv'))
  for (const [out, ...sets] of [['stored'], ['without', '--set', 'observe=[]']] as const) {
    const { code, stderr } = rocelab(at.folder, 'run', 'storm.yaml', '--out', out, '--quiet', ...sets)
    if (code !== 0) throw new Error(stderr)
  }
})
afterAll(() => at.clear())

const located = (...args: string[]): Ended => rocelab(at.folder, 'locate', ...args)
const originsOf = (folder: string): string[] => {
  const { origins } = JSON.parse(located(folder, '--json').stdout) as Located
  return origins.map(({ kind, device, port, confidence }) => [kind, device, port, confidence].join('/'))
}

describe('the origin', () => {
  test('of tables is that of their counters', () => {
    expect(originsOf('tables')).toEqual(['storm/host 0/1/high'])
    const { code, stdout } = located('tables')
    expect([code, stdout.split('\n').length > 6]).toEqual([0, true])
  })

  test('of a result is found with nothing but the tables of the collector', () => {
    expect(originsOf('stored')[0]).toBe('storm/host 1/1/high')
    for (const name of ['flows.parquet', 'scenario.yaml', 'summary.json', 'checksums.json'])
      rmSync(path.join(at.folder, 'stored', name), { force: true })
    expect(originsOf('stored')[0]).toBe('storm/host 1/1/high')
  })

  test('is a finding as JSON and as SARIF, and may be the exit code', () => {
    const { findings } = JSON.parse(located('tables', '--json').stdout) as {
      findings: { id: string; severity: string }[]
    }
    expect(findings.map(({ id, severity }) => [id, severity])).toEqual([['origin-storm', 'warning']])
    const { runs } = JSON.parse(located('tables', '--sarif').stdout) as { runs: { results: { ruleId: string }[] }[] }
    expect(runs[0]!.results.map(({ ruleId }) => ruleId)).toEqual(['origin-storm'])
    expect(located('tables', '--fail-on', 'warning').code).toBe(3)
    expect(located('tables', '--fail-on', 'error').code).toBe(0)
  })
})

describe('mistakes', () => {
  test('of both tables come at once, by their lines', () => {
    const { code, stdout } = located('bad', '--json')
    const { mistakes } = JSON.parse(stdout) as { mistakes: { file: string; line: number; path: string }[] }
    expect(code).toBe(2)
    expect(mistakes.map(({ file, line, path: field }) => [path.basename(file), line, field])).toEqual([
      ['edges.csv', 3, 'port_a'],
      ['counters.csv', 2, 'name'],
      ['counters.csv', 3, 'priority'],
    ])
  })

  test.each([
    ['a table alone', ['half']],
    ['a folder that is not there', ['nowhere']],
    ['a result without counters', ['without']],
    ['a table of titles alone', ['titles']],
    ['one reading, which is no difference', ['once']],
    ['a table of devices without links', ['others']],
    ['a list without links', ['linkless']],
    ['two forms of output', ['tables', '--json', '--sarif']],
  ])('%s is one', (_, args) => {
    const { code, stderr } = located(...args)
    expect([code, stderr.includes('    at ')]).toEqual([2, false])
    expect(stderr).toMatch(/expected .*, received /)
  })

  test('leave the tables as they were', () => {
    const now = readFileSync(path.join(at.folder, 'tables', 'counters.csv'), 'utf8')
    expect(now).toBe(readFileSync(path.join(TABLES, 'counters.csv'), 'utf8'))
  })
})
