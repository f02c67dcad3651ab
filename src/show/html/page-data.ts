/**
 * Page data: what a report gives to the script in it. Numbers are as in results, in ps, bytes and bit/s, unless they
 * belong to a figure. Only types: the script and the room that writes pages share them.
 */

import type { Drops, PauseSpans } from '../../core/results/timeline.ts'
import type { FigureData } from '../figure/drawing/figure-table.ts'

/** A figure over time, in the units of its axes. */
export interface ChartData {
  /** "us". */
  readonly timeUnit: string
  readonly yLabel: string
  /** Sentence about rows that are left out, or "". */
  readonly note: string
  /** True: a value holds until the next. */
  readonly isStep: boolean
  /** True: the axis of values ends where those that are shown do, and need not begin at 0. */
  readonly isFitted?: boolean
  readonly lines: readonly ChartLine[]
  /** Lines that a reader may add. */
  readonly others: readonly ChartLine[]
}

/** Points of a kind, in place of a line. */
export interface LineLook {
  readonly colour: string
  /** Number of the shape in figure/drawing/shapes.ts. */
  readonly shape: number
  /** Pixels. */
  readonly radius: number
  /** They are joined by steps: a value holds until the next. */
  readonly isStep: boolean
}

/** Null: nothing is known from there to the next value. */
export interface ChartLine {
  readonly series: string
  readonly x: readonly number[]
  readonly y: readonly (number | null)[]
  readonly look?: LineLook
}

/** mean: of counts over seeds. */
export type ColumnFormat = 'count' | 'mean' | 'duration' | 'rate' | 'size' | 'ratio' | 'text'

/** A column of a table. Null: absent. */
export interface ColumnData {
  /** In a CSV file. */
  readonly name: string
  readonly head: string
  readonly format: ColumnFormat
  readonly values: readonly (number | string | null)[]
  /** Ends of the 95 % interval of each value, where there are several seeds. */
  readonly low?: readonly (number | null)[]
  readonly high?: readonly (number | null)[]
  /** Order of texts, where it is not the alphabet's. */
  readonly keys?: readonly number[]
  /** True: only in the CSV file. */
  readonly isFileOnly?: boolean
}

/** Rows that a page shows of a longer table. */
export interface TableData {
  readonly name: string
  readonly columns: readonly ColumnData[]
}

/** A port with what was observed at it. */
export interface PortData {
  readonly name: string
  readonly node: number
  readonly peerName: string
  /** Key of the port at the other end of the link. */
  readonly peerKey: string
  readonly rateBps: number
  /** By measure; absent where not observed. */
  readonly values: Readonly<Record<string, number>>
  /** Over time, by measure; of the ports with most. */
  readonly series?: Readonly<Record<string, readonly number[]>>
}

/** Id of the measure of time paused by PFC. */
export const PAUSED = 'paused'

export interface MeasureData {
  readonly id: string
  readonly name: string
  readonly format: ColumnFormat | 'share'
  /** Upper ends of the steps of colour but the last. */
  readonly steps: readonly number[]
}

export interface NetworkData {
  readonly measures: readonly MeasureData[]
  /** By the key of a port in the picture: "node:port". */
  readonly ports: Readonly<Record<string, PortData>>
  /** Drops by node. */
  readonly drops: Readonly<Record<string, number>>
  /** End of the series of ports, ps; they begin at 0. */
  readonly endPs: number
  /** By host: its nodes. */
  readonly hostNodes: readonly (readonly number[])[]
  /** By host: its name, with its node id where that is another number. */
  readonly hostTitles: readonly string[]
}

/** A queue pair with its lines, by the id of a measure. */
export interface PairData {
  readonly source: number
  readonly destination: number
  readonly lines: Readonly<Record<string, ChartLine>>
}

/** Measures of queue pairs over time; those that the run observed. */
export interface PairMeasure {
  readonly id: string
  readonly name: string
  readonly yLabel: string
  readonly timeUnit: string
}

export interface PairCharts {
  readonly measures: readonly PairMeasure[]
  readonly pairs: readonly PairData[]
}

/** A part of completion times, with the time of each flow of the table on the page, ps. */
export interface LifePart {
  readonly label: string
  /** Of the flow table. */
  readonly column: string
  readonly colour: string
  /** "sender", "network", "receiver". */
  readonly end: string
  readonly help: string
  readonly spansPs: readonly number[]
}

/** A port that the packet which completed a flow left by: its times, and as text. */
export interface LifeHop {
  readonly port: string
  readonly leftPs: number
  readonly queuePs: number
  readonly pausedPs: number
  readonly leftAt: string
  readonly queued: string
  readonly paused: string
  readonly behind: string
}

/** Parts of the completion times of the flows of a page; columns and keys by row of their table. */
export interface LivesData {
  /** Parts that are 0 everywhere are left out. */
  readonly parts: readonly LifePart[]
  /** "" : nobody. */
  readonly pausedBy: readonly string[]
  readonly pausedByPs: readonly number[]
  /** The slowest flows have them. */
  readonly hops: Readonly<Record<string, readonly LifeHop[]>>
}

export interface RunData {
  readonly label: string
  readonly flows: TableData
  readonly network: NetworkData | null
  /** For a trace beside the flows and ports above; the longest pauses, and the first drops. */
  readonly pauses: PauseSpans
  readonly lost: Drops
  readonly endPs: number
  /** Null: the run has no autopsy. */
  readonly lives: LivesData | null
  readonly pairCharts: PairCharts
}

export interface PageData {
  /** Figures over time by name. */
  readonly charts: Readonly<Record<string, ChartData>>
  /** Values of the other figures that have any, by name. */
  readonly figures?: Readonly<Record<string, FigureData>>
  readonly runs: readonly RunData[]
  /** Tables that show a part of their rows, by the id of their place on the page. */
  readonly tables?: Readonly<Record<string, TableData>>
}
