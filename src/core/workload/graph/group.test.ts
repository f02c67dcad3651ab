/** Where ranks are: order of hosts and ports by placement. */
import { describe, expect, test } from 'vitest'
import type { Issue } from '../../base/issue.ts'
import { createRandomStreams } from '../../base/random.ts'
import { context as contextOf } from '../workloads.test-bench.ts'
import { ranksFor, ranksOf } from './group.ts'

/** Three racks, of which the last has one host. */
const RACKS = [[0, 1, 2], [3, 4, 5], [6]]
const context = (seed = 1) =>
  contextOf(0, 0, { hostCount: 7, racks: RACKS, portCounts: [2, 1, 1, 1, 1, 1, 1], random: createRandomStreams(seed) })
const job = { group: [], placement: 'packed', ranks: 'host', gpusPerNic: 1, tag: 'job' } as const
const hosts = (more: Partial<Parameters<typeof ranksOf>[0]>, seed = 1): readonly number[] =>
  ranksOf({ ...job, ...more }, context(seed), []).hostOf

describe('placement', () => {
  test('packed: as they are listed', () => {
    expect(hosts({})).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(hosts({ group: ['5', '0-2'] })).toEqual([5, 0, 1, 2])
  })

  test('spread: round robin over racks, as long as they have some', () => {
    expect(hosts({ placement: 'spread' })).toEqual([0, 3, 6, 1, 4, 2, 5])
    expect(hosts({ placement: 'spread', group: ['5', '0-2'] })).toEqual([5, 0, 1, 2])
    expect(hosts({ placement: 'spread', group: ['0-2', '5'] })).toEqual([0, 5, 1, 2])
  })

  test('random: the same hosts in another order, by the seed and the tag', () => {
    const orders = [1, 2, 3].map((seed) => hosts({ placement: 'random' }, seed))
    for (const order of orders) expect(order.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(new Set(orders.map(String)).size).toBe(3)
    expect(hosts({ placement: 'random' })).toEqual(orders[0])
    expect(hosts({ placement: 'random', tag: 'other' })).not.toEqual(orders[0])
  })

  test('ports of a host are ranks of their own', () => {
    const { hostOf, portOf } = ranksOf({ ...job, ranks: 'port', placement: 'spread' }, context(), [])
    expect(hostOf).toEqual([0, 3, 6, 0, 4, 1, 5, 2])
    expect(portOf).toEqual([0, 0, 0, 1, 0, 0, 0, 0])
  })

  test('GPUs that share a NIC are ranks in a row, which a group counts', () => {
    const shared = ranksOf({ ...job, ranks: 'port', gpusPerNic: 2, group: ['0-5'] }, context(), [])
    expect(shared).toEqual({ hostOf: [0, 0, 0, 0, 1, 1], portOf: [0, 0, 1, 1, 0, 0] })
    expect(ranksOf({ ...job, gpusPerNic: 3 }, context(), []).hostOf.slice(0, 4)).toEqual([0, 0, 0, 1])
    const issues: Issue[] = []
    ranksOf({ ...job, ranks: 'port', gpusPerNic: 2, group: ['16'] }, context(), issues)
    expect(issues[0]!.expected).toBe('a GPU 0 to 15, or a range of them')
  })
})

test('a job that needs fewer ranks takes the first ones; more are a mistake', () => {
  const issues: Issue[] = []
  expect(ranksFor(3, 'stages', { ...job, placement: 'spread' }, context(), issues).hostOf).toEqual([0, 3, 6])
  expect(issues).toEqual([])
  ranksFor(8, 'stages', job, context(), issues)
  expect(issues.map(({ path }) => path)).toEqual(['stages'])
})
