/** Work requests as workloads: common behaviour with plain messages, and their own parameters. */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf, type Result, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const resultOf = (text: string, sets: readonly string[] = []): Result =>
  run(parseScenario(text, { sets: [...sets] }), { check: true })

/** Finished bytes by tag. */
function bytesByTag({ flows }: Result): Record<string, number> {
  const [sizes, received] = [numbersOf(flows, 'sizeBytes'), numbersOf(flows, 'receivedPs')]
  const sums: Record<string, number> = {}
  textsOf(flows, 'tag').forEach((tag, row) => {
    if (!Number.isNaN(received[row]!)) sums[tag] = (sums[tag] ?? 0) + sizes[row]!
  })
  return sums
}

describe('one stack', () => {
  const TEXT = `
name: same
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 3, hostRate: 25Gbps, fabricRate: 25Gbps}
qp: {readAcks: true, ackTimeout: 320us, retryLimit: off}
workload:
  - {kind: closed-loop, pairs: ["0-1 4", "2 5"], operation: write, messageSize: 100KB, outstanding: 3, messages: 30}
  - {kind: closed-loop, pairs: ["3 0"], operation: send, messageSize: 30KB, outstanding: 2, messages: 60}
`
  const asWork = ['workload.0.workRequests=true', 'workload.1.workRequests=true']

  test.each([
    ['go-back-n', 'none'],
    ['go-back-n', 'dcqcn'],
    ['go-back-n', 'timely'],
    ['go-back-n', 'hpcc'],
    ['send-twice', 'swift'],
    ['check-epsn', 'dcqcn'],
  ])('under %s and %s a work request takes as long as a plain message, to the picosecond', (recovery, congestion) => {
    const sets = [`recovery=${recovery}`, `congestion=${congestion}`]
    const [plain, work] = [resultOf(TEXT, sets), resultOf(TEXT, [...sets, ...asWork])]
    for (const name of ['startPs', 'receivedPs', 'acknowledgedPs'])
      expect(numbersOf(work.flows, name)).toEqual(numbersOf(plain.flows, name))
    expect(work.counters).toEqual({ ...plain.counters, events: work.counters.events })
  })

  test.each(['go-back-n', 'irn'])(
    'under %s messages, WRITEs and READ responses of a NIC share its link equally',
    (recovery) => {
      const shares = bytesByTag(
        resultOf(`
name: fair
topology: {kind: star, hosts: 4, linkRate: 25Gbps}
recovery: ${recovery}
workload:
  - {kind: closed-loop, pairs: ["0 1"], messageSize: 10KB, outstanding: 64, tag: plain}
  - {kind: closed-loop, pairs: ["0 2"], workRequests: true, messageSize: 10KB, outstanding: 64, tag: write}
  - {kind: closed-loop, pairs: ["0 3"], workRequests: true, operation: read, messageSize: 10KB, outstanding: 16, tag: read}
measure: {stop: 10ms, end: stop}
`),
      )
      const values = ['plain', 'write', 'read'].map((tag) => shares[tag]!)
      expect(Math.min(...values)).toBeGreaterThan(5e6)
      expect(Math.max(...values) / Math.min(...values)).toBeLessThan(1.02)
    },
  )
})

