/** Idle times of jobs: on an idle switch a job takes them, and under load they stay what they are. */
import { describe, expect, test } from 'vitest'
import { collectivesOf, jobsOf, numbersOf, type Result, type TableKind, tableOfKind } from '../../core/results/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { run } from '../index.ts'

const BUFFER = 'switch.buffer={kind: shared-buffer, size: 4GiB, alpha: 128, egressAlpha: 128}'

function job(workload: string, sets: readonly string[] = [], more = ''): Result {
  const star = 'topology={kind: star, hosts: 8, linkRate: 400Gbps, linkDelay: 500ns}'
  const all = [star, 'frames.payload=4096B', 'congestion=none', BUFFER, ...sets]
  return run(parseScenario(`workload: [${[workload, ...(more === '' ? [] : [more])].join(', ')}]`, { sets: all }))
}

function columnOf(result: Result, kind: TableKind, name: string): number[] {
  return [...Float64Array.from(numbersOf(tableOfKind(result, kind)!, name))]
}

const collective = (name: string, more: string): string => {
  const [operation, algorithm] = name.split('/')
  return `{kind: collective, operation: ${operation}, algorithm: ${algorithm}, ${more}}`
}

describe('a job alone on an idle switch takes its idle time', () => {
  const cases = [
    ['all-reduce/ring', ''],
    ['all-reduce/ring', 'slices: 4, iterations: 3, '],
    ['all-reduce/halving-doubling', ''],
    ['all-reduce/double-binary-tree', 'slices: 16, '],
    ['all-gather/shift', ''],
    ['all-to-all/full', ''],
    ['broadcast/chain', 'slices: 8, '],
    ['broadcast/binomial', ''],
    ['reduce/binomial', ''],
    ['gather/direct', ''],
    ['scatter/direct', ''],
    ['barrier/dissemination', ''],
  ] as const
  test.each(cases.flatMap(([name, more]) => [0, 1].map((acks) => ({ name, more, acks }))))(
    '$name, $more $acks packets for an ACK',
    ({ name, more, acks }) => {
      const result = job(collective(name, `${more}size: 1MiB, stepTime: 2us`), [`qp.ackInterval=${acks}`])
      for (const ratio of columnOf(result, 'collectives', 'idealRatio')) expect(ratio).toBeCloseTo(1, 1.6)
      const [donePs, idealPs] = [columnOf(result, 'jobs', 'donePs'), columnOf(result, 'jobs', 'idealPs')]
      expect(donePs[0]! / idealPs[0]!).toBeCloseTo(1, 1.6)
    },
  )
})

test('messages of a trace, each on a queue pair of its own, share nothing but the links of their hosts', () => {
  const flows = ['0 1 1MB 0us id=a', '2 3 1MB 0us', '4 5 1MB 0us acked=a']
  const result = job(`{kind: trace, flows: ${JSON.stringify(flows)}}`)
  const [donePs, idealPs] = [columnOf(result, 'jobs', 'donePs'), columnOf(result, 'jobs', 'idealPs')]
  expect(donePs[0]! / idealPs[0]!).toBeCloseTo(1, 2)
})

test.each(['host', 'port'])('on rails each queue pair has the link of its port, with a rank for each %s', (ranks) => {
  const rails = 'topology={kind: rails, rails: 4, groups: 1, hostsPerGroup: 8, spines: 0, hostRate: 100Gbps}'
  const more = ranks === 'host' ? 'channels: 4, ' : 'operation: all-to-all, rendezvous: 1KB, '
  const group = ranks === 'host' ? '' : 'group: ["0", "4", "8", "12"], '
  const result = job(`{kind: collective, ${more}${group}ranks: ${ranks}, size: 8MiB}`, [rails])
  for (const ratio of columnOf(result, 'collectives', 'idealRatio')) expect(ratio).toBeCloseTo(1, 1.2)
})

