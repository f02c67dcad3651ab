import { describe, expect, test } from 'vitest'
import { createSimulation } from '../../lab/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { refusal, config, importing } from './hpcc.test-bench.ts'
import { adapted, differs, found } from '../findings.test-bench.ts'
import type { ImportInput } from '../importer.ts'
import { parseNs3Delay, parseNs3Rate, secondsToNs } from '../ns3/values.ts'
import { edited, sample, SAMPLES } from '../samples.test-files.ts'

const run = (changes: Record<string, string | undefined> = {}, options: Record<string, string> = {}): ImportInput =>
  sample('run/config.txt', options, changes)
const conweave = (
  changes: Record<string, string | undefined> = {},
  options: Record<string, string> = {},
): ImportInput => sample('cw/config.txt', { dialect: 'conweave', ...options }, changes)

test('a run is mapped to a scenario, group by group', () => {
  const { scenario } = importing(run())
  expect(scenario).toMatchObject({
    name: 'run',
    time: { quantum: '1ns', rounding: 'truncate-q64' },
    topology: {
      kind: 'graph',
      nodes: 6,
      switches: [5, 2],
      links: [
        '0 2 40Gbps 1us',
        '1 2 40Gbps 1us',
        '3 5 40Gbps 1us',
        '4 5 40Gbps 1us loss=0.001',
        '2 5 100Gbps 1.5us',
        '2 5 100Gbps 1.5us',
      ],
      routes: ['2: 0 via 1', '2: 1 via 2', '2: 3-4 via 4,3', '5: 0 via 3,4', '5: 1 via 4,3'],
    },
    balance: { kind: 'ecmp', seed: 'node' },
    frames: { payload: '1KB', dataOverhead: '48B', everyOverhead: '0B', ack: '60B', pfc: '43B', gap: '0B' },
    classes: { data: 3, ackAtHost: 0, ackAtSwitch: 'off' },
    compat: 'hpcc',
    nic: { sourcePorts: 'per-pair', firstAddress: '11.0.0.1' },
    switch: {
      buffer: { kind: 'shared-buffer', size: '8MiB', alpha: 0.125, headroomFactor: 3 },
      strictClasses: [0],
      ecn: {
        byRate: [
          { rate: '40Gbps', kmin: '40KB', kmax: '160KB', pmax: 0.25 },
          { rate: '100Gbps', kmin: '100KB', kmax: '400KB', pmax: 0.2 },
        ],
        at: 'dequeue',
        compare: 'above',
      },
    },
    pfc: { classes: [1, 2, 3, 4, 5, 6, 7], expiry: false, refresh: 0, repeat: false },
    qp: { ackInterval: 1, ackTimeout: 'off', windowVariable: false, ecnEcho: 'ack', rateRounding: 'bps' },
    recovery: { kind: 'go-back-n', nakInterval: '500us', duplicates: 'silent' },
    congestion: {
      kind: 'dcqcn',
      g: 0.00390625,
      decreaseInterval: '5us',
      alphaInterval: '2us',
      rateInterval: '100us',
      additiveRate: '30Mbps',
      hyperRate: '90Mbps',
      clampTarget: false,
    },
    measure: { completion: 'sender', end: 'stop', stop: '500ms' },
    faults: [],
  })
})

test('flows name hosts by index, and start when the simulator starts them', () => {
  const { scenario, findings } = importing(run())
  // Nodes 0, 1, 3, 4 are hosts. The double nearest to 2.000013632 is slightly smaller.
  expect(scenario['workload']).toEqual([
    {
      kind: 'trace',
      origin: '2s',
      flows: ['0 2 5KB 0ps dport=100', '1 2 1MB 13.631us dport=200', '3 0 77B 100ms dport=100'],
    },
  ])
  expect(findings).toContainEqual(adapted('truncated-starts', { flows: 1, of: 3 }, { file: 'run/sends.txt' }))
  expect(findings).toContainEqual(adapted('time-origin', { originPs: 2e12 }))
})

