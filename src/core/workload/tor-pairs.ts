/**
 * ToR pairs: racks of the first half with racks of the second, one by one, servers likewise.
 * Rack i is paired with rack i + half; in each, the first servers send to those of the same place in the other.
 * Source: [MS-Scale] section 5.4: ToR i of podset 0 with ToR i of podset 1, 8 servers, 8 connections, as fast as possible.
 * With 24 pairs and both directions that is 3072 connections (the paper says 3074). It names no message size.
 */
import { leastOf } from '../base/extremes.ts'
import { InputError, type Issue } from '../base/issue.ts'
import { count, flag } from '../base/params.ts'
import { isClosedLoop, loopOf, loopParams } from './loop-params.ts'
import { createLoopSource, type Pair } from './loop-source.ts'
import { defineWorkload, type WorkloadContext } from './workload.ts'

const S2_54 = '[MS-Scale] section 5.4'

export const torPairs = defineWorkload({
  name: 'tor-pairs',
  help: 'racks of the first half of the network paired with racks of the second',
  source: S2_54,
  params: {
    serversPerRack: count({ default: 8, min: 1, help: 'servers of each rack that take part', source: S2_54 }),
    qpsPerPair: count({
      default: 8,
      min: 1,
      max: 4096,
      help: 'connections from each server to its partner',
      source: S2_54,
    }),
    bidirectional: flag({
      default: true,
      help: 'servers of the second half open as many connections of their own',
      source: S2_54,
    }),
    ...loopParams(null, 'tor-pairs'),
  },
  isClosed: isClosedLoop,
  create(values, context) {
    check(values.serversPerRack, context)
    const half = context.racks.length / 2
    const forward: Pair[] = []
    for (let rack = 0; rack < half; rack++) {
      for (let server = 0; server < values.serversPerRack; server++) {
        const source = context.racks[rack]![server]!
        const destination = context.racks[rack + half]![server]!
        for (let qp = 0; qp < values.qpsPerPair; qp++) forward.push({ source, destination })
      }
    }
    const backward = forward.map(({ source, destination }) => ({ source: destination, destination: source }))
    const connections = values.bidirectional ? [...forward, ...backward] : forward
    return createLoopSource(loopOf(values, context, connections))
  },
})

function check(serversPerRack: number, { racks }: WorkloadContext): void {
  const issues: Issue[] = []
  if (racks.length === 0 || racks.length % 2 !== 0) {
    issues.push({
      path: '',
      expected: 'a topology with an even number of racks',
      received: `${racks.length}`,
      hint: 'racks are paired half by half',
    })
  }
  const smallest = leastOf(racks.map((rack) => rack.length))
  if (serversPerRack > smallest) {
    issues.push({
      path: 'serversPerRack',
      expected: `at most ${smallest}, the hosts of the smallest rack`,
      received: `${serversPerRack}`,
      hint: '',
    })
  }
  if (issues.length > 0) throw new InputError(issues)
}
