/**
 * Importers on original files of the simulators, which the project does not ship: they are read from a folder beside the
 * checkout, or from the one that ROCELAB_SHARED names. Without it these tests are skipped, with a warning.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { InputError } from '../core/base/issue.ts'
import { parseScenario, printScenario, type Scenario } from '../lab/scenario/index.ts'
import { hpcc } from './hpcc/hpcc.ts'
import { importers, type Branch, type Imported } from './index.ts'

const SHARED = process.env['ROCELAB_SHARED'] ?? path.resolve(import.meta.dirname, '../../../shared')
const RUNS = path.join(SHARED, 'reference/ns3')
const FORMATS = path.join(SHARED, 'data/formats')
const absent = [RUNS, FORMATS].filter((folder) => !existsSync(folder))
if (absent.length > 0) console.warn(`reference files of other simulators: skipped, missing ${absent.join(', ')}`)
const missing = absent.length > 0

const readFile = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
const folders = missing ? [] : readdirSync(RUNS)

function runOf(name: string, options: Record<string, string> = {}): Imported {
  const folder = folders.find((candidate) => candidate.startsWith(name)) ?? name
  return hpcc.import({ path: path.join(RUNS, folder, 'config.txt'), readFile, options })
}

function parsed(scenario: Branch): Scenario {
  const values = parseScenario(JSON.stringify(scenario))
  expect(parseScenario(JSON.stringify(printScenario(values)))).toEqual(values)
  return values
}

/** Rows of a reference file. */
function rowsOf(name: string, file: string): string[][] {
  const folder = folders.find((candidate) => candidate.startsWith(name)) ?? name
  const text = readFileSync(path.join(RUNS, folder, file), 'utf8').trim()
  return text.split('\n').map((line) => line.trim().split(/\s+/))
}

/** Flows as "source destination size start": node ids, start in ns of simulator time. */
function startsOf(scenario: Scenario): string[] {
  const [workload] = scenario.workload
  const { topology } = scenario
  if (workload?.kind !== 'trace' || topology.kind !== 'graph') return []
  const hosts = Array.from({ length: topology.nodes }, (_, node) => node).filter(
    (node) => !topology.switches.includes(node),
  )
  return workload.flows.map((line) => {
    const [source, destination, size = '', start = ''] = line.split(' ')
    const one = parseScenarioQuantities(size, start)
    return `${hosts[Number(source)]} ${hosts[Number(destination)]} ${one.sizeBytes} ${(one.startPs + workload.origin) / 1000}`
  })
}

/** Both texts in base units, converted by the scenario parser. */
function parseScenarioQuantities(size: string, start: string): { sizeBytes: number; startPs: number } {
  const values = parseScenario(
    JSON.stringify({ name: 'q', topology: 'star', workload: [{ kind: 'permutation', messageSize: size, start }] }),
  )
  const [workload] = values.workload
  return workload?.kind === 'permutation'
    ? { sizeBytes: workload.messageSize, startPs: workload.start }
    : { sizeBytes: -1, startPs: -1 }
}

const nodeOf = (address: string): number => (Number.parseInt(address, 16) >> 8) & 0xffff