test('files found elsewhere, ignored text and keys without effect are noted', () => {
  const { findings } = importing(run())
  expect(findings).toContainEqual(found('file-chosen', { used: 'run/net.txt', key: 'TOPOLOGY_FILE' }))
  expect(findings).toContainEqual(found('file-chosen', { used: 'run/routes.txt', key: null }))
  expect(findings).toContainEqual(
    found('text-ignored', { words: null, of: 'link', count: 6 }, { file: 'run/net.txt', line: 9 }),
  )
  expect(findings).toContainEqual(found('text-ignored', { of: 'flow', count: 3 }, { file: 'run/sends.txt', line: 5 }))
  const output = { names: ['FCT_OUTPUT_FILE'], reason: 'names an output file' }
  expect(findings).toContainEqual(found('without-effect', output))
  expect(findings).toContainEqual(differs('parallel-links', {}, { device: 'node 2', port: 'node 5' }))
  const edits = importing(run(config(['RP_TIMER 100', 'RP_TIMER 100\nCOLOUR 3\nRP_TIMER 50']))).findings
  expect(edits).toContainEqual(found('key-unknown', { words: 'COLOUR 3', forkSets: null }, { line: 12 }))
  expect(edits).toContainEqual(found('key-repeated', { key: 'RP_TIMER' }, { line: 13 }))
  const forks = importing(run(config(['RP_TIMER 100', 'NO_CC_NODE 4 5\nRP_TIMER 100']))).findings
  const setting = { words: 'NO_CC_NODE 4 5', forkSets: 'hosts that send without congestion control' }
  expect(forks).toContainEqual(found('key-unknown', setting))
  const absent = importing(run(config([/HAS_WIN 1\n/, '']))).findings
  expect(absent).toContainEqual(found('defaults', { defaults: expect.arrayContaining([['HAS_WIN', '1']]) }))
})

test('the window is the largest of all pairs: round trip of delays and payloads, times the rate of the slowest link', () => {
  // 0 to 4: 2 * (1000 + 1500 + 1000) + 200 + 80 + 200 ns at 40 Gb/s.
  expect(importing(run()).scenario).toMatchObject({ qp: { window: '37.4KB' } })
  expect(importing(run(config(['HAS_WIN 1', 'HAS_WIN 0']))).scenario).toMatchObject({ qp: { window: 'off' } })
  expect(importing(run(config(['GLOBAL_T 1', 'GLOBAL_T 0']))).scenario).toMatchObject({ qp: { window: '37.4KB' } })
})

test('an option selects the clock of builds with rounded serialization times', () => {
  expect(importing(run({}, { rounding: 'nearest' })).scenario).toMatchObject({ time: { rounding: 'nearest' } })
})

test('DCTCP, TIMELY, no congestion control and go-back-0 are mapped', () => {
  const mode = (number: number) => importing(run(config(['CC_MODE 1', `CC_MODE ${number}`]))).scenario
  expect(mode(8)).toMatchObject({
    congestion: { kind: 'dctcp-rate', g: 0.00390625, additiveRate: '500Mbps', minRate: '100Mbps' },
  })
  expect(mode(7)).toMatchObject({ congestion: { kind: 'timely', update: 'window' }, frames: { everyOverhead: '8B' } })
  expect(mode(0)).toMatchObject({ congestion: { kind: 'none' } })
  const back = importing(
    run(config(['L2_BACK_TO_ZERO 0', 'L2_BACK_TO_ZERO 1'], ['CHUNK_SIZE 4000', 'CHUNK_SIZE 4001'])),
  )
  expect(back.scenario).toMatchObject({ recovery: { kind: 'go-back-0', chunk: 5 } })
  expect(back.findings).toContainEqual(differs('go-back-0-unit', { chunkBytes: 4001, packets: 5 }))
})

