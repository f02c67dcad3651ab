/** Switches that reboot, links that flap, losses for a time, and failures that overlap. */
import { describe, expect, test } from 'vitest'
import { numbersOf, type Result, textsOf } from '../../../core/results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { run } from '../../index.ts'

/** Four leaves below two spines; every host sends 2 MB to the host two leaves on. */
function outcome(faults: string, more = ''): Result {
  const flows = Array.from({ length: 8 }, (_, host) => `${host} ${(host + 4) % 8} 2MB 0us`)
  const text = `
name: failures
topology: {kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 2, hostRate: 40Gbps, fabricRate: 40Gbps, hostDelay: 1us, fabricDelay: 1us}
qp: {ackTimeout: 300us, retryLimit: off}
workload: [{kind: trace, flows: [${flows.join(', ')}]}]
faults: [${faults}]
${more}
`
  return run(parseScenario(text), { check: true })
}

const statuses = ({ flows }: Result): string[] => [...new Set(textsOf(flows, 'status'))].sort()
const lastPs = ({ flows }: Result): number => Math.max(...numbersOf(flows, 'receivedPs'))

describe('a switch that reboots', () => {
  test('loses what it stored, and everything is delivered over the other spine and over this one again', () => {
    const sound = outcome('')
    const result = outcome('{kind: switch-down, switches: spine 0, down: 100us, up: 2ms, converge: 50us}')
    expect(statuses(result)).toEqual(['finished'])
    expect(result.counters.drops['link down']).toBeGreaterThan(0)
    expect(lastPs(result)).toBeGreaterThan(lastPs(sound))
  })

  test('that is the only one of its hosts: they wait for it, and continue', () => {
    const result = outcome('{kind: switch-down, switches: leaf 0, down: 100us, up: 5ms}')
    expect(statuses(result)).toEqual(['finished'])
    expect(lastPs(result)).toBeGreaterThan(5e9)
  })

  test('and never comes back: its hosts give up, with a reason, and the others finish', () => {
    const result = outcome('{kind: switch-down, switches: leaf 0, down: 100us}')
    expect(statuses(result)).toContain('finished')
    expect(statuses(result).length).toBeGreaterThan(1)
  })

  test('must be a switch', () => {
    expect(() => outcome('{kind: switch-down, switches: host 0, down: 1us}')).toThrow(/server-down/)
    expect(() => outcome('{kind: switch-down, switches: core 0, down: 1us}')).toThrow(/faults.0.switches/)
  })
})

describe('a link that flaps', () => {
  test('drops at each failure, until it is repaired', () => {
    const flap = (until: string): Result =>
      outcome(`{kind: link-flap, links: leaf 0-spine 0, from: 50us, down: 20us, interval: 100us, until: ${until}}`)
    const [once, often] = [flap('60us'), flap('450us')]
    expect([statuses(once), statuses(often)]).toEqual([['finished'], ['finished']])
    const dropsOf = ({ counters }: Result): number => counters.drops['link down'] ?? 0
    expect(dropsOf(once)).toBeGreaterThan(0)
    expect(dropsOf(often)).toBeGreaterThan(dropsOf(once))
  })

  describe('for ever, faster than its routes converge', () => {
    /** "0: finished" by message; a message is named by its source. */
    const ends = (converge: string, until = ''): string[] => {
      const { flows } = outcome(
        `{kind: link-flap, links: leaf 0-spine 0, from: 1us, down: 20us, interval: 30us, converge: ${converge}${until}}`,
        'measure: {stop: 20ms}',
      )
      return textsOf(flows, 'status').map((status, row) => `${row}: ${status}`)
    }
    const all = Array.from({ length: 8 }, (_, row) => `${row}: finished`)

    test('leaves those that cross it without an end, and no others', () => {
      const stuck = [0, 1, 4, 5]
      expect(ends('1s')).toEqual(
        all.map((end, row) => (stuck.includes(row) ? `${row}: livelock: sending without progress` : end)),
      )
    })

    test('lets them finish once it has stopped, or if routes avoid it at once', () => {
      expect(ends('1s', ', until: 10ms')).toEqual(all)
      expect(ends('0s')).toEqual(all)
    })
  })
})

test('bit errors for a time: frames are lost then, and only then', () => {
  const result = outcome(
    '{kind: corruption, links: leaf 0>spine 0, bitErrorRatio: 1e-5, from: 100us, until: 300us}',
    'observe: [{kind: drops}]',
  )
  expect(result.counters.drops['FCS error']).toBeGreaterThan(5)
  const times = [...numbersOf(result.series[0]!, 'timePs')]
  expect(Math.min(...times)).toBeGreaterThanOrEqual(100e6)
  expect(Math.max(...times)).toBeLessThan(300e6)
})

test('a link that two faults hold down comes up when both are over', () => {
  const one = '{kind: link-down, links: host 0-leaf 0, down: 100us, up: 400us}'
  const both = `${one}, {kind: switch-down, switches: leaf 0, down: 200us, up: 900us}`
  expect(lastPs(outcome(one))).toBeGreaterThan(400e6)
  const result = outcome(both)
  expect(statuses(result)).toEqual(['finished'])
  expect(lastPs(result)).toBeGreaterThan(900e6)
})

test('times in the wrong order are one mistake each', () => {
  expect(() => outcome('{kind: switch-down, switches: leaf 0, down: 2us, up: 1us}')).toThrow(
    /faults.0.up.*later than down/,
  )
  expect(() => outcome('{kind: bernoulli, probability: 1, from: 2us, until: 1us}')).toThrow(
    /faults.0.until.*later than from/,
  )
  expect(() => outcome('{kind: link-flap, links: leaf 0, from: 2us, down: 3us, interval: 3us}')).toThrow(
    /faults.0.interval/,
  )
})
