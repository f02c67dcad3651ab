import { describe, expect, test } from 'vitest'
import { run } from '../../lab/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'

/** Hosts 0, 1, 2 on a chain of switches 3 and 4, host 2 at the end. */
const build = (routes: readonly string[]) => () =>
  run(
    parseScenario(`
name: chain
topology: {kind: graph, nodes: 5, switches: [3, 4], links: [0 3 100Gbps 1us, 1 3 100Gbps 1us, 3 4 100Gbps 1us, 4 2 100Gbps 1us], routes: ${JSON.stringify(routes)}}
workload: [{kind: closed-loop, pairs: [0 2], messageSize: 10KB, messages: 1}]
`),
  )

describe('fixed routes', () => {
  test('that end where they should are taken', () => {
    expect(build(['3: 2 via 3', '4: 2 via 2', '4: 0 via 1'])().counters.packetHops).toBeGreaterThan(30)
  })

  test('that hand packets to another host are refused', () => {
    expect(build(['3: 2 via 2'])).toThrow(
      'topology.routes: expected ways that end at host 2, received packets that switch 3 hands to host 1',
    )
  })

  test('that go round are refused, also where another candidate arrives', () => {
    expect(build(['4: 2 via 1'])).toThrow('ways that end at host 2, received packets that come round to switch 3 again')
    expect(build(['4: 2 via 2, 1'])).toThrow('packets that come round to switch 3 again')
  })

  test('are all reported at once', () => {
    expect(build(['3: 2 via 2', '3: 1 via 1'])).toThrow(/ends? at host 2, .*\n.*end at host 1, /)
  })
})
