/**
 * What an exporter is: a value that turns a result into another tool's files, as texts; the caller writes them.
 */
import type { Result } from '../results/index.ts'

export interface ExportedFile {
  /** File name without a folder. */
  readonly path: string
  readonly text: string
  /** What a reader of the file has to know, such as that it is not whole. */
  readonly note?: string
}

export interface Exporter {
  readonly name: string
  readonly help: string
  /** Where the format is defined. */
  readonly source: string
  /** Kinds of the observers, under their own names, without which a file is missing; a run for export adds them. */
  readonly observers: readonly 'pause-log'[]
  readonly export: (result: Result) => readonly ExportedFile[]
}

/** Gives an exporter its type. List it in exporters/index.ts. */
export function defineExporter(exporter: Exporter): Exporter {
  return exporter
}
