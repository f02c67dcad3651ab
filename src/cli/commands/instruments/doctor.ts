/**
 * doctor FOLDER: real files of hosts and switches, rules on both ends of each link, and what to do.
 */
import { buildCommand } from '@stricli/core'
import { diagnosisJson, diagnosisText } from '../../../advice/doctor/diagnosis-text.ts'
import { headroomNeed } from '../../../advice/doctor/headroom-need.ts'
import { isAtLeast, sarifLog, SEVERITIES, type Severity, suppress } from '../../../findings/index.ts'
import { causesOf, diagnose, fabricOf } from '../../../ops/index.ts'
import type { Context } from '../../context.ts'
import { collectedFolder } from '../../doctor/collected-folder.ts'
import { EXIT_FINDINGS, guarded } from '../../failure.ts'
import { readSuppressionsFile } from '../../files/suppressions-file.ts'
import { fileText } from '../../parsers.ts'

const FORMATS = ['text', 'json', 'sarif'] as const

interface DoctorFlags {
  readonly format?: (typeof FORMATS)[number]
  readonly failOn?: Severity
  readonly suppress?: string
}

export const doctor = buildCommand<DoctorFlags, [string], Context>({
  docs: {
    brief: 'Read files of real hosts and switches, and say what is wrong with the fabric and what to do',
    fullDescription: [
      'FOLDER has a folder per device, whose name is the device, with files as they were collected: outputs of mlnx_qos, dcb,',
      'ethtool, rdma, lldpcli, sysfs and the environment of jobs; configurations and outputs of SONiC, NX-OS, EOS, Junos,',
      'Cumulus Linux (NVUE) and OS10. They are known by their content. edges.csv (device_a, port_a, device_b, port_b, cable_m)',
      'lists the links; without it LLDP tells. collected.tsv (path, time, command) has the times of the files.',
      'Every rule fires, holds, or cannot tell because a file is missing, which is said. Findings that follow from others stand',
      'under them. Nothing leaves the machine.',
      '',
      'Examples:',
      '  rocelab doctor collected',
      '  rocelab doctor collected --fail-on error --suppress accepted.yaml',
      '  rocelab doctor collected --format sarif > findings.sarif',
    ].join('\n'),
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Folder with a folder per device', placeholder: 'FOLDER', parse: fileText }],
    },
    flags: {
      format: { kind: 'enum', values: FORMATS, optional: true, brief: 'Form of the answer, text by default' },
      failOn: {
        kind: 'enum',
        values: SEVERITIES,
        optional: true,
        brief: 'Exit with 3 if there is a finding of this severity or a worse one; error by default',
      },
      suppress: {
        kind: 'parsed',
        parse: fileText,
        optional: true,
        placeholder: 'FILE',
        brief: 'Leave out the findings that a file lists, each with a reason',
      },
    },
  },
  func: guarded(diagnoseFolder),
})

function diagnoseFolder(this: Context, flags: DoctorFlags, folder: string): void {
  const { format = 'text', failOn = 'error' } = flags
  const accepted = flags.suppress === undefined ? [] : readSuppressionsFile(this.directory, flags.suppress)
  const collected = collectedFolder(this.directory, folder)
  const fabric = fabricOf(collected.files(), collected.edges)
  const diagnosis = diagnose({ fabric, headroomNeed })
  const { left, suppressed } = suppress(diagnosis.findings, accepted, new Date().toISOString().slice(0, 10))
  const shown = {
    ...diagnosis,
    findings: left,
    causes: causesOf(left, fabric),
    fabric,
    unreadable: collected.unreadable,
  }
  const { stdout } = this.process
  if (format === 'json') stdout.write(`${JSON.stringify(diagnosisJson(shown, suppressed))}\n`)
  else if (format === 'sarif') stdout.write(`${JSON.stringify(sarifLog(left, suppressed, folder))}\n`)
  else stdout.write(diagnosisText(shown, this.text))
  if (left.some(({ severity }) => isAtLeast(severity, failOn))) this.process.exitCode = EXIT_FINDINGS
}
