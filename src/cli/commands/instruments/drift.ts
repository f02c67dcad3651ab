/**
 * drift DESIRED RUNNING: differences between two configurations, each once; drift RUNNING: devices beside their role.
 */
import { inputError } from '../../../core/base/issue.ts'
import { type Finding, findingJson, findingLines, sarifLog } from '../../../core/findings/index.ts'
import { driftOf, roleDriftOf } from '../../../doctor/index.ts'
import { factsTable } from '../../../show/index.ts'
import { command, type FlagsOf } from '../../command.ts'
import { failOnFlag, givenFlag, sarifFlag } from '../../flags.ts'
import type { Context } from '../../context.ts'
import { endOnFindings } from '../../failure.ts'
import { snapshotsIn } from '../../instruments/snapshots.ts'
import { fileText } from '../../parsers.ts'

const FLAGS = { failOn: failOnFlag, json: givenFlag('Print JSON'), sarif: sarifFlag }
type DriftFlags = FlagsOf<typeof FLAGS>

export const drift = command({
  brief: 'Compare running configurations with desired ones, or devices with those of their role',
  about: [
    'DESIRED and RUNNING are scenario files, or folders with a folder per device or archives of such, as doctor reads them. Each difference',
    'between their devices is named once, with both values and the consequence, at all its ports and devices together; one',
    'that begins later with its time, one in a file with its line. Values are compared by what they mean: another name of',
    'a map, another order or another language of the same settings is no drift, and what a file does not say is none.',
    'With one of them, devices are compared with most of their role: all leaves are expected to be alike.',
    '',
    'Examples:',
    '  rocelab drift desired.yaml running.yaml',
    '  rocelab drift fabric.yaml --json',
    '  rocelab drift collected-in-may collected --fail-on error',
  ],
  args: [
    {
      brief: 'Scenario, folder or archive as desired, or the only one; - reads a scenario from standard input',
      placeholder: 'DESIRED',
      parse: fileText,
    },
    { brief: 'Scenario, folder or archive as it runs', placeholder: 'RUNNING', parse: fileText, optional: true },
  ],
  flags: FLAGS,
  run: printDrift,
})

async function printDrift(this: Context, flags: DriftFlags, first: string, second?: string): Promise<void> {
  const { json = false, sarif = false } = flags
  if (json && sarif) throw inputError('--sarif', 'one form of output', '--json besides')
  const snapshots = await snapshotsIn(this.directory, first)
  const findings =
    second === undefined ? roleDriftOf(snapshots) : driftOf(snapshots, await snapshotsIn(this.directory, second))
  const { stdout } = this.process
  if (json) stdout.write(`${JSON.stringify({ findings: findings.map((finding) => findingJson(finding)) })}\n`)
  else if (sarif) stdout.write(`${JSON.stringify(sarifLog(findings, [], second ?? first))}\n`)
  else stdout.write(factsTable(rowsOf(findings), this.text))
  endOnFindings(this, flags.failOn, findings)
}

function rowsOf(findings: readonly Finding[]): string[][] {
  if (findings.length === 0) return [['no drift', '']]
  return findingLines(findings).map(({ severity, text }) => [severity, text])
}
