/**
 * Readings: what logs of measurements say, as numbers. Each knows its file and line. Rates are bit/s, as everywhere; the units
 * of a log are gone here.
 */
import type { CollectiveName } from '../../core/workload/collective-names.ts'

/** Where something was read. */
export interface At {
  readonly file: string
  /** From 1. */
  readonly line: number
}

export interface CollectiveRow {
  readonly line: number
  readonly sizeBytes: number
  /** Times of a call, out of place and in place, microseconds; a line that was cut has one. */
  readonly timesUs: readonly number[]
  /** Elements with wrong values in both; null: they were not checked. */
  readonly wrong: number | null
}

/** A table of nccl-tests or rccl-tests. */
export interface CollectiveReading extends At {
  readonly kind: 'collective'
  readonly operation: CollectiveName | null
  readonly ranks: number | null
  /** Servers of the header; null: it lists none. */
  readonly servers: number | null
  readonly gpu: string | null
  readonly rows: readonly CollectiveRow[]
  /** "Avg bus bandwidth" of the foot, bit/s. */
  readonly printedMeanBps: number | null
}

export interface PerftestRow {
  readonly line: number
  readonly sizeBytes: number
  readonly iterations: number | null
  /** As printed: with -b the sum of both directions. null: latencies alone. */
  readonly rateBps: number | null
  readonly messagesPerSecond: number | null
  /** Typical or mean time of a message, there and back halved as the tool prints it. */
  readonly latencyUs: number | null
}

/** A run of perftest (ib_write_bw and its kin). */
export interface PerftestReading extends At {
  readonly kind: 'perftest'
  /** "write", "read", "send", "atomic". */
  readonly operation: string
  readonly isBidirectional: boolean
  readonly queuePairs: number
  readonly device: string
  readonly mtuBytes: number | null
  readonly link: 'ib' | 'roce' | null
  readonly depth: number | null
  /** The unit of the rates was not printed: it follows from the message rate. */
  readonly isUnitInferred: boolean
  readonly rows: readonly PerftestRow[]
}

/** A job of fio, in one direction. */
export interface StorageReading extends At {
  readonly kind: 'storage'
  readonly job: string
  readonly direction: 'read' | 'write'
  readonly rateBps: number
  readonly blockBytes: number | null
  /** Blocks outstanding: iodepth by numjobs. */
  readonly depth: number | null
  readonly latencyUs: number | null
}

/** A round trip of ping and its kin. */
export interface RoundTripReading extends At {
  readonly kind: 'round-trip'
  readonly label: string
  readonly roundTripNs: number
  /** NIC of the label. */
  readonly nic: string | null
  /** Switches on the way, where the label says so. */
  readonly switches: number | null
}

/** A counter before and after. */
export interface CounterReading extends At {
  readonly kind: 'counter'
  readonly name: string
  readonly before: number | null
  readonly after: number
}

export type Reading = CollectiveReading | PerftestReading | StorageReading | RoundTripReading | CounterReading

/** A line that looks like a measurement and was not understood. */
export interface Unread extends At {
  readonly text: string
  readonly reason: string
}

export interface Log {
  readonly file: string
  readonly readings: readonly Reading[]
  readonly unread: readonly Unread[]
  /** Readings of a form of which no real log has been seen. */
  readonly untested: readonly string[]
}

/** Lines of a text, without what launchers put before them: "[1,0]<stdout>:", "[0] ", "3: ". */
export interface LogLine {
  readonly line: number
  readonly text: string
}
const PREFIX = /^(?:\[\d+(?:,\d+)?\](?:<std(?:out|err)>:)?\s?|\d+: )/

/** Longer lines are of no form but tables of collectives, whose lines may be glued together. */
export const LINE_MAX = 1000

export function linesOf(text: string): LogLine[] {
  return text.split('\n').map((line, i) => ({ line: i + 1, text: line.replace(/\r$/, '').replace(PREFIX, '') }))
}
