/** SimAI's dialect of the HPCC family: its network from the command line, its flows from elsewhere, GPUs on two switches. */
import { describe, expect, test } from 'vitest'
import { createSimulation } from '../../lab/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { complaint, config, importing } from './hpcc.test-bench.ts'
import type { ImportInput } from '../importer.ts'
import { sample, SAMPLES } from '../samples.test-files.ts'
import { topology } from '../topology.ts'

describe('SimAI', () => {
  const simai = (changes: Record<string, string | undefined>, options: Record<string, string> = {}): ImportInput =>
    sample('run/config.txt', { dialect: 'simai', ...options }, changes)

  test('says what is missing: a topology and flows', () => {
    const message = complaint(simai(config([/TOPOLOGY_FILE.*\n/, ''], ['mix/sends.txt', '/etc/sends1.txt'])))
    expect(message).toContain('SimAI takes its topology from the command line; name it with --topology FILE')
    expect(message).toContain('SimAI makes its flows from a collective workload')
    expect(complaint(simai({ 'run/sends.txt': '0\n', 'run/net.txt': SAMPLES['simai.txt'] }))).toContain(
      'a count and no flows',
    )
  })

  test('imports with both', () => {
    const { scenario, notes } = importing(
      simai({ 'mine.txt': SAMPLES['run/sends.txt'] }, { topology: 'simai.txt', flows: 'mine.txt' }),
    )
    expect(scenario).toMatchObject({ topology: { nodes: 6, switches: [5, 2] }, workload: [{ flows: { length: 3 } }] })
    expect(notes).toContain('1 NVSwitch taken as ordinary Ethernet switches')
  })

  test('GPUs with a link to an NVSwitch and one to the network keep the one to the network', () => {
    const network = `7 2 1 2 8 H100
4 5 6
0 4 2880Gbps 25ns 0
1 4 2880Gbps 25ns 0
0 5 400Gbps 1us 0
1 5 400Gbps 1us 0
2 6 400Gbps 1us 0
3 6 400Gbps 1us 0
5 6 400Gbps 1us 0
5 6 400Gbps 1us 0
`
    const { scenario, notes } = topology.import(sample('dual.txt', { dialect: 'simai' }, { 'dual.txt': network }))
    expect(scenario).toMatchObject({
      topology: { nodes: 7, switches: [4, 5, 6], links: { length: 6, 0: '0 5 400Gbps 1us' } },
    })
    const said = notes.join('\n')
    expect(said).toContain('2 links to NVSwitches left out, as the hosts have others to the network')
    expect(said).toContain('; flows within a server go by the network')
    expect(said).not.toContain('taken as ordinary')
    createSimulation(parseScenario(JSON.stringify(scenario))).close()
  })

  test('a collective workload is refused by name', () => {
    const workload = 'HYBRID_TRANSFORMER model_parallel_NPU_group: 8 ep: 1\n2\n'
    expect(complaint(sample('w.txt', {}, { 'w.txt': workload }))).toContain('a collective workload of SimAI')
  })
})