describe.skipIf(missing)('recorded runs', () => {
  test('R1b: one flow over one switch', () => {
    const scenario = parsed(runOf('R1b', { rounding: 'nearest' }).scenario)
    expect(scenario).toMatchObject({
      time: { quantum: 1000, rounding: 'nearest' },
      frames: { payload: 952, dataOverhead: 48, ack: 60, pfc: 43, gap: 0, minimum: 0 },
      classes: { data: 3, ackAtHost: 0, ackAtSwitch: null },
      switch: {
        buffer: { size: 32 * 1024 * 1024, reserve: 4096, alpha: 0.125, headroom: null },
        ecn: { byRate: [{ rate: 1e11, kmin: 400_000, kmax: 1_600_000, pmax: 0.2 }], at: 'dequeue', compare: 'above' },
      },
      qp: { ackInterval: 1, ackTimeout: null, window: null, ecnEcho: 'ack', pacing: 'fixed' },
      recovery: { kind: 'go-back-n', nakInterval: 500e6, duplicates: 'silent' },
      congestion: {
        kind: 'dcqcn',
        g: 1 / 256,
        rateInterval: 300e6,
        alphaInterval: 1e6,
        additiveRate: 20e6,
        hyperRate: 200e6,
      },
      measure: { completion: 'sender', end: 'stop', stop: 200e9 },
    })
  })

  test('R1c: the truncated clock, and routes in the recorded order', () => {
    const scenario = parsed(runOf('R1c').scenario)
    expect(scenario).toMatchObject({ time: { rounding: 'truncate-q64' }, frames: { payload: 1000 } })
    expect(scenario.topology).toMatchObject({
      kind: 'graph',
      nodes: 36,
      switches: { length: 20 },
      links: { length: 48 },
    })
    expect(scenario.topology).toHaveProperty('routes', expect.arrayContaining(['16: 2-15 via 4,3']))
  })

  test.each([
    ['R2clean', 2, 400_000, 32],
    ['R3clean', 16, 100_000, 1],
    ['R4clean', 277, 100_000, 1],
  ])('%s: %i flows, one threshold of %i bytes, %i MiB', (name, flows, threshold, mebibytes) => {
    const scenario = parsed(runOf(name, { rounding: 'nearest' }).scenario)
    expect(scenario).toMatchObject({
      switch: {
        buffer: { size: mebibytes * 1024 * 1024 },
        ecn: { byRate: [{ kmin: threshold, kmax: threshold, pmax: 1 }] },
      },
      pfc: { classes: [1, 2, 3, 4, 5, 6, 7], expiry: false },
      workload: [{ kind: 'trace', origin: 2e12, flows: { length: flows } }],
    })
  })

  test('R5: TIMELY and DCTCP, with the window of the sender', () => {
    const timely = parsed(runOf('R5clean_timely').scenario)
    expect(timely).toMatchObject({
      frames: { everyOverhead: 8 },
      congestion: { kind: 'timely', additiveRate: 100e6, hyperRate: 500e6, minRtt: 20e6 },
    })
    const dctcp = parsed(runOf('R5clean_dctcp').scenario)
    expect(dctcp).toMatchObject({
      classes: { ackAtHost: 3 },
      congestion: { kind: 'dctcp-rate', g: 1 / 16, additiveRate: 615e6 },
      qp: { windowVariable: true },
    })
    // The recorded window of a sender at line rate.
    const windows = rowsOf('R5clean_dctcp', 'rts.txt').map((row) => Number(row[5]))
    expect(dctcp.qp.window).toBe(Math.max(...windows))
  })

  test('R6: IRN with the window of its environment, or another recovery by option', () => {
    expect(parsed(runOf('R6', { dialect: 'conweave' }).scenario)).toMatchObject({
      recovery: { kind: 'irn', cap: 52, rtoLow: 100e6, rtoLowPackets: 3 },
      qp: { ackTimeout: 320e6, window: null },
    })
    const scenario = parsed(runOf('R6', { dialect: 'conweave', recovery: 'go-back-n' }).scenario)
    expect(scenario).toMatchObject({ pfc: { classes: [] }, switch: { buffer: { size: 100_000 } } })
  })

  test('R8: conweave, lossless', () => {
    const scenario = parsed(runOf('R8', { dialect: 'conweave' }).scenario)
    expect(scenario).toMatchObject({
      pfc: { quanta: 977, expiry: true, repeat: true, classes: { length: 7 } },
      switch: { buffer: { size: 4 * 1024 * 1024, alpha: 1 / 16, headroomFactor: 2, headroomExtra: 2096 } },
      qp: { ackTimeout: 4e9 },
      recovery: { nakInterval: 4e6, duplicates: 'acknowledge' },
      measure: { stop: 200e9 },
    })
  })

  test('S1 and S2: the speed scenarios', () => {
    const s1 = parsed(runOf('S1').scenario)
    expect(s1.topology).toMatchObject({ nodes: 99, links: { length: 162 } })
    expect(s1).toMatchObject({ measure: { stop: 15_000_000_000 }, workload: [{ flows: { length: 2150 } }] })
    const s2 = parsed(runOf('S2').scenario)
    expect(s2).toMatchObject({ switch: { ecn: { byRate: { length: 2 } } }, workload: [{ flows: { length: 30 } }] })
  })

  test('every flow of R4clean starts at the nanosecond of the record', () => {
    const recorded = rowsOf('R4clean', 'fct.txt').map(
      ([from = '', to = '', , , bytes, start]) => `${nodeOf(from)} ${nodeOf(to)} ${bytes} ${start}`,
    )
    expect(recorded).toHaveLength(277)
    expect(startsOf(parsed(runOf('R4clean').scenario)).toSorted()).toEqual(recorded.toSorted())
  })
})

/** "imported", or the message of the import. */
function outcome(importer: string, file: string, options: Record<string, string> = {}): string {
  const chosen = importers.find((candidate) => candidate.name === importer)
  const named = Object.entries(options).map(([name, value]) => [
    name,
    /\.(?:topo|cm|txt)$/.test(value) ? path.join(FORMATS, value) : value,
  ])
  try {
    const imported = chosen?.import({
      path: path.join(FORMATS, file),
      readFile,
      options: Object.fromEntries(named) as Record<string, string>,
    })
    parsed(imported?.scenario ?? {})
    return 'imported'
  } catch (error) {
    if (error instanceof InputError) return error.message
    throw error
  }
}

