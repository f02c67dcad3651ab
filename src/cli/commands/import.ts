/**
 * import NAME FILE: converts another tool's files into a scenario.
 */
import path from 'node:path'
import { buildRouteMap, type Command } from '@stricli/core'
import { InputError, inputError } from '../../core/base/issue.ts'
import { type Imported, type Importer, type ImportInput, importers, StoppedImport } from '../../importers/index.ts'
import { type Finding, findingJson, findingLines, gathered, sarifLog, SEVERITIES } from '../../core/findings/index.ts'
import { grownNotes } from '../../lab/advice/notes/network-notes.ts'
import { reachNotes } from '../../lab/advice/notes/reach-notes.ts'
import { createSimulation, topologyOf } from '../../lab/index.ts'
import { type Scenario, scenarioOf } from '../../lab/scenario/index.ts'
import { command, type FlagsOf } from '../command.ts'
import { fileFlag, givenFlag, valueFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { endOnFindings } from '../failure.ts'
import { readBytesIfThere, readTextIfThere } from '../files/input-file.ts'
import { wholeScenarioText, writeScenario } from '../files/scenario-file.ts'
import { anyText, fileText, wordOf } from '../parsers.ts'

/** Flags of all importers. */
const COMMON_FLAGS = {
  out: fileFlag('FILE', 'Scenario file to write'),
  force: givenFlag('Replace an existing file'),
  sarif: givenFlag('Print the findings as SARIF; needs --out for the scenario'),
  json: givenFlag('Print one JSON object: schemaVersion, scenario (its text, or the file of --out) and findings'),
  'fail-on': valueFlag(
    SEVERITIES.join('|'),
    wordOf(SEVERITIES, SEVERITIES.join(' or ')),
    'End with exit code 3 if a finding is at least that severe',
  ),
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

function importCommand(importer: Importer): Command<Context> {
  const dialects = importer.dialects === undefined ? [] : [dialectOption(importer.dialects)]
  const options = [...dialects, ...importer.options]
  const own = options.map(({ name, file, choices, help }) => {
    const placeholder = file === true ? 'FILE' : (choices?.join('|') ?? 'TEXT')
    return [name, valueFlag(placeholder, choices === undefined ? anyText : wordOf(choices, choices.join(' or ')), help)]
  })
  const flags: typeof COMMON_FLAGS = { ...COMMON_FLAGS, ...Object.fromEntries(own) }
  return command({
    brief: importer.help,
    about: [`Imports ${importer.help}.\nFormats: ${importer.source}.`],
    args: [{ brief: 'File to import', placeholder: 'FILE', parse: fileText, optional: true }],
    flags,
    run: function importFile(this: Context, given: FlagsOf<typeof COMMON_FLAGS>, file?: string) {
      const { out, force, json, sarif, 'fail-on': failOn, ...rest } = given
      const { stdout, stderr } = this.process
      const values = Object.entries<string | undefined>(rest)
      const texts = new Map(values.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])))
      if (sarif !== undefined && (out === undefined || json !== undefined))
        throw inputError('--sarif', '--out, and no --json', out === undefined ? 'no --out' : '--json besides')
      const inputs: string[] = []
      const isFileNamed = options.some((option) => option.file === true && texts.has(option.name))
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
      const text = out === undefined ? wholeScenarioText(scenario) : null
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
      endOnFindings(this, failOn, findings)
    },
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
