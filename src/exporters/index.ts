/** Exporters to other tools' files. Each is one definition and one entry in the list. */
import type { Exporter } from './exporter.ts'
import { goal } from './goal.ts'
import { conweave, hpcc } from './hpcc.ts'
import { htsim } from './htsim.ts'
import { perfetto } from './perfetto.ts'

export const exporters: readonly Exporter[] = [hpcc, conweave, perfetto, goal, htsim]
export { defineExporter, type ExportedFile, type Exporter } from './exporter.ts'
