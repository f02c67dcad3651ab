import { describe, expect, test } from 'vitest'
import { InputError } from '../../../core/base/issue.ts'
import { parseScenario } from '../index.ts'

const TEXT = `name: pair
topology: {kind: star, hosts: 3}
workload:
  - {kind: closed-loop, pairs: ["0 2"], messageSize: 1KB, messages: 1}
  - {kind: closed-loop, pairs: ["1 2"], messageSize: 1KB, messages: 1, trafficClass: 0}
`
const KERNEL = '{kind: tcp, delayedAck: off, stackLatency: 5us}'

/** Mistakes of the scenario with these values, as "path: expected, received". */
function mistakesWith(...sets: string[]): string[] {
  try {
    parseScenario(TEXT, { sets })
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map(({ path, expected, received }) => `${path}: ${expected}, ${received}`)
  }
}

describe('a distribution that contradicts itself is one mistake, at its own place', () => {
  test('in the scenario, also where workloads have other settings of their own', () => {
    const sets = ['qp.hostDelay={kind: lognormal, median: 9us, p99: 5us}', 'workload.1.qp={window: 64KiB}']
    expect(mistakesWith(...sets)).toEqual(['qp.hostDelay.p99: at least median, 9us, 5us'])
  })

  test('in a workload', () => {
    const sets = [
      'qp.hostDelay={kind: lognormal, median: 2us, p99: 5us}',
      'workload.1.qp={hostDelay: {kind: quantiles, points: ["0 1us", "90 8us"]}}',
    ]
    expect(mistakesWith(...sets)).toEqual(['workload.1.qp.hostDelay.points.1: 100 percent at the last point, 90'])
  })

  test('in both', () => {
    const sets = [
      'qp.hostDelay={kind: lognormal, median: 9us, p99: 5us}',
      'workload.0.qp={hostDelay: {kind: lognormal, median: 8us, p99: 5us}}',
    ]
    expect(mistakesWith(...sets)).toEqual([
      'qp.hostDelay.p99: at least median, 9us, 5us',
      'workload.0.qp.hostDelay.p99: at least median, 8us, 5us',
    ])
  })
})

describe('a queue pair has one delay: that of its kernel, or its host', () => {
  const both = 'none where TCP has a stackLatency or stackJitter of its own, exponential'

  test('two are a mistake of the workload that has them', () => {
    const own = 'workload.1.qp={ackInterval: 1, hostDelay: {kind: exponential, least: 2us}}'
    expect(mistakesWith(`workload.1.recovery=${KERNEL}`, 'workload.1.congestion=newreno', own)).toEqual([
      `workload.1.qp.hostDelay: ${both}`,
    ])
  })

  test('the delay of the scenario counts for its workloads, unless they set it to none', () => {
    const tcp = [`workload.1.recovery=${KERNEL}`, 'workload.1.congestion=newreno']
    const all = 'qp.hostDelay={kind: exponential, least: 2us}'
    expect(mistakesWith(...tcp, all)).toEqual([`qp.hostDelay: ${both}`])
    expect(mistakesWith(...tcp, all, 'workload.1.qp={hostDelay: none}')).toEqual([])
  })

  test('TCP without a latency of its own may have it', () => {
    const sets = [
      'workload.1.recovery={kind: tcp, delayedAck: off}',
      'workload.1.congestion=newreno',
      'workload.1.qp={hostDelay: {kind: exponential, least: 2us}}',
    ]
    expect(mistakesWith(...sets)).toEqual([])
  })
})
