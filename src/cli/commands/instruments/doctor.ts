/**
 * doctor FOLDER: real files of hosts and switches, rules on both ends of each link, and what to do.
 */
import { buildCommand } from '@stricli/core'
import { diagnosisJson, diagnosisText } from '../../../advice/doctor/diagnosis-text.ts'
import { headroomNeed } from '../../../advice/doctor/headroom-need.ts'
import { trialJson, trialText } from '../../../advice/doctor/trial-text.ts'
import { inputError } from '../../../base/issue.ts'
import { isAtLeast, sarifLog, SEVERITIES, type Severity, suppress } from '../../../findings/index.ts'
import type { Traffic } from '../../../importers/fabric/index.ts'
import { causesOf, diagnose, fabricOf } from '../../../ops/index.ts'
import type { Context } from '../../context.ts'
import { collectedFolder } from '../../doctor/collected-folder.ts'
import { trafficFlag } from '../../doctor/traffic-flag.ts'
import { planTrial, readWanted, runTrial, type Wanted } from '../../doctor/trial.ts'
import { EXIT_FINDINGS, guarded } from '../../failure.ts'
import { readSuppressionsFile } from '../../files/suppressions-file.ts'
import { fileText } from '../../parsers.ts'

const FORMATS = ['text', 'json', 'sarif'] as const

interface DoctorFlags {
  readonly format?: (typeof FORMATS)[number]
  readonly failOn?: Severity
  readonly suppress?: string
  readonly try?: Wanted
  readonly traffic?: Traffic
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
      'With --try the fabric is simulated as it is and with the remedy of a finding, from the same seeds, and both are shown',
      'side by side: completion times, drops, pauses (rocelab scenario makes the scenario of such a run).',
      '',
      'Examples:',
      '  rocelab doctor collected',
      '  rocelab doctor collected --fail-on error --suppress accepted.yaml',
      '  rocelab doctor collected --format sarif > findings.sarif',
      '  rocelab doctor collected --try pfc01@gpu2:eth2',
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
      try: {
        kind: 'parsed',
        parse: readWanted,
        optional: true,
        placeholder: 'FINDING',
        brief: 'Simulate with and without the remedy of a finding: RULE, RULE@DEVICE or RULE@DEVICE:PORT',
      },
      traffic: trafficFlag(
        'With --try: incast:N, permutation:LOAD or storm:HOST [default = incast:8; storm for wd rules]',
      ),
    },
  },
  func: guarded(diagnoseFolder),
})

async function diagnoseFolder(this: Context, flags: DoctorFlags, folder: string): Promise<void> {
  const { format = 'text', failOn = 'error', traffic } = flags
  if (traffic !== undefined && flags.try === undefined) throw inputError('--traffic', '--try FINDING', 'no --try')
  if (flags.try !== undefined && format === 'sarif') throw inputError('--format', 'text or json with --try', format)
  const accepted = flags.suppress === undefined ? [] : readSuppressionsFile(this.directory, flags.suppress)
  const collected = collectedFolder(this.directory, folder)
  const fabric = fabricOf(collected.files(), collected.edges)
  const diagnosis = diagnose({ fabric, headroomNeed })
  if (flags.try !== undefined) {
    const trial = await runTrial(this, planTrial({ fabric, headroomNeed }, diagnosis, flags.try, traffic))
    if (trial !== null) {
      const text = format === 'json' ? `${JSON.stringify(trialJson(trial))}\n` : trialText(trial, this.text)
      this.process.stdout.write(text)
    }
    return
  }
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