test('every packet is acknowledged, as an ACK interval delays only the first ACK of a flow', () => {
  const interval = (text: string) => importing(run(config(['L2_ACK_INTERVAL 1\n', text])))
  const { scenario, findings } = interval('L2_ACK_INTERVAL 3500\n')
  expect(scenario).toMatchObject({ qp: { ackInterval: 1 } })
  // The flows have 5000, 1000000 and 77 bytes.
  const values = { intervalBytes: 3500, chunkBytes: 4000, shortFlows: 1 }
  expect(findings).toContainEqual(differs('ack-interval', values))
  expect(interval('L2_ACK_INTERVAL 1\n').findings).not.toContainEqual(differs('ack-interval'))
  for (const text of ['L2_ACK_INTERVAL 0\n', '']) {
    expect(interval(text).scenario).toMatchObject({ qp: { ackInterval: 1 } })
    expect(interval(text).findings).toContainEqual(differs('acks-ignored'))
  }
})

test('lossy links lose no PFC frames, with a note', () => {
  const sound = edited('run/net.txt', ['0.001', '0'])
  const lossy = config(['LINK_DOWN', 'ERROR_RATE_PER_LINK 0.01\nLINK_DOWN'])
  expect(importing(run()).findings).toContainEqual(differs('lost-pfc-frames'))
  expect(importing(run(sound)).findings).not.toContainEqual(differs('lost-pfc-frames'))
  expect(importing(run({ ...sound, ...lossy })).findings).toContainEqual(differs('lost-pfc-frames'))
})

test('go-back-0 by chunks needs a chunk size', () => {
  const changes = config(['L2_BACK_TO_ZERO 0', 'L2_BACK_TO_ZERO 1'], ['L2_CHUNK_SIZE 4000\n', ''])
  expect(refusal(run(changes))).toBe(
    'run/config.txt:19:1: L2_CHUNK_SIZE: expected a chunk size in bytes, with L2_BACK_TO_ZERO 1, received 0 (that simulator divides by it)',
  )
})

test('times of LINK_DOWN count from two seconds', () => {
  const down = config(['LINK_DOWN 0 0 0', 'LINK_DOWN 1500 5 4'])
  expect(importing(run(down)).scenario['faults']).toEqual([
    { kind: 'link-down', links: 'node 5-node 4', down: '1.5ms' },
  ])
  expect(refusal(run(config(['LINK_DOWN 0 0 0', 'LINK_DOWN 1 0 4'])))).toContain('two nodes with a link between them')
})

test('a run with flows before two seconds keeps its times', () => {
  const early = { 'run/sends.txt': '1\n0 3 3 100 5000 0.5\n' }
  const { scenario } = importing(run(early))
  expect(scenario).toMatchObject({
    workload: [{ origin: '0ps', flows: ['0 2 5KB 500ms dport=100'] }],
    measure: { stop: '2.5s' },
  })
})

test('ACKs use the queue of their flow in switches, and a queue of their own in NICs', () => {
  const flows = { 'run/sends.txt': '2\n0 3 5 100 5000 2\n1 3 5 100 5000 2\n' }
  const low = config(['ACK_HIGH_PRIO 1', 'ACK_HIGH_PRIO 0'])
  const { scenario } = importing(run({ ...flows, ...low }))
  expect(scenario).toMatchObject({ classes: { data: 5, ackAtHost: 3, ackAtSwitch: 'off', cnpAtSwitch: 5 } })
  expect(importing(run(flows)).scenario).toMatchObject({ classes: { data: 5, ackAtHost: 0, ackAtSwitch: 'off' } })
})

test('rates of 0 are taken as they are, and a least rate of 0 as the least that a scenario has', () => {
  const zero = config(
    ['RATE_AI 30Mb/s', 'RATE_AI 0Mb/s'],
    ['RATE_HAI 90Mb/s', 'RATE_HAI 0'],
    [/MIN_RATE .*/, 'MIN_RATE 0Gbps'],
  )
  const { scenario, findings } = importing(run(zero))
  expect(scenario).toMatchObject({ congestion: { additiveRate: '0bps', hyperRate: '0bps', minRate: '1bps' } })
  expect(findings).toContainEqual(differs('least-rate', { minRateBps: 1 }))
  createSimulation(parseScenario(JSON.stringify(scenario))).close()
  expect(refusal(run(config(['RATE_AI 30Mb/s', 'RATE_AI -5Mb/s'])))).toContain('RATE_AI: expected a rate')
})

