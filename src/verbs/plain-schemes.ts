/**
 * Plain schemes: loss recovery and timeouts as a connection's values give them, for queue pairs outside a simulated
 * network. The link has no rate and there is no congestion control.
 */
import { type AnyValues, defaultsOf, NEVER_PS } from '../base/params.ts'
import { createSerialization } from '../base/serialization.ts'
import { none } from '../transport/congestion/none.ts'
import { bdpPackets } from '../transport/congestion/congestion.ts'
import type { FrameSizes } from '../transport/endpoint.ts'
import { PSN_MASK } from '../transport/psn.ts'
import { goBackN } from '../transport/recovery/go-back-n.ts'
import { irn } from '../transport/recovery/irn.ts'
import {
  type RecoveryContext,
  type RecoveryDefinition,
  type SenderRecoveryContext,
  startOf,
} from '../transport/recovery/recovery.ts'
import { type OrderSource, Timers } from '../transport/timers.ts'
import type { ConnectionValues } from './connection/values.ts'
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

/** Schemes without a link: recovery from plainRecovery() and no congestion control. */
export function plainSchemes(connection: ConnectionValues, order: OrderSource): Schemes {
  const { mtuBytes, retryLimit, lsnWindowBytes } = connection
  const { definition, values, timeoutPs } = plainRecovery(connection)
  const isIrn = connection.mode === 'irn'
  const firstPsn = (kind: HalfKind, isOurs: boolean): number =>
    (kind === 'requests') === isOurs ? connection.sendPsn : connection.receivePsn
  const acksReads = isIrn || lsnWindowBytes !== null
  const context = { bdpPackets: bdpPackets(NO_LINE_BPS, 0, mtuBytes), hasCwr: false }
  const senderTimers = new Map<HalfKind, Timers>()
  return {
    isWatched: false,
    isInOrder: !isIrn,
    wireBytes: () => 1,
    senderOptions(kind) {
      const timers = new Timers(order)
      senderTimers.set(kind, timers)
      return {
        frames: framesOf(mtuBytes),
        lineRateBps: NO_LINE_BPS,
        firstPsn: firstPsn(kind, true),
        serialization: createSerialization(1, 'nearest'),
        timers,
        windowBytes: lsnWindowBytes,
        windowVariable: false,
        ackInterval: kind === 'requests' ? connection.ackInterval : acksReads ? 1 : 0,
        ackTimeoutPs: kind === 'requests' || isIrn ? timeoutPs : null,
        ackTimerFollows: false,
        retryLimit,
        ectCapable: false,
        pacingFixed: false,
        echoInAck: false,
      }
    },
    equip(space, kind) {
      const timers = senderTimers.get(kind)!
      const senderContext: SenderRecoveryContext = { ...context, baseRttPs: NaN, timers, random: noPaths }
      const sending = definition.createSender(values, space, senderContext)
      const control = none.create(defaultsOf(none.params), {
        sender: space,
        lineRateBps: NO_LINE_BPS,
        payloadBytes: mtuBytes,
        timers,
        wholeRates: false,
        baseRttPs: NaN,
        bdpPackets: context.bdpPackets,
        ...startOf(definition, sending, context.bdpPackets),
        packetWireBytes: mtuBytes,
        largestRttPs: () => NaN,
      })
      space.equip(sending, control)
    },
    receiverOptions(kind) {
      const timers = new Timers(order)
      const recovery = definition.createReceiver(values, timers, context)
      recovery.startAt(firstPsn(kind, false) & PSN_MASK)
      return {
        recovery,
        timers,
        payloadBytes: mtuBytes,
        cnpIntervalPs: null,
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
      }
    },
  }
}

function noPaths(): never {
  throw new Error('neither go-back-N nor IRN chooses paths')
}

/** Without a link only the payload of a full packet counts. */
function framesOf(payloadBytes: number): FrameSizes {
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
