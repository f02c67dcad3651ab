import { expect, test } from 'vitest'
import { run } from '../../../lab/index.ts'
import { parseScenario } from '../../../lab/scenario/index.ts'
import { operationsOf } from './operations.ts'
import { numbersOf, textsOf, toObjects } from '../table.ts'

const TEXT = `
topology: {kind: star, hosts: 5, linkRate: 100Gbps, linkDelay: 100ns}
workload:
  - {kind: incast, senders: 4, receiver: 0, sizeEach: 10KB, repetitions: 2, tag: request}
  - {kind: closed-loop, pairs: ["1 2"], messages: 1, messageSize: 5MB, tag: late}
measure: {stop: 100us}
`

test('messages that are posted at one instant under one tag are one operation, which is over when the last of them is', () => {
  const result = run(parseScenario(TEXT))
  const [first, late, second] = toObjects(operationsOf(result))
  expect(first).toMatchObject({
    operation: 0,
    firstFlow: 0,
    messages: 4,
    finished: 4,
    sizeBytes: 40_000,
    tag: 'request',
  })
  expect(late).toMatchObject({ firstFlow: 4, messages: 1, finished: 0, completionPs: NaN, tag: 'late' })
  expect(second).toMatchObject({ firstFlow: 5, messages: 4, finished: 4, deliveredBytes: 40_000, measured: 1 })
  const [startPs, receivedPs] = [numbersOf(result.flows, 'startPs'), numbersOf(result.flows, 'receivedPs')]
  expect(first!['completionPs']).toBe(Math.max(...receivedPs.slice(0, 4)) - startPs[0]!)
  expect(second!['startPs']).toBe(startPs[5])
  expect(operationsOf(result).rowCount).toBe(3)
})

test('messages of a job are one operation, whenever they are posted', () => {
  const result = run(
    parseScenario(`
topology: {kind: star, hosts: 3}
workload: [{kind: collective, size: 30KB, tag: job}, {kind: closed-loop, pairs: ["1 2"], messages: 2, messageSize: 3KB}]
`),
  )
  const rows = toObjects(operationsOf(result))
  expect(rows.map(({ tag, messages, sizeBytes }) => [tag, messages, sizeBytes])).toEqual([
    ['closed-loop', 1, 3000],
    ['closed-loop', 1, 3000],
    ['job', 12, 120_000],
  ])
  const tags = textsOf(result.flows, 'tag')
  const received = numbersOf(result.flows, 'receivedPs').filter((_, row) => tags[row] === 'job')
  expect(rows[2]!['completionPs']).toBe(Math.max(...received))
})