test('flows of different classes each carry their class', () => {
  const { scenario } = importing(run({ 'run/sends.txt': '2\n0 3 3 100 5000 2\n1 3 4 100 5000 2\n' }))
  expect(scenario).toMatchObject({
    classes: { data: 3, ackAtSwitch: 'off' },
    workload: [{ flows: ['0 2 5KB 0ps class=3 dport=100', '1 2 5KB 0ps class=4 dport=100'] }],
  })
})

describe('refusals give location, reason and remedy', () => {
  test('an unknown congestion control is refused unless an option replaces it', () => {
    const input = config(['CC_MODE 1', 'CC_MODE 10'])
    expect(refusal(run(input))).toBe(
      'run/config.txt:7:1: CC_MODE: expected one of 0 (none), 1 (dcqcn), 3 (hpcc), 7 (timely), 8 (dctcp-rate), received 10: HPCC-PINT, ' +
        'which rocelab does not have yet (--congestion dcqcn or --congestion none imports the rest (dialect hpcc))',
    )
    expect(importing(run(input, { congestion: 'dcqcn' })).findings).toContainEqual(
      found('replaced', { option: 'congestion', chosen: 'dcqcn', key: 'CC_MODE', written: '10' }),
    )
    expect(importing(run(input, { congestion: 'none' })).scenario).toMatchObject({ congestion: { kind: 'none' } })
  })

  test('a link rate without thresholds is refused', () => {
    const message = refusal(run(config([/KMIN_MAP .*/, 'KMIN_MAP 1 100000000000 100'])))
    expect(message).toContain('run/config.txt:28:1: KMIN_MAP: expected a threshold for 40000000000')
  })

  test('malformed numbers are all reported at once', () => {
    const message = refusal(run(config(['RP_TIMER 100', 'RP_TIMER soon'], ['RATE_AI 30Mb/s', 'RATE_AI 30'])))
    expect(message).toBe('run/config.txt:11:10: RP_TIMER: expected a number 0.001 to 1000000000, received "soon"')
    const both = refusal(run(config(['RP_TIMER 100', 'RP_TIMER soon'], ['RATE_AI 30Mb/s', 'RATE_AI fast'])))
    expect(both.split('\n')).toHaveLength(2)
  })

  test('a key without its value is refused', () => {
    expect(refusal(run(config(['BUFFER_SIZE 8', 'BUFFER_SIZE'])))).toContain(
      'expected 1 values, received 0, then the end',
    )
  })

  test('missing files are named', () => {
    expect(refusal(sample('nothing.txt'))).toBe(
      'nothing.txt: expected the configuration (config.txt), received no such file',
    )
    expect(refusal(run({ 'run/sends.txt': undefined }))).toContain('tried run/mix/sends.txt and run/sends.txt')
    expect(refusal(run({}, { routes: 'none.txt' }))).toContain('none.txt: expected the file of --routes')
  })

  test('fewer rows than declared are refused', () => {
    const flows = SAMPLES['run/sends.txt']?.replace('3\n', '9\n').replace('9 9 9 9 9 9\n', '') ?? ''
    expect(refusal(run({ 'run/sends.txt': flows }))).toContain(
      'expected 9 flows as the first line declares, received 3',
    )
    expect(refusal(run({ 'run/net.txt': '4 1 3\n3\n0 3 1Gbps 1us 0\n' }))).toContain('expected 3 links')
  })

  test('impossible flows are refused', () => {
    const flow = (row: string) => refusal(run({ 'run/sends.txt': `1\n${row}\n` }))
    expect(flow('2 3 3 100 5000 2')).toContain(
      'run/sends.txt:2:1: flow 1: expected a source among the 4 hosts, ids 0 to 4',
    )
    expect(flow('0 0 3 100 5000 2')).toContain('two different hosts')
    expect(flow('0 3 3 100 4294967296 2')).toContain('expected at most 4294967295 bytes')
    expect(flow('0 3 3 100 0.5 2')).toContain('run/sends.txt:2:11: size: expected a whole number of at least 1')
    expect(refusal(run({ 'run/sends.txt': '2\n0 3 3 100 5 2.1\n1 3 3 100 5 2\n' }))).toContain('ascending')
  })

  test('routes that do not fit the links are refused', () => {
    expect(refusal(run({ 'run/routes.txt': '2 3 4:1\n' }))).toContain('expected node 5 at port 4 of node 2')
    expect(refusal(run({ 'run/routes.txt': '2 3\n' }))).toContain('a row "node destination port:peer ..."')
  })

  test('keys of another dialect are refused if no dialect is given', () => {
    const cw = sample('cw/config.txt')
    expect(refusal(cw)).toContain('use --dialect conweave')
  })

  test('unknown options are refused', () => {
    expect(refusal(run({}, { colour: 'red' }))).toContain('expected an option of the hpcc importer')
    expect(refusal(run({}, { dialect: 'ns4' }))).toContain('expected hpcc or conweave or ns3-datacenter or simai')
  })

  test('hosts without a link are refused', () => {
    expect(refusal(run({ 'run/net.txt': '4 1 2\n3\n0 3 40Gbps 1us 0\n1 3 40Gbps 1us 0\n' }))).toContain(
      'a link at node 2',
    )
  })
})

