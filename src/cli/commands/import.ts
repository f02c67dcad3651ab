/**
 * import NAME FILE: converts another tool's files into a scenario.
 */
import path from 'node:path'
import { buildCommand, buildRouteMap, type Command, type TypedFlagParameter } from '@stricli/core'
import { InputError, inputError } from '../../base/issue.ts'
import { type Imported, type Importer, type ImportInput, importers, StoppedImport } from '../../importers/index.ts'
import {
  type Finding,
  findingJson,
  findingLines,
  gathered,
  isAtLeast,
  sarifLog,
  SEVERITIES,
  type Severity,
} from '../../findings/index.ts'
import { grownNotes } from '../../advice/notes/network-notes.ts'
import { reachNotes } from '../../advice/notes/reach-notes.ts'
import { createSimulation, topologyOf } from '../../lab/index.ts'
import { TEXT_LENGTH_MAX } from '../../notation/index.ts'
import { formatScenario, formatScenarioFiles, type Scenario, scenarioOf } from '../../scenario/index.ts'
import type { Context } from '../context.ts'
import { EXIT_FINDINGS, guarded } from '../failure.ts'
import { givenFlag } from '../flags.ts'
import { writeText, type WriteTextOptions } from '../files/files.ts'
import { readBytesIfThere, readTextIfThere } from '../files/input-file.ts'
import { anyText, fileText } from '../parsers.ts'

/** Flags of all importers. */
const COMMON_FLAGS: Readonly<Record<string, Flag>> = {
  out: { kind: 'parsed', parse: fileText, optional: true, placeholder: 'FILE', brief: 'Scenario file to write' },
  force: plainFlag('Replace an existing file'),
  sarif: plainFlag('Print the findings as SARIF; needs --out for the scenario'),
  json: plainFlag('Print one JSON object: schemaVersion, scenario (its text, or the file of --out) and findings'),
  'fail-on': {
    kind: 'parsed',
    parse: choiceOf(SEVERITIES),
    optional: true,
    placeholder: SEVERITIES.join('|'),
    brief: 'End with exit code 3 if a finding is at least that severe',
  },
}

/** One command per importer, since each has its own options. */
export const importRoutes = buildRouteMap<string, Context>({
  routes: Object.fromEntries(importers.map((importer) => [importer.name, importCommand(importer)])),
  docs: {
    brief: "Convert another tool's files into a scenario",
    fullDescription: [
      'Prints the scenario, or writes it with --out; what was left out, assumed or changed is noted on standard error.',
      'With --json standard output is one JSON object: schemaVersion 1, scenario (its text, or the file of --out) and',
      'findings. A scenario that is not valid is still written with --out; its mistakes are reported and the exit code is 2.',
      'With --fail-on the exit code is 3 if a finding is at least that severe; the scenario is written all the same.',
      '',
      'Examples:',
      '  rocelab import hpcc mix/config.txt --out hpcc.yaml',
      '  rocelab import htsim --topo leaf_spine.topo --cm perm.cm --start-unit us',
    ].join('\n'),
  },
})

type ImportFlags = Readonly<Record<string, string | undefined>>

type Flag = TypedFlagParameter<string | undefined, Context>

function plainFlag(brief: string): Flag {
  // Cast: the library types a record of flags by one value type, here text, and this flag is a boolean.
  return givenFlag(brief) as unknown as Flag
}

