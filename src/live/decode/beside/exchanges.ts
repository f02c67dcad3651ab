/**
 * Exchanges out of band: lines in TCP by which ibv_*_pingpong and perftest tell each other their queue pairs.
 * Source: rdma-core 44 and perftest 4.5, as measured (docs/models/captures.md).
 */
import { addressText, type Dissected } from '../../../core/wire/index.ts'
import { gidText } from '../addresses.ts'
import type { Exchanged } from '../decoded.ts'
import { Latest } from '../latest.ts'
import { keyOf, type Pairs } from '../flows/pairs.ts'

type Tcp = Extract<Dissected, { kind: 'tcp' }>

/** LID, queue pair, PSN, GID. */
const PINGPONG = /^[0-9a-f]{4}:([0-9a-f]{6}):[0-9a-f]{6}:([0-9a-f]{32})\0/
/** LID, READs, queue pair, PSN, key, address, GID. */
const PERFTEST = /^[0-9a-f]{4}:[0-9a-f]{4}:([0-9a-f]{6}):[0-9a-f]{6}:[0-9a-f]{8}:[0-9a-f]{16}:((?:[0-9a-f]{2}:){16})/
const LINE_BYTES_MAX = 128
const STREAMS_MAX = 4096
/** Reports of all streams, after which all are forgotten. */
const QPS_MAX = 2 ** 17

interface Reported {
  readonly address: string
  readonly qp: number
  readonly program: Exchanged['program']
}

/** Queue pairs of the first exchange. */
const FIRST_QPS_MAX = 4

/** Reports of one end, in order. */
class Reports {
  readonly list: Reported[] = []
  readonly #qps = new Set<number>()

  /** false: the queue pair is known, as records are sent again as barriers. */
  add(reported: Reported): boolean {
    if (this.#qps.has(reported.qp)) return false
    this.#qps.add(reported.qp)
    this.list.push(reported)
    return true
  }
}

interface Exchange {
  readonly lower: Reports
  readonly higher: Reports
}

export class Exchanges {
  /** By the ends of the TCP connection, the lower first. */
  #streams = new Latest<string, Exchange>(STREAMS_MAX)
  readonly #pairs: Pairs
  #count = 0
  #first: { program: Exchanged['program']; qps: number[]; hasMore: boolean } | null = null

  constructor(pairs: Pairs) {
    this.#pairs = pairs
  }

  get first(): Exchanged | null {
    return this.#first
  }

  add({ ip, sourcePort, destinationPort, payload }: Tcp): void {
    if (payload.length < 40) return
    // A segment may hold the records of several queue pairs.
    for (let at = 0; at + 40 <= payload.length; at += 108) {
      const reported = reportedIn(payload.subarray(at, at + LINE_BYTES_MAX), addressText(ip.source))
      if (reported === null) return
      this.#note(
        `${addressText(ip.source)} ${sourcePort}`,
        `${addressText(ip.destination)} ${destinationPort}`,
        reported,
      )
    }
  }

  #note(from: string, to: string, reported: Reported): void {
    const isLower = from < to
    const key = isLower ? `${from}|${to}` : `${to}|${from}`
    const known = this.#streams.get(key)
    const exchange = known ?? { lower: new Reports(), higher: new Reports() }
    if (known === undefined) this.#streams.set(key, exchange)
    const { lower, higher } = exchange
    const [own, others] = isLower ? [lower, higher] : [higher, lower]
    if (!own.add(reported)) return
    this.#first ??= { program: reported.program, qps: [], hasMore: false }
    if (this.#first.qps.length < FIRST_QPS_MAX) this.#first.qps.push(reported.qp)
    else this.#first.hasMore = true
    const other = others.list[own.list.length - 1]
    if (other !== undefined) {
      const [one, two] = [
        keyOf(other.address, reported.address, reported.qp),
        keyOf(reported.address, other.address, other.qp),
      ]
      this.#pairs.know(one, two, { by: 'exchange', mtuBytes: null, connectPs: null })
    }
    if (++this.#count < QPS_MAX) return
    this.#count = 0
    this.#streams = new Latest(STREAMS_MAX)
  }
}

function reportedIn(bytes: Uint8Array, source: string): Reported | null {
  const line = String.fromCharCode(...bytes)
  const pingpong = PINGPONG.exec(line)
  const found = pingpong ?? PERFTEST.exec(line)
  if (found === null) return null
  const program = pingpong === null ? 'perftest' : 'pingpong'
  const digits = found[2]!.replaceAll(':', '')
  const gid = Uint8Array.from({ length: 16 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16))
  const address = gid.every((byte) => byte === 0) ? source : gidText(gid)
  return { address, qp: Number.parseInt(found[1]!, 16), program }
}
