/**
 * Flow rows: the flows of a result one after the other, so that none of their columns is in memory as a whole.
 */
import type { Result } from '../result.ts'
import { columnReader, findColumn, numbersIn, type Table, textsIn } from '../table.ts'

/** A flow at one end point. */
export interface FlowRow {
  row: number
  startPs: number
  sizeBytes: number
  /** NaN where unfinished. */
  completionPs: number
  /** Completion in an idle network. */
  idealPs: number
  isMeasured: boolean
  /** Payload that its receiver has; 0 where an unfinished flow's is not known. */
  deliveredBytes: number
  status: string
  tag: string
}

/** Flows that are read at once. */
const PART_ROWS = 4096

/** Calls back for each flow of a result in order, each time with the same object. A READ ends at the receiver of its data. */
export function eachFlow(
  { flows, completion }: Pick<Result, 'flows' | 'completion'>,
  visit: (flow: FlowRow) => void,
): void {
  const isAtSender = completion === 'sender'
  const reads = readersOf(flows, isAtSender)
  const flow: FlowRow = {
    row: 0,
    startPs: 0,
    sizeBytes: 0,
    completionPs: NaN,
    idealPs: NaN,
    isMeasured: false,
    deliveredBytes: 0,
    status: '',
    tag: '',
  }
  for (let from = 0; from < flows.rowCount; from += PART_ROWS) {
    const to = Math.min(flows.rowCount, from + PART_ROWS)
    const part = {
      startPs: numbersIn(reads.startPs(from, to)),
      sizeBytes: numbersIn(reads.sizeBytes(from, to)),
      receivedPs: numbersIn(reads.receivedPs(from, to)),
      idealPs: numbersIn(reads.idealPs(from, to)),
      measured: numbersIn(reads.measured(from, to)),
      status: textsIn(reads.status(from, to)),
      tag: textsIn(reads.tag(from, to)),
      delivered: reads.delivered && numbersIn(reads.delivered(from, to)),
      operation: reads.operation && textsIn(reads.operation(from, to)),
      acknowledgedPs: reads.acknowledgedPs && numbersIn(reads.acknowledgedPs(from, to)),
      idealAcknowledgedPs: reads.idealAcknowledgedPs && numbersIn(reads.idealAcknowledgedPs(from, to)),
    }
    for (let i = 0; i < to - from; i++) {
      const atSender = isAtSender && part.operation?.[i] !== 'read'
      flow.row = from + i
      flow.startPs = part.startPs[i]!
      flow.sizeBytes = part.sizeBytes[i]!
      flow.completionPs = (atSender ? part.acknowledgedPs : part.receivedPs)![i]! - flow.startPs
      flow.idealPs = (atSender ? part.idealAcknowledgedPs : part.idealPs)![i]!
      flow.isMeasured = part.measured[i] === 1
      flow.deliveredBytes = Number.isNaN(flow.completionPs) ? (part.delivered?.[i] ?? 0) : flow.sizeBytes
      flow.status = part.status[i]!
      flow.tag = part.tag[i]!
      visit(flow)
    }
  }
}

type Reader = ReturnType<typeof columnReader>
type Readers = Readonly<
  Record<'startPs' | 'sizeBytes' | 'receivedPs' | 'idealPs' | 'measured' | 'status' | 'tag', Reader> &
    Record<'delivered' | 'operation' | 'acknowledgedPs' | 'idealAcknowledgedPs', Reader | null>
>

function readersOf(flows: Table, isAtSender: boolean): Readers {
  const reader = (name: string, kind: 'number' | 'text'): Reader => columnReader(flows, name, kind)
  // Results of earlier versions lack some columns.
  const perhaps = (name: string, kind: 'number' | 'text'): Reader | null => {
    const column = findColumn(flows, name)
    return column !== undefined && (column.type === 'text') === (kind === 'text') ? reader(name, kind) : null
  }
  return {
    startPs: reader('startPs', 'number'),
    sizeBytes: reader('sizeBytes', 'number'),
    receivedPs: reader('receivedPs', 'number'),
    idealPs: reader('idealPs', 'number'),
    measured: reader('measured', 'number'),
    status: reader('status', 'text'),
    tag: reader('tag', 'text'),
    delivered: perhaps('deliveredBytes', 'number'),
    operation: isAtSender ? perhaps('operation', 'text') : null,
    acknowledgedPs: isAtSender ? reader('acknowledgedPs', 'number') : null,
    idealAcknowledgedPs: isAtSender ? reader('idealAcknowledgedPs', 'number') : null,
  }
}
