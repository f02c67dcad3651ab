/** Importers of other tools' files. Each is one file and one entry in the list. */
import { cdf } from './cdf.ts'
import { chakra } from './chakra/chakra.ts'
import { goal } from './goal/goal.ts'
import { hpcc } from './hpcc/hpcc.ts'
import { htsim } from './htsim/htsim.ts'
import type { Importer } from './importer.ts'
import { simai } from './simai/simai.ts'
import { topology } from './topology.ts'

export const importers: readonly Importer[] = [hpcc, htsim, topology, cdf, goal, chakra, simai]
export {
  defineImporter,
  StoppedImport,
  type Branch,
  type Imported,
  type Importer,
  type ImportInput,
  type ImportOption,
  type Tree,
} from './importer.ts'
