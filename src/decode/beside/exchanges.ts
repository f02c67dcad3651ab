/**
 * Exchanges out of band: lines in TCP by which ibv_*_pingpong and perftest tell each other their queue pairs.
 * Source: rdma-core 44 and perftest 4.5, as measured (docs/models/captures.md).
 */
import { addressText, type Dissected } from '../../wire/index.ts'
import { gidText } from '../addresses.ts'
import { keyOf, type Pairs } from '../flows/pairs.ts'

type Tcp = Extract<Dissected, { kind: 'tcp' }>

/** LID, queue pair, PSN, GID. */
const PINGPONG = /^[0-9a-f]{4}:([0-9a-f]{6}):[0-9a-f]{6}:([0-9a-f]{32})\0/
/** LID, READs, queue pair, PSN, key, address, GID. */
const PERFTEST = /^[0-9a-f]{4}:[0-9a-f]{4}:([0-9a-f]{6}):[0-9a-f]{6}:[0-9a-f]{8}:[0-9a-f]{16}:((?:[0-9a-f]{2}:){16})/
const LINE_BYTES_MAX = 128
const STREAMS_MAX = 4096
const QPS_MAX = 16_384

interface Reported {
  readonly address: string
  readonly qp: number
}

interface Exchange {
  readonly client: Map<number, Reported>
  readonly server: Map<number, Reported>
}

export class Exchanges {
  /** By the ends of the TCP connection, the lower first. */
  readonly #streams = new Map<string, Exchange>()
  readonly #pairs: Pairs

  constructor(pairs: Pairs) {
    this.#pairs = pairs
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
    let exchange = this.#streams.get(key)
    if (exchange === undefined) {
      if (this.#streams.size >= STREAMS_MAX) this.#streams.delete(this.#streams.keys().next().value!)
      exchange = { client: new Map(), server: new Map() }
      this.#streams.set(key, exchange)
    }
    const [own, others] = isLower ? [exchange.client, exchange.server] : [exchange.server, exchange.client]
    // Records are sent again as barriers.
    if (own.has(reported.qp) || own.size >= QPS_MAX) return
    const other = [...others.values()][own.size]
    own.set(reported.qp, reported)
    if (other === undefined) return
    const [one, two] = [
      keyOf(other.address, reported.address, reported.qp),
      keyOf(reported.address, other.address, other.qp),
    ]
    this.#pairs.know(one, two, { by: 'exchange', mtuBytes: null, connectPs: null })
  }
}

function reportedIn(bytes: Uint8Array, source: string): Reported | null {
  const line = String.fromCharCode(...bytes)
  const found = PINGPONG.exec(line) ?? PERFTEST.exec(line)
  if (found === null) return null
  const digits = found[2]!.replaceAll(':', '')
  const gid = Uint8Array.from({ length: 16 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16))
  return { address: gid.every((byte) => byte === 0) ? source : gidText(gid), qp: Number.parseInt(found[1]!, 16) }
}