describe('conweave', () => {
  test('has no dport column, numbers ports per destination, and marks above the reserve of a queue', () => {
    const { scenario, findings } = importing(conweave())
    expect(scenario).toMatchObject({
      seed: 9,
      compat: 'conweave',
      nic: { sourcePorts: 'per-source' },
      classes: { ackAtHost: 0, ackAtSwitch: 0 },
      switch: {
        buffer: {
          size: '100KB',
          alpha: 0.0625,
          reservedClasses: 8,
          ingressLimit: 'total',
          egressLimit: 'all',
        },
        ecn: {
          byRate: [
            { kmin: '41049B', kmax: '161049B' },
            { kmin: '101049B', kmax: '401049B' },
          ],
        },
      },
      pfc: { quanta: 977, expiry: true, repeat: true },
      qp: { ackTimeout: '4ms', ackTimer: 'packet' },
      recovery: { nakInterval: '4us', duplicates: 'acknowledge' },
      workload: [{ flows: ['0 2 5KB 0ps dport=100', '1 2 1MB 13.631us dport=101', '3 0 77B 100ms dport=100'] }],
      // The double nearest to 2.4 is slightly smaller.
      measure: { stop: '399.999999ms' },
    })
    expect(findings).toContainEqual(found('file-chosen', { used: 'cw/env.txt' }))
    expect(findings).toContainEqual(differs('conweave-pauses'))
  })

  test('may run without PFC and without a stop time', () => {
    const changes = { ...edited('cw/config.txt', ['ENABLE_PFC 1', 'ENABLE_PFC 0']), 'cw/env.txt': undefined }
    const { scenario, findings } = importing(conweave(changes))
    expect(findings).not.toContainEqual(differs('conweave-pauses'))
    expect(scenario).toMatchObject({
      pfc: { classes: [] },
      measure: { end: 'drain' },
      switch: { buffer: { size: '8MiB', ingressLimit: 'total' } },
    })
  })

  test('has the defaults of its own code for absent keys', () => {
    const cut = edited('cw/config.txt', [/BUFFER_SIZE.*\n/, ''], [/RP_TIMER.*\n/, ''], [/FAST_RECOVERY.*\n/, ''])
    const { scenario, findings } = importing(conweave({ ...cut, 'cw/env.txt': undefined }))
    expect(scenario).toMatchObject({
      switch: { buffer: { size: '1.5MB' } },
      congestion: { rateInterval: '300us', fastRecovery: 1 },
    })
    expect(findings).toContainEqual(differs('buffer-per-port', { portBytes: 375_000, ports: 4, isUneven: false }))
  })

  test('has IRN that goes back to the oldest packet, acknowledges each packet, and has no timer with PFC', () => {
    const irn = (pfc: number, interval: string) =>
      importing(
        conweave(
          edited(
            'cw/config.txt',
            ['ENABLE_IRN 0', 'ENABLE_IRN 1'],
            ['ENABLE_PFC 1', `ENABLE_PFC ${pfc}\nL2_ACK_INTERVAL ${interval}`],
            [/^L2_ACK_INTERVAL.*\n/m, ''],
          ),
        ),
      )
    for (const interval of ['1', '4000']) {
      const { scenario, findings } = irn(0, interval)
      expect(scenario).toMatchObject({
        qp: { ackInterval: 1, ackTimeout: '320us', ackTimer: 'packet' },
        recovery: { kind: 'irn', rtoLow: '100us' },
      })
      expect(findings).not.toContainEqual(differs('ack-interval'))
    }
    expect(irn(1, '1').scenario).toMatchObject({ qp: { ackTimeout: 'off' } })
  })

  test('is refused with load balancing that rocelab does not have', () => {
    const changes = edited('cw/config.txt', ['LB_MODE 0', 'LB_MODE 9'])
    const message = refusal(conweave(changes))
    expect(message).toContain(
      'LB_MODE: expected one of 0 (ECMP by flow), 2 (DRILL), 6 (LetFlow), received 9 (ConWeave)',
    )
    expect(message).toContain('--balance ecmp')
    const { scenario, findings } = importing(sample('cw/config.txt', { dialect: 'conweave', balance: 'ecmp' }, changes))
    expect(scenario).toMatchObject({ balance: { kind: 'ecmp', seed: 'node' } })
    expect(findings).toContainEqual(found('replaced', { option: 'balance', key: 'LB_MODE', written: '9' }))
    expect(refusal(conweave(edited('cw/config.txt', ['LB_MODE 0', 'LB_MODE 7'])))).toContain('LB_MODE')
  })

  test.each([
    [2, { kind: 'adaptive', per: 'packet' }, 'drill'],
    [6, { kind: 'flowlet', gap: '100us', pick: 'random' }, 'letflow'],
  ])('LB_MODE %i is the nearest choice of paths, with a note about the difference', (mode, balance, difference) => {
    const { scenario, findings } = importing(conweave(edited('cw/config.txt', ['LB_MODE 0', `LB_MODE ${mode}`])))
    expect(scenario).toMatchObject({ balance })
    expect(findings).toContainEqual(differs(difference))
    expect(parseScenario(JSON.stringify(scenario)).balance.kind).toBe(balance.kind)
  })
})

test('times are truncated as in ns-3', () => {
  expect(secondsToNs(2)).toBe(2_000_000_000)
  expect(secondsToNs(2.000013632)).toBe(2_000_013_631)
  expect(secondsToNs(2.000016522)).toBe(2_000_016_522)
  expect(secondsToNs(-1)).toBeUndefined()
  expect(secondsToNs(4e13)).toBeUndefined()
  expect(['1000ns', '0.001ms', '2us', '1500ps', '1'].map(parseNs3Delay)).toEqual([1e6, 1e6, 2e6, 1e3, 1e12])
  expect(['', 'us', '-1us', '1 us', '1min'].map(parseNs3Delay)).toEqual(Array(5).fill(undefined))
  expect(['100Gbps', '50Mb/s', '1MBps', '1Kib/s', '25000000000', '1e9'].map(parseNs3Rate)).toEqual([
    1e11, 5e7, 8e6, 1024, 25e9, 1e9,
  ])
  expect(['', 'Gbps', '5Gbs', '1e400', '5constructor'].map(parseNs3Rate)).toEqual(Array(5).fill(undefined))
})
