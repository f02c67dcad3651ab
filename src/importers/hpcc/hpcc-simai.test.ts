/** SimAI's dialect of the HPCC family: its network from the command line, its flows from elsewhere, GPUs on two switches. */
import { describe, expect, test } from 'vitest'
import { createSimulation } from '../../lab/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { refusal, config, importing } from './hpcc.test-bench.ts'
import { differs } from '../findings.test-bench.ts'
import type { ImportInput } from '../importer.ts'
import { sample, SAMPLES } from '../samples.test-files.ts'
import { topology } from '../topology.ts'

describe('SimAI', () => {
  const simai = (changes: Record<string, string | undefined>, options: Record<string, string> = {}): ImportInput =>
    sample('run/config.txt', { dialect: 'simai', ...options }, changes)

  test('needs a topology and flows, and the messages name the options', () => {
    const message = refusal(simai(config([/TOPOLOGY_FILE.*\n/, ''], ['mix/sends.txt', '/etc/sends1.txt'])))
    expect(message).toContain('SimAI takes its topology from the command line; name it with --topology FILE')
    expect(message).toContain('SimAI derives its flows from a collective workload')
    expect(refusal(simai({ 'run/sends.txt': '0\n', 'run/net.txt': SAMPLES['simai.txt'] }))).toContain(
      'a count and no flows',
    )
  })

  test('is imported when both are given', () => {
    const { scenario, findings } = importing(
      simai({ 'mine.txt': SAMPLES['run/sends.txt'] }, { topology: 'simai.txt', flows: 'mine.txt' }),
    )
    expect(scenario).toMatchObject({ topology: { nodes: 6, switches: [5, 2] }, workload: [{ flows: { length: 3 } }] })
    expect(findings).toContainEqual(differs('nvswitches', { switches: 1 }, { file: 'simai.txt' }))
  })

  test('of the links of a GPU to an NVSwitch and to the network, the one to the network is kept', () => {
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
    const { scenario, findings } = topology.import(sample('dual.txt', { dialect: 'simai' }, { 'dual.txt': network }))
    expect(scenario).toMatchObject({
      topology: { nodes: 7, switches: [4, 5, 6], links: { length: 6, 0: '0 5 400Gbps 1us' } },
    })
    const left = { links: 2, gpusPerServer: 2, flows: null, flowsWithin: null }
    expect(findings).toContainEqual(differs('nvlinks', left, { file: 'dual.txt' }))
    expect(findings).not.toContainEqual(differs('nvswitches'))
    createSimulation(parseScenario(JSON.stringify(scenario))).close()
  })

  test('a collective workload is refused as such', () => {
    const workload = 'HYBRID_TRANSFORMER model_parallel_NPU_group: 8 ep: 1\n2\n'
    expect(refusal(sample('w.txt', {}, { 'w.txt': workload }))).toContain('a collective workload of SimAI')
  })
})
