/**
 * Operation log: when each operation could begin, began and was done, and which other one made it ready; from these the chain
 * of operations that a program's time follows. Rows are columns of numbers: a job may have millions.
 */
import type { Edge, OperationKind, OperationRow, Piece, PieceKind } from '../operations.ts'
import { bytesColumn, numbersColumn, signedColumn } from './table/columns.ts'

const KINDS: readonly OperationKind[] = ['send', 'receive', 'compute', 'wait']
const EDGES: readonly Edge[] = ['done', 'begun']

/** Columns that are not known when an operation is ready. */
type Late = 'beginPs' | 'donePs' | 'arrivedPs' | 'partner' | 'message' | 'leave' | 'leaveBy'

export class OperationLog {
  readonly #words = { kind: bytesColumn(), causeBy: bytesColumn(), leaveBy: bytesColumn() }
  readonly #columns = {
    id: numbersColumn(),
    rank: signedColumn(),
    peer: signedColumn(),
    sizeBytes: numbersColumn(),
    tag: signedColumn(),
    stream: signedColumn(),
    cause: signedColumn(),
    readyPs: numbersColumn(),
    beginPs: numbersColumn(),
    donePs: numbersColumn(),
    arrivedPs: numbersColumn(),
    partner: signedColumn(),
    message: signedColumn(),
    leave: signedColumn(),
  }
  /** Rows of operations that are not done, by their ids. */
  readonly #open = new Map<number, number>()

  get count(): number {
    return this.#columns.id.size
  }

  add(row: Omit<OperationRow, Late>): void {
    const { id, rank, peer, sizeBytes, tag, stream, cause, readyPs } = row
    const columns = this.#columns
    this.#open.set(id, this.count)
    this.#words.kind.push(KINDS.indexOf(row.kind))
    this.#words.causeBy.push(EDGES.indexOf(row.causeBy))
    this.#words.leaveBy.push(0)
    columns.id.push(id)
    columns.rank.push(rank)
    columns.peer.push(peer)
    columns.sizeBytes.push(sizeBytes)
    columns.tag.push(tag)
    columns.stream.push(stream)
    columns.cause.push(cause)
    columns.readyPs.push(readyPs)
    columns.beginPs.push(NaN)
    columns.donePs.push(NaN)
    columns.arrivedPs.push(NaN)
    columns.partner.push(-1)
    columns.message.push(-1)
    columns.leave.push(-1)
  }

  /** Row of an operation that is not done. */
  indexOf(id: number): number {
    return this.#open.get(id)!
  }

  set(column: Exclude<Late, 'donePs' | 'leaveBy'>, row: number, value: number): void {
    this.#columns[column].set(row, value)
  }

  /** The send of a row was given leave by an edge of another row. */
  setLeave(row: number, leave: number, by: Edge): void {
    this.#columns.leave.set(row, leave)
    this.#words.leaveBy.set(row, EDGES.indexOf(by))
  }

  done(id: number, nowPs: number): void {
    this.#columns.donePs.set(this.indexOf(id), nowPs)
    this.#open.delete(id)
  }

  rowAt(row: number): OperationRow {
    const { id, rank, peer, sizeBytes, tag, stream, cause, readyPs } = this.#columns
    const { beginPs, donePs, arrivedPs, partner, message, leave } = this.#columns
    const { kind, causeBy, leaveBy } = this.#words
    return {
      id: id.at(row),
      kind: KINDS[kind.at(row)]!,
      rank: rank.at(row),
      peer: peer.at(row),
      sizeBytes: sizeBytes.at(row),
      tag: tag.at(row),
      stream: stream.at(row),
      cause: cause.at(row),
      causeBy: EDGES[causeBy.at(row)]!,
      readyPs: readyPs.at(row),
      beginPs: beginPs.at(row),
      donePs: donePs.at(row),
      arrivedPs: arrivedPs.at(row),
      partner: partner.at(row),
      message: message.at(row),
      leave: leave.at(row),
      leaveBy: EDGES[leaveBy.at(row)]!,
    }
  }

  /** Pieces in order of time, without gaps, that end with the operation that was done last; none where none is done. */
  criticalPath(): Piece[] {
    const { donePs } = this.#columns
    let at = -1
    for (let row = 0, lastPs = -1; row < this.count; row++) {
      if (!(donePs.at(row) > lastPs)) continue
      lastPs = donePs.at(row)
      at = row
    }
    let last = at < 0 ? null : this.rowAt(at)
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
      const send = this.rowAt(row.partner)
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
      const receive = this.rowAt(first.leave)
      piece('control', first, first.leaveBy === 'done' ? receive.donePs : receive.beginPs, first.beginPs)
      at.by = first.leaveBy
      return receive
    }
    at.by = first.causeBy
    return first.cause < 0 ? null : this.rowAt(first.cause)
  }
}