test('groups of a graph have their collectives side by side: the mean is that of one group', () => {
  const groups = [0, 1, 2, 3].map((group) => `group g${group} ${2 * group} ${2 * group + 1}`)
  const ranks = Array.from({ length: 8 }, (_, rank) => [
    `rank ${rank} {`,
    `all-reduce 1000000b group g${rank >> 1}`,
    '}',
  ]).flat()
  const goal = JSON.stringify(['num_ranks 8', ...groups, ...ranks])
  const [own] = collectivesOf(job(`{kind: graph, goal: ${goal}}`))
  const [alone] = collectivesOf(job(collective('all-reduce/ring', 'size: 1MB, element: 1B, group: ["0-1"]')))
  expect(own).toMatchObject({ iterations: 4, ranks: 2 })
  expect(own!.meanPs).toBe(alone!.meanPs)
  expect(own!.meanPs / own!.idealMeanPs).toBeCloseTo(1, 2)
})

test('a fabric that is wide enough lets a job have its idle time, with the delays of its paths', () => {
  const fabric = 'fabricRate: 400Gbps, hostDelay: 500ns, fabricDelay: 2us'
  const wide = `topology={kind: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: 4, hostRate: 100Gbps, ${fabric}}`
  const [times] = jobsOf(job(collective('all-reduce/ring', 'size: 1MiB, placement: spread'), [wide]))
  expect(times!.stepPs / times!.idealStepPs).toBeGreaterThanOrEqual(1)
  expect(times!.stepPs / times!.idealStepPs).toBeLessThan(1.002)
})

test('rounds that overlap are counted once in the idle mean too', () => {
  const two = collective('broadcast/chain', 'size: 64KiB, channels: 3, slices: 2, iterations: 2')
  const [times] = collectivesOf(job(two, [], '{kind: trace, flows: ["0 1 1B 1s"]}'))
  expect(times!.meanPs / times!.idealMeanPs).toBeCloseTo(1, 3)
})

test('a collective in which nothing is sent has no bandwidth', () => {
  for (const operation of ['gather', 'scatter']) {
    const result = job(`{kind: collective, operation: ${operation}, size: 4B}`)
    for (const name of ['algorithmBps', 'busBps', 'idealRatio'])
      expect(columnOf(result, 'collectives', name)).toEqual([NaN])
  }
})

test('other traffic makes a job slower than its idle time, which stays as it is', () => {
  const ring = collective('all-reduce/ring', 'size: 1MiB')
  const [alone, beside] = [job(ring), job(ring, [], '{kind: incast, senders: 4, sizeEach: 4MB, receiver: 3}')]
  const [aloneIdle, besideIdle] = [alone, beside].map((result) => columnOf(result, 'collectives', 'idealPs')[0]!)
  expect(besideIdle).toBe(aloneIdle)
  expect(columnOf(beside, 'collectives', 'idealRatio')[0]).toBeGreaterThan(1.5)
})

test('a link at half rate is part of the network, and counts against links of the usual rate', () => {
  const ring = collective('all-reduce/ring', 'size: 8MiB')
  const slow = job(ring, ['topology.rates=["host 3: 200Gbps"]'])
  const [idealPs, evenPs, donePs] = ['idealPs', 'evenPs', 'donePs'].map((name) => columnOf(slow, 'jobs', name)[0]!)
  expect(donePs! / idealPs!).toBeCloseTo(1, 1.6)
  // Each step takes twice the time on the wire.
  expect(idealPs! / evenPs!).toBeGreaterThan(1.85)
  expect(evenPs! / columnOf(job(ring), 'jobs', 'idealPs')[0]!).toBeCloseTo(1, 2)
})

test('a run that stops has idle times of the rounds that it finished', () => {
  const ring = collective('all-reduce/ring', 'size: 1MiB, iterations: 10')
  const whole = job(ring)
  const [, secondPs] = columnOf(whole, 'collectives', 'donePs')
  const stopped = job(ring, [`measure.stop=${secondPs! + 20e6}ps`])
  expect(columnOf(stopped, 'jobs', 'idealPs')).toEqual([NaN])
  expect(columnOf(stopped, 'collectives', 'idealRatio').map((ratio) => Number.isNaN(ratio))).toEqual([
    false,
    false,
    true,
  ])
})
