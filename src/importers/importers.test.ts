import { expect, test } from 'vitest'
import { createSimulation } from '../lab/index.ts'
import { parseScenario, printScenario } from '../lab/scenario/index.ts'
import { importers } from './index.ts'
import { sample } from './samples.test-files.ts'

test.each<[string, string, Record<string, string>?]>([
  ['hpcc', 'run/config.txt'],
  ['hpcc', 'cw/config.txt', { dialect: 'conweave' }],
  ['topology', 'run/net.txt'],
  ['topology', 'simai.txt', { dialect: 'simai' }],
  ['topology', 'datacenter.txt', { dialect: 'ns3-datacenter', congestion: 'dcqcn' }],
  ['htsim', 'leaf-spine.topo'],
  ['htsim', 'bundles.topo', { congestion: 'dcqcn' }],
  ['htsim', 'some.cm', { 'start-unit': 'us' }],
  ['htsim', 'failed.cm'],
  ['htsim', 'messages.cm'],
  ['cdf', 'percent.txt'],
  ['cdf', 'fractions.txt', { congestion: 'dcqcn' }],
  ['simai', 'step.txt', { passes: '2' }],
  ['simai', 'micro.txt', { gpus: '4', tuner: 'nccl_tuner.conf' }],
  ['chakra', 'job', { groups: 'groups.json', 'control-deps': 'bind' }],
])('%s of %s %o is a scenario that prints and reads as itself, and builds', (name, path, options) => {
  const chosen = importers.find((importer) => importer.name === name)
  const values = parseScenario(JSON.stringify(chosen?.import(sample(path, options)).scenario))
  expect(parseScenario(JSON.stringify(printScenario(values)))).toEqual(values)
  // One sample has switches with less memory than headroom, which that simulator does not check.
  if (path !== 'cw/config.txt') createSimulation(values).close()
})

test('importers and their options have distinct names and help texts', () => {
  expect(new Set(importers.map(({ name }) => name)).size).toBe(importers.length)
  for (const { help, source, options, dialects } of importers) {
    const names = [...options.map((option) => option.name), ...(dialects === undefined ? [] : ['dialect'])]
    expect(new Set(names).size).toBe(names.length)
    expect([help, source, ...options.map((option) => option.help)].every((text) => text.length > 10)).toBe(true)
  }
})
