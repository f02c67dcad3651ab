/**
 * Messages of connection managers as management datagrams (MADs) of 256 bytes: those that connect and disconnect a queue pair.
 * Those that load alternate paths or resolve service IDs are not read.
 * Source: IBTA 13.4.2 (header of MADs), 12.6 and 12.7 (messages and their fields), 16.7.3 (attributes); offsets compared with
 * captures of Linux.
 */
import { bits, bytes, type FieldsOf, long, readFields, writeFields } from './layout.ts'

export const MAD_BYTES = 256
const HEADER_BYTES = 24
/** Base version 1, class 7 (communication management) of version 2, method Send(). */
const HEADER = 0x01070203
const TRANSACTION_AT = 8
const ATTRIBUTE_AT = 16

/** Fields that are the same at each place of a path; the alternate path begins 44 bytes after the primary. */
const PATH_AT = 52
const ALTERNATE_AT = 96

const REQUEST = {
  /** Number of the connection at its sender. */
  localId: bits(0, 32),
  serviceId: long(8),
  caGuid: long(16),
  queueKey: bits(28, 32),
  qp: bits(32, 24),
  /** READs and atomics outstanding that its sender takes. */
  responderResources: bits(35, 8),
  eeContext: bits(36, 24),
  /** READs and atomics that its sender wants to have outstanding. */
  initiatorDepth: bits(39, 8),
  remoteEeContext: bits(40, 24),
  /** Time in which the receiver of the message shall answer; code of timeoutPs(). */
  remoteResponseTimeout: bits(43, 5),
  /** 0: reliable connection, 1: unreliable connection, 3: see extendedTransport. */
  transportService: bits(43, 2, 5),
  /** The sender of the message sends credits. */
  endToEndFlowControl: bits(43, 1, 7),
  /** First PSN that the RECEIVER of the message shall use for its requests. */
  startingPsn: bits(44, 24),
  /** Time in which the sender of the message answers; code of timeoutPs(). */
  localResponseTimeout: bits(47, 5),
  retryCount: bits(47, 3, 5),
  partition: bits(48, 16),
  /** 1: 256 bytes, 5: 4096. */
  mtu: bits(50, 4),
  rdcExists: bits(50, 1, 4),
  /** 7: without limit. */
  rnrRetryCount: bits(50, 3, 5),
  maxCmRetries: bits(51, 4),
  hasSharedReceives: bits(51, 1, 4),
  extendedTransport: bits(51, 3, 5),
  localLid: bits(PATH_AT, 16),
  remoteLid: bits(PATH_AT + 2, 16),
  localGid: bytes(PATH_AT + 4, 16),
  remoteGid: bytes(PATH_AT + 20, 16),
  flowLabel: bits(PATH_AT + 36, 20),
  packetRate: bits(PATH_AT + 38, 6, 10),
  trafficClass: bits(PATH_AT + 40, 8),
  hopLimit: bits(PATH_AT + 41, 8),
  serviceLevel: bits(PATH_AT + 42, 4),
  isSubnetLocal: bits(PATH_AT + 42, 1, 4),
  /** Code of timeoutPs(). */
  ackTimeout: bits(PATH_AT + 43, 5),
  /** The alternate path, laid out like the primary; zeros: there is none. */
  alternatePath: bytes(ALTERNATE_AT, 44),
  privateData: bytes(140, 92),
} as const

const IDS = { localId: bits(0, 32), remoteId: bits(4, 32) } as const

