/**
 * Instrument input: readings and edges, from a folder with counters.csv and edges.csv, or from a result whose scenario
 * observes counters. Nothing else of either is read.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { InputError, inputError, type Issue, issuesIn } from '../../core/base/issue.ts'
import { type Edge, edgesOf, type Reading, readEdges, readingsOf, readReadings } from '../../doctor/index.ts'
import { readTablesOfKinds } from '../../core/results/index.ts'
import { readText } from '../files/input-file.ts'
import { readerOf } from '../files/result-folder.ts'

const EDGES = 'edges.csv'
const COUNTERS = 'counters.csv'

/** All that is known of a fabric, and the file that it is from. */
export interface InstrumentInput {
  readonly edges: readonly Edge[]
  readonly readings: readonly Reading[]
  readonly file: string
  /** The readings are of a run, and their times those of the simulation. */
  readonly isSimulated: boolean
}

/** @param device words for one whose readings count */
export const tooFewReadings = (folder: string, device: string): InputError =>
  inputError(folder, `two readings of ${device} at least`, 'fewer', 'counters say something by their differences')

/** Throws InputError with the mistakes of both files. */
export async function instrumentInput(directory: string, folder: string): Promise<InstrumentInput> {
  const isThere = (name: string): boolean => existsSync(path.resolve(directory, folder, name))
  return isThere(EDGES) || isThere(COUNTERS) ? fromTexts(directory, folder) : fromResult(directory, folder)
}

function fromTexts(directory: string, folder: string): InstrumentInput {
  const issues: Issue[] = []
  const read = <T>(name: string, parse: (file: string, text: string) => T[]): T[] => {
    const file = path.join(folder, name)
    try {
      return parse(file, readText(directory, file, name === EDGES ? 'a list of edges' : 'a table of counters'))
    } catch (error) {
      issues.push(...issuesIn(error, file))
      return []
    }
  }
  const edges = read(EDGES, readEdges)
  const readings = read(COUNTERS, readReadings)
  if (issues.length > 0) throw new InputError(issues)
  return { edges, readings, file: path.join(folder, COUNTERS), isSimulated: false }
}

async function fromResult(directory: string, folder: string): Promise<InstrumentInput> {
  try {
    const [counters, edges] = await readTablesOfKinds(readerOf(directory, folder), ['counters', 'counters/edges'])
    if (counters === undefined || edges === undefined) {
      const hint = 'run its scenario.yaml again with --set "observe=[counters]"'
      throw inputError('', `a result with counters, or a folder with ${COUNTERS} and ${EDGES}`, 'one without', hint)
    }
    const file = path.join(folder, 'series')
    return { edges: edgesOf(edges), readings: readingsOf(counters), file, isSimulated: true }
  } catch (error) {
    throw new InputError(issuesIn(error, folder))
  }
}
