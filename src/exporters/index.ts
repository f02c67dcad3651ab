/** Exporters to other tools' files. Each is one definition and one entry in the list. */
import type { Exporter } from './exporter.ts'
import { conweave, hpcc } from './hpcc.ts'
import { perfetto } from './perfetto.ts'

export const exporters: readonly Exporter[] = [hpcc, conweave, perfetto]
export { defineExporter, type ExportedFile, type Exporter } from './exporter.ts'
