/** Exporters: one file and one line each. */
import type { Exporter } from './exporter.ts'
import { conweave, hpcc } from './hpcc.ts'

export const exporters: readonly Exporter[] = [hpcc, conweave]
export { defineExporter, type ExportedFile, type Exporter } from './exporter.ts'
