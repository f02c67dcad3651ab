/** Counters of a run as a real Prometheus scrapes them, and the queries of the dashboard as it answers them. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COUNTERS, metricOf } from '../../src/doctor/index.ts'
import { onPath } from '../support/on-path.ts'

const PROMETHEUS = onPath('prometheus')
if (PROMETHEUS === undefined)
  console.warn('counters as Prometheus scrapes them: skipped, there is no prometheus on this machine')

const ROOT = path.join(import.meta.dirname, '../..')
const SCENARIO = `name: watched
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4, hostRate: 25Gbps, fabricRate: 50Gbps}
congestion: dcqcn
pfc: {classes: [3]}
switch: {buffer: {kind: shared-buffer, size: 2MB, alpha: 0.125}, ecn: {kmin: 20KB, kmax: 200KB, pmax: 0.1}}
workload:
  - {kind: closed-loop, pairs: [0 7, 1 7, 2 7, 4 3, 5 3], messageSize: 256KB, outstanding: 2, messages: off}
faults: [{kind: corruption, bitErrorRatio: 1e-8, links: fabric}]
measure: {stop: 60s}
`

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}
const DASHBOARD = JSON.parse(readFileSync(path.join(ROOT, 'docs/dashboards/roce-fabric.json'), 'utf8')) as Dashboard
const QUERIES = DASHBOARD.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))

/** An expression of the dashboard as Grafana sends it. */
function filled(expr: string): string {
  return expr
    .replaceAll('$__rate_interval', '5s')
    .replaceAll('$__range', '1m')
    .replaceAll(/\$\{?priority\}?/g, '3')
    .replaceAll(/\$(host|switch)/g, '.*')
}

test('every metric of the dashboard is one that counters are given as', () => {
  const known = new Set(
    COUNTERS.flatMap((counter) => [metricOf(counter, 'hosts', 3)?.name, metricOf(counter, 'switches', 3)?.name]),
  )
  const used = QUERIES.flatMap(({ expr }) =>
    [...filled(expr).matchAll(/\b(?:node|sonic)_[a-z0-9_]+/g)].map(([name]) => name),
  )
  expect(QUERIES.length).toBeGreaterThan(20)
  expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([])
})

describe.runIf(PROMETHEUS !== undefined)('a Prometheus of its own', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rocelab-prometheus-'))
  const children: ChildProcess[] = []
  let [api, file] = ['', '']

  const answer = async (query: string): Promise<{ status: string; data: { result: unknown[] } }> => {
    const response = await fetch(`${api}/api/v1/query?query=${encodeURIComponent(query)}`)
    return (await response.json()) as { status: string; data: { result: unknown[] } }
  }
  const rocelab = (...words: string[]): ChildProcess => {
    const child = spawn(process.execPath, [path.join(ROOT, 'dist/cli/main.js'), ...words], { cwd: folder })
    children.push(child)
    return child
  }
  /** The first match in what a process says. */
  const said = (child: ChildProcess, pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = ''
      child.stderr!.on('data', (chunk: Buffer) => {
        text += String(chunk)
        const found = pattern.exec(text)
        if (found !== null) resolve(found[1]!)
      })
      child.once('exit', () => reject(new Error(`the process ended: ${text}`)))
    })

  beforeAll(async () => {
    writeFileSync(path.join(folder, 'watched.yaml'), SCENARIO)
    const run = rocelab('run', 'watched.yaml', '--out', 'watched', '--serve-metrics', '127.0.0.1:0')
    const target = await said(run, /metrics at http:\/\/([^/]+)\/metrics/)
    // A result's counters, as a textfile collector or any web server gives them.
    writeFileSync(path.join(folder, 'short.yaml'), SCENARIO.replace('60s', '5ms'))
    const short = ['run', 'short.yaml', '--out', 'short', '--quiet', '--set', 'observe=[counters]']
    execFileSync(process.execPath, [path.join(ROOT, 'dist/cli/main.js'), ...short], { cwd: folder })
    const words = ['counters', 'short', '--format', 'prometheus']
    file = execFileSync(process.execPath, [path.join(ROOT, 'dist/cli/main.js'), ...words], {
      cwd: folder,
      encoding: 'utf8',
    })
    const stored = createServer((_, response) => void response.end(file))
    await new Promise<void>((resolve) => void stored.listen(0, '127.0.0.1', resolve))
    afterAllServers.push(() => stored.close())
    const { port } = stored.address() as AddressInfo
    const config = `global: {scrape_interval: 200ms, scrape_timeout: 200ms}
scrape_configs:
  - {job_name: run, honor_labels: true, static_configs: [{targets: ['${target}']}]}
  - {job_name: file, honor_labels: true, static_configs: [{targets: ['127.0.0.1:${port}']}]}
`
    writeFileSync(path.join(folder, 'prometheus.yml'), config)
    const listen = '--web.listen-address=127.0.0.1:0'
    const data = `--storage.tsdb.path=${path.join(folder, 'data')}`
    const prometheus = spawn(PROMETHEUS!, [`--config.file=${path.join(folder, 'prometheus.yml')}`, data, listen])
    children.push(prometheus)
    api = `http://${await said(prometheus, /Listening on"? address=(127[^ \n]+:\d+)/)}`
    // It looks for targets some seconds after its start.
    const scrapes = 'min(count_over_time(sonic_interface_speed_bytes[20s]))'
    for (let tries = 0; tries < 100; tries++) {
      const [first] = (await answer(scrapes)).data.result as { value: [number, string] }[]
      if (Number(first?.value[1] ?? 0) >= 10) return
      await delay(200)
    }
  }, 60_000)
  const afterAllServers: (() => void)[] = []
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL')
    for (const close of afterAllServers) close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('scrapes the run and the file without complaint', async () => {
    const response = await fetch(`${api}/api/v1/targets`)
    const { data } = (await response.json()) as { data: { activeTargets: { health: string; lastError: string }[] } }
    expect(data.activeTargets.map(({ health, lastError }) => [health, lastError])).toEqual([
      ['up', ''],
      ['up', ''],
    ])
    expect((await answer('count(sonic_queue_bytes_total{job="file",queue="3"})')).data.result).toHaveLength(1)
  })

  test.each(QUERIES)('answers $title: $expr', async ({ expr }) => {
    const { status, data } = await answer(filled(expr))
    expect([status, data.result.length > 0]).toEqual(['success', true])
  })

  test('the time by which rates are taken is that of the simulation', async () => {
    // The port of host 7, to which three hosts send as fast as they can.
    const sentBps = 'max(rate(sonic_queue_bytes_total{job="run",queue="3",instance="leaf 1"}[5s])) * 8'
    const clock = 'scalar(sum(rate(rocelab_simulated_seconds_total{job="run"}[5s])) or vector(1))'
    const [{ value }] = (await answer(`${sentBps} / ${clock}`)).data.result as [{ value: [number, string] }]
    expect(Number(value[1])).toBeGreaterThan(20e9)
    expect(Number(value[1])).toBeLessThan(27e9)
  })
})
