/**
 * Operation log: when each operation could begin, began and was done, and which other one made it ready; from these the chain
 * of operations that a program's time follows.
 */
import type { OperationKind } from './program.ts'

/** How a row is entered when its chain is followed: at its end, or at its begin. */
type Edge = 'done' | 'begun'

export interface OperationRow {
  readonly id: number
  readonly kind: OperationKind
  readonly rank: number
  /** Row that made it ready, and by what; -1: it waited for none. */
  readonly cause: number
  readonly causeBy: Edge
  readonly readyPs: number
  /** Posted, or on its lane. NaN: not yet, as are the following. */
  beginPs: number
  donePs: number
  /** When the message of a send or receive was there, and a receive's send. */
  arrivedPs: number
  partner: number
  /** Running number of a send's message; -1: it has none, as it went over no network. */
  message: number
}

/**
 * A piece of the chain. compute: on its lane; lane: waiting for it; message: from its posting to its last byte; step: from
 * there to the end of the receive; acknowledgement: from the last byte to the end of the send.
 */
export type PieceKind = 'compute' | 'lane' | 'message' | 'step' | 'acknowledgement'

export interface Piece {
  readonly kind: PieceKind
  readonly operation: OperationRow
  readonly fromPs: number
  readonly toPs: number
}

export class OperationLog {
  readonly rows: OperationRow[] = []
  /** Rows of operations that are not done, by their ids. */
  readonly #open = new Map<number, number>()

  add(row: Omit<OperationRow, 'beginPs' | 'donePs' | 'arrivedPs' | 'partner' | 'message'>): void {
    const times = { beginPs: NaN, donePs: NaN, arrivedPs: NaN, partner: -1, message: -1 }
    this.#open.set(row.id, this.rows.push({ ...row, ...times }) - 1)
  }

  /** Row of an operation that is not done. */
  indexOf(id: number): number {
    return this.#open.get(id)!
  }

  done(id: number, nowPs: number): void {
    this.rows[this.indexOf(id)]!.donePs = nowPs
    this.#open.delete(id)
  }

  /** Pieces in order of time, without gaps, that end with the operation that was done last; none where none is done. */
  criticalPath(): Piece[] {
    let last: OperationRow | null = null
    for (const row of this.rows) if (!Number.isNaN(row.donePs) && !(row.donePs <= (last?.donePs ?? -1))) last = row
    const pieces: Piece[] = []
    let by: Edge = 'done'
    while (last !== null) {
      const next: { row: OperationRow; by: Edge } = { row: last, by }
      last = this.#enter(next, pieces)
      by = next.by
    }
    return pieces.toReversed()
  }

  /** Adds the pieces of a row, and gives the one before it; `at` gets its row and edge. */
  #enter(at: { row: OperationRow; by: Edge }, pieces: Piece[]): OperationRow | null {
    const { row, by } = at
    const piece = (kind: PieceKind, operation: OperationRow, fromPs: number, toPs: number): void => {
      if (toPs > fromPs) pieces.push({ kind, operation, fromPs, toPs })
    }
    let first = row
    if (row.kind === 'receive' && by === 'done') {
      const send = this.rows[row.partner]!
      const metPs = Math.max(row.arrivedPs, row.beginPs)
      piece('step', row, metPs, row.donePs)
      if (row.arrivedPs >= row.beginPs) {
        piece('message', send, send.beginPs, row.arrivedPs)
        first = send
      }
    } else if (row.kind === 'send' && by === 'done' && !Number.isNaN(row.arrivedPs)) {
      piece('acknowledgement', row, row.arrivedPs, row.donePs)
      piece('message', row, row.beginPs, row.arrivedPs)
    } else if (row.kind === 'compute') {
      if (by === 'done') piece('compute', row, row.beginPs, row.donePs)
      piece('lane', row, row.readyPs, row.beginPs)
    }
    at.by = first.causeBy
    return first.cause < 0 ? null : this.rows[first.cause]!
  }
}
