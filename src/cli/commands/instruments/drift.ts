/**
 * drift DESIRED RUNNING: differences between two configurations, each once; drift RUNNING: devices beside their role.
 */
import { buildCommand } from '@stricli/core'
import { inputError } from '../../../base/issue.ts'
import { type Finding, findingJson, findingLines, isAtLeast, sarifLog, type Severity } from '../../../findings/index.ts'
import { driftOf, roleDriftOf } from '../../../ops/index.ts'
import { textTable } from '../../../report/index.ts'
import type { Context } from '../../context.ts'
import { EXIT_FINDINGS, guarded } from '../../failure.ts'
import { failOnFlag, givenFlag } from '../../flags.ts'
import { snapshotsIn } from '../../instruments/snapshots.ts'
import { fileText } from '../../parsers.ts'

interface DriftFlags {
  readonly failOn?: Severity
  readonly json?: boolean
  readonly sarif?: boolean
}

export const drift = buildCommand<DriftFlags, [string, string?], Context>({
  docs: {
    brief: 'Compare running configurations with desired ones, or devices with those of their role',
    fullDescription: [
      'DESIRED and RUNNING are scenario files. Each difference between their devices is named once, with both values and the',
      'consequence, at all its ports and devices together; one that begins later with its time. With one file, devices are',
      'compared with most of their role: all leaves are expected to be alike.',
      '',
      'Examples:',
      '  rocelab drift desired.yaml running.yaml',
      '  rocelab drift fabric.yaml --json',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'Scenario as desired, or the only one; - reads standard input',
          placeholder: 'DESIRED',
          parse: fileText,
        },
        { brief: 'Scenario as it runs', placeholder: 'RUNNING', parse: fileText, optional: true },
      ],
    },
    flags: { failOn: failOnFlag, json: givenFlag('Print JSON'), sarif: givenFlag('Print the findings as SARIF') },
  },
  func: guarded(printDrift),
})

function printDrift(this: Context, flags: DriftFlags, first: string, second?: string): void {
  const { json = false, sarif = false, failOn } = flags
  if (json && sarif) throw inputError('--sarif', 'one form of output', '--json besides')
  const findings =
    second === undefined
      ? roleDriftOf(snapshotsIn(this.directory, first))
      : driftOf(snapshotsIn(this.directory, first), snapshotsIn(this.directory, second))
  const { stdout } = this.process
  if (json) stdout.write(`${JSON.stringify({ findings: findings.map((finding) => findingJson(finding)) })}\n`)
  else if (sarif) stdout.write(`${JSON.stringify(sarifLog(findings, [], second ?? first))}\n`)
  else stdout.write(textTable([{ head: '' }, { head: '' }], rowsOf(findings), this.text))
  if (failOn !== undefined && findings.some(({ severity }) => isAtLeast(severity, failOn)))
    this.process.exitCode = EXIT_FINDINGS
}

function rowsOf(findings: readonly Finding[]): string[][] {
  if (findings.length === 0) return [['no drift', '']]
  return findingLines(findings).map(({ severity, text }) => [severity, text])
}
