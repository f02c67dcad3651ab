/**
 * Metric: something about a run that can be recorded besides its flows. A definition makes an observer, an observer
 * makes one table. Observers read and never change: a run with observers is the run without them, event by event.
 * Units: picoseconds, bytes, bits per second. Memory is bounded by `maxRows` (docs/models/observers.md).
 */
import type { DeviceNames } from '../../core/base/device-names.ts'
import type { RandomStreams } from '../../core/base/random.ts'
import type { Definition, ParamFields, ValuesOf } from '../../core/base/params.ts'
import type { Network } from '../../core/fabric/network.ts'
import type { QueuePair } from '../../core/fabric/pairs/queue-pair.ts'
import type { Watch, WatchedEnds } from '../../core/fabric/watch.ts'
import type { Attachment } from '../../core/results/result.ts'
import type { Column, Table } from '../../core/results/table.ts'
import type { TableKind } from '../../core/results/table-kinds.ts'
import type { PacketFrames } from './packet-frames.ts'

/** Facts for an observer, which is created after the network and before the first queue pair. */
export interface MetricContext {
  readonly network: Network
  /** With names, per node: 0 host, 1 the switch a host hangs on, 2 the next stage, ... */
  readonly topology: DeviceNames & { readonly tiers: readonly number[] }
  /** Most rows of a table whose observer does not say. */
  readonly maxRows: number
  /** Calls back for each queue pair that opens from now on, with its two ends, before anything is posted. */
  readonly watchPairs: (opened: (pair: QueuePair, ends: WatchedEnds) => void) => void
  /** The end of a message at which the run measures its completion. */
  readonly completion: 'receiver' | 'sender'
  /** Words for the reasons of drops, by number; without them a table gives the numbers. */
  readonly dropReasons?: readonly string[]
  /** Streams for observers that draw; none of a run has the name of an observer's. */
  readonly random: RandomStreams
  /** Packets as frames in bytes; without it nothing is captured. */
  readonly packets?: PacketFrames
}

export interface Observer {
  /** Name of its table. */
  readonly name: string
  /** Callbacks for pauses and drops. */
  readonly watch?: Watch
  /** Time between two samples; undefined: it is never sampled. */
  readonly intervalPs?: number
  /** Called at 0 and at multiples of intervalPs. Reads only. */
  sample?(nowPs: number): void
  /** A message is whole at its receiver; numbers count from 0 per QP. */
  onDelivered?(nowPs: number, pair: QueuePair, message: number): void
  /** A message is acknowledged at its sender, or complete there in another way. */
  onAcknowledged?(nowPs: number, pair: QueuePair, message: number): void
  /** Further columns of the flow table, for the rows that it has; may be called at any time. */
  flowColumns?(flows: Table, nowPs: number): Column[]
  /** Table of the records up to nowPs; may be called at any time. */
  table(nowPs: number): Table
  /** The same when the run ends at nowPs, where that makes a difference. */
  lastTable?(nowPs: number): Table
  /** Further tables with their kinds, whose names begin with that of `table`. */
  others?(nowPs: number): Table[]
  /** A file beside the table, with the records up to now; undefined: it makes none. */
  file?(): Attachment
}

export interface MetricDefinition<N extends string = string, F extends ParamFields = ParamFields> extends Definition<
  N,
  F
> {
  /** Kind of its table (results/table-kinds.ts); by default its name. */
  readonly tableKind?: TableKind
  /** A port, node or host that is not there is thrown as InputError. */
  create(values: ValuesOf<F>, context: MetricContext): Observer
}

/** Registers nothing: gives the definition its type. List it in metrics/index.ts. */
export function defineMetric<const N extends string, F extends ParamFields>(
  definition: MetricDefinition<N, F>,
): MetricDefinition<N, F> {
  return definition
}
