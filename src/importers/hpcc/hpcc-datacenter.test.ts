/** Runs of ns3-datacenter: its switch, its windows, and the settings on its command line. */
import { expect, test } from 'vitest'
import { run as simulate } from '../../lab/index.ts'
import { textsOf } from '../../core/results/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { hpcc } from './hpcc.ts'
import { adapted, differs, found } from '../findings.test-bench.ts'
import type { ImportInput } from '../importer.ts'
import { edited, sample } from '../samples.test-files.ts'

const importing = (input: ImportInput) => hpcc.import(input)

const config = (...edits: readonly (readonly [string | RegExp, string])[]) => edited('run/config.txt', ...edits)
const maps = config([/_MAP 2/g, '_MAP 3 25000000000 1'], ['KMAX_MAP 3 25000000000 1', 'KMAX_MAP 3 25000000000 2'])
const datacenter = (changes: Record<string, string | undefined> = {}): ImportInput =>
  sample(
    'run/config.txt',
    { dialect: 'ns3-datacenter', topology: 'datacenter.txt', routes: 'none' },
    { ...maps, 'run/sends.txt': '1\n0 2 3 10000 1000000000000 2.5\n', ...changes },
  )

test('ns3-datacenter reads sizes beyond 32 bits', () => {
  expect(importing(datacenter()).scenario).toMatchObject({
    workload: [{ flows: ['0 2 1TB 500ms dport=10000'] }],
  })
})

test('switches have no reserve, headroom for eight queues, one alpha, and mark when a packet is queued', () => {
  const { scenario, findings } = importing(datacenter())
  expect(scenario).toMatchObject({
    switch: {
      buffer: {
        size: '8MiB',
        reserve: '0B',
        alpha: 0.125,
        alphaScaling: 'none',
        headroomPer: 'class',
        headroomFactor: 3,
        xonOffset: '2496B',
      },
      // 1 and 2 KB less a packet of 1048 bytes.
      ecn: { byRate: [{ rate: '25Gbps', kmin: '0B', kmax: '952B' }, {}, {}], at: 'enqueue', compare: 'above' },
    },
    pfc: { classes: [0, 1, 2, 3, 4, 5, 6, 7] },
  })
  expect(findings).toContainEqual(adapted('datacenter-marks', { packetBytes: 1048 }))
  expect(findings).toContainEqual(differs('datacenter-thresholds'))
  expect(findings).toContainEqual(found('unchecked', { simulator: 'ns3-datacenter' }))
  const ofHpcc = importing(sample('run/config.txt')).findings
  expect(ofHpcc).not.toContainEqual(adapted('datacenter-marks'))
  expect(ofHpcc).not.toContainEqual(found('unchecked'))
})

test('windows follow the link rate of the sender', () => {
  // 2 x 4000 ns and two payloads of 320 ns; the path to host 2 is slower.
  const slow = edited('datacenter.txt', ['2 3 25000000000 2us', '2 3 10000000000 2us'])
  const rates = config([/_MAP 2/g, '_MAP 4 25000000000 1 10000000000 1'])
  const { scenario, findings } = importing(datacenter({ ...slow, ...rates }))
  // 8000 ns of delays, payloads of 320 and 800 ns, at 25 Gb/s.
  expect(scenario).toMatchObject({ qp: { window: '28.5KB' } })
  expect(findings).toContainEqual(differs('windows-of-senders', { windowBytes: 28_500 }))
  expect(importing(datacenter()).scenario).toMatchObject({ qp: { window: '27KB' } })
})

test('settings of its command line are noted', () => {
  expect(importing(datacenter()).findings).toContainEqual(differs('command-line-overrides'))
  const keys = edited('run/config.txt', [/_MAP 2/g, '_MAP 3 25000000000 1'], ['CC_MODE 1', 'CC_MODE 3\nMULTI_RATE 0'])
  expect(importing(datacenter(keys)).findings).toContainEqual(differs('power-tcp'))
})

test('an imported run can be simulated', () => {
  const flows = { 'run/sends.txt': '2\n0 2 3 10000 200000 2.1\n1 2 3 10000 200000 2.1\n' }
  const { scenario } = importing(datacenter(flows))
  const { flows: done } = simulate(parseScenario(JSON.stringify(scenario)), { check: true })
  expect(textsOf(done, 'status')).toEqual(['finished', 'finished'])
})
