/** Scenarios with lists of any length: imported, run, and run again from the files of their results. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFolder, rocelab } from './program.ts'

let at: ReturnType<typeof createFolder>
beforeEach(() => void (at = createFolder()))
afterEach(() => at.clear())

const read = (name: string): string => readFileSync(path.join(at.folder, name), 'utf8')

/** Flow files of `rows` small flows between 64 hosts: of the HPCC family, and of a trace. */
function writeFlows(rows: number): void {
  const ns3: string[] = [`${rows}`]
  const own: string[] = []
  for (let i = 0; i < rows; i++) {
    const [source, destination, ns] = [i % 64, (i * 7 + 1 + (i % 64)) % 64, i * 200]
    const other = destination === source ? (source + 1) % 64 : destination
    ns3.push(`${source} ${other} 3 100 ${100 + (i % 1300)} ${(2 + ns / 1e9).toFixed(9)}`)
    own.push(`${source} ${other} ${100 + (i % 1300)}B ${ns}ns`)
  }
  writeFileSync(path.join(at.folder, 'flow.txt'), `${ns3.join('\n')}\n`)
  writeFileSync(path.join(at.folder, 'own.list'), `${own.join('\n')}\n`)
  const links = Array.from({ length: 64 }, (_, i) => `${i} 64 100Gbps 1us 0\n`).join('')
  writeFileSync(path.join(at.folder, 'topology.txt'), `65 1 64\n64\n${links}`)
}

test('the result of a run whose flows fill a file runs again from its own scenario, and its report shows the network', () => {
  writeFlows(40_000)
  const text = 'topology: {kind: star, hosts: 64}\nworkload: [{kind: trace, flows: {file: own.list}}]\n'
  writeFileSync(path.join(at.folder, 'own.yaml'), text)
  expect(rocelab(at.folder, 'run', 'own.yaml', '--out', 'first', '--quiet').code).toBe(0)
  expect(read('first/scenario.workload.0.flows.list')).toBe(read('own.list'))
  expect(statSync(path.join(at.folder, 'first/scenario.yaml')).size).toBeLessThan(10_000)
  expect(rocelab(at.folder, 'run', 'first/scenario.yaml', '--out', 'second', '--quiet').code).toBe(0)
  for (const name of ['digest.txt', 'scenario.yaml', 'scenario.workload.0.flows.list'])
    expect(read(`second/${name}`)).toBe(read(`first/${name}`))
  expect(rocelab(at.folder, 'report', 'first', '--out', 'report.html').code).toBe(0)
  expect(read('report.html')).toContain('a star network of 64 hosts')
  // Flows of other names are another result with the same digest.
  const folderOf = (): string => rocelab(at.folder, 'run', 'own.yaml', '--quiet').stdout.trim()
  const folder = folderOf()
  expect(folderOf()).toBe(folder)
  writeFileSync(path.join(at.folder, 'own.list'), read('own.list').replace(' 0ns', ' 0ns tag=x'))
  expect(folderOf()).toBe(`${folder}-2`)
}, 120_000)

test('a flow file of a million rows is imported with its flows in a file beside the scenario', () => {
  writeFlows(1_000_000)
  const args = ['import', 'topology', 'topology.txt', '--flows', 'flow.txt']
  expect(rocelab(at.folder, ...args, '--out', 'x.yaml')).toMatchObject({ code: 0, stdout: '' })
  const rows = read('x.workload.0.flows.list').split('\n')
  expect(rows).toHaveLength(1_000_001)
  expect(rows[999_999]).toMatch(/^63 \d+ 399B 2\.1999998s dport=100$/)
  expect(read('x.yaml')).toContain('flows: {file: x.workload.0.flows.list}')
  expect(rocelab(at.folder, ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining('--out') as string })
}, 120_000)
