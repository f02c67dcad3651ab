/**
 * Headers after the BTH as bytes and as values, of all transport services. 64-bit values are whole, and no bit is lost: for
 * dissecting; queue pairs have a faster reader of their own (rc-headers.ts).
 * Source: IBTA 9.3; annex A14 (XRCETH); [IRN] 5.3.2.
 */
import type { ExtendedHeaders } from './dissected.ts'
import { HAS_AETH, HAS_ATOMIC_ACK_ETH, HAS_ATOMIC_ETH, HAS_IETH, HAS_IMMEDIATE, HAS_RETH, HAS_SACK } from './opcodes.ts'
import { HAS_DETH, HAS_XRCETH, type Layout } from './services.ts'

type Draft = { -readonly [K in keyof ExtendedHeaders]: ExtendedHeaders[K] }

interface HeaderCodec {
  read(view: DataView, at: number, into: Draft): void
  write(view: DataView, at: number, from: ExtendedHeaders): void
}

const AETH: HeaderCodec = {
  read(view, at, into) {
    const [first, rest] = [view.getUint8(at), view.getUint32(at)]
    const reserved = first >> 7
    into.aeth = { syndrome: first & 0x7f, msn: rest & 0xffffff, ...(reserved === 0 ? {} : { reserved }) }
  },
  write(view, at, { aeth }) {
    view.setUint32(at, aeth?.msn ?? 0)
    view.setUint8(at, ((aeth?.reserved ?? 0) << 7) | (aeth?.syndrome ?? 0))
  },
}

const DETH: HeaderCodec = {
  read(view, at, into) {
    const reserved = view.getUint8(at + 4)
    into.deth = {
      queueKey: view.getUint32(at),
      sourceQp: view.getUint32(at + 4) & 0xffffff,
      ...(reserved === 0 ? {} : { reserved }),
    }
  },
  write(view, at, { deth }) {
    view.setUint32(at, deth?.queueKey ?? 0)
    view.setUint32(at + 4, deth?.sourceQp ?? 0)
    view.setUint8(at + 4, deth?.reserved ?? 0)
  },
}

const RETH: HeaderCodec = {
  read(view, at, into) {
    into.reth = { address: view.getBigUint64(at), key: view.getUint32(at + 8), lengthBytes: view.getUint32(at + 12) }
  },
  write(view, at, { reth }) {
    view.setBigUint64(at, reth?.address ?? 0n)
    view.setUint32(at + 8, reth?.key ?? 0)
    view.setUint32(at + 12, reth?.lengthBytes ?? 0)
  },
}

const ATOMIC: HeaderCodec = {
  read(view, at, into) {
    into.atomic = {
      address: view.getBigUint64(at),
      key: view.getUint32(at + 8),
      operand: view.getBigUint64(at + 12),
      compare: view.getBigUint64(at + 20),
    }
  },
  write(view, at, { atomic }) {
    view.setBigUint64(at, atomic?.address ?? 0n)
    view.setUint32(at + 8, atomic?.key ?? 0)
    view.setBigUint64(at + 12, atomic?.operand ?? 0n)
    view.setBigUint64(at + 20, atomic?.compare ?? 0n)
  },
}

/** Those that are not here, IRN's but one and RDETH, are passed over. */
const CODECS: ReadonlyMap<number, HeaderCodec> = new Map([
  [HAS_DETH, DETH],
  [HAS_XRCETH, wordCodec('sharedReceiveQueue')],
  [HAS_RETH, RETH],
  [HAS_ATOMIC_ETH, ATOMIC],
  [HAS_AETH, AETH],
  [
    HAS_ATOMIC_ACK_ETH,
    {
      read(view, at, into) {
        into.original = view.getBigUint64(at)
      },
      write(view, at, { original }) {
        view.setBigUint64(at, original ?? 0n)
      },
    },
  ],
  [HAS_IMMEDIATE, wordCodec('immediate')],
  [HAS_IETH, wordCodec('invalidateKey')],
  [
    HAS_SACK,
    {
      read(view, at, into) {
        into.sackPsn = (view.getUint8(at) << 16) | view.getUint16(at + 1)
      },
      write(view, at, { sackPsn = 0 }) {
        view.setUint8(at, sackPsn >> 16)
        view.setUint16(at + 1, sackPsn & 0xffff)
      },
    },
  ],
])

function wordCodec(name: 'immediate' | 'invalidateKey' | 'sharedReceiveQueue'): HeaderCodec {
  return {
    read(view, at, into) {
      into[name] = view.getUint32(at)
    },
    write(view, at, from) {
      view.setUint32(at, from[name] ?? 0)
    },
  }
}

/** The headers at `at` that the view has to their end. */
export function readExtended(view: DataView, at: number, headers: NonNullable<Layout['headers']>): ExtendedHeaders {
  const read: Draft = {}
  let start = at
  for (const [bit, bytes] of headers) {
    if (start + bytes > view.byteLength) break
    CODECS.get(bit)?.read(view, start, read)
    start += bytes
  }
  return read
}

/** Values that are missing, and what has no value here, are written as zeros. The bytes there must be zeros. */
export function writeExtended(
  view: DataView,
  at: number,
  headers: NonNullable<Layout['headers']>,
  values: ExtendedHeaders,
): void {
  let start = at
  for (const [bit, bytes] of headers) {
    CODECS.get(bit)?.write(view, start, values)
    start += bytes
  }
}