describe('parameters of the application', () => {
  const text = (workload: string, verbs = ''): string => `
name: app
topology: {kind: star, hosts: 3, linkRate: 25Gbps}
verbs: {${verbs}}
workload: [${workload}]
`
  test('one in signalEvery work requests posted together is signalled, and the last: a message is complete with the CQE that covers it', () => {
    const flows = (signalEvery: number) => {
      const trace = Array.from({ length: 6 }, () => '"0 1 10KB 0us connection=1"').join(', ')
      const result = resultOf(
        text(`{kind: trace, workRequests: true, flows: [${trace}]}`, `signalEvery: ${signalEvery}`),
      )
      return [...numbersOf(result.flows, 'acknowledgedPs')]
    }
    const [each, fourth] = [flows(1), flows(4)]
    expect(new Set(each).size).toBe(6)
    expect(fourth).toEqual([each[3], each[3], each[3], each[3], each[5], each[5]])
  })

  test('SENDs beyond the Receive WQEs get RNR NAKs, and all arrive; with credits hardly any is sent in vain', () => {
    const outcome = (verbs: string) => {
      const sends =
        '{kind: closed-loop, pairs: ["0 1", "2 1"], operation: send-immediate, messageSize: 1KB, outstanding: 32, messages: 200}'
      const result = resultOf(`${text(sends, verbs)}qp: {receiveRepost: 20us, rnrTimer: 1}\n`)
      expect(textsOf(result.flows, 'status').every((status) => status === 'finished')).toBe(true)
      return result.counters.rnrNaks
    }
    const [plenty, own, shared] = ['receives: 512', 'receives: 4', 'sharedReceives: 4'].map(outcome)
    expect(plenty).toBe(0)
    expect(own).toBeGreaterThan(10)
    expect(shared).toBeGreaterThan(10)
    expect(outcome('receives: 4, credits: false')).toBeGreaterThan(own!)
  })

  test('a queue pair with too many RNR NAKs in a row fails, and its remaining messages are given up', () => {
    const endings = (verbs: string): string[] => {
      const sends = '{kind: closed-loop, pairs: ["0 1"], operation: send, workRequests: true, messages: 3}'
      const app = text(sends, `receives: 1, credits: false, ${verbs}`)
      return [...textsOf(resultOf(`${app}qp: {receiveRepost: 1ms, rnrTimer: 1}\n`).flows, 'status')]
    }
    expect(endings('rnrRetryLimit: off')).toEqual(['finished', 'finished', 'finished'])
    expect(endings('rnrRetryLimit: 2')).toEqual(['finished', 'retry limit reached'])
  })

  test('messages without a connection use an idle queue pair, or share as many as configured', () => {
    const pairs = (verbs: string): number => {
      const flows = Array.from({ length: 12 }, (_, k) => `"0 1 20KB ${k < 6 ? 0 : 500}us"`).join(', ')
      return new Set(
        numbersOf(resultOf(text(`{kind: trace, workRequests: true, flows: [${flows}]}`, verbs)).flows, 'pair'),
      ).size
    }
    expect([pairs('queuePairs: off'), pairs('queuePairs: 2'), pairs('queuePairs: 1')]).toEqual([6, 2, 1])
  })

  test('queue pairs that messages share are taken in turn', () => {
    const flows = Array.from({ length: 11 }, (_, k) => `"0 1 20KB ${k}us"`).join(', ')
    const rows = resultOf(text(`{kind: trace, workRequests: true, flows: [${flows}]}`, 'queuePairs: 3')).flows
    const [pairs, starts] = ['pair', 'startPs'].map((name) => Array.from(numbersOf(rows, name)))
    const inOrder = starts!.map((startPs, row) => [startPs, pairs![row]!] as const).toSorted(([a], [b]) => a - b)
    const first = inOrder.slice(0, 3).map(([, pair]) => pair)
    expect(new Set(first).size).toBe(3)
    expect(inOrder.map(([, pair]) => pair)).toEqual(inOrder.map((_, k) => first[k % 3]))
  })

  test('no more READs are outstanding than agreed: a long path is not filled', () => {
    const goodput = (reads: number): number => {
      const result = resultOf(
        text(
          '{kind: closed-loop, pairs: ["1 0"], operation: read, workRequests: true, messageSize: 4KB, outstanding: 16, messages: 300}',
          `reads: ${reads}`,
        ),
        ['topology.linkDelay=10us'],
      )
      return (300 * 4000 * 8e12) / result.simulatedPs
    }
    expect(goodput(16)).toBeGreaterThan(8 * goodput(1))
  })

  test.each([
    [
      '{kind: closed-loop, operation: fetch-and-add, messageSize: 1KB, messages: 9}',
      [],
      /workload\.0\.messageSize: expected 8B, which every atomic has/,
    ],
    [
      '{kind: closed-loop, workRequests: true, messages: 9}',
      ['qp.ackInterval=0'],
      /qp\.ackInterval: expected 1 or more where there are work requests/,
    ],
    [
      '{kind: closed-loop, messages: 9}',
      ['verbs.signalEvery=200'],
      /verbs\.signalEvery: expected at most sendDepth, 128/,
    ],
    [
      '{kind: closed-loop, workRequests: true, operation: read, messages: 9}',
      ['recovery=mp-rdma', 'congestion=mp-rdma', 'qp.ecnEcho=ack', 'qp.readAcks=true'],
      /workload\.0\.operation: expected a WRITE or SEND under mp-rdma, .*\[Survey\] V-C/,
    ],
    [
      '{kind: trace, flows: ["0 1 8B 0us op=fetch-and-add"]}',
      ['recovery=mp-rdma', 'congestion=mp-rdma', 'qp.ecnEcho=ack', 'qp.readAcks=true'],
      /workload\.0\.flows\.0: expected a WRITE or SEND under mp-rdma/,
    ],
    [
      '{kind: trace, workRequests: true, flows: ["0 1 3GB 0us"]}',
      [],
      /workload\.0\.flows\.0: expected work requests of at most 2GiB/,
    ],
  ] as const)('invalid settings are refused: %s %j', (workload, sets, message) => {
    expect(() => resultOf(text(workload), sets)).toThrow(message)
  })
})
