/**
 * Conformance of switches whose ARP entry of a host is there and whose MAC entry is not: the remedy of [MS-Scale] 4.2.
 * Source of the case and its pass criterion: sonic-mgmt, tests/arp/test_unknown_mac.
 */
import { describe, expect, test } from 'vitest'
import { US } from '../../src/core/base/params.ts'
import { DROP_NO_MAC } from '../../src/core/fabric/counters.ts'
import { Layer2Switch } from '../../src/core/fabric/switch/layer2-switch.ts'
import { Bench } from '../support/switch-bench.ts'
import { failsWith, passes, wrong } from '../support/planted.ts'

describe('D1 ARP entry present, MAC entry absent', () => {
  /** Frames that arrive anywhere, and drops for lack of a MAC entry, if ten packets of this DSCP go to host 2. */
  const outcome = (dscp: number, remedy: string): { readonly arrivals: number; readonly drops: number } => {
    const bench = new Bench(
      4,
      `pfc: {classes: [3, 4]}\nswitch: {layer2: {kind: tables, macMissing: host 2, onIncomplete: ${remedy}}}`,
    )
    for (let i = 0; i < 10; i++) bench.at(i * US, () => bench.arriveFrom(0, { to: 2, codepoint: dscp }))
    bench.run(100 * US)
    return { arrivals: bench.arrivals.length, drops: bench.counters.drops[DROP_NO_MAC]! }
  }

  const lossless = (dscp: number): void => expect(outcome(dscp, 'drop-lossless')).toEqual({ arrivals: 0, drops: 10 })
  passes.each([3, 4])('DSCP %i, lossless: all packets are dropped and counted, none is flooded', lossless)

  const lossy = (): void => expect(outcome(8, 'drop-lossless')).toEqual({ arrivals: 30, drops: 0 })
  passes(
    'DSCP 8, lossy: the remedy concerns lossless classes only, so that packets are flooded to the three other ports',
    lossy,
  )

  failsWith(
    'D1',
    'what has no MAC entry is flooded',
    wrong(Layer2Switch.prototype, 'receiveUnknown', (self, _right, packet, input, port) =>
      Reflect.apply(Reflect.get(self, 'flood'), self, [packet, input, port]),
    ),
    () => lossless(3),
  )
  failsWith(
    'D1',
    'all classes are taken for lossless',
    wrong(Layer2Switch.prototype, 'receiveUnknown', (self, right, packet, input, ...rest) => {
      const port = self.ports[input]!
      port.pfc = { ...port.pfc, lossless: 0xff }
      right(packet, input, ...rest)
    }),
    lossy,
  )

  test.each([3, 4, 8])('DSCP %i where a switch drops all of these: dropped and counted, none is flooded', (dscp) => {
    expect(outcome(dscp, 'drop')).toEqual({ arrivals: 0, drops: 10 })
  })

  test('without the remedy lossless packets are flooded', () => {
    expect(outcome(3, 'flood')).toEqual({ arrivals: 30, drops: 0 })
  })
})
