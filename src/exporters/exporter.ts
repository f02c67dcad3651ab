/**
 * Exporter: converts a result to another tool's files, as texts; the caller writes them.
 */
import type { Result } from '../core/results/index.ts'

export interface ExportedFile {
  /** File name without a folder. */
  readonly path: string
  readonly text: string
  /** Note for readers of the file, such as that it is incomplete. */
  readonly note?: string
}

export interface Exporter {
  readonly name: string
  readonly help: string
  /** Project that defines the format. */
  readonly source: string
  /** Kinds of observers that the files need, named after their kind; a run for export adds them. */
  readonly observers: readonly ('pause-log' | 'pause-intervals')[]
  readonly export: (result: Result) => readonly ExportedFile[]
}

/** Defines an exporter. List it in exporters/index.ts. */
export function defineExporter(exporter: Exporter): Exporter {
  return exporter
}
