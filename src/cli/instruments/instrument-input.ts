/**
 * Instrument input: readings and links, from a folder with counters.csv and edges.csv, or from a result whose scenario
 * observes counters. Nothing else is read of either.
 */
import { InputError, inputError } from '../../base/issue.ts'
import { type Edge, edgesOf, type Reading, readEdges, readingsOf, readReadings } from '../../ops/index.ts'
import { tableOfKind } from '../../results/index.ts'
import { readTextIfThere } from '../files/input-file.ts'
import { storedResults } from '../files/stored-results.ts'

export const COUNTERS_FILE = 'counters.csv'
export const EDGES_FILE = 'edges.csv'

export interface InstrumentInput {
  readonly readings: readonly Reading[]
  readonly edges: readonly Edge[]
  /** Simulated time that the readings reach to; undefined: they are of a real fabric. */
  readonly simulatedSeconds?: number
}

/** Throws InputError with the mistakes of both files. */
export async function instrumentInput(directory: string, folder: string): Promise<InstrumentInput> {
  const counters = readTextIfThere(directory, `${folder}/${COUNTERS_FILE}`, 'counters')
  if (counters === undefined) return ofResult(directory, folder)
  const edges = readTextIfThere(directory, `${folder}/${EDGES_FILE}`, 'a list of links')
  if (edges === undefined) throw inputError(`${folder}/${EDGES_FILE}`, 'a list of links beside the counters', 'none')
  const issues: InputError[] = []
  const read = <T>(reader: (file: string, text: string) => T[], name: string, text: string): T[] => {
    try {
      return reader(`${folder}/${name}`, text)
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      issues.push(error)
      return []
    }
  }
  const input = {
    readings: read(readReadings, COUNTERS_FILE, counters),
    edges: read(readEdges, EDGES_FILE, edges),
  }
  if (issues.length > 0) throw new InputError(issues.flatMap((error) => error.issues))
  return input
}

async function ofResult(directory: string, folder: string): Promise<InstrumentInput> {
  const { result } = (await storedResults(directory, [folder]))[0]!
  const [readings, edges] = [tableOfKind(result, 'counters'), tableOfKind(result, 'counters/edges')]
  if (readings === undefined || edges === undefined)
    throw inputError(
      folder,
      'a result with counters, or a folder with counters.csv and edges.csv',
      'a result without',
      'run it again with --set "observe=[counters]"',
    )
  const all = readingsOf(readings)
  return { readings: all, edges: edgesOf(edges), simulatedSeconds: (all.at(-1)?.timeNs ?? 0) / 1e9 }
}
