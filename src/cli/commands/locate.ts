/**
 * locate RESULT|FOLDER: where pauses and losses come from, by counters and edges alone.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { buildCommand } from '@stricli/core'
import { InputError, inputError } from '../../base/issue.ts'
import { findingJson, isAtLeast, sarifLog, type Severity } from '../../findings/index.ts'
import {
  type Edge,
  edgesOf,
  findingsOf,
  locate,
  locatedText,
  type Reading,
  readEdges,
  readingsOf,
  readReadings,
} from '../../ops/index.ts'
import { readTablesOfKinds } from '../../results/index.ts'
import type { Context } from '../context.ts'
import { EXIT_FINDINGS, guarded } from '../failure.ts'
import { readText } from '../files/input-file.ts'
import { readerOf } from '../files/result-folder.ts'
import { failOnFlag, givenFlag } from '../flags.ts'
import { fileText } from '../parsers.ts'

interface LocateFlags {
  readonly failOn?: Severity
  readonly json?: boolean
  readonly sarif?: boolean
}

/** What is known of a fabric, and the file that it is from. */
interface Known {
  readonly edges: readonly Edge[]
  readonly readings: readonly Reading[]
  readonly file: string
}

const EDGES = 'edges.csv'
const COUNTERS = 'counters.csv'

export const locateCommand = buildCommand<LocateFlags, [string], Context>({
  docs: {
    brief: 'Locate the origin of pauses and losses from counters alone',
    fullDescription: [
      'FOLDER holds edges.csv (device_a, port_a, device_b, port_b, cable_m) and counters.csv (device, port, priority, name,',
      'value, time_ns; unit, kind and bits where they are known), with at least two readings of a device. A result that was',
      'run with the observer counters has both; nothing else of it is read.',
      'Names origins with what held whom, the numbers, the confidence, and what would raise it. Those of low confidence are',
      'a list of what may be.',
      '',
      'Examples:',
      '  rocelab locate results/incident-s1-0123abcd',
      '  rocelab locate collected --fail-on warning',
      '  rocelab locate collected --json',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Result folder, or a folder with edges.csv and counters.csv', placeholder: 'FOLDER', parse: fileText },
      ],
    },
    flags: {
      failOn: failOnFlag,
      json: givenFlag('Print JSON'),
      sarif: givenFlag('Print the findings as SARIF'),
    },
  },
  func: guarded(locateIn),
})

async function locateIn(this: Context, flags: LocateFlags, folder: string): Promise<void> {
  const { json: isJson = false, sarif: isSarif = false, failOn } = flags
  if (isJson && isSarif) throw inputError('--sarif', 'one form of output', '--json besides')
  const { edges, readings, file } = await knownIn(this.directory, folder)
  const located = locate(edges, readings)
  const findings = findingsOf(located)
  const printed = isSarif
    ? sarifLog(findings, [], file)
    : { schemaVersion: 1, ...located, findings: findings.map((finding) => findingJson(finding)) }
  this.process.stdout.write(isJson || isSarif ? `${JSON.stringify(printed)}\n` : locatedText(located))
  if (failOn !== undefined && findings.some(({ severity }) => isAtLeast(severity, failOn)))
    this.process.exitCode = EXIT_FINDINGS
}

async function knownIn(directory: string, folder: string): Promise<Known> {
  const isThere = (name: string): boolean => existsSync(path.resolve(directory, folder, name))
  return isThere(EDGES) || isThere(COUNTERS) ? fromTexts(directory, folder) : fromResult(directory, folder)
}

/** The mistakes of both files at once. */
function fromTexts(directory: string, folder: string): Known {
  const issues: InputError['issues'][number][] = []
  const read = <T>(name: string, parse: (file: string, text: string) => T[]): T[] => {
    const file = path.join(folder, name)
    try {
      return parse(file, readText(directory, file, name === EDGES ? 'a list of edges' : 'a table of counters'))
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      issues.push(...error.issues)
      return []
    }
  }
  const edges = read(EDGES, readEdges)
  const readings = read(COUNTERS, readReadings)
  if (issues.length > 0) throw new InputError(issues)
  return { edges, readings, file: path.join(folder, COUNTERS) }
}

async function fromResult(directory: string, folder: string): Promise<Known> {
  try {
    const [counters, edges] = await readTablesOfKinds(readerOf(directory, folder), ['counters', 'counters/edges'])
    if (counters === undefined || edges === undefined) {
      const hint = 'run its scenario.yaml again with observe: [{kind: counters, interval: 1ms}]'
      throw inputError('', 'a result with counters', 'one without', hint)
    }
    return { edges: edgesOf(edges), readings: readingsOf(counters), file: path.join(folder, 'series') }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(error.issues.map((issue) => (issue.file === undefined ? { ...issue, file: folder } : issue)))
  }
}
