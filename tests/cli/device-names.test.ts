/**
 * One host has one name in all that a run prints and stores, also where a file's node ids are not the numbers of hosts:
 * an imported star whose switch is node 0. Flow 0 goes from node 2, host 1, to node 1, host 0.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { numbersOf, readCsv, textsOf } from '../../src/core/results/index.ts'
import { createFolder, rocelab } from './program.ts'

const HOSTS = 5
const STAR = `6 1 5\n0\n${Array.from({ length: HOSTS }, (_, i) => `0 ${i + 1} 100Gbps 0.001ms 0\n`).join('')}`
const FLOWS = '3\n2 1 3 100 2000000 2\n3 1 3 100 2000000 2\n4 5 3 100 2000000 2\n'
const OBSERVE =
  'observe=[{kind: pause-intervals}, {kind: link-use, ports: "host 0:*, switch 0:*"}, {kind: capture, ports: "node 1:1", maxRows: 100}]'

let at: ReturnType<typeof createFolder>
beforeAll(() => {
  at = createFolder({ 'star.txt': STAR, 'flows.txt': FLOWS })
  made('import', 'topology', 'star.txt', '--flows', 'flows.txt', '--out', 'star.yaml')
  made('run', 'star.yaml', '--autopsy', '--report', '--out', 'star', '--set', OBSERVE)
})
afterAll(() => at.clear())

function made(...args: string[]): string {
  const { code, stdout, stderr } = rocelab(at.folder, ...args)
  if (code !== 0) throw new Error(stderr)
  return stdout
}
const stored = (...parts: string[]): string => readFileSync(path.join(at.folder, 'star', ...parts), 'utf8')
const tableOf = (name: string): ReturnType<typeof readCsv> => readCsv(name, stored(name))

describe('the receiver of flow 0 of a file whose switch has id 0', () => {
  test('is host 0 in tables, and node 1 in their columns of nodes', () => {
    const flows = tableOf('flows.csv')
    expect([numbersOf(flows, 'source')[0], numbersOf(flows, 'destination')[0]]).toEqual([1, 0])
    expect(textsOf(flows, 'pausedBy')[0]).toBe('switch 0 port 1 to host 0')
    const series = readdirSync(path.join(at.folder, 'star', 'series')).filter((name) => name.endsWith('.csv'))
    expect(series.length).toBeGreaterThanOrEqual(3)
    let named = 0
    for (const name of series) {
      const table = tableOf(path.join('series', name))
      for (const [ids, names] of [
        ['node', 'nodeName'],
        ['peerNode', 'peerName'],
      ] as const) {
        if (!table.columns.some((column) => column.name === ids)) continue
        const nodes = numbersOf(table, ids)
        textsOf(table, names).forEach((text, row) => {
          named++
          expect(text).toBe(nodes[row] === 0 ? 'switch 0' : `host ${nodes[row]! - 1}`)
        })
      }
    }
    expect(named).toBeGreaterThan(20)
  })

  test('is host 0 in every text', () => {
    expect(made('explain', 'star')).toMatch(/^switch 0 port 1 to host 0 +2 /m)
    const life = made('explain', 'star', '--flow', '0')
    expect(life).toMatch(/^flow 0: host 1 \(node 2\) to host 0 \(node 1\), /)
    expect(life).toContain('held longest by switch 0 port 1 to host 0')
    expect(made('check', 'star.yaml')).toMatch(/^nodes +hosts 0-4 \(nodes 1-5\); tier 1 \(switch 0\) 0$/m)
    const report = stored('report.html')
    expect(report).toContain('<title>host 0 (node 1)</title>')
    expect(report).toContain('switch 0 port 1 to host 0')
    expect(report).not.toContain('host 5')
  })

  test('is node 1 for the simulator whose files it came from', () => {
    made('run', 'star.yaml', '--export', 'conweave', '--out', 'exported', '--quiet')
    const rows = readFileSync(path.join(at.folder, 'exported', 'conweave', 'fct.txt'), 'utf8').split('\n')
    expect(rows.map((row) => row.split(' ').slice(0, 2).join('>')).toSorted()).toEqual(['', '2>1', '3>1', '4>5'])
    const compared = made('compare', 'exported', 'exported/conweave/fct.txt')
    expect(compared).toMatch(/^worst flow +node [2-4] to node [15], /m)
  })

  test.each(['host 0', 'host 0 (node 1)', 'node 1', '1'])('loses its link by the fault on %s', (links) => {
    const fault = `faults=[{kind: link-down, links: "${links}", down: 0s}]`
    const text = rocelab(at.folder, 'run', 'star.yaml', '--set', fault, '--out', 'down', '--force').stdout
    const unfinished = [...text.matchAll(/^ +flow (\d) +(host .*?) {2,}(host .*?) {2,}/gm)].map((row) => row.slice(1))
    expect(unfinished).toEqual([
      ['0', 'host 1 (node 2)', 'host 0 (node 1)'],
      ['1', 'host 2 (node 3)', 'host 0 (node 1)'],
    ])
  })
})
