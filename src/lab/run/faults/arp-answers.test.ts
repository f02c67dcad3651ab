/** NICs whose receive side is dead, at switches with ARP and MAC tables; power cycles and the caches of a NIC. */
import { describe, expect, test } from 'vitest'
import { failsWith, passes, wrong } from '../../../../tests/support/planted.ts'
import { NEVER_PS } from '../../../core/base/params.ts'
import { LruCache } from '../../../core/fabric/nic/receive/lru-cache.ts'
import { ReceivePipeline } from '../../../core/fabric/nic/receive/pipeline.ts'
import { Layer2Tables } from '../../../core/fabric/switch/layer2-tables.ts'
import { numbersOf, type Result } from '../../../core/results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import { run } from '../../index.ts'

const outcome = (lines: string): Result =>
  run(
    parseScenario(`
name: arp
topology: {kind: star, hosts: 3, linkRate: 10Gbps, linkDelay: 100ns}
qp: {retryLimit: off, ackTimeout: 60us}
observe: [{kind: nic-receive}]
${lines}`),
    { check: true },
  )

describe('a switch asks for the address of a host whose NIC', () => {
  /** ARP entries live 400 us and MAC entries 200; host 0 sends to host 1 in messages of its own all the time. */
  const asked = (faults: string, more = ''): Result =>
    outcome(`
switch: {layer2: {kind: tables, arpSeconds: 400, macSeconds: 200, timeScale: 1e-6, resolveTime: 10us, onIncomplete: drop, cpuRate: 1000000}}
workload: [{kind: closed-loop, pairs: ["0 1"], messageSize: 1KB}]
measure: {stop: 4ms}
faults: [${faults}]
${more}`)
  /** Packets that found no ARP entry. */
  const punts = ({ counters }: Result): number => counters.layer2!['to CPU'] ?? 0
  /** First message that host 1 has received after this time. */
  const nextPs = ({ flows }: Result, fromPs: number): number =>
    numbersOf(flows, 'receivedPs').find((ps) => ps > fromPs) ?? Infinity
  const STORM = '{kind: pause-storm, hosts: host 1, from: 1ms'

  const works = (): void => {
    const result = asked('')
    expect([result.counters.layer2, result.counters.drops]).toEqual([{ 'ARP requests': 30 }, {}])
  }
  passes('works: it answers, each of three once in 400 us, whatever else it sends', works)
  failsWith(
    'it',
    'data renew the ARP entry',
    wrong(Layer2Tables.prototype, 'learn', (tables, _right, port, nowPs) => tables.answer(port, nowPs)),
    works,
  )

  test('stands still: it does not answer, and its entries end', () => {
    const result = asked(`${STORM}}`)
    expect(punts(result)).toBeGreaterThan(40)
    expect(nextPs(result, 1e9)).toBe(Infinity)
  })

  const givenUp = (): void => {
    // A single packet that is worked on for longer than the watchdog's time: the pipeline has not stopped for good.
    const slow = 'nic: {watchdog: 200us, receive: {kind: pipeline, packetTime: 400us, buffer: 4KB, xoff: 0B}}'
    const result = asked('', slow)
    const watchdogPs = numbersOf(result.series[0]!, 'watchdogPs')[1]!
    // The first packet is there after 2 us.
    expect([watchdogPs > 200e6, watchdogPs < 203e6]).toEqual([true, true])
    expect(punts(result)).toBeGreaterThan(40)
  }
  passes('was given up by its watchdog: it drops the request like any packet', givenUp)
  failsWith(
    'it',
    'a packet that is being processed counts as progress',
    wrong(ReceivePipeline.prototype, 'begin', (pipeline, right) => {
      right()
      Reflect.set(pipeline, 'begunPs', NEVER_PS)
    }),
    givenUp,
  )

  test('is power-cycled: its server asks for its addresses when it starts, and the next packet finds it', () => {
    const result = asked(`${STORM}, until: 2ms}`)
    expect(punts(result)).toBeGreaterThan(10)
    // Packets are sent again after 60 us.
    expect(nextPs(result, 2e9)).toBeLessThan(2.06e9)
  })

  test('starts into another storm: its server cannot ask, and stays unknown', () => {
    const restart = '{kind: server-down, hosts: host 1, down: 1500us, up: 2ms}'
    expect(punts(asked(`${STORM}, until: 5ms}, ${restart}`))).toBe(punts(asked(`${STORM}}`)))
  })
})

describe('after a power cycle the caches of a NIC are empty', () => {
  /** Pages and contexts missed at host 1, to which hosts 0 and 2 send; all messages are in one page. */
  const misses = (faults: string, workload: string): number[] => {
    const { series } = outcome(`
nic: {receive: {kind: pipeline, access: sequential, workingSet: 4KiB, contexts: 4}}
workload: [${workload}]
measure: {stop: 4ms}
faults: [${faults}]`)
    return ['translationMisses', 'contextMisses'].map((column) => numbersOf(series[0]!, column)[1]!)
  }
  const LOOP = '{kind: closed-loop, pairs: ["0 1", "2 1"], messageSize: 1000B}'
  const storm = '{kind: pause-storm, hosts: host 1, from: 1ms, until: 1100us}'

  const cold = (_name: string, faults: string, expected: readonly number[]): void =>
    expect(misses(faults, LOOP)).toEqual(expected)
  passes.each([
    ['none', '', [1, 2]],
    ['one, at the end of a storm', storm, [2, 4]],
    ['two', `${storm}, ${storm.replace('1ms', '2ms').replace('1100us', '2100us')}`, [3, 6]],
  ] as const)('%s: the page and both queue pairs are missed anew', cold)
  failsWith(
    'it',
    'it keeps them',
    wrong(LruCache.prototype, 'clear', () => {}),
    () => cold('one', storm, [2, 4]),
  )

  test('a restart of the server, whose queue pairs are others: the page is missed anew', () => {
    const flows = '{kind: trace, flows: [0 1 1000B 0us, 0 1 1000B 500us, 0 1 1000B 2ms, 0 1 1000B 3ms]}'
    expect(misses('{kind: server-down, hosts: host 1, down: 1ms, up: 1100us}', flows)[0]).toBe(2)
    expect(misses('', flows)[0]).toBe(1)
  })
})
