/**
 * Following: the connections that a second reading of a file is for, and which packets are theirs. Memory follows their number,
 * not the length of the file.
 */
import type { FindingKind, Value } from '../../../core/findings/index.ts'
import { addressText, type AnyConnectionMad, readConnectionMad } from '../../../core/wire/index.ts'
import type { ConnectionFacts, Decoded } from '../decoded.ts'
import { keyOf } from '../flows/pairs.ts'
import type { Sight } from '../found.ts'
import type { DecodeObserver } from '../observer.ts'
import type { Packet } from '../packet.ts'
import { Followed, type FollowedConnection } from './followed.ts'
import type { Side } from './story-events.ts'

const MANAGEMENT_QP = 1
/** Transactions of connection managers that are remembered. */
const TRANSACTIONS_MAX = 4096

interface Spot {
  readonly followed: Followed
  readonly side: Side
}

export class Following implements DecodeObserver {
  readonly #all: readonly Followed[]
  /** Connections one after the other may have the same queue pairs. */
  readonly #spots = new Map<string, Spot[]>()
  /** Those that a connection manager set up, by the address and queue pair of an end, and the address of the other. */
  readonly #managed = new Map<string, Spot[]>()
  readonly #transactions = new Map<string, Spot[]>()

  constructor(connections: readonly ConnectionFacts[]) {
    this.#all = connections.map((each) => new Followed(each))
    for (const followed of this.#all) {
      const { directions, joinedBy } = followed.connection
      directions.forEach(({ source, destination, destinationQp }, i) => {
        const side: Side = i === 0 ? 0 : 1
        listIn(this.#spots, keyOf(source, destination, destinationQp), { followed, side })
        // The queue pair is that of the end which this direction leads to.
        const owner: Side = side === 0 ? 1 : 0
        if (joinedBy === 'cm')
          listIn(this.#managed, keyOf(destination, source, destinationQp), { followed, side: owner })
      })
    }
  }

  onPacket(packet: Packet, key: string, note: string): void {
    const { roce } = packet
    const isManagement = roce.service === 'ud' && roce.bth.destinationQp === MANAGEMENT_QP
    const mad = isManagement ? readConnectionMad(roce.payload) : null
    const isCopy = note === 'at another interface'
    const spot = this.#spotOf(key, packet.timePs)
    if (mad === null) spot?.followed.onPacket(spot.side, packet, note)
    else if (!isCopy) {
      spot?.followed.onManagement(spot.side, packet, mad, true)
      this.#management(packet, mad)
    }
  }

  onSight(key: string, kind: FindingKind, sight: Sight, values: Readonly<Record<string, Value>>): void {
    const spot = this.#spotOf(key, sight.timePs)
    spot?.followed.onSight(spot.side, kind, sight, values)
  }

  /** @param captureEndPs time of the last record */
  end({ durationPs }: Pick<Decoded, 'durationPs'>): FollowedConnection[] {
    return this.#all.map((each) => each.end(durationPs))
  }

  #spotOf(key: string, timePs: number): Spot | undefined {
    return this.#spots
      .get(key)
      ?.find(({ followed: { connection } }) => connection.startPs <= timePs && timePs <= connection.endPs)
  }

  /** Messages that name the queue pair of a connection, and those of the same transaction. */
  #management(packet: Packet, mad: AnyConnectionMad): void {
    const { ip } = packet.roce
    const [source, destination] = [addressText(ip.source), addressText(ip.destination)]
    const ends = source < destination ? `${source}|${destination}` : `${destination}|${source}`
    const transaction = `${ends}|${mad.transactionId}`
    const named =
      mad.kind === 'REQ' || mad.kind === 'REP'
        ? this.#named(keyOf(source, destination, mad.qp), ({ startPs }) => packet.timePs <= startPs)
        : mad.kind === 'DREQ'
          ? this.#named(keyOf(destination, source, mad.qp), ({ startPs }) => packet.timePs >= startPs)
          : []
    const known = this.#transactions.get(transaction) ?? []
    const own = named.length > 0 ? named : known
    if (named.length > 0 && this.#transactions.size < TRANSACTIONS_MAX) this.#transactions.set(transaction, named)
    for (const { followed } of own) {
      const side: Side = followed.connection.directions[0]?.source === source ? 0 : 1
      followed.onManagement(side, packet, mad, false)
    }
  }

  /** The connection with this queue pair whose time is nearest. */
  #named(key: string, isFitting: (connection: ConnectionFacts) => boolean): Spot[] {
    const fitting = (this.#managed.get(key) ?? []).filter(({ followed }) => isFitting(followed.connection))
    return fitting.slice(0, 1)
  }
}

function listIn(lists: Map<string, Spot[]>, key: string, spot: Spot): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [spot])
  else list.push(spot)
}
