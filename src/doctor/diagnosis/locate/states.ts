/**
 * States of ports in one interval, from the counters of either end of their links: rx at one end is tx at the other.
 * Source: docs/models/localiser.md, "One number per direction".
 */
import { assert } from '../../../core/base/assert.ts'
import { ALL_PRIORITIES } from '../../../core/device-model/index.ts'
import type { Amount, Series } from '../../devices/series/index.ts'
import type { Fabric, Port } from './fabric.ts'
import {
  AGREE_FRAMES,
  AGREE_SHARE,
  COVERED_SHARE,
  FRAME_GAP_BYTES,
  FRAME_HOLD_BITS,
  HELD_SHARE,
  HELD_SHARE_BY_FRAMES,
  REFRESH_SHARE,
  STOPPED_SHARE,
  STOPPED_SHARE_BY_FRAMES,
} from './limits.ts'

/** A counter at a place, in the interval that its number is of. */
export interface Evidence {
  readonly device: string
  readonly port: string
  readonly priority: number
  readonly name: string
  readonly value: number
  readonly fromNs: number
  readonly toNs: number
}

/** How long a port was held by its peer. */
export interface Hold {
  /** Share of the interval, 0 to 1. */
  readonly share: number
  readonly isDuration: boolean
  /** Whether both ends say the same; undefined: only one of them says anything. */
  readonly agrees: boolean | undefined
  /** 1, or half where the readings cover little of the interval. */
  readonly weight: number
  /** The whole interval long, as far as these counters can say. */
  readonly isStopped: boolean
  readonly from: Evidence
}

/** The ports of a fabric in one interval, for one priority. */
export class States {
  readonly fabric: Fabric
  readonly series: Series
  readonly interval: number
  readonly priority: number
  readonly #holds = new Map<number, Hold | undefined>()
  readonly #uses = new Map<number, number | undefined>()

  constructor(fabric: Fabric, series: Series, interval: number, priority: number) {
    this.fabric = fabric
    this.series = series
    this.interval = interval
    this.priority = priority
  }

