/** Programs of results as files of other tools: read in again they give the same run. */
import { describe, expect, test } from 'vitest'
import { goal as goalImporter } from '../importers/goal/goal.ts'
import { htsim as htsimImporter } from '../importers/htsim/htsim.ts'
import type { Branch } from '../importers/importer.ts'
import { run } from '../lab/index.ts'
import { parseScenario } from '../lab/scenario/index.ts'
import { goal } from './goal.ts'
import { htsim } from './htsim.ts'

const HEAD = 'topology: {kind: fat-tree, arity: 4}, measure: {end: drain}'
const scenario = (workload: unknown) => parseScenario(`{${HEAD}, workload: ${JSON.stringify([workload])}}`)
const resultOf = (workload: unknown) => run(scenario(workload), { check: true })

const GOAL = `num_ranks 3
rank 0 {
a: calc 50 cpu 2
b: send 9000b to 1 tag 4 cpu 1
b requires a
c: send 5b to 2
c irequires b
}
rank 1 {
a: recv 9000b from -1 tag -1
b: send 7000b to 2
b requires a
}
rank 2 {
recv 7000b from 1
recv 5b from 0
}`.split('\n')
const COLLECTIVES = [
  'num_ranks 4',
  'group all 0 1 2 3',
  'group two 2 0',
  ...[0, 1, 2, 3].flatMap((rank) => [
    `rank ${rank} {`,
    'a: all-reduce 40000b group all channels 2 slices 2',
    ...(rank % 2 === 0 ? ['b: all-to-all 8000b group two', 'b requires a', 'c: calc 20', 'c requires b'] : []),
    '}',
  ]),
]
const WAITING = [
  '0 1 50KB 0s id=a',
  '1 2 30KB 2us id=b after=a',
  '1 3 30KB 0s acked=b delay=3us id=c',
  '4 5 20KB 7us id=d',
  '4 5 9KB 7us',
  '0 2 1KB 9us after=b acked=c,d',
]

describe('GOAL', () => {
  const again = (workload: unknown): { digest: string; text: string } => {
    const [file] = goal.export(resultOf(workload))
    const { scenario: made } = goalImporter.import({
      path: 'p.goal',
      options: { ranks: 'gpu' },
      readFile: () => file!.text,
    })
    const [graph] = made['workload'] as Branch[]
    return { digest: resultOf(graph).digest, text: file!.text }
  }
  test.each<[string, unknown]>([
    ['a graph', { kind: 'graph', goal: GOAL }],
    ['collectives of a graph', { kind: 'graph', goal: COLLECTIVES }],
    [
      'a ring, again and again',
      { kind: 'collective', size: '400KB', iterations: 3, channels: 2, slices: 2, group: ['0-4'] },
    ],
    [
      'an exchange in steps',
      { kind: 'collective', operation: 'all-to-all', algorithm: 'shift', size: '80KB', iterations: 2, group: ['0-3'] },
    ],
    ['double trees', { kind: 'collective', algorithm: 'double-binary-tree', size: '90KB', slices: 3, group: ['0-5'] }],
    ['a trace whose messages wait', { kind: 'trace', flows: WAITING }],
  ])('%s gives the same run when it is read in again', (_, workload) => {
    const { digest, text } = again(workload)
    expect(digest).toBe(resultOf(workload).digest)
    // And once more.
    const [twice] = goal.export(resultOf({ kind: 'graph', goal: text.trim().split('\n') }))
    expect(resultOf({ kind: 'graph', goal: twice!.text.trim().split('\n') }).digest).toBe(digest)
  })

  test('what it cannot say is said, and nothing else is written', () => {
    const flows = ['0 1 1KB 0s id=a', '2 1 1KB 0s id=b', '1 0 1KB 0s after=a,b need=1']
    const [file] = goal.export(resultOf({ kind: 'trace', flows }))
    expect([file!.path, file!.note, file!.text]).toEqual([
      'program.goal',
      expect.stringContaining('some of several'),
      expect.stringMatching(/^\/\/ not written/),
    ])
  })
})

describe('a connection matrix', () => {
  const again = (workload: unknown): { digest: string; lines: string[] } => {
    const [file] = htsim.export(resultOf(workload))
    const { scenario: made } = htsimImporter.import({
      path: 'p.cm',
      options: { 'start-unit': 'ps' },
      readFile: () => file!.text,
    })
    const [trace] = made['workload'] as Branch[]
    return { digest: resultOf(trace).digest, lines: file!.text.trim().split('\n') }
  }
  test.each<[string, unknown, string[]]>([
    [
      'a chain',
      ['0 1 5KB 1us id=a', '1 2 6KB 0s after=a id=b', '2 3 7KB 0s acked=b'],
      ['trigger id 1 oneshot', 'trigger id 2 oneshot'],
    ],
    [
      'a barrier',
      ['0 1 5KB 0s id=a', '1 2 6KB 0s id=b', '2 3 7KB 0s acked=a after=b', '3 4 7KB 0s acked=a after=b'],
      ['trigger id 1 barrier count 2'],
    ],
    [
      'a multishot',
      ['0 1 5KB 0s id=a', '1 2 6KB 0s id=b', '2 3 7KB 0s acked=a,b need=1', '3 4 7KB 0s acked=a,b'],
      ['trigger id 1 multishot'],
    ],
  ])('of %s gives the same run when it is read in again', (_, flows, triggers) => {
    const workload = { kind: 'trace', flows }
    const { digest, lines } = again(workload)
    expect(digest).toBe(resultOf(workload).digest)
    expect(lines.filter((line) => line.startsWith('trigger'))).toEqual(triggers)
  })

  test('of a ring is a chain of each rank', () => {
    const [file] = htsim.export(resultOf({ kind: 'collective', size: '400KB', group: ['0-3'] }))
    const lines = file!.text.trim().split('\n')
    expect(lines.slice(0, 3)).toEqual(['Nodes 16', 'Connections 24', 'Triggers 20'])
    expect(lines.filter((line) => line.includes('recv_done_trigger'))).toHaveLength(20)
  })

  test('is not written for what it cannot say', () => {
    const [file] = htsim.export(resultOf({ kind: 'trace', flows: ['0 1 1KB 0s id=a', '1 0 1KB 0s after=a delay=1us'] }))
    expect(file!.text).toBe('# not written: a message waits for a compute or a delay\n')
  })
})
