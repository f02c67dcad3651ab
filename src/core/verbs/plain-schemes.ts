/**
 * Plain schemes: loss recovery and timeouts as a connection's values give them, for queue pairs outside a simulated
 * network. The link has no rate and there is no congestion control. They are a case of schemes on a link, of which
 * live-schemes.ts makes another.
 */
import { Memory } from '../base/memory.ts'
import { type AnyValues, defaultsOf, NEVER_PS } from '../base/params.ts'
import { createSerialization } from '../base/serialization.ts'
import { none } from '../transport/congestion/none.ts'
import { bdpPackets, type CongestionDefinition, NO_WINDOW } from '../transport/congestion/congestion.ts'
import type { FrameSizes } from '../transport/endpoint.ts'
import { PSN_MASK } from '../transport/psn.ts'
import { goBackN } from '../transport/recovery/go-back-n.ts'
import { irn } from '../transport/recovery/irn.ts'
import {
  createControl,
  type RecoveryContext,
  type RecoveryDefinition,
  startOf,
} from '../transport/recovery/recovery.ts'
import { neededBy } from '../transport/scheme.ts'
import { type OrderSource, Timers } from '../transport/timers.ts'
import type { ConnectionValues } from './connection/values.ts'
import type { VerbsPacket } from './packet.ts'
import type { HalfKind, Schemes } from './schemes.ts'

/** Rate at which the serialization time and gap of a packet round to 0 ps. */
const NO_LINE_BPS = 1e18

/** Loss recovery from the values of a connection: go-back-N, or IRN's selective repeat. */
export function plainRecovery({ mode, selectiveRepeat, ackTimeoutPs }: Omit<ConnectionValues, 'remoteQp'>): {
  readonly definition: RecoveryDefinition
  readonly values: AnyValues
  /** The longer one where there are two; null: no timeout. */
  readonly timeoutPs: number | null
} {
  if (mode === 'roce') {
    const values = { nakInterval: null, nakGate: 'per-epsn', duplicates: 'acknowledge' } as const
    return { definition: goBackN, values, timeoutPs: ackTimeoutPs }
  }
  const { rtoLowPs, rtoHighPs, capPackets, bitmapBits } = selectiveRepeat
  const values = {
    bdpFlowControl: true,
    cap: capPackets,
    timeout: 'two-level',
    rtoLow: rtoLowPs ?? NEVER_PS,
    rtoLowPackets: selectiveRepeat.rtoLowPackets,
    rtoLowSlowdown: 4,
    resend: 'holes',
    nackThreshold: selectiveRepeat.nackThreshold,
    nackWithProgress: 'ignore',
    fetchDelay: selectiveRepeat.fetchDelayPs,
    extraHeader: 0,
    trimmed: 'nack',
  } as const
  const definition = {
    ...irn,
    // The other end's cap may exceed ours, up to the size of our bitmap.
    createReceiver: (given: typeof values, timers: Timers, context: RecoveryContext) =>
      irn.createReceiver({ ...given, cap: bitmapBits }, timers, context),
  }
  return {
    definition,
    values,
    timeoutPs: rtoLowPs === null ? null : rtoHighPs,
  }
}

/** A link that a queue pair sends on, and the schemes that it has there. */
export interface Link {
  readonly recovery: { readonly definition: RecoveryDefinition; readonly values: AnyValues }
  /** Null: no timeout. */
  readonly timeoutPs: number | null
  readonly congestion: { readonly definition: CongestionDefinition; readonly values: AnyValues }
  readonly lineRateBps: number
  /** Round trip of a full packet and its ACK while nothing else is sent; NaN: not known. */
  readonly baseRttPs: number
  /** Packets in flight at first, and always with a control that has no window. */
  readonly windowPackets: number
  /**
   * Only progress puts off a timeout and begins the count of timeouts anew, and timeouts do not grow: requests end whatever the
   * other end repeats.
   */
  readonly needsProgress: boolean
  /** Least time between two CNPs that report marked packets; null: none are sent. */
  readonly cnpIntervalPs: number | null
  readonly frames: FrameSizes
  /** Bytes that a full packet occupies on the link. */
  readonly fullBytes: number
  wireBytes(packet: Readonly<VerbsPacket>): number
}

