/** The profile of each dialect, in place of its rules one by one. */
import { expect, test } from 'vitest'
import type { NS3_DIALECTS } from '../ns3/topology.ts'
import { edited, sample } from '../samples.test-files.ts'
import { hpcc } from './hpcc.ts'

/** Keys that scenarios had for single rules. */
const SINGLE = /"(?:roundRobin|wake|egressPool|headroomLast|nakMarks|resend)":/

const PROFILE_OF = {
  hpcc: 'hpcc',
  conweave: 'conweave',
  'ns3-datacenter': 'hpcc',
  simai: 'hpcc',
  'ns3-alibabacloud': 'hpcc',
} as const satisfies Readonly<Record<(typeof NS3_DIALECTS)[number], string>>

/** Two hosts and a switch, by the first line of a topology file: some dialects also name servers and GPUs in it. */
const HEADERS = {
  hpcc: '3 1 2',
  'ns3-datacenter': '3 1 0 2',
  simai: '3 1 0 1 2 A100',
  'ns3-alibabacloud': '3 1 0 1 2 A100',
} as const satisfies Readonly<Record<Exclude<(typeof NS3_DIALECTS)[number], 'conweave'>, string>>

test.each(Object.entries(HEADERS))('%s', (name, header) => {
  const dialect = name as keyof typeof HEADERS
  const files = {
    'two.txt': `${header}\n2\n0 2 40Gbps 1us 0\n1 2 40Gbps 1us 0\n`,
    'one.txt': '1\n0 1 3 100 5000 2\n',
  }
  const options = { dialect, topology: 'two.txt', flows: 'one.txt', routes: 'none' }
  const { scenario } = hpcc.import(sample('run/config.txt', options, files))
  expect(scenario['compat']).toBe(PROFILE_OF[dialect])
  expect(JSON.stringify(scenario)).not.toMatch(SINGLE)
})

test.each([0, 1])('conweave, ENABLE_IRN %i', (irn) => {
  const changes = edited('cw/config.txt', ['ENABLE_IRN 0', `ENABLE_IRN ${irn}`])
  const { scenario } = hpcc.import(sample('cw/config.txt', { dialect: 'conweave' }, changes))
  expect(scenario).toMatchObject({
    compat: PROFILE_OF.conweave,
    recovery: { kind: irn === 1 ? 'irn' : 'go-back-n' },
    switch: { buffer: { kind: 'shared-buffer' } },
  })
  expect(JSON.stringify(scenario)).not.toMatch(SINGLE)
})
