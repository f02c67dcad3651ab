/**
 * Exchange of ibv_rc_pingpong: one line of each end, then the client's "done". The path MTU is not exchanged: both ends are
 * given it.
 * Source: rdma-core 44, libibverbs/examples/rc_pingpong.c, read from the bytes that it sends.
 */
import { gidOf, ipOfGid } from '../link/addresses.ts'
import {
  contentFailure,
  DONE,
  type ExchangeFailure,
  type ExchangeHost,
  hex,
  type PairRecord,
  type Role,
  type Step,
  SteppedExchange,
  textBytes,
  textOf,
} from './exchange.ts'

export const PINGPONG_PORT = 18_515
const LINE_BYTES = 52
const LINE = /^([0-9a-f]{4}):([0-9a-f]{6}):([0-9a-f]{6}):([0-9a-f]{32})$/

export class PingpongExchange extends SteppedExchange {
  readonly #mtuBytes: number
  #steps = 0

  constructor(role: Role, host: ExchangeHost, mtuBytes: number) {
    super(role, host)
    this.#mtuBytes = mtuBytes
  }

  protected next(): Step | null {
    switch (this.#steps++) {
      case 0:
        return {
          name: 'the address line of pingpong',
          bytes: LINE_BYTES,
          write: () => lineOf(this.host.local(0)),
          read: (bytes) => this.#onLine(bytes),
        }
      case 1:
        return this.#done()
      default:
        return null
    }
  }

  /** Only the client says it. */
  #done(): Step {
    const isClient = this.role === 'client'
    return {
      name: '"done"',
      bytes: isClient ? 0 : DONE.length,
      write: () => (isClient ? DONE : new Uint8Array(0)),
      read: (bytes) => (isClient || textOf(bytes) === 'done' ? null : contentFailure('done', bytes)),
    }
  }

  #onLine(bytes: Uint8Array): ExchangeFailure | null {
    const record = readLine(textOf(bytes))
    if (record === null) return contentFailure('LID:QPN:PSN:GID in hexadecimal digits', bytes)
    this.host.onRemote(0, record, this.#mtuBytes)
    return null
  }
}

function lineOf(record: PairRecord | null): Uint8Array | null {
  if (record === null) return null
  const gid = [...gidOf(record.ip)].map((byte) => hex(byte, 2)).join('')
  return textBytes(`0000:${hex(record.qp, 6)}:${hex(record.psn, 6)}:${gid}`, LINE_BYTES)
}

function readLine(text: string): PairRecord | null {
  const [, , qp = '', psn = '', gid = ''] = LINE.exec(text) ?? []
  if (gid === '') return null
  const ip = ipOfGid(Uint8Array.from(gid.match(/../g) ?? [], (digits) => parseInt(digits, 16)))
  return { qp: parseInt(qp, 16), psn: parseInt(psn, 16), ip, key: 0, address: 0, reads: 1 }
}
