/**
 * A work request alone in the network: every operation, at both completions and in both modes, takes the time of its own
 * packets, each with the headers of its opcode.
 */
import { describe, expect, test } from 'vitest'
import { completionsOf, run, textsOf } from '../../src/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const SIZES = ['1B', '700B', '1KiB', '1025B', '5000B', '100001B'] as const
const OPERATIONS = ['send', 'send-immediate', 'send-invalidate', 'write', 'write-immediate', 'read'] as const
const ATOMICS = ['fetch-and-add', 'compare-and-swap'] as const
const CASES = [
  ...OPERATIONS.flatMap((operation) => SIZES.map((size) => [operation, size] as const)),
  ...ATOMICS.map((operation) => [operation, '8B'] as const),
]
/** Unlike links, so that an ACK and data meet different slowest links. */
const TOPOLOGY = '{kind: dumbbell, leftHosts: 1, rightHosts: 1, hostRate: 100Gbps, bottleneckRate: 40Gbps}'
/** An ACK on the slowest link: the ACK of a short last packet may wait for one, and a READ response for that of its request. */
const ACK_PS = (90 * 8e12) / 40e9

describe.each(['receiver', 'sender'] as const)('at the %s', (completion) => {
  describe.each(['go-back-n', 'irn', '{kind: iwarp, initialWindow: 200}'])('with %s', (recovery) => {
    test.each(CASES)('a %s of %s', (operation, size) => {
      const result = run(
        parseScenario(`{name: alone, topology: ${TOPOLOGY}, recovery: ${recovery}, workload: [{kind: closed-loop, pairs: ["0 1"],
          messageSize: ${size}, messages: 1, operation: ${operation}, workRequests: true}],
          measure: {completion: ${completion}}}`),
      )
      const { completionPs, idealPs } = completionsOf(result)
      expect(textsOf(result.flows, 'operation')).toEqual([operation])
      const restPs = [...completionPs].map((ps, row) => ps - idealPs[row]!)
      for (const ps of restPs) {
        expect(ps).toBeGreaterThanOrEqual(0)
        expect(ps).toBeLessThanOrEqual(recovery === 'go-back-n' && completion === 'receiver' ? 0 : ACK_PS)
      }
    })
  })
})
