/**
 * locate RESULT|FOLDER: where pauses and losses come from, by counters and edges alone.
 */
import { inputError } from '../../../core/base/issue.ts'
import { findingJson, sarifLog } from '../../../core/findings/index.ts'
import { findingsOf, locate, locatedText, settingsOf } from '../../../doctor/index.ts'
import { command, type FlagsOf } from '../../command.ts'
import { failOnFlag, fileFlag, givenFlag, sarifFlag } from '../../flags.ts'
import type { Context } from '../../context.ts'
import { endOnFindings } from '../../failure.ts'
import { instrumentInput, tooFewReadings } from '../../instruments/instrument-input.ts'
import { snapshotsIn } from '../../instruments/snapshots.ts'
import { fileText } from '../../parsers.ts'

const FLAGS = {
  all: givenFlag('Print all origins, not only the first 8 groups of them'),
  config: fileFlag('FILE', 'Scenario with the configurations of the devices, which tell an alpha from an incast'),
  failOn: failOnFlag,
  json: givenFlag('Print JSON'),
  sarif: sarifFlag,
}
type LocateFlags = FlagsOf<typeof FLAGS>

export const locateCommand = command({
  brief: 'Locate the origin of pauses and losses from counters alone',
  about: [
    'FOLDER holds edges.csv (device_a, port_a, device_b, port_b, cable_m) and counters.csv (device, port, priority, name,',
    'value, time_ns; unit, kind and bits where they are known), with at least two readings of a device. A result that was',
    'run with the observer counters has both; nothing else of it is read.',
    'Names origins with what held whom, the numbers, the confidence, and what would raise it. Those of low confidence are',
    'a list of what may be. Those of one kind at devices of one tier are one block.',
    '',
    'Examples:',
    '  rocelab locate results/incident-s1-0123abcd',
    '  rocelab locate collected --fail-on warning',
    '  rocelab locate collected --json',
  ],
  args: [
    { brief: 'Result folder, or a folder with edges.csv and counters.csv', placeholder: 'FOLDER', parse: fileText },
  ],
  flags: FLAGS,
  run: locateIn,
})

async function locateIn(this: Context, flags: LocateFlags, folder: string): Promise<void> {
  const { all: isWhole = false, json: isJson = false, sarif: isSarif = false, config } = flags
  if (isJson && isSarif) throw inputError('--sarif', 'one form of output', '--json besides')
  const { edges, readings, file } = await instrumentInput(this.directory, folder)
  const settings = config === undefined ? [] : settingsOf(await snapshotsIn(this.directory, config))
  const located = locate(edges, readings, settings)
  const linked = new Set(edges.flatMap(({ deviceA, deviceB }) => [deviceA, deviceB]))
  if (located.unheard.length === linked.size) throw tooFewReadings(folder, 'a device that has a link')
  const findings = findingsOf(located)
  const printed = isSarif
    ? sarifLog(findings, [], file)
    : { schemaVersion: 1, ...located, findings: findings.map((finding) => findingJson(finding)) }
  this.process.stdout.write(isJson || isSarif ? `${JSON.stringify(printed)}\n` : locatedText(located, isWhole))
  endOnFindings(this, flags.failOn, findings)
}
