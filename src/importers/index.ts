/** Importers: one file and one line each. */
import { hpcc } from './hpcc.ts'
import type { Importer } from './importer.ts'

export const importers: readonly Importer[] = [hpcc]
export {
  defineImporter,
  type Branch,
  type Imported,
  type Importer,
  type ImportInput,
  type ImportOption,
  type Tree,
} from './importer.ts'