const LAYOUTS = {
  REQ: REQUEST,
  REP: {
    ...IDS,
    queueKey: bits(8, 32),
    qp: bits(12, 24),
    eeContext: bits(16, 24),
    /** First PSN that the RECEIVER of the message shall use for its requests. */
    startingPsn: bits(20, 24),
    responderResources: bits(24, 8),
    initiatorDepth: bits(25, 8),
    /** Code of timeoutPs(): the longest time from a packet to its ACK within the sender of the message. */
    targetAckDelay: bits(26, 5),
    failoverAccepted: bits(26, 2, 5),
    endToEndFlowControl: bits(26, 1, 7),
    rnrRetryCount: bits(27, 3),
    hasSharedReceives: bits(27, 1, 3),
    caGuid: long(28),
    privateData: bytes(36, 196),
  },
  RTU: { ...IDS, privateData: bytes(8, 224) },
  REJ: {
    ...IDS,
    /** The rejected message: 0 a REQ, 1 a REP, 2 nothing, as its sender waited in vain. */
    rejected: bits(8, 2),
    /** Bytes of `info` that count. */
    infoLength: bits(9, 7),
    /** See rejectReason(). */
    reason: bits(10, 16),
    info: bytes(12, 72),
    privateData: bytes(84, 148),
  },
  DREQ: {
    ...IDS,
    /** Queue pair of the receiver of the message. */
    qp: bits(8, 24),
    privateData: bytes(12, 220),
  },
  DREP: { ...IDS, privateData: bytes(8, 224) },
  MRA: {
    ...IDS,
    /** The message that has arrived: 0 a REQ, 1 a REP, 2 a LAP. */
    received: bits(8, 2),
    /** Code of timeoutPs(): time that the receiver of the message shall wait for the answer. */
    serviceTimeout: bits(9, 5),
    privateData: bytes(10, 222),
  },
} as const

export type ConnectionMessageKind = keyof typeof LAYOUTS

/** A message of one kind. */
export type ConnectionMad<K extends ConnectionMessageKind> = {
  readonly kind: K
  /** 64 bits; answers repeat that of their request. */
  readonly transactionId: bigint
} & FieldsOf<(typeof LAYOUTS)[K]>

export type AnyConnectionMad = { [K in ConnectionMessageKind]: ConnectionMad<K> }[ConnectionMessageKind]

const ATTRIBUTES: Readonly<Record<ConnectionMessageKind, number>> = {
  REQ: 0x10,
  MRA: 0x11,
  REJ: 0x12,
  REP: 0x13,
  RTU: 0x14,
  DREQ: 0x15,
  DREP: 0x16,
}
// The keys of the table are its kinds.
export const CONNECTION_MESSAGES = Object.keys(ATTRIBUTES) as readonly ConnectionMessageKind[]
const KINDS = new Map(CONNECTION_MESSAGES.map((kind) => [ATTRIBUTES[kind], kind]))

/** Reads a MAD; bytes after the first 256 are not looked at. null: it is no message of a connection manager, or too short. */
export function readConnectionMad(mad: Uint8Array): AnyConnectionMad | null {
  if (mad.length < MAD_BYTES) return null
  const view = new DataView(mad.buffer, mad.byteOffset, mad.byteLength)
  const kind = KINDS.get(view.getUint16(ATTRIBUTE_AT))
  if (view.getUint32(0) !== HEADER || kind === undefined) return null
  const transactionId = view.getBigUint64(TRANSACTION_AT)
  const fields = readFields(LAYOUTS[kind], view, HEADER_BYTES)
  // The fields are those of the kind, which a union of layouts cannot express.
  return { kind, transactionId, ...fields } as AnyConnectionMad
}

/** The 256 bytes of a message; values are cut to the size of their fields. */
export function writeConnectionMad(message: AnyConnectionMad): Uint8Array {
  const mad = new Uint8Array(MAD_BYTES)
  const view = new DataView(mad.buffer)
  view.setUint32(0, HEADER)
  view.setBigUint64(TRANSACTION_AT, message.transactionId)
  view.setUint16(ATTRIBUTE_AT, ATTRIBUTES[message.kind])
  writeFields(LAYOUTS[message.kind], view, HEADER_BYTES, message)
  return mad
}

/** Least time that a code of 5 bits stands for: 4.096 us, doubled `code` times; ps. */
export function timeoutPs(code: number): number {
  return 4_096_000 * 2 ** code
}

/** MTU of a code, bytes; null: the code is not defined (IBTA 12.7.12). */
export function mtuOfCode(code: number): number | null {
  return code >= 1 && code <= 5 ? 128 << code : null
}
