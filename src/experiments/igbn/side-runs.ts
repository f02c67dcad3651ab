/**
 * Runs for statements that the IGBN paper makes without figures: other recoveries, shorter and pipelined messages, and
 * several senders. Two hosts and one switch as in Table I unless the condition says otherwise.
 * Source: [IGBN] II-A (go-back-0), II-B (short flows, no pipelining), III-B and IV-A (timeouts), V (MP-RDMA).
 */
import { parseScenario, type Scenario } from '../../scenario/index.ts'
import type { Point, Size } from '../core/old/plan.ts'
import { lostAtRandom, PACKETS, scenarioOf, SIDE, TIMEOUTS_MS, timeoutText, type TimeoutMs } from './runs.ts'

export const GO_BACK_0_LOSSES = [0.0001, 0.001] as const
export const goBack0Condition = (loss: number): string => `go-back-0 | 100 ms | ${loss}`

/** Other message sizes and pipelining, at a loss of 0.1 % and without losses. */
export const VARIANTS = [
  { name: 'eight messages at once', packets: PACKETS, outstanding: 8, messages: 100 },
  { name: 'messages of 64 packets', packets: 64, outstanding: 1, messages: 1000 },
] as const
export type Variant = (typeof VARIANTS)[number]
export const VARIANT_LOSS = 0.001
export const variantCondition = (variant: Variant, loss: number): string =>
  `go-back-n, ${variant.name} | 100 ms | ${loss}`

/** Number of hosts that send to one without losses, with PFC. */
export const CROWD = 8
export const crowdCondition = (timeoutMs: TimeoutMs): string =>
  `go-back-n, ${CROWD} senders | ${timeoutText(timeoutMs)} | 0`

/** Packets of a message of MP-RDMA: small flows, and that of Table I. */
export const SMALL_FLOWS = [1, 2, 4, 8] as const
export const mpRdmaCondition = (packets: number): string => `mp-rdma, messages of ${packets} packets | 100 ms | 0`

/** The small size has a tenth of the messages. */
const messagesOf = (size: Size, messages: number): number => (size === 'small' ? messages / 10 : messages)

export function sidePoints(size: Size, seed: number): Point[] {
  const common = { name: SIDE, seed, timeoutMs: 100 } as const
  const of = (condition: string, scenario: Scenario): Point => ({ condition, seed, scenario })
  return [
    ...GO_BACK_0_LOSSES.map((loss) => {
      const messages = messagesOf(size, 20)
      return of(
        goBack0Condition(loss),
        scenarioOf({ ...common, scheme: 'go-back-0', messages, faults: [lostAtRandom(loss)] }),
      )
    }),
    ...VARIANTS.flatMap((variant) =>
      [0, VARIANT_LOSS].map((loss) => {
        const { packets, outstanding } = variant
        const most = packets < PACKETS ? variant.messages : messagesOf(size, variant.messages)
        const messages = loss === 0 ? most / 10 : most
        const faults = loss === 0 ? [] : [lostAtRandom(loss)]
        return of(
          variantCondition(variant, loss),
          scenarioOf({ ...common, scheme: 'go-back-n', packets, outstanding, messages, faults }),
        )
      }),
    ),
    ...TIMEOUTS_MS.map((timeoutMs) =>
      of(
        crowdCondition(timeoutMs),
        scenarioOf({ ...common, timeoutMs, scheme: 'go-back-n', senders: CROWD, messages: 5, faults: [] }),
      ),
    ),
    ...[...SMALL_FLOWS, PACKETS].map((packets) => of(mpRdmaCondition(packets), mpRdma(packets, seed))),
  ]
}

/** Messages of MP-RDMA one after the other. Each packet is acknowledged, since ACKs are its clock. */
function mpRdma(packets: number, seed: number): Scenario {
  return parseScenario(`
name: lossy-gbn-${SIDE}
seed: ${seed}
topology: {kind: star, hosts: 2, linkRate: 40Gbps, linkDelay: 1us}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
pfc: {classes: [3]}
recovery: mp-rdma
congestion: mp-rdma
qp: {ackInterval: 1, ackTimeout: 100ms, retryLimit: off, ecnEcho: ack}
workload: [{kind: closed-loop, pairs: ["0 1"], operation: write, messageSize: ${packets}KiB, messages: ${packets === PACKETS ? 2 : 100}, outstanding: 1}]
measure: {end: drain}
`)
}
