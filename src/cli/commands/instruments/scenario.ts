/**
 * scenario --from FOLDER: the scenario of a folder of real files, and where each of its values comes from.
 */
import { asicOf } from '../../../doctor/platforms/platforms.ts'
import { namesText, pageText } from '../../doctor/scenario-page.ts'
import { fabricScenario, STANDARD_TRAFFIC } from '../../../importers/fabric/index.ts'
import { createSimulation } from '../../../lab/index.ts'
import { scenarioOf } from '../../../lab/scenario/index.ts'
import { command, type FlagsOf } from '../../command.ts'
import { fileFlag, givenFlag, requiredFlag, trafficFlag } from '../../flags.ts'
import type { Context } from '../../context.ts'
import { collectedFabric } from '../../doctor/collected-fabric.ts'
import { collectedInput } from '../../doctor/collected-folder.ts'
import { wholeScenarioText, writeScenario } from '../../files/scenario-file.ts'
import { fileText } from '../../parsers.ts'

const FLAGS = {
  from: requiredFlag('FOLDER', fileText, 'Folder or archive with a folder per device'),
  traffic: trafficFlag('Traffic: incast:N, permutation:LOAD, all-reduce:SIZE or storm:HOST [default = incast:8]'),
  out: fileFlag('FILE', 'Scenario file to write'),
  force: givenFlag('Replace an existing file'),
  json: givenFlag('Print one JSON object'),
}
type ScenarioFlags = FlagsOf<typeof FLAGS>

export const scenarioCommand = command({
  brief: 'Make a scenario from files of real hosts and switches',
  about: [
    'FOLDER has a folder per device, or is an archive, as for rocelab doctor. The scenario has the links with rates and lengths, lossless classes,',
    'maps of DSCPs, buffers, ECN, schedulers, watchdogs, MTUs, timeouts and rate control of the files, with their mistakes.',
    'It is printed, or written with --out. Standard error says of each value whether it was taken from a file (and which',
    'line), is the default of a device, was assumed, or was left out. With --json standard output is one object:',
    'schemaVersion 1, scenario (its text, or the file of --out), names (which device is which) and page.',
    'Files tell no traffic: --traffic gives it. incast:8 has eight hosts send to one, and each host receive once;',
    'permutation:0.6 loads each host with 60 %; all-reduce:64MiB has all hosts reduce a buffer as NCCL does, by the',
    'environment of the job; storm:gpu7 has the NIC of gpu7 pause without end for a time.',
    '',
    'Examples:',
    '  rocelab scenario --from collected --out fabric.yaml',
    '  rocelab scenario --from collected --traffic storm:gpu7 | rocelab run -',
  ],
  flags: FLAGS,
  run: makeScenario,
})

async function makeScenario(this: Context, flags: ScenarioFlags): Promise<void> {
  const { from, traffic = STANDARD_TRAFFIC, out } = flags
  const collected = await collectedInput(this.directory, from)
  const fabric = collectedFabric(collected, from, this.terminal)
  const made = fabricScenario(fabric, { name: collected.name, traffic, concerned: [], asicOf })
  const scenario = scenarioOf(made.scenario)
  // Mistakes that only the network shows.
  createSimulation(scenario).close()
  const names = namesText(made.names)
  const { stdout, stderr } = this.process
  if (out !== undefined) writeScenario(this.directory, out, scenario, { head: names, force: flags.force === true })
  const text = out === undefined ? wholeScenarioText(scenario, names) : null
  if (flags.json === true) {
    const { page } = made
    stdout.write(`${JSON.stringify({ schemaVersion: 1, scenario: text ?? out, names: made.names, page })}\n`)
    return
  }
  if (text !== null) stdout.write(text)
  stderr.write(pageText(made.page, this.text))
}
