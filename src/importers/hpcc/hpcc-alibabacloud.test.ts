/** The simulator that SimAI has become part of: comments, attributes of classes in place of keys, switches without PFC. */
import { expect, test } from 'vitest'
import { createSimulation } from '../../lab/index.ts'
import { scenarioOf } from '../../lab/scenario/index.ts'
import { refusal, importing } from './hpcc.test-bench.ts'
import { hpcc } from './hpcc.ts'
import { StoppedImport } from '../index.ts'
import { found } from '../findings.test-bench.ts'
import type { ImportInput } from '../importer.ts'
import { sample } from '../samples.test-files.ts'

const CONFIG = `# INPUT FILE PATH
TOPOLOGY_FILE star.txt
FLOW_FILE flows.txt
# VAR SETTINGS
SIMULATOR_STOP_TIME 40000000000000.00
HAS_WIN 0
GLOBAL_T 0
KMAX_MAP 1 100000000000 1600
KMIN_MAP 1 100000000000 400
PMAX_MAP 1 100000000000 0.2
BUFFER_SIZE 32
# NS3 SETTINGS
ns3::QbbNetDevice::QcnEnabled true
ns3::SwitchNode::PfcEnabled false
ns3::SwitchNode::ForwardDelay 2
ns3::RdmaHw::Mtu 9000
ns3::RdmaHw::CcMode 1
ns3::RdmaHw::RateAI 7Mb/s
ns3::RdmaHw::MinRate 100Mb/s
ns3::RdmaHw::L2BackToZero false
ns3::RdmaHw::L2AckInterval 1
ns3::RdmaHw::VarWin true
ns3::RdmaHw::NACKGenerationInterval 0.01
ns3::MellanoxDcqcn::RPTimer 900.0
ns3::MellanoxDcqcn::EwmaGain 0.00390625
ns3::RealDcqcn::F 1
ns3::Other::Thing 3
`
const STAR = `6 1 0 1 5 A100
0
0 1 100Gbps 0.001ms 0
0 2 100Gbps 0.001ms 0
0 3 100Gbps 0.001ms 0
0 4 100Gbps 0.001ms 0
0 5 100Gbps 0.001ms 0
`
const FLOWS = '3\n2 1 3 100 2000000 2\n3 1 3 100 5000000000 2\n4 5 3 100 2000000 2\n'

const input = (changes: Record<string, string> = {}, dialect = 'ns3-alibabacloud'): ImportInput =>
  sample('config.sh', { dialect }, { 'config.sh': CONFIG, 'star.txt': STAR, 'flows.txt': FLOWS, ...changes })

test('a configuration of attributes is imported, with the defaults of those it lacks', () => {
  const { scenario, findings } = importing(input())
  expect(scenario).toMatchObject({
    frames: { payload: '9KB' },
    switch: {
      latency: '2us',
      buffer: { size: '32MiB', headroomFormula: 'delay-rate', headroomFactor: 2, headroomExtra: '18KB' },
      ecn: { byRate: [{ rate: '100Gbps', kmin: '400KB', kmax: '1.6MB', pmax: 0.2 }] },
    },
    pfc: { classes: [] },
    qp: { ackInterval: 1, window: 'off' },
    recovery: { kind: 'go-back-n', nakInterval: '0ps' },
    congestion: {
      kind: 'dcqcn',
      additiveRate: '7Mbps',
      hyperRate: '50Mbps',
      rateInterval: '900us',
      g: 1 / 256,
      fastRecovery: 5,
    },
    workload: [{ flows: { length: 3, 1: '2 0 5GB 0ps dport=100' } }],
    measure: { end: 'drain' },
  })
  expect(findings.filter(({ id }) => id === 'import-key-unknown')).toEqual([
    found('key-unknown', { words: 'ns3::Other::Thing 3' }, { file: 'config.sh', line: 27 }),
  ])
  expect(findings).toContainEqual(found('without-effect', { names: ['SIMULATOR_STOP_TIME'] }))
  createSimulation(scenarioOf(scenario)).close()
})

test('keys of the family mean the same there, PFC is on unless switched off, and a header may have one number more', () => {
  const changes = {
    'config.sh': CONFIG.replace('ns3::RdmaHw::RateAI 7Mb/s', 'RATE_AI 9Mb/s').replace(
      'ns3::SwitchNode::PfcEnabled false\n',
      '',
    ),
    'star.txt': STAR.replace('A100', 'A100 8'),
  }
  const { scenario } = importing(input(changes))
  expect(scenario).toMatchObject({ congestion: { additiveRate: '9Mbps' }, pfc: { classes: [1, 2, 3, 4, 5, 6, 7] } })
})

test('under another dialect one message names this one, and settings of single nodes are refused', () => {
  const message = refusal(input({}, 'simai'))
  expect(message).toMatch(/^config\.sh:13:1: ns3::QbbNetDevice::QcnEnabled: .*--dialect ns3-alibabacloud\)$/)
  expect(refusal(input({ 'config.sh': `${CONFIG}GROUP_START{\nTYPE RdmaHw\n}GROUP_END\n` }))).toMatch(
    /^config\.sh:28:1: group: /,
  )
})

test('an import that stops has its findings too', () => {
  const broken = input({ 'config.sh': CONFIG.replace('CcMode 1', 'CcMode 13') })
  const stopped = ((): StoppedImport => {
    try {
      hpcc.import(broken)
    } catch (error) {
      if (error instanceof StoppedImport) return error
    }
    throw new Error('the import does not stop')
  })()
  expect(stopped.issues.map(({ path }) => path)).toEqual(['CC_MODE'])
  expect(stopped.findings).toContainEqual(found('key-unknown', { words: 'ns3::Other::Thing 3' }))
})