  /** By whom and for how long a port was held; undefined: it was not, or nobody knows. */
  hold(port: Port): Hold | undefined {
    if (this.#holds.has(port.id)) return this.#holds.get(port.id)
    const hold = this.#measuredHold(port)
    const least = hold?.isDuration === true ? HELD_SHARE : HELD_SHARE_BY_FRAMES
    const held = hold !== undefined && hold.share >= least ? hold : undefined
    assert(held === undefined || (held.share > 0 && held.share <= 1), 'localiser: a share of time is not from 0 to 1')
    this.#holds.set(port.id, held)
    return held
  }

  /** Whether frames only refreshed a pause: each held the port for a long time. */
  isOnePause(port: Port): boolean {
    const hold = this.hold(port)
    const rate = this.rateBps(port)
    const frames = largest(this.#bothEnds(port, 'pfcRxFrames', this.peerOf(port), 'pfcTxFrames'))
    if (hold?.isDuration !== true || rate === undefined || frames === undefined || frames.amount.value < 1) return false
    const heldSeconds = (hold.share * frames.amount.coveredNs) / 1e9
    return heldSeconds / frames.amount.value >= (REFRESH_SHARE * FRAME_HOLD_BITS) / rate
  }

  /** Share of the link's rate that the port sent, frames of all priorities with their gaps; undefined: not known. */
  use(port: Port): number | undefined {
    if (this.#uses.has(port.id)) return this.#uses.get(port.id)
    const use = this.#measuredUse(port, this.series.priorities)
    assert(use === undefined || use >= 0, 'localiser: a port sends less than nothing')
    this.#uses.set(port.id, use)
    return use
  }

  /** The same of the priority alone. */
  useOfPriority(port: Port): number | undefined {
    return this.#measuredUse(port, [this.priority])
  }

  /** The same where only a count of all priorities together is known, whatever they are. */
  useOfAll(port: Port): number | undefined {
    return this.#measuredUse(port, [ALL_PRIORITIES])
  }

  /** Bytes that the port sent, of all priorities; undefined: not known. */
  sentBytes(port: Port): number | undefined {
    return this.#sent(port, 'Bytes', this.series.priorities)?.value
  }

  /** Longest queue of the port; undefined: not known. */
  queueBytes({ device, port }: Port): number | undefined {
    return this.series.level(device, port, this.priority, 'queueMax', this.interval)
  }

  /** Amount of a cumulative counter of a port. */
  amount({ device, port }: Port, name: string, priority = this.priority): Amount | undefined {
    return this.series.amount(device, port, priority, name, this.interval)
  }

  evidence({ device, port }: Port, name: string, value: number, priority = this.priority): Evidence {
    const fromNs = this.series.beginNs(this.interval)
    return { device, port, priority, name, value, fromNs, toNs: fromNs + this.series.intervalNs }
  }

  peerOf({ peer }: Port): Port {
    return this.fabric.ports[peer]!
  }

  rateBps(port: Port): number | undefined {
    const rateOf = (one: Port): number | undefined =>
      this.series.highest(one.device, one.port, ALL_PRIORITIES, 'rateBps')
    const rate = rateOf(port) ?? rateOf(this.peerOf(port))
    return rate !== undefined && rate > 0 ? rate : undefined
  }

  #measuredHold(port: Port): Hold | undefined {
    const peer = this.peerOf(port)
    const times = this.#bothEnds(port, 'pauseRxUs', peer, 'pauseTxUs')
    const frames = this.#bothEnds(port, 'pfcRxFrames', peer, 'pfcTxFrames')
    const slackOf = (amounts: readonly EndAmount[], slack: number): boolean | undefined => {
      const [one, other] = amounts.map(({ amount }) => amount.value / amount.coveredNs)
      if (one === undefined || other === undefined) return undefined
      return Math.abs(one - other) <= AGREE_SHARE * Math.max(one, other) + slack
    }
    const framesAgree = slackOf(frames, AGREE_FRAMES / this.series.intervalNs)
    const rate = this.rateBps(port)
    const holdsOf = rate === undefined ? undefined : FRAME_HOLD_BITS / rate
    // The fullest frames that can be: each of them holds the port to its end. undefined: no frames, or no rate.
    const most = largest(frames)
    const boundOf = most === undefined || holdsOf === undefined ? undefined : ratePerSecond(most) * holdsOf
    const longest = largest(times)
    if (longest !== undefined) {
      const share = Math.min(1, (longest.amount.value * 1000) / longest.amount.coveredNs)
      return {
        share,
        isDuration: true,
        agrees: slackOf(times, HELD_SHARE / 1000) ?? framesAgree,
        weight: this.#weightOf(longest),
        isStopped: share >= STOPPED_SHARE,
        from: this.evidence(longest.port, longest.name, longest.amount.value),
      }
    }
    if (most === undefined || boundOf === undefined) return undefined
    return {
      // Half of the frames end a pause, where they are counted too.
      share: Math.min(1, boundOf / 2),
      isDuration: false,
      agrees: framesAgree,
      weight: this.#weightOf(most),
      isStopped: boundOf >= STOPPED_SHARE_BY_FRAMES,
      from: this.evidence(most.port, most.name, most.amount.value),
    }
  }

  #weightOf({ amount }: EndAmount): number {
    return amount.coveredNs < COVERED_SHARE * this.series.intervalNs ? 0.5 : 1
  }

  #bothEnds(port: Port, name: string, peer: Port, peerName: string): EndAmount[] {
    const own = this.amount(port, name)
    const other = this.amount(peer, peerName)
    return [
      ...(own === undefined ? [] : [{ port, name, amount: own }]),
      ...(other === undefined ? [] : [{ port: peer, name: peerName, amount: other }]),
    ]
  }

  #measuredUse(port: Port, priorities: readonly number[]): number | undefined {
    const rate = this.rateBps(port)
    const bytes = this.#sent(port, 'Bytes', priorities)
    const packets = this.#sent(port, 'Packets', priorities)
    // Nothing is no share of any rate.
    if ((bytes ?? packets)?.value === 0) return 0
    if (rate === undefined || bytes === undefined) return undefined
    const gaps = packets === undefined ? 0 : (packets.value / packets.coveredNs) * FRAME_GAP_BYTES
    return ((bytes.value / bytes.coveredNs + gaps) * 8e9) / rate
  }

  /** txBytes or txPackets of a port, or what its peer received of them. */
  #sent(port: Port, unit: 'Bytes' | 'Packets', priorities: readonly number[]): Amount | undefined {
    const sumOf = (one: Port, name: string): Amount | undefined => {
      const known = priorities.flatMap((priority) => this.amount(one, name, priority) ?? [])
      if (known.length === 0) return undefined
      const coveredNs = Math.max(...known.map((each) => each.coveredNs))
      return { value: known.reduce((sum, { value }) => sum + value, 0), coveredNs }
    }
    return sumOf(port, `tx${unit}`) ?? sumOf(this.peerOf(port), `rx${unit}`)
  }
}

interface EndAmount {
  readonly port: Port
  readonly name: string
  readonly amount: Amount
}

const ratePerSecond = ({ amount }: EndAmount): number => (amount.value * 1e9) / amount.coveredNs

function largest(amounts: readonly EndAmount[]): EndAmount | undefined {
  return amounts.reduce<EndAmount | undefined>(
    (most, one) => (most === undefined || ratePerSecond(one) > ratePerSecond(most) ? one : most),
    undefined,
  )
}
