/** Receive pipelines of NICs, in small networks. */
import { describe, expect, test } from 'vitest'
import { run } from '../../../../lab/index.ts'
import { numbersOf, type Result } from '../../../results/index.ts'
import { parseScenario } from '../../../../lab/scenario/index.ts'

interface Setup {
  readonly receive: string
  readonly workload?: string
  readonly more?: string
  readonly pfc?: string
}

const LOOP = '{kind: closed-loop, pairs: ["0-3 4"], messageSize: 64KiB, outstanding: 4}'

/** Four hosts send to a fifth through one switch, for 5 ms after one of warm-up. */
function outcome({ receive, workload = LOOP, more = '', pfc = '{}' }: Setup): Result {
  const text = `
name: receive
topology: {kind: star, hosts: 5, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
nic: {receive: ${receive}}
pfc: ${pfc}
qp: {ackInterval: ${more.includes('irn') ? 1 : 64}, retryLimit: off}
workload: [${workload}]
measure: {stop: 6ms}
observe: [{kind: nic-receive}]
${more}
`
  return run(parseScenario(text), { check: true })
}

/** A count of the receiving NIC. */
const countOf = ({ series }: Result, column: string): number => numbersOf(series[0]!, column).at(-1)!
const gbps = ({ counters }: Result): number => (counters.payloadBytesDelivered * 8) / 6e-3 / 1e9

describe('the time in a pipeline', () => {
  const single = '{kind: trace, flows: ["0 4 1000B 0us"]}'
  const receivedPs = (receive: string): number => {
    const text = `
name: one
topology: {kind: star, hosts: 5, linkRate: 40Gbps, linkDelay: 10ns}
nic: {receive: ${receive}}
workload: [${single}]
`
    return numbersOf(run(parseScenario(text), { check: true }).flows, 'receivedPs')[0]!
  }

  test('is that of a packet and of the page that is not in the NIC', () => {
    const freePs = receivedPs('unlimited')
    const settings = 'packetTime: 50ns, missPenalty: 700ns, access: sequential'
    expect(receivedPs(`{kind: pipeline, ${settings}}`) - freePs).toBe(750_000)
  })

  test('is that of its bytes on the bus, where that is longer', () => {
    const settings = 'packetTime: 50ns, missPenalty: 0ns, busRate: 8Gbps'
    expect(receivedPs(`{kind: pipeline, ${settings}}`) - receivedPs('unlimited')).toBe((1000 + 62 + 16) * 1000)
  })

  test('comes again for a queue pair whose context is not in the NIC', () => {
    const settings = 'packetTime: 50ns, missPenalty: 0ns, contexts: 1, contextPenalty: 300ns'
    expect(receivedPs(`{kind: pipeline, ${settings}}`) - receivedPs('unlimited')).toBe(350_000)
  })
})

describe('a pipeline slower than its link', () => {
  const slow = (more = ''): Result =>
    outcome({ receive: `{kind: pipeline, packetTime: 400ns, missPenalty: 0ns, buffer: 64KiB${more}}` })

  test('pauses its switch, loses nothing, and sets the pace', () => {
    const result = slow()
    expect(result.counters.drops).toEqual({})
    expect(countOf(result, 'pauses')).toBeGreaterThan(100)
    expect(countOf(result, 'mostBytes')).toBeLessThanOrEqual(64 * 1024)
    expect(gbps(result)).toBeGreaterThan(0.99 * ((1024 * 8) / 400))
    expect(gbps(result)).toBeLessThan(1.01 * ((1024 * 8) / 400))
  })

  test('pauses less often when it resumes later, at the same pace', () => {
    const [soon, late] = [slow(), slow(', xonOffset: 32KiB')]
    expect(countOf(late, 'pauses')).toBeLessThan(countOf(soon, 'pauses') / 5)
    expect(gbps(late)).toBeCloseTo(gbps(soon), 1)
  })

  test('drops what finds its buffer full where XOFF leaves no headroom', () => {
    const result = slow(', xoff: 64KiB')
    expect(result.counters.drops['NIC']).toBeGreaterThan(0)
    expect(countOf(result, 'drops')).toBe(result.counters.drops['NIC'])
  })

  test('drops without PFC, and pauses nobody', () => {
    const receive = '{kind: pipeline, packetTime: 400ns, missPenalty: 0ns, buffer: 64KiB}'
    const result = outcome({ receive, pfc: '{classes: []}' })
    expect(result.counters.pauseFrames).toBe(0)
    expect(result.counters.drops['NIC']).toBeGreaterThan(0)
  })

  test('a pipeline of 64 Gb/s behind a link of 40 Gb/s never pauses', () => {
    const result = outcome({ receive: '{kind: pipeline, busRate: 64Gbps, pageSize: 2MiB}' })
    expect(countOf(result, 'pauses')).toBe(0)
    expect(gbps(result)).toBeCloseTo(gbps(outcome({ receive: 'unlimited' })), 1)
  })
})

