/**
 * Values of a connection as fields of messages, and back.
 * "Starting PSN" in a message is the PSN with which the receiver of the message begins: the sender's receivePsn.
 * Source: IBTA 12.7 (fields); values of fields that nothing here decides are those of Linux.
 */
import {
  type AnyConnectionMad,
  type ConnectionMad,
  IP_PRIVATE_BYTES,
  mtuOfCode,
  PORT_SPACE_TCP,
  timeoutPs,
  writeIpRequest,
  writeIpServiceId,
} from '../../core/wire/index.ts'
import type { ConnectionValues } from '../../core/verbs/index.ts'
import { gidOf } from '../link/addresses.ts'
import type { OfferedPair, PairValues } from './host.ts'

/** Codes of retry counts that have no limit, and the greatest ones that have one. */
const RETRIES_MAX = 7
const RNR_FOREVER = 7
const TIMEOUT_CODE_MAX = 31
const ANY_LID = 0xffff
const HOP_LIMIT = 64
/** Time to an ACK that Linux states, 134 ms. */
const ACK_DELAY = 15

export const REASON = {
  resources: 3,
  timeout: 4,
  service: 8,
  transport: 9,
  stale: 10,
  gid: 12,
  mtu: 26,
  program: 28,
} as const

/** Messages that a REJ rejects. */
export const REJECTED = { REQ: 0, REP: 1, nothing: 2 } as const

/** Least code of timeoutPs() that is not shorter; 0 (without timeouts) for null. */
export function codeOfTimeout(ps: number | null): number {
  if (ps === null) return 0
  return Math.min(TIMEOUT_CODE_MAX, Math.max(1, Math.ceil(Math.log2(ps / timeoutPs(0)))))
}

function mtuCode(mtuBytes: number): number {
  let code = 1
  while ((mtuOfCode(code + 1) ?? Infinity) <= mtuBytes) code++
  return code
}

/** Choices of the active side for a REQ. */
export interface RequestPlan {
  readonly offered: OfferedPair
  readonly transactionId: bigint
  readonly localId: number
  readonly caGuid: bigint
  readonly receivePsn: number
  readonly flowLabel: number
  /** This end's, and the other's: 4 or 16 bytes. */
  readonly ip: Uint8Array
  readonly remoteIp: Uint8Array
  readonly port: number
  readonly sourcePort: number
  /** Code of the time in which each end answers, and retries. */
  readonly responseTimeout: number
  readonly retries: number
}

export function requestOf(plan: RequestPlan): ConnectionMad<'REQ'> {
  const { values, pair, privateData } = plan.offered
  const user = new Uint8Array(IP_PRIVATE_BYTES)
  user.set(privateData ?? [])
  const { ip: source, remoteIp: destination, sourcePort } = plan
  return {
    kind: 'REQ',
    transactionId: plan.transactionId,
    localId: plan.localId,
    serviceId: writeIpServiceId({ protocol: PORT_SPACE_TCP, port: plan.port }),
    caGuid: plan.caGuid,
    queueKey: 0,
    qp: pair.number,
    responderResources: values.readsIn,
    eeContext: 0,
    initiatorDepth: values.readsOut,
    remoteEeContext: 0,
    remoteResponseTimeout: plan.responseTimeout,
    transportService: 0,
    endToEndFlowControl: 0,
    startingPsn: plan.receivePsn,
    localResponseTimeout: plan.responseTimeout,
    retryCount: Math.min(values.retryLimit ?? RETRIES_MAX, RETRIES_MAX),
    partition: 0xffff,
    mtu: mtuCode(values.mtuBytes),
    rdcExists: 0,
    rnrRetryCount: rnrCode(values),
    maxCmRetries: plan.retries,
    hasSharedReceives: 0,
    extendedTransport: 0,
    localLid: ANY_LID,
    remoteLid: ANY_LID,
    localGid: gidOf(source),
    remoteGid: gidOf(destination),
    flowLabel: plan.flowLabel,
    packetRate: 0,
    trafficClass: 0,
    hopLimit: HOP_LIMIT,
    serviceLevel: 0,
    isSubnetLocal: 0,
    ackTimeout: codeOfTimeout(values.ackTimeoutPs),
    alternatePath: new Uint8Array(44),
    privateData: writeIpRequest({ source, destination, sourcePort, user }),
  }
}