/** Schemes without a link: recovery from plainRecovery() and no congestion control. */
export function plainSchemes(connection: ConnectionValues, order: OrderSource): Schemes {
  const { mtuBytes } = connection
  const { definition, values, timeoutPs } = plainRecovery(connection)
  const link = {
    recovery: { definition, values },
    timeoutPs,
    congestion: { definition: none, values: defaultsOf(none.params) },
    lineRateBps: NO_LINE_BPS,
    baseRttPs: NaN,
    windowPackets: NO_WINDOW,
    needsProgress: false,
    cnpIntervalPs: null,
    frames: framesOf(mtuBytes),
    fullBytes: mtuBytes,
    wireBytes: () => 1,
  }
  return schemesOn(link, connection, order)
}

/** Schemes of a queue pair on a link of its own. */
export function schemesOn(link: Link, connection: ConnectionValues, order: OrderSource): Schemes {
  const { mtuBytes, retryLimit, lsnWindowBytes } = connection
  const { recovery, congestion, timeoutPs, lineRateBps, baseRttPs, fullBytes, frames, needsProgress } = link
  const { definition, values } = recovery
  const isIrn = connection.mode === 'irn'
  const firstPsn = (kind: HalfKind, isOurs: boolean): number =>
    (kind === 'requests') === isOurs ? connection.sendPsn : connection.receivePsn
  const acksReads = isIrn || lsnWindowBytes !== null
  const context = { bdpPackets: bdpPackets(lineRateBps, baseRttPs > 0 ? baseRttPs : 0, fullBytes), hasCwr: false }
  const [senderTimers, memory] = [new Map<HalfKind, Timers>(), new Memory()] as const
  return {
    isWatched: false,
    isInOrder: !isIrn,
    baseRttPs,
    wireBytes: (packet) => link.wireBytes(packet),
    release: () => memory.release(),
    senderOptions(kind) {
      senderTimers.set(kind, new Timers(order, memory))
      return {
        frames,
        lineRateBps,
        firstPsn: firstPsn(kind, true),
        serialization: createSerialization(1, 'nearest'),
        timers: senderTimers.get(kind)!,
        windowBytes: lsnWindowBytes,
        windowVariable: false,
        ackInterval: kind === 'requests' ? connection.ackInterval : acksReads ? 1 : 0,
        ackTimeoutPs: kind === 'requests' || isIrn ? timeoutPs : null,
        ackTimerFollows: false,
        ackTimerByProgress: needsProgress,
        retryLimit,
        ectCapable: neededBy(congestion.definition, congestion.values).ecn === true,
        pacingFixed: false,
        echoInAck: false,
      }
    },
    equip(space, kind) {
      const timers = senderTimers.get(kind)!
      const sending = definition.createSender(values, space, { ...context, baseRttPs, timers, random: noPaths })
      const control = createControl(recovery, congestion, {
        sender: space,
        lineRateBps,
        payloadBytes: mtuBytes,
        timers,
        wholeRates: false,
        baseRttPs,
        bdpPackets: context.bdpPackets,
        ...startOf(definition, sending, context.bdpPackets),
        packetWireBytes: fullBytes,
        largestRttPs: () => baseRttPs,
      })
      control.windowPackets = Math.min(control.windowPackets, link.windowPackets)
      space.equip(sending, control)
    },
    receiverOptions(kind) {
      const timers = new Timers(order, memory)
      const receiving = definition.createReceiver(values, timers, context)
      receiving.startAt(firstPsn(kind, false) & PSN_MASK)
      return {
        recovery: receiving,
        timers,
        payloadBytes: mtuBytes,
        cnpIntervalPs: link.cnpIntervalPs,
        echoInAck: false,
        marksNaks: false,
        echoesHops: false,
        receiveQueue: null,
        repostPs: 0,
        rnrCode: connection.rnrTimerCode,
        isReader: kind === 'responses',
        acksReads,
        naksReads: isIrn,
        heldAck: null,
        readTimeout: timeoutPs === null ? null : { firstPs: timeoutPs, mostPs: timeoutPs },
        retryLimit,
        readsByProgress: needsProgress && !isIrn,
      }
    },
  }
}

function noPaths(): never {
  throw new Error('a recovery on one link chooses no paths')
}

/** Without a link only the payload of a full packet counts, and verbs packets are measured by wireBytes(). */
export function framesOf(payloadBytes: number): FrameSizes {
  return {
    payloadBytes,
    dataOverheadBytes: 0,
    writeOverheadBytes: 0,
    table: null,
    ackBytes: 0,
    sackAckBytes: 0,
    readRequestBytes: 0,
    cnpBytes: 0,
    rttProbeBytes: 0,
    minimumBytes: 0,
    gapBytes: 0,
  }
}
