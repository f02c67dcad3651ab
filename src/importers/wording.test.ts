/**
 * The words of all findings of imports. `UPDATE_DIGESTS=1 npm test -- src/importers/wording` writes them anew.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { FINDING_KINDS, findingText, type Finding } from '../core/findings/index.ts'
import { ADAPTATIONS, ASSUMPTIONS, DIFFERENCES } from '../core/findings/kinds/import-differences.ts'
import { importers } from './index.ts'
import { edited, sample } from './samples.test-files.ts'

const FILE = path.join(import.meta.dirname, 'wording.golden.txt')
const isUpdate = process.env['UPDATE_DIGESTS'] !== undefined

type Edits = readonly (readonly [string | RegExp, string])[]

const imported = (
  name: string,
  file: string,
  options: Record<string, string> = {},
  changes: Record<string, string | undefined> = {},
): readonly Finding[] => importers.find((each) => each.name === name)!.import(sample(file, options, changes)).findings

const run = (edits: Edits, options: Record<string, string> = {}, changes: Record<string, string | undefined> = {}) =>
  imported('hpcc', 'run/config.txt', options, { ...edited('run/config.txt', ...edits), ...changes })

const conweave = (
  edits: Edits,
  options: Record<string, string> = {},
  changes: Record<string, string | undefined> = {},
) =>
  imported(
    'hpcc',
    'cw/config.txt',
    { dialect: 'conweave', ...options },
    { ...edited('cw/config.txt', ...edits), ...changes },
  )

/** Hosts 0 and 1 with a port on each of the leaves 3 and 4; host 2 on leaf 4 only. */
const DUAL = `6 3 7
3 4 5
0 3 40Gbps 1us 0
0 4 40Gbps 1us 0
1 3 40Gbps 1us 0
1 4 40Gbps 1us 0
2 4 40Gbps 1us 0
3 5 100Gbps 1us 0
4 5 100Gbps 1us 0
`
/** GPUs with a link to the NVSwitch, 4, and one to the network. */
/** Two servers of four GPUs with an NVSwitch each, 8 and 9, on a switch. */
const SERVERS = `11 4 2 1 16 H100
8 9 10
${Array.from({ length: 8 }, (_, gpu) => `${gpu} ${8 + (gpu >> 2)} 2880Gbps 25ns 0\n${gpu} 10 400Gbps 500ns 0`).join('\n')}
`

const GPUS = `7 2 1 2 7 H100
4 5 6
0 4 2880Gbps 25ns 0
1 4 2880Gbps 25ns 0
0 5 100Gbps 1us 0
1 5 100Gbps 1us 0
2 6 100Gbps 1us 0
3 6 100Gbps 1us 0
5 6 100Gbps 1us 0
`
const GPU_FLOWS = '2\n0 1 3 100 5000 2\n0 2 3 100 5000 2\n'
const HPCC = 'CC_MODE 3\nMULTI_RATE 0\n'
const MAPS: Edits[number] = [/_MAP 2 1/g, '_MAP 4 10000000000 0 25000000000 0 1']
const SLOW = edited('run/net.txt', ['3 5 40Gbps', '3 5 10Gbps'], ['4 5 40Gbps', '4 5 10Gbps'])
const CLASS_0 = '3\n0 3 0 100 5000 2\n1 3 0 200 1000000 2.000013632\n4 0 0 100 77 2.1\n'
const DUAL_FLOWS = '2\n0 1 3 100 5000 2\n2 1 3 200 1000000 2.2\n'
const DUAL_FILES = { 'run/net.txt': DUAL, 'run/sends.txt': DUAL_FLOWS, 'run/routes.txt': '3 0 1:0\n4 2 3:2\n' }
const PROGRAM = 'num_ranks 2\nrank 0 {\nsend 0b to 1 nic 1\n}\nrank 1 {\nrecv 0b from 0\n}'
const ODD_MATRIX = `Nodes 8
Connections 4
Triggers 1
0->1 start 0 size 1 prio 2 id 1 recv_done_trigger 4
0->2 start 0 size 1 prio 2
0->3 trigger 4 id 2 size 1
0->4 trigger 4 id 3 size 1
trigger id 4 oneshot
`
const ODD_TOPO: Edits = [
  ['Nodes 16', 'Nodes 16 or so'],
  ['Oversubscribed 2', 'Oversubscribed 2\nQueue_Up 100'],
  [/$/, 'Radix_Up 4\ntier 2\nRadix_Down 4\n'],
]
const ATTRIBUTES = [
  'CC_MODE 1',
  'CC_MODE 1\nns3::RdmaHw::NicCoalesceMethod PER_IP\nns3::MellanoxDcqcn::RateOnFirstCnp 0.5\nns3::SwitchNode::PfcEnabled false',
] as const