export function replyOf(
  request: ConnectionMad<'REQ'>,
  offered: OfferedPair,
  { localId, caGuid, receivePsn }: { readonly localId: number; readonly caGuid: bigint; readonly receivePsn: number },
): ConnectionMad<'REP'> {
  const { values, pair } = offered
  const privateData = new Uint8Array(196)
  privateData.set(offered.privateData ?? [])
  return {
    kind: 'REP',
    transactionId: request.transactionId,
    localId,
    remoteId: request.localId,
    queueKey: 0,
    qp: pair.number,
    eeContext: 0,
    startingPsn: receivePsn,
    responderResources: Math.min(values.readsIn, request.initiatorDepth),
    initiatorDepth: Math.min(values.readsOut, request.responderResources),
    targetAckDelay: ACK_DELAY,
    failoverAccepted: 0,
    endToEndFlowControl: 0,
    rnrRetryCount: rnrCode(values),
    hasSharedReceives: 0,
    caGuid,
    privateData,
  }
}

/**
 * Values of this end, by the other end's message: the REQ at the passive side, the REP at the active one. The REQ decides about
 * the MTU and about the retries of the passive side.
 */
export function agreedBy(
  request: ConnectionMad<'REQ'>,
  other: ConnectionMad<'REQ'> | ConnectionMad<'REP'>,
  values: PairValues,
  receivePsn: number,
): ConnectionValues {
  const { rnrRetryCount } = other
  return {
    ...values,
    mode: 'roce',
    remoteQp: other.qp,
    mtuBytes: mtuOfCode(request.mtu) ?? values.mtuBytes,
    sendPsn: other.startingPsn,
    receivePsn,
    readsOut: Math.min(values.readsOut, other.responderResources),
    retryLimit: other.kind === 'REQ' ? other.retryCount : values.retryLimit,
    rnrRetryLimit: rnrRetryCount === RNR_FOREVER ? null : rnrRetryCount,
    hasCredits: false,
    lsnWindowBytes: null,
  }
}

function rnrCode({ rnrRetryLimit }: PairValues): number {
  return rnrRetryLimit === null ? RNR_FOREVER : Math.min(rnrRetryLimit, RNR_FOREVER - 1)
}

/** Who a message is from and for. */
interface Addressing {
  readonly transactionId: bigint
  readonly localId: number
  readonly remoteId: number
}

/** A message that only says who is meant. */
export function plainMessage(kind: 'RTU' | 'DREP', to: Addressing): AnyConnectionMad {
  return { kind, ...addressing(to), privateData: new Uint8Array(224) }
}

export function disconnectOf(to: Addressing, remoteQp: number): AnyConnectionMad {
  return { kind: 'DREQ', ...addressing(to), qp: remoteQp, privateData: new Uint8Array(220) }
}

/** "The REQ has come, the answer takes longer." */
export function delayOf(to: Addressing, serviceTimeout: number): AnyConnectionMad {
  return { kind: 'MRA', ...addressing(to), received: 0, serviceTimeout, privateData: new Uint8Array(222) }
}

export function rejectionOf(
  to: Addressing,
  rejected: number,
  reason: number,
  about = new Uint8Array(0),
): AnyConnectionMad {
  const info = new Uint8Array(72)
  info.set(about)
  const privateData = new Uint8Array(148)
  return { kind: 'REJ', ...addressing(to), rejected, infoLength: about.length, reason, info, privateData }
}

const addressing = ({ transactionId, localId, remoteId }: Addressing): Addressing => ({
  transactionId,
  localId,
  remoteId,
})