describe.skipIf(missing)('sample files', () => {
  test.each<[string, string, Record<string, string>?]>([
    ['cdf', 'conweave-ns3/DCTCP_CDF.txt'],
    ['cdf', 'conweave-ns3/FbHdp2015.txt'],
    ['cdf', 'conweave-ns3/GoogleRPC2008.txt'],
    ['cdf', 'conweave-ns3/Solar2022.txt'],
    ['cdf', 'hpcc-ns3/AliStorage2019.txt'],
    ['cdf', 'hpcc-ns3/FbHdp_distribution.txt'],
    ['cdf', 'hpcc-ns3/GoogleRPC2008.txt'],
    ['cdf', 'hpcc-ns3/WebSearch_distribution.txt'],
    ['cdf', 'ns3-datacenter/websearch.txt'],
    ['topology', 'conweave-ns3/fat_k4_100G_OS2.txt'],
    ['topology', 'conweave-ns3/leaf_spine_128_100G_OS2.txt', { dialect: 'conweave' }],
    ['topology', 'hpcc-ns3/fat.txt'],
    ['topology', 'hpcc-ns3/topology.txt', { flows: 'hpcc-ns3/flow.txt' }],
    ['topology', 'ns3-datacenter/leaf-spine.txt', { dialect: 'ns3-datacenter' }],
    [
      'topology',
      'ns3-datacenter/leaf-spine.txt',
      { dialect: 'ns3-datacenter', flows: 'ns3-datacenter/flow-burstExp-10.txt' },
    ],
    ['hpcc', 'hpcc-ns3/config.txt'],
    ['hpcc', 'hpcc-ns3/config.txt', { congestion: 'dcqcn' }],
    ['htsim', 'csg-htsim/bidir.cm'],
    ['htsim', 'csg-htsim/incast.cm'],
    ['htsim', 'csg-htsim/one.cm'],
    ['htsim', 'csg-htsim/outcast_incast.cm'],
    ['htsim', 'csg-htsim/perm_16n_16c_2MB.cm', { topo: 'csg-htsim/leaf_spine_tiny.topo' }],
    ['htsim', 'csg-htsim/fat_tree_1024.topo'],
    ['htsim', 'csg-htsim/leaf_spine_tiny.topo'],
    ['htsim', 'csg-htsim/test.topo'],
    ['htsim', 'uet-htsim/fat_tree_128_4os.topo', { cm: 'uet-htsim/incast_2to1_size4194304B.cm' }],
    ['htsim', 'uet-htsim/leaf_spine_1024_oversub.topo'],
    ['htsim', 'uet-htsim/test_cr_1f10m1p.cm'],
  ])('%s imports %s %o', (importer, file, options) => {
    expect(outcome(importer, file, options)).toBe('imported')
  })

  test('refused files have precise messages', () => {
    const simai = outcome('hpcc', 'simai/SimAI.conf', { dialect: 'simai' })
    expect(simai).toContain('name it with --topology FILE')
    expect(simai).toContain('collective workload')
    expect(outcome('hpcc', 'simai/microAllReduce.txt', { dialect: 'simai' })).toContain(
      'a collective workload of SimAI',
    )
  })

  test('an all-to-all of connections that start each other is 16 chains of 15', () => {
    const htsim = importers.find(({ name }) => name === 'htsim')!
    const { scenario, findings } = htsim.import({
      path: path.join(FORMATS, 'uet-htsim/alltoall_serial_16n.cm'),
      readFile,
      options: {},
    })
    const report = findings.find(({ id }) => id === 'import-graph')?.values
    expect(report).toMatchObject({ messages: 240, bytes: 480_000_000, longestChain: 15, roots: 16 })
    const [{ flows }] = parsed(scenario).workload as unknown as [{ flows: string[] }]
    expect(flows.filter((line) => line.includes(' acked='))).toHaveLength(224)
  })

  test('SimAI is imported when a topology and flows are given', () => {
    const header = (text: string | undefined) => text?.replace('66 1 65', '66 8 0 1 65 H100')
    const { scenario } = hpcc.import({
      path: path.join(FORMATS, 'simai/SimAI.conf'),
      readFile: (file) =>
        file === 'network' ? header(readFile(path.join(FORMATS, 'hpcc-ns3/topology.txt'))) : readFile(file),
      options: { dialect: 'simai', topology: 'network', flows: path.join(FORMATS, 'hpcc-ns3/flow.txt') },
    })
    expect(parsed(scenario)).toMatchObject({ frames: { payload: 9000 }, measure: { end: 'drain', stop: null } })
  })

  test('mean flow sizes are the published ones', () => {
    const mean = (file: string) => {
      const cdf = importers.find(({ name }) => name === 'cdf')
      const found = cdf?.import({ path: path.join(FORMATS, file), readFile, options: {} }).findings ?? []
      return found.find(({ id }) => id === 'import-mean-flow-size')?.values['meanBytes']
    }
    expect(mean('hpcc-ns3/WebSearch_distribution.txt')).toBe(1_711_250)
    expect(mean('hpcc-ns3/FbHdp_distribution.txt')).toBe(120_421)
    expect(mean('hpcc-ns3/AliStorage2019.txt')).toBe(40_870)
    expect(mean('conweave-ns3/Solar2022.txt')).toBe(39_424)
    expect(mean('conweave-ns3/FbHdp2015.txt')).toBe(121_849)
    expect(mean('hpcc-ns3/GoogleRPC2008.txt')).toBe(2892)
  })
})