/** One of two stages: a micro-batch of one layer. */
const STAGES = `HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: 1 pp: 2 vpp: 1 ga: 1 all_gpus: 2 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 4096
2
embedding_layer -1 10 NONE 0 1 NONE 0 1 NONE 0 100
mlp -1 20 NONE 0 30 NONE 0 40 NONE 0 100
`

const IMPORTS: Readonly<Record<string, () => readonly Finding[]>> = {
  'hpcc: the sample': () => run([]),
  'hpcc: keys': () =>
    run([
      ['RP_TIMER 100', 'RP_TIMER 100\nCOLOUR 3\nNO_CC_NODE 4 5\nRP_TIMER 50'],
      [/HAS_WIN 1\n/, ''],
      ['FCT_', 'PAUSE_TIME 5\nFCT_'],
    ]),
  'hpcc: a dialect that is given has other keys': () =>
    imported('hpcc', 'cw/config.txt', { dialect: 'hpcc', flows: 'run/sends.txt' }),
  'hpcc: ACKs and go-back-0': () =>
    run([
      ['L2_ACK_INTERVAL 1', 'L2_ACK_INTERVAL 3500'],
      ['ZERO 0', 'ZERO 1'],
      ['SIZE 4000', 'SIZE 4001'],
      [/MIN_RATE .*/, 'MIN_RATE 0Gbps'],
    ]),
  'hpcc: no marks, class 0, late flows': () =>
    run(
      [
        ['ENABLE_QCN 1', 'ENABLE_QCN 0'],
        ['TIME 2.5', 'TIME 2.05'],
      ],
      { routes: 'none' },
      { 'run/sends.txt': CLASS_0 },
    ),
  'hpcc: congestion control by option': () =>
    run(
      [
        ['L2_ACK_INTERVAL 1', 'L2_ACK_INTERVAL 0'],
        ['TIME 2.5', 'TIME 1e30'],
      ],
      { congestion: 'none' },
    ),
  'hpcc: HPCC': () => run([['CC_MODE 1\n', HPCC], MAPS, ['GLOBAL_T 1', 'GLOBAL_T 0']], {}, SLOW),
  'hpcc: hosts with two links': () => run([['LINK_DOWN 0 0 0', 'LINK_DOWN 100000 0 4']], {}, DUAL_FILES),
  'conweave: the sample': () => conweave([]),
  'conweave: DRILL': () => conweave([['LB_MODE 0', 'LB_MODE 2']]),
  'conweave: LetFlow, no size, no stop time, an unknown setting': () =>
    conweave(
      [
        ['LB_MODE 0', 'LB_MODE 6'],
        ['BUFFER_SIZE 8', 'BUFFER_SIZE 0'],
      ],
      {},
      { 'cw/env.txt': 'COLOUR=3\n' },
    ),
  'conweave: choices by option': () =>
    conweave(
      [
        ['LB_MODE 0', 'LB_MODE 9'],
        ['ENABLE_IRN 0', 'ENABLE_IRN 1'],
      ],
      { balance: 'ecmp', recovery: 'go-back-n' },
    ),
  'ns3-datacenter: HPCC': () =>
    run(
      [['CC_MODE 1\n', HPCC], MAPS, ['GLOBAL_T 1', 'GLOBAL_T 0']],
      { dialect: 'ns3-datacenter', topology: 'datacenter.txt', routes: 'none' },
      {
        ...edited('datacenter.txt', ['2 3 25000000000', '2 3 10000000000']),
        'run/sends.txt': '1\n0 2 3 10000 1000 2.1\n',
      },
    ),
  'ns3-alibabacloud: attributes': () => run([ATTRIBUTES], { dialect: 'ns3-alibabacloud', topology: 'simai.txt' }),
  'simai: NVLinks': () =>
    imported(
      'topology',
      'gpus.txt',
      { dialect: 'simai', flows: 'flows.txt' },
      { 'gpus.txt': GPUS, 'flows.txt': GPU_FLOWS },
    ),
  'simai: NVSwitches': () => imported('topology', 'simai.txt', { dialect: 'simai' }),
  'topology: hosts with two links': () => imported('topology', 'dual.txt', {}, { 'dual.txt': DUAL }),
  'htsim: no topology': () => imported('htsim', 'some.cm', { 'start-unit': 'us' }),
  'htsim: bundles': () => imported('htsim', 'bundles.topo'),
  'htsim: failures': () => imported('htsim', 'failed.cm'),
  'htsim: messages': () => imported('htsim', 'messages.cm'),
  'htsim: what has no effect': () =>
    imported(
      'htsim',
      'odd.cm',
      { topo: 'leaf-spine.topo' },
      { 'odd.cm': ODD_MATRIX, ...edited('leaf-spine.topo', ...ODD_TOPO) },
    ),
  'cdf: fractions': () => imported('cdf', 'fractions.txt'),
  'goal: nodes': () => imported('goal', 'my.goal', {}, { 'my.goal': PROGRAM }),
  'simai: a step': () => imported('simai', 'step.txt', { gpus: '8' }),
  'simai: servers': () =>
    imported('simai', 'step.txt', { gpus: '8', topology: 'servers.txt' }, { 'servers.txt': SERVERS }),
  'simai: a file that goes on, checkpoints': () =>
    imported(
      'simai',
      'micro.txt',
      { gpus: '4' },
      edited('micro.txt', ['MICRO', 'MICRO model_parallel_NPU_group: 2 checkpoints: 1 7']),
    ),
  'simai: a pipeline': () => imported('simai', 'stages.txt', {}, { 'stages.txt': STAGES }),
  'simai: a tuner file': () => imported('simai', 'micro.txt', { gpus: '4', tuner: 'nccl_tuner.conf' }),
  'simai: a tuner file that chooses nothing': () =>
    imported(
      'simai',
      'step.txt',
      { tuner: 'nccl_tuner.conf' },
      edited('nccl_tuner.conf', [/^/, 'allreduce,0,1,ring,simple,1,-1,-1'], [/\n[^#]*$/, '']),
    ),
  'chakra: control dependencies not used': () => imported('chakra', 'job', { groups: 'groups.json' }),
  'chakra: control dependencies, a tuner file': () =>
    imported('chakra', 'job.0.json', {
      groups: 'groups.json',
      'control-deps': 'bind',
      tuner: 'nccl_tuner.conf',
      nodes: '1',
    }),
}

const found = Object.entries(IMPORTS).map(([title, findings]) => ({ title, findings: findings() }))
const all = found.flatMap(({ findings }) => findings)

test('each kind of finding on imports, and each sentence of its tables, is among them', () => {
  const kinds = FINDING_KINDS.filter(({ id }) => id.startsWith('import-')).map(({ id }) => id)
  expect(kinds.length).toBeGreaterThan(10)
  expect(kinds.filter((id) => all.every((finding) => finding.id !== id))).toEqual([])
  const tables = { 'import-differs': DIFFERENCES, 'import-adapted': ADAPTATIONS, 'import-assumed': ASSUMPTIONS }
  for (const [id, table] of Object.entries(tables)) {
    const said = new Set(all.filter((finding) => finding.id === id).map(({ values }) => values['what']))
    expect(Object.keys(table).filter((what) => !said.has(what))).toEqual([])
  }
})

test('they are worded as recorded', () => {
  const text = found
    .map(({ title, findings }) => {
      const lines = findings.map((finding) => `${finding.severity} ${finding.id}\n  ${findingText(finding)}`)
      return `# ${title}\n${lines.join('\n')}\n`
    })
    .join('\n')
  if (isUpdate) writeFileSync(FILE, text)
  expect(text).toBe(existsSync(FILE) ? readFileSync(FILE, 'utf8') : '')
})
