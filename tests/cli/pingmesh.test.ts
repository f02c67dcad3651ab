/** `rocelab pingmesh`: results and files, tables, JSON, figures, and mistakes. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder, type Ended, rocelab } from './program.ts'

const MESH = `name: mesh
topology: {kind: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 3}
workload: [{kind: pingmesh, interval: 50us, qp: {ackTimeout: 200us, retryLimit: 2}}]
measure: {generate: 4ms, stop: 5ms}
`
const DEAD = `${MESH}faults: [{kind: server-down, hosts: host 4, down: 1ms}]\n`
const BAD = `time_ns,source,destination,scope,rtt_ns,status
1,a,b,tor,10,ok
2,a,b,tor,soon,ok
3,a,b,tor,,gone
`

/** Half of the probes from one host are lost. */
const NAMED = Array.from({ length: 60 }, (_, i) => [
  `${i},a\u001b[31m,b,tor,${i % 2 === 0 ? '10,ok' : ',retry-exceeded'}`,
  `${i},b,a\u001b[31m,tor,10,ok`,
]).flat()

let at: ReturnType<typeof createFolder>
beforeAll(() => {
  at = createFolder({
    'mesh.yaml': MESH,
    'dead.yaml': DEAD,
    'bad.csv': BAD,
    'twice.csv': 'a,a\n1,2\n',
    'empty.csv': '',
    'named.csv': `time_ns,source,destination,scope,rtt_ns,status\n${NAMED.join('\n')}\n`,
  })
  for (const name of ['mesh', 'dead']) {
    const { code, stderr } = rocelab(at.folder, 'run', `${name}.yaml`, '--out', name, '--quiet')
    if (code !== 0) throw new Error(stderr)
  }
})
afterAll(() => at.clear())
const pingmesh = (...args: string[]): Ended => rocelab(at.folder, 'pingmesh', ...args)
interface Json {
  readonly state: { readonly state: string; readonly hosts: readonly string[] }
  readonly scopes: readonly { readonly scope: string; readonly works: string }[]
  readonly findings: readonly { readonly id: string }[]
}
const jsonOf = (...args: string[]): Json => JSON.parse(pingmesh(...args, '--json').stdout) as Json

test('a healthy result works, a dead server is named', () => {
  const healthy = jsonOf('mesh')
  expect([healthy.state.state, healthy.findings]).toEqual(['healthy', []])
  expect(healthy.scopes.map(({ scope, works }) => [scope, works])).toEqual([
    ['tor', 'works'],
    ['fabric', 'works'],
  ])
  const dead = jsonOf('dead', '--baseline', 'mesh')
  expect([dead.state.state, dead.state.hosts]).toEqual(['dead-server', ['host 4']])
  expect(dead.findings.map(({ id }) => id)).toContain('probes-dead-server')
})

test('the file of the table says the same as the result', () => {
  expect(jsonOf('dead/series/pingmesh.csv', '--baseline', 'mesh')).toEqual(jsonOf('dead', '--baseline', 'mesh'))
})

test('the text has a row for each scope and each host', () => {
  const { stdout, code } = pingmesh('dead')
  expect(code).toBe(0)
  expect(stdout.split('\n').filter((line) => /^ *host \d+ \|/.test(line))).toHaveLength(9)
  expect(stdout.split('\n').filter((line) => /^(tor|fabric) /.test(line))).toHaveLength(2)
})

test('a figure is written, and replaced only by force', () => {
  expect(pingmesh('dead', '--figure', 'map.svg').code).toBe(0)
  expect(readFileSync(path.join(at.folder, 'map.svg'), 'utf8')).toContain('</svg>')
  expect(pingmesh('mesh', '--figure', 'map.svg').code).toBe(2)
  expect(pingmesh('mesh', '--figure', 'map.svg', '--force').code).toBe(0)
})

test('bad rows are reported by line', () => {
  const { code, stderr, stdout } = pingmesh('bad.csv')
  expect([code, stdout]).toEqual([2, ''])
  expect(
    stderr
      .split('\n')
      .filter((line) => line.startsWith('bad.csv:'))
      .map((line) => line.split(':')[1]),
  ).toEqual(['3', '4'])
})

test.each(['twice.csv', 'empty.csv', 'nowhere', 'mesh.yaml'])('%s is no log', (name) => {
  const { code, stderr } = pingmesh(name)
  expect([code, stderr.includes('bug')]).toEqual([2, false])
  expect(existsSync(path.join(at.folder, 'map2.svg'))).toBe(false)
})

test('a name from a log does not reach the terminal as it is', () => {
  const { code, stdout } = pingmesh('named.csv')
  expect(code).toBe(0)
  expect(stdout).toContain(String.raw`a\u001b[31m |`)
  expect(stdout).toMatch(/: a\\u001b\[31m/)
  expect(stdout).not.toContain('\u001b')
})