function importCommand(importer: Importer): Command<Context> {
  const dialects = importer.dialects === undefined ? [] : [dialectOption(importer.dialects)]
  const options = [...dialects, ...importer.options]
  const flags = { ...COMMON_FLAGS }
  for (const option of options) {
    flags[option.name] = {
      kind: 'parsed',
      parse: option.choices === undefined ? anyText : choiceOf(option.choices),
      optional: true,
      placeholder: option.file === true ? 'FILE' : (option.choices?.join('|') ?? 'TEXT'),
      brief: option.help,
    }
  }
  return buildCommand<ImportFlags, [string?], Context>({
    docs: { brief: importer.help, fullDescription: `Imports ${importer.help}.\nFormats: ${importer.source}.` },
    parameters: {
      positional: {
        kind: 'tuple',
        parameters: [{ brief: 'File to import', placeholder: 'FILE', parse: fileText, optional: true }],
      },
      flags,
    },
    func: guarded(function importFile(this: Context, given: ImportFlags, file?: string) {
      const { out, force, json, sarif, 'fail-on': failOn, ...rest } = given
      const { stdout, stderr } = this.process
      const texts = Object.entries(rest).filter((entry): entry is [string, string] => entry[1] !== undefined)
      if (sarif !== undefined && (out === undefined || json !== undefined))
        throw inputError('--sarif', '--out, and no --json', out === undefined ? 'no --out' : '--json besides')
      const inputs: string[] = []
      const isFileNamed = options.some((option) => option.file === true && rest[option.name] !== undefined)
      if (file === undefined && !isFileNamed) throw inputError('import', `a file: ${importer.help}`, 'none')
      const show = (findings: readonly Finding[]): void => {
        stderr.write(
          findingLines(findings)
            .map(({ severity, text }) => `${severity}: ${text}\n`)
            .join(''),
        )
      }
      // Importers also try files that need not exist.
      const noting = <T>(name: string, content: T | undefined): T | undefined => {
        if (content !== undefined) inputs.push(path.resolve(this.directory, name))
        return content
      }
      const imported = runImporter(importer, show, {
        path: file ?? '',
        readFile: (name) => noting(name, readTextIfThere(this.directory, name, 'a file to import')),
        readBytes: (name) => noting(name, readBytesIfThere(this.directory, name, 'a file to import')),
        options: Object.fromEntries(texts),
      })
      const scenario = scenarioOf(imported.scenario)
      const isJson = json !== undefined || sarif !== undefined
      if (!isJson) show(imported.findings)
      const text = out === undefined ? printed(scenario) : null
      if (out !== undefined) writeScenario(this.directory, out, scenario, { force: force !== undefined, inputs })
      else if (!isJson) stdout.write(text!)
      const built = builtFindings(scenario, out, () => {
        if (isJson) show(imported.findings)
      })
      const findings = [...imported.findings, ...built]
      if (!isJson) show(built)
      else {
        const object =
          sarif === undefined
            ? { schemaVersion: 1, scenario: text ?? out, findings: findings.map((finding) => findingJson(finding)) }
            : sarifLog(findings, [], file ?? out!)
        stdout.write(`${JSON.stringify(object)}\n`)
      }
      // Cast: the parser of the flag takes severities only.
      const least = failOn as Severity | undefined
      if (least !== undefined && findings.some(({ severity }) => isAtLeast(severity, least)))
        this.process.exitCode = EXIT_FINDINGS
    }),
  })
}

/** The import; one that stops shows its findings before its issues. */
function runImporter(importer: Importer, show: (findings: readonly Finding[]) => void, input: ImportInput): Imported {
  try {
    return importer.import(input)
  } catch (error) {
    if (error instanceof StoppedImport) show(error.findings)
    throw error
  }
}

/** The scenario as one text. Throws InputError if that would be too long to be read again. */
function printed(scenario: Scenario): string {
  const text = formatScenario(scenario, { compact: true })
  if (text.length <= TEXT_LENGTH_MAX) return text
  const received = `one text of ${text.length} characters`
  throw inputError('--out', 'a file to write', received, 'its long lists are then written into files beside it')
}

/** Writes the scenario, and its long lists into files beside it, which come first: the scenario names them. */
function writeScenario(directory: string, out: string, scenario: Scenario, options: WriteTextOptions): void {
  const { dir, name } = path.parse(out)
  const { text, lists } = formatScenarioFiles(scenario, name, { compact: true })
  for (const list of lists) writeText(directory, path.join(dir, list.name), list.text, options)
  writeText(directory, out, text, options)
}

/**
 * Hosts that cannot reach each other, and the memory of switches, which show only once the network is built.
 * @throws InputError why a faithfully imported scenario cannot be built; the user corrects the written file
 */
function builtFindings(scenario: Scenario, out: string | undefined, beforeMistakes: () => void): Finding[] {
  try {
    const simulation = createSimulation(scenario)
    const { lost } = simulation.forecast()
    simulation.close()
    const topology = topologyOf(scenario)
    return gathered([...reachNotes(scenario, topology, lost), ...grownNotes(scenario, topology)])
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    beforeMistakes()
    const file = out ?? 'the scenario above'
    throw new InputError(error.issues.map((issue) => ({ ...issue, file })))
  }
}

function dialectOption(dialects: readonly string[]): Importer['options'][number] {
  return { name: 'dialect', help: 'simulator that wrote the files; the first by default', choices: dialects }
}

function choiceOf(choices: readonly string[]): (input: string) => string {
  return (input) => {
    if (choices.includes(input)) return input
    throw new Error(`expected ${choices.join(' or ')}, received ${JSON.stringify(input)}`)
  }
}
