/**
 * Operation log: when each operation could begin, began and was done, and which other one made it ready; from these the chain
 * of operations that a program's time follows.
 */
import type { Edge, OperationRow, Piece, PieceKind } from '../operations.ts'

/** Columns that are not known when an operation is ready. */
const OPEN = {
  beginPs: NaN,
  donePs: NaN,
  arrivedPs: NaN,
  partner: -1,
  message: -1,
  leave: -1,
  leaveBy: 'done' as Edge,
}

export class OperationLog {
  readonly rows: OperationRow[] = []
  /** Rows of operations that are not done, by their ids. */
  readonly #open = new Map<number, number>()

  add(row: Omit<OperationRow, keyof typeof OPEN>): void {
    this.#open.set(row.id, this.rows.push({ ...row, ...OPEN }) - 1)
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
        piece(send.message < 0 ? 'inside' : 'message', send, send.beginPs, row.arrivedPs)
        first = send
      }
    } else if (row.kind === 'send' && by === 'done' && !Number.isNaN(row.arrivedPs)) {
      piece('acknowledgement', row, row.arrivedPs, row.donePs)
      piece(row.message < 0 ? 'inside' : 'message', row, row.beginPs, row.arrivedPs)
    } else if (row.kind === 'compute') {
      if (by === 'done') piece('compute', row, row.beginPs, row.donePs)
      piece('lane', row, row.readyPs, row.beginPs)
    } else if (row.kind === 'wait' && by === 'done') piece('delay', row, row.beginPs, row.donePs)
    if (first.leave >= 0) {
      const receive = this.rows[first.leave]!
      piece('control', first, first.leaveBy === 'done' ? receive.donePs : receive.beginPs, first.beginPs)
      at.by = first.leaveBy
      return receive
    }
    at.by = first.causeBy
    return first.cause < 0 ? null : this.rows[first.cause]!
  }
}
