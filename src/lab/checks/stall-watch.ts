/**
 * Stall watch: ends a run without a stop time when there has been no progress for a long time after the last message was
 * posted and the last link restored. Such a run would never end: pauses that last, packets that circle for ever.
 * Units: picoseconds.
 */
import { mostOf } from '../../core/base/extremes.ts'
import { NEVER_PS, SECOND } from '../../core/base/params.ts'
import { hasReads } from '../scenario/rules/operations.ts'
import { withChanges } from '../scenario/changes.ts'
import { schemeSets } from '../scenario/mix.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { longestReadWaitPs } from '../../core/transport/recovery/recovery.ts'
import { RNR_WAIT_US } from '../../core/wire/aeth.ts'
import { scenarioTimeout } from '../network/definitions.ts'
import { retryOf } from '../../core/transport/params.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { lastRecoveryPs } from '../run/faults/index.ts'
import { longestRoundTripPs } from '../times/round-trips.ts'
import type { Traffic } from '../run/traffic.ts'

/** Simulated time without a byte delivered, after the last message was posted, that ends a run. */
const STALL_PS = 100e9
/** Timeouts in a row that are waited for where nothing else happens. */
const RETRIES_WAITED = 30
/** Over long distances and at low rates silence between packets is usual: this many of the longest gaps are waited for. */
const PACKETS_WAITED = 2
/** An exponentially distributed time is longer than this many means once in 500 million times. */
const LONG_DRAW = 20

export class StallWatch {
  /** The run was ended by this watch. */
  isStalled = false
  /** Data packets sent when progress was last looked for and not given up. */
  private sentBefore = 0
  private progress = -1
  private progressPs = 0
  private intervalPs: number
  private readonly leastPs: number
  private readonly restoredPs: number
  private readonly built: BuiltNetwork
  private readonly traffic: Traffic

  /** To be created after the traffic has started. */
  constructor(scenario: Scenario, built: BuiltNetwork, traffic: Traffic) {
    const { network } = built
    this.built = built
    this.traffic = traffic
    this.leastPs = this.intervalPs = patiencePs(scenario)
    this.restoredPs = lastRecoveryPs(scenario)
    if (!traffic.isOpen && traffic.outstanding === 0) {
      // The workloads have drawn no message, and will draw none.
      network.actAt(scenario.measure.generate ?? 0, network.addActor({ onEvent: () => network.halt() }))
      return
    }
    const actor = network.addActor({
      onEvent: (nowPs) => {
        this.look(nowPs)
        if (this.isStalled) network.halt()
        else network.actAt(nowPs + this.intervalPs, actor)
      },
    })
    network.actAt(this.intervalPs, actor)
  }

  /** Some host was sending data to the end. */
  get isSending(): boolean {
    return this.built.network.fabric.counters.dataSent > this.sentBefore
  }

  private look(nowPs: number): void {
    const { network } = this.built
    // Bytes that go-back-0 discards and receives again are no progress.
    const { pairs } = network
    const now =
      this.traffic.finished + pairs.released.peakBytes + pairs.sum(({ receiver }) => receiver.delivered.peakBytes)
    const isSilent =
      now === this.progress && this.traffic.nextStartPs === NEVER_PS && nowPs > this.restoredPs + this.intervalPs
    if (isSilent && !(nowPs < this.progressPs + PACKETS_WAITED * this.longestGapPs())) {
      this.isStalled = true
      return
    }
    if (now !== this.progress) this.progressPs = nowPs
    this.progress = now
    this.sentBefore = network.fabric.counters.dataSent
    // On a slow link a single message may take longer than the interval.
    this.intervalPs = Math.max(this.leastPs, 2 * this.traffic.longestIdealPs)
  }

  /** Longest time between two packets of a QP that has data to send: a round trip, or more at a low rate or small window. */
  private longestGapPs(): number {
    const rttPs = longestRoundTripPs(this.built)
    let mostPs = rttPs
    for (const { sender } of this.built.network.pairs) {
      if (sender.una === sender.end) continue
      const { rateBps, windowPackets } = sender.congestion
      const fullPs = (this.built.frameLimits.dataBytes * 8e12) / rateBps
      mostPs = Math.max(mostPs, fullPs, windowPackets < 1 ? rttPs / windowPackets : 0)
    }
    return mostPs
  }
}

/** Longer than any silence that may end by itself: all retries of a QP, RNR waits, a Receive WQE that is reposted. */
export function patiencePs(scenario: Scenario): number {
  return mostOf(schemeSets(scenario).map((set) => patienceOf(set.scenario)))
}

function patienceOf(scenario: Scenario): number {
  const { qp } = scenario
  const retries = Math.min(qp.retryLimit ?? Infinity, RETRIES_WAITED) + 2
  const rnrPs = qp.receiveQueue === null ? 0 : 2 * (RNR_WAIT_US[qp.rnrTimer]! * 1e6 + qp.receiveRepost)
  const timeout = scenarioTimeout(scenario)
  // The longest of all its waits.
  const steppedPs = (retryOf(qp)?.waits ?? []).reduce((most, wait) => Math.max(most, wait), 0)
  const waitPs = timeout === null ? 0 : hasReads(scenario) ? longestReadWaitPs(timeout) : timeout.mostPs
  return Math.max(
    STALL_PS + 2 * stackPs(scenario),
    retries * Math.max(waitPs, steppedPs),
    rnrPs,
    2 * resolvePs(scenario),
    ...watchdogSilencesPs(scenario),
  )
}

/** Long for a packet in the host stacks of both ends. */
function stackPs({ qp: { hostDelay: delay } }: Scenario): number {
  if (delay.kind === 'exponential') return 2 * (delay.least + LONG_DRAW * delay.mean)
  if (delay.kind === 'lognormal') return 2 * (delay.least + Math.min(delay.most, LONG_DRAW * delay.p99))
  return delay.kind === 'quantiles' ? 2 * SECOND : 0
}

/** Silence that a switch's watchdog may end: detection, and restoration of what it has discarded meanwhile; with each change too. */
function watchdogSilencesPs(scenario: Scenario): number[] {
  const at = scenario.changes.flatMap(({ path }, index) => (path.startsWith('switch.watchdog') ? [index] : []))
  const all = [scenario]
  for (const index of at) all.push(withChanges(all.at(-1)!, [index]))
  return all.map(({ switch: { watchdog: w } }) =>
    w.kind === 'off' ? 0 : 2 * (w.detectionTime + (w.restorationTime ?? 0) + 2 * w.pollInterval),
  )
}

/** From a packet that a switch's CPU takes until the host's addresses are known. */
function resolvePs({ switch: { layer2 } }: Scenario): number {
  return layer2.kind === 'off' ? 0 : SECOND / layer2.cpuRate + layer2.resolveTime
}
