/** Servers that die and come back: what becomes of their messages, of those to them, and of what comes after. */
import { describe, expect, test } from 'vitest'
import { InputError } from '../../../core/base/issue.ts'
import { MS, US } from '../../../core/base/params.ts'
import { numbersOf, type Result, textsOf } from '../../../core/results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { run } from '../../simulation/simulation.ts'

const scenario = (workload: string, faults: string, more = '') =>
  parseScenario(`
name: dead
topology: {kind: star, hosts: 3, linkRate: 40Gbps, linkDelay: 1us}
qp: {ackTimeout: 500us, retryLimit: 3}
workload: [${workload}]
faults: [${faults}]
${more}
`)

/** "0 to 1: finished" for each message. */
function ends({ flows }: Result): string[] {
  const [from, to] = ['source', 'destination'].map((name) => numbersOf(flows, name))
  return textsOf(flows, 'status').map((status, row) => `${from![row]} to ${to![row]}: ${status}`)
}

describe.each(['stays-up', 'goes-down'])('a server dies and its link %s', (link) => {
  const dead = (more = ''): string => `{kind: server-down, hosts: host 1, down: 100us, link: ${link}${more}}`

  test('its messages end at once, and those to it when their queue pair has retried', () => {
    const result = run(scenario('{kind: trace, flows: [0 1 10MB 0us, 1 2 10MB 0us, 0 2 10MB 0us]}', dead()))
    expect(ends(result)).toEqual(['0 to 1: server went down', '1 to 2: server went down', '0 to 2: finished'])
    expect(result.counters.timeouts).not.toEqual({})
    // Nothing is left to do: no watch has to end the run.
    expect(result.stalledFromPs).toBeNull()
    expect(result.simulatedPs).toBeLessThan(20 * MS)
  })

  test('what is sent to it is dropped there, or at its switch when the link is down', () => {
    const { counters } = run(scenario('{kind: trace, flows: [0 1 1MB 0us]}', dead()))
    const names = Object.keys(counters.drops)
    expect(names).toEqual(link === 'stays-up' ? ['host down'] : ['link down'])
  })

  test('messages that it would send while it is down end, and later ones arrive', () => {
    const result = run(scenario('{kind: trace, flows: [1 0 1KB 200us, 1 0 1KB 2ms, 0 1 1KB 2ms]}', dead(', up: 1ms')))
    expect(ends(result)).toEqual(['1 to 0: server went down', '1 to 0: finished', '0 to 1: finished'])
  })

  test('the queue pairs of before stay lost when it is back', () => {
    const result = run(scenario('{kind: trace, flows: [0 1 10MB 0us, 0 1 1MB 2ms]}', dead(', up: 200us')))
    expect(ends(result)).toEqual(['0 to 1: server went down', '0 to 1: finished'])
    const delivered = numbersOf(result.flows, 'deliveredBytes')
    expect(delivered[0]).toBeLessThan((100 * US * 40) / 8e3)
  })
})

test('a connection is made again once the server is back', () => {
  const workload = '{kind: poisson, load: 0.3, sizes: {kind: fixed, size: 10KB}}'
  const faults = '{kind: server-down, hosts: all, down: 1ms, up: 1200us}'
  const result = run(scenario(workload, faults, 'measure: {generate: 4ms}'))
  const starts = numbersOf(result.flows, 'startPs')
  const late = ends(result).filter((_end, row) => starts[row]! > 1200 * US)
  expect(late.length).toBeGreaterThan(50)
  expect(late.filter((end) => !end.endsWith('finished'))).toEqual([])
})

test('both ends forget pauses when a server restarts', () => {
  // Host 2 is sent more than its link carries, so that hosts 0 and 1 are paused when host 0 restarts.
  const result = run(
    scenario(
      '{kind: trace, flows: [0 2 5MB 0us, 1 2 5MB 0us, 0 2 1MB 1ms]}',
      '{kind: server-down, hosts: host 0, down: 500us, up: 600us}',
      'switch: {buffer: {kind: shared-buffer, size: 500KB}}',
    ),
  )
  expect(ends(result)).toEqual(['0 to 2: server went down', '1 to 2: finished', '0 to 2: finished'])
})

test.each([
  ['{kind: server-down, hosts: host 9, down: 1us}', /faults\.0\.hosts/],
  ['{kind: server-down, hosts: "0-1", down: 1us}', /faults\.0\.hosts/],
  ['{kind: server-down, hosts: host 1, down: 2us, up: 1us}', /faults\.0\.up: expected later than down/],
  ['{kind: server-down, hosts: "host 1, hosts", down: 1us}', /faults\.0\.hosts: expected all, or hosts/],
  ['{kind: broadcast, hosts: host 1, interval: 1us}', /faults\.0\.kind: expected switch\.layer2: tables/],
])('%s is refused', (fault, message) => {
  const make = () => run(scenario('{kind: trace, flows: [0 1 1KB 0us]}', fault))
  expect(make).toThrow(InputError)
  expect(make).toThrow(message)
})