describe('buffers of two lossless classes', () => {
  const two = ['3', '4'].map(
    (c) =>
      `{kind: closed-loop, pairs: ["${c === '3' ? 0 : 1} 4"], trafficClass: ${c}, messageSize: 64KiB, outstanding: 4}`,
  )
  const pausedOf = (sharing: string): number[] => {
    const result = outcome({
      receive: `{kind: pipeline, sharing: ${sharing}, packetTime: 400ns, missPenalty: 0ns, buffer: 64KiB}`,
      workload: two.join(', '),
      pfc: '{classes: [3, 4]}',
      more: '',
    })
    expect(result.counters.drops).toEqual({})
    return [countOf(result, 'pauses'), countOf(result, 'mostBytes')]
  }

  test('one for both: pauses both before it is full; one for each: each pauses its own', () => {
    const [shared, each] = [pausedOf('shared'), pausedOf('per-class')]
    expect(shared[0]).toBeGreaterThan(100)
    expect(each[0]).toBeGreaterThan(100)
    expect(Math.max(shared[1]!, each[1]!)).toBeLessThanOrEqual(64 * 1024)
  })

  test('lossy packets never take the headroom of lossless ones', () => {
    const mixed = two.map((text) => text.replace('trafficClass: 4', 'trafficClass: 1'))
    const receive = '{kind: pipeline, packetTime: 400ns, missPenalty: 0ns, buffer: 64KiB}'
    const result = outcome({ receive, workload: mixed.join(', ') })
    expect(result.counters.drops['NIC']).toBeGreaterThan(0)
    expect(countOf(result, 'mostBytes')).toBeLessThanOrEqual(64 * 1024)
  })
})

describe('the translation cache', () => {
  const missRatio = (settings: string): number => {
    const result = outcome({ receive: `{kind: pipeline, busRate: 64Gbps, ${settings}}` })
    return countOf(result, 'translationMisses') / countOf(result, 'translations')
  }

  test('misses more, the larger the working set is beyond its 8 MB', () => {
    const ratios = ['4MiB', '16MiB', '64MiB', '1GiB'].map((size) => missRatio(`workingSet: ${size}`))
    expect(ratios.toSorted((a, b) => a - b)).toEqual(ratios)
    // Four packets of 1 KiB to a page, and one more for those that lie across two.
    expect(ratios.at(-1)).toBeGreaterThan(0.9 / 5)
  })

  test('hardly misses with pages of 2 MiB', () => {
    expect(missRatio('workingSet: 1GiB, pageSize: 2MiB')).toBeLessThan(missRatio('workingSet: 1GiB') / 10)
  })

  test('misses as often in working sets of single queue pairs as in one of their sum', () => {
    const [own, sum] = [missRatio('workingSet: 16MiB, workingSetOf: pair'), missRatio('workingSet: 64MiB')]
    expect(own / sum).toBeGreaterThan(0.95)
    expect(own / sum).toBeLessThan(1.05)
  })

  test('misses each page once and not again while messages go through what it covers', () => {
    const result = outcome({ receive: '{kind: pipeline, access: sequential, workingSet: 4MiB}' })
    expect(countOf(result, 'translationMisses')).toBe(1024)
  })

  test('covers 8 MB with its 2048 entries of 4 KB, and not a message more', () => {
    const settings = 'access: sequential, missPenalty: 0ns'
    const workload = '{kind: closed-loop, pairs: ["0 4"], messageSize: 64KiB, outstanding: 4}'
    const cycle = (workingSet: string): Result =>
      outcome({ receive: `{kind: pipeline, ${settings}, workingSet: ${workingSet}}`, workload })
    const [covered, beyond] = [cycle('8MiB'), cycle('8256KiB')]
    expect(countOf(covered, 'translations')).toBeGreaterThan(3 * 8 * 1024)
    expect(countOf(covered, 'translationMisses')).toBe((8 * 1024) / 4)
    // A page holds four packets; the first of them misses its entry, in each cycle.
    expect(countOf(beyond, 'translationMisses')).toBe(Math.ceil(countOf(beyond, 'translations') / 4))
  })
})

test('a queue pair too many misses its context at each turn', () => {
  const contextMisses = (contexts: string): number =>
    countOf(outcome({ receive: `{kind: pipeline, contexts: ${contexts}}` }), 'contextMisses')
  expect([contextMisses('off'), contextMisses('4')]).toEqual([0, 4])
  expect(contextMisses('3')).toBeGreaterThan(1000)
})

test('losses before a pipeline are repaired, and each byte is delivered once', () => {
  const receive = '{kind: pipeline, workingSet: 64MiB}'
  const more = 'faults: [{kind: bernoulli, probability: 0.001}]'
  for (const recovery of ['go-back-n', 'irn', 'go-back-0'])
    expect(gbps(outcome({ receive, more: `${more}\nrecovery: ${recovery}` })), recovery).toBeGreaterThan(0.1)
})

describe('settings that contradict each other', () => {
  test('a buffer smaller than the headroom of its link is reported once, with the bytes that it takes', () => {
    expect(() => outcome({ receive: '{kind: pipeline, buffer: 2KB}' })).toThrow(
      /^(?!.*nic.*nic)[^]*nic.receive.buffer: expected at least the headroom of its link, \d+ bytes/,
    )
  })
  test('XOFF above the buffer', () => {
    expect(() => outcome({ receive: '{kind: pipeline, buffer: 64KiB, xoff: 65KiB}' })).toThrow(/nic.receive.xoff/)
  })
})
