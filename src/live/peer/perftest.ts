/**
 * Exchange of perftest 6.06 (ib_write_bw and its relatives): version, sizes, MTU, a record of each queue pair twice, barriers
 * before and after the traffic, and a report of some programs. In each step the client writes and the server answers.
 * Source: perftest 4.5+0.17, whose exchange calls itself 6.06, read from the bytes that it sends.
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
import type { Closing } from './programs.ts'

export const PERFTEST_VERSION = '6.06'
const VERSION_BYTES = 16
const RECORD_BYTES = 108
const PAGE_BYTES = 4096
const LINE_BYTES = 64
const MTUS = [256, 512, 1024, 2048, 4096] as const
const RECORD = new RegExp(
  `^([0-9a-f]{4}):([0-9a-f]{4}):([0-9a-f]{6}):([0-9a-f]{6}):([0-9a-f]{8}):([0-9a-f]{16}):` +
    `((?:[0-9a-f]{2}:){16})([0-9a-f]{8}):$`,
)

/** Nothing is said after the traffic. */
const NOTHING: Step = {
  name: 'the end of the traffic',
  bytes: 0,
  write: () => new Uint8Array(0),
  read: () => null,
  isAfterWork: true,
}

/** The parts in which programs differ. */
export interface PerftestPlan {
  /** Queue pairs. */
  readonly pairs: number
  readonly mtuBytes: number
  /** Barriers before the traffic: two for SEND and for latency, else one. */
  readonly barriers: 1 | 2
  readonly closing: Closing
}

export class PerftestExchange extends SteppedExchange {
  readonly #steps: Step[]
  #mtuBytes: number

  constructor(role: Role, host: ExchangeHost, plan: PerftestPlan) {
    super(role, host)
    this.#mtuBytes = plan.mtuBytes
    const each = Array.from({ length: plan.pairs }, (_, index) => index)
    const barrier = (isAfterWork = false): Step => ({ ...this.#record(0, false), name: 'a barrier', isAfterWork })
    const report = this.host.figures.map((_, at) => this.#figure(at))
    this.#steps = [
      this.#version(),
      this.#number('the size of a page', PAGE_BYTES),
      this.#number('the size of a cache line', LINE_BYTES),
      this.#mtu(),
      ...each.map((index) => this.#record(index, true)),
      ...each.map((index) => this.#record(index, false)),
      ...Array.from({ length: plan.barriers }, () => barrier()),
      ...(plan.closing === 'none' ? [NOTHING] : [barrier(true)]),
      // Five figures of each end, and one more barrier.
      ...(plan.closing === 'report' ? [...report, barrier()] : []),
      ...(plan.closing === 'none' ? [] : [this.#done()]),
    ]
  }

  protected next(): Step | null {
    return this.#steps.shift() ?? null
  }

  #version(): Step {
    const read = (bytes: Uint8Array): ExchangeFailure | null => {
      const theirs = textOf(bytes)
      return theirs === PERFTEST_VERSION ? null : { kind: 'version', ours: PERFTEST_VERSION, theirs }
    }
    const write = (): Uint8Array => textBytes(PERFTEST_VERSION, VERSION_BYTES)
    return { name: 'the version of perftest', bytes: VERSION_BYTES, write, read }
  }

  /** Sizes that the other end says, which change nothing here. */
  #number(name: string, value: number): Step {
    const bytes = new Uint8Array(4)
    new DataView(bytes.buffer).setUint32(0, value)
    return { name, bytes: 4, write: () => bytes, read: () => null }
  }

  #mtu(): Step {
    return {
      name: 'the MTU',
      bytes: 2,
      write: () => textBytes(`${MTUS.findIndex((mtu) => mtu === this.#mtuBytes) + 1}`, 2),
      read: (bytes) => {
        const theirs = MTUS[(bytes[0] ?? 0) - 0x31]
        if (theirs === undefined) return contentFailure('an MTU from 1 to 5', bytes)
        this.#mtuBytes = Math.min(this.#mtuBytes, theirs)
        return null
      },
    }
  }

  #record(index: number, isNew: boolean): Step {
    return {
      name: `the record of queue pair ${index + 1}`,
      bytes: RECORD_BYTES,
      write: () => recordBytes(this.host.local(index)),
      read: (bytes) => {
        const record = readRecord(textOf(bytes))
        if (record === null) return contentFailure('a record of a queue pair, in hexadecimal digits', bytes)
        if (isNew) this.host.onRemote(index, record, this.#mtuBytes)
        return null
      },
    }
  }

  /** Values of servers mean nothing. */
  #figure(at: number): Step {
    return {
      name: 'a figure of the report',
      bytes: 8,
      write: () => {
        const bytes = new Uint8Array(8)
        const value = this.host.figures[at] ?? 0
        if (typeof value === 'bigint') new DataView(bytes.buffer).setBigUint64(0, value)
        else new DataView(bytes.buffer).setFloat64(0, value)
        return bytes
      },
      read: () => null,
    }
  }

  #done(): Step {
    const read = (bytes: Uint8Array): ExchangeFailure | null =>
      textOf(bytes) === 'done' ? null : contentFailure('done', bytes)
    return { name: '"done"', bytes: DONE.length, write: () => DONE, read }
  }
}

function recordBytes(record: PairRecord | null): Uint8Array | null {
  if (record === null) return null
  const { reads, qp, psn, key, address, ip } = record
  const gid = [...gidOf(ip)].map((byte) => `${hex(byte, 2)}:`).join('')
  const numbers = ['0000', hex(reads, 4), hex(qp, 6), hex(psn, 6), hex(key, 8), hex(address, 16)]
  return textBytes(`${numbers.join(':')}:${gid}${hex(0, 8)}:`, RECORD_BYTES)
}

/** null: not in this form, or an address beyond 2^53. */
function readRecord(text: string): PairRecord | null {
  const found = RECORD.exec(text)
  if (found === null) return null
  const [reads = 0, qp = 0, psn = 0, key = 0, address = 0] = found.slice(2, 7).map((digits) => parseInt(digits, 16))
  if (!Number.isSafeInteger(address)) return null
  const gid = Uint8Array.from((found[7] ?? '').match(/[0-9a-f]{2}/g) ?? [], (digits) => parseInt(digits, 16))
  return { reads, qp, psn, key, address, ip: ipOfGid(gid) }
}
