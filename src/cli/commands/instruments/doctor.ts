/**
 * doctor FOLDER: real files of hosts and switches, rules on both ends of each link, and what to do.
 */
import {
  byForm,
  diagnosisJson,
  diagnosisText,
  type ShownDiagnosis,
  undecidedText,
  waivedText,
} from '../../../doctor/answers/diagnosis-text.ts'
import { headroomNeed } from '../../../doctor/platforms/headroom-need.ts'
import { doctorPage } from '../../../doctor/answers/page/doctor-page.ts'
import { trialJson, trialText } from '../../../doctor/answers/trial-text.ts'
import { inputError } from '../../../core/base/issue.ts'
import { isAtLeast, sarifLog, SEVERITIES, suppress, type Unjudged } from '../../../core/findings/index.ts'
import { causesOf, diagnose, withCures } from '../../../doctor/index.ts'
import { command, type FlagsOf } from '../../command.ts'
import { choiceFlag, choicesFlag, fileFlag, givenFlag, valueFlag, trafficFlag } from '../../flags.ts'
import type { Context } from '../../context.ts'
import { collectedFabric } from '../../doctor/collected-fabric.ts'
import { type CollectedFolder, collectedInput } from '../../doctor/collected-folder.ts'
import { printCommands } from '../../doctor/print-commands.ts'
import { redactFolder } from '../../doctor/redact-folder.ts'
import { planTrial, readWanted, runTrial } from '../../doctor/trial.ts'
import { EXIT_FINDINGS } from '../../failure.ts'
import { writeText } from '../../files/files.ts'
import { readSuppressionsFile } from '../../instruments/suppressions-file.ts'
import { fileText } from '../../parsers.ts'
import { pageAssets } from '../../report/page-assets.ts'
import { isReport } from '../../report/site-folder.ts'

/** Beside severities: rules that could not be asked for want of files. */
const UNJUDGED = 'unjudged'
const FORMATS = ['text', 'json', 'sarif', 'html', 'sh'] as const

export const DOCTOR_BRIEF =
  'Read files of real hosts and switches, and say what is wrong with the fabric and what to do'
export const DOCTOR_DESCRIPTION = [
  'FOLDER has a folder per device, whose name is the device, with files as they were collected: outputs of mlnx_qos, dcb,',
  'ethtool, rdma, lldpcli, sysfs and the environment of jobs; configurations and outputs of SONiC, NX-OS, EOS, Junos,',
  'Cumulus Linux (NVUE) and OS10. They are known by their content. edges.csv (device_a, port_a, device_b, port_b, cable_m)',
  'lists the links; without it LLDP tells. collected.tsv (path, time, command) has the times of the files. Folders of sites may',
  'stand above those of devices, or files of several devices in one folder, if they say whose they are. The folder may be an',
  'archive (tar, zip), and archives and packed files (gzip, xz) in it are opened; nothing is unpacked to disk.',
  'Every rule fires, holds, or cannot tell because a file is missing, which is said. Findings that follow from others stand',
  'under them. Nothing leaves the machine.',
  'With --try the fabric is simulated as it is and with the remedy of a finding, from the same seeds, and both are shown',
  'side by side: completion times, drops, pauses (rocelab scenario makes the scenario of such a run).',
  '',
  '--collect prints the commands to collect, of all languages or of those that are named; --format sh as a script for hosts.',
  '--redact writes a copy to give away: names, addresses and free text are replaced, and the diagnosis stays the same.',
  '',
  'Examples:',
  '  rocelab doctor collected',
  '  rocelab doctor collected --fail-on error --suppress accepted.yaml',
  '  rocelab doctor collected --format sarif > findings.sarif',
  '  rocelab doctor collected.tar.gz --format html --out fabric.html',
  '  rocelab doctor --collect sonic mlnx_qos',
  '  rocelab doctor collected --redact to-share',
  '  rocelab doctor collected --try pfc01@gpu2:eth2',
]

const FLAGS = {
  format: choiceFlag(FORMATS, 'Form of the answer, text by default'),
  failOn: choicesFlag(
    [UNJUDGED, ...SEVERITIES],
    'Exit with 3 if there is a finding of this severity or a worse one, error by default; unjudged: or a rule that could not be judged',
  ),
  suppress: fileFlag(
    'FILE',
    'Leave out the findings, and rules without a judgement, that a file lists, each with a reason',
  ),
  out: fileFlag('FILE', 'Write the answer to a file'),
  collect: givenFlag('Print the commands to collect, of the languages that are named'),
  redact: fileFlag('DIR', 'Write a copy without names, addresses and free text to a new folder'),
  redactMap: fileFlag('FILE', 'With --redact: what stands for what, to be kept'),
  try: valueFlag(
    'FINDING',
    readWanted,
    'Simulate with and without the remedy of a finding: RULE, RULE@DEVICE or RULE@DEVICE:PORT',
  ),
  traffic: trafficFlag(
    'With --try: incast:N, permutation:LOAD, all-reduce:SIZE or storm:HOST [default = incast:8; storm for wd rules]',
  ),
}
type DoctorFlags = FlagsOf<typeof FLAGS>

export const doctor = command({
  brief: DOCTOR_BRIEF,
  about: DOCTOR_DESCRIPTION,
  manyArgs: { brief: 'Folder or archive with a folder per device', placeholder: 'FOLDER', parse: fileText },
  flags: FLAGS,
  run: answer,
})

async function answer(this: Context, flags: DoctorFlags, ...names: string[]): Promise<void> {
  const { format = 'text' } = flags
  if (flags.collect === true) return printCommands(this, format, names)
  const [folder] = names
  if (folder === undefined || names.length > 1)
    throw inputError('FOLDER', 'one folder or archive', names.length === 0 ? 'none' : names.join(' '))
  if (format === 'sh') throw inputError('--format', 'text, json, sarif or html without --collect', format)
  const collected = await collectedInput(this.directory, folder)
  if (flags.redact !== undefined) {
    const map = flags.redactMap === undefined ? {} : { map: flags.redactMap }
    return redactFolder(this, collected, { input: folder, out: flags.redact, ...map }, format === 'json')
  }
  if (flags.redactMap !== undefined) throw inputError('--redact-map', '--redact besides', 'none')
  if (flags.traffic !== undefined && flags.try === undefined) throw inputError('--traffic', '--try FINDING', 'no --try')
  await diagnoseCollected(this, flags, folder, collected)
}

async function diagnoseCollected(
  context: Context,
  flags: DoctorFlags,
  folder: string,
  collected: CollectedFolder,
): Promise<void> {
  const { format = 'text', failOn = [], out } = flags
  const accepted = flags.suppress === undefined ? [] : readSuppressionsFile(context.directory, flags.suppress)
  const fabric = collectedFabric(collected, folder, context.terminal)
  const diagnosis = diagnose({ fabric, headroomNeed })
  if (flags.try !== undefined) {
    if (format !== 'text' && format !== 'json') throw inputError('--format', 'text or json with --try', format)
    const trial = await runTrial(context, planTrial({ fabric, headroomNeed }, diagnosis, flags.try, flags.traffic))
    if (trial === null) return
    context.process.stdout.write(
      format === 'json' ? `${JSON.stringify(trialJson(trial))}\n` : trialText(trial, context.text),
    )
    return
  }
  const today = new Date().toISOString().slice(0, 10)
  const { left, undecided, ...rest } = suppress(diagnosis.findings, accepted, today, diagnosis.missing)
  const findings = withCures({ fabric, headroomNeed }, left, causesOf(left, fabric))
  const shown = {
    ...diagnosis,
    ...rest,
    findings,
    missing: undecided,
    causes: causesOf(findings, fabric),
    fabric,
    unreadable: collected.unreadable,
    skipped: collected.skipped,
  }
  const text =
    format === 'json'
      ? `${JSON.stringify(diagnosisJson(shown))}\n`
      : format === 'sarif'
        ? `${JSON.stringify(sarifLog(findings, shown.suppressed, folder, unjudgedOf(shown)))}\n`
        : format === 'html'
          ? doctorPage({ shown, name: collected.name, textOf: (file) => collected.text(file) }, pageAssets())
          : diagnosisText(shown, context.text)
  if (out === undefined) context.process.stdout.write(text)
  else writeText(context.directory, out, text, { force: false, isOurs: isReport })
  const least = SEVERITIES.find((severity) => failOn.includes(severity)) ?? 'error'
  const isUnjudged = failOn.includes(UNJUDGED) && shown.missing.length > 0
  if (isUnjudged || left.some(({ severity }) => isAtLeast(severity, least))) context.process.exitCode = EXIT_FINDINGS
}

/** Rules without a judgement, those that are accepted by their reason. */
function unjudgedOf({ missing, waived }: ShownDiagnosis): Unjudged[] {
  const open = byForm(missing).map((each) => ({ rules: each.rules, text: `cannot tell ${undecidedText(each)}` }))
  const accepted = [...new Set(waived.map(({ reason }) => reason))].map((reason) => {
    const own = waived.filter((each) => each.reason === reason)
    const rules = [...new Set(own.map(({ rule }) => rule))]
    return { rules, text: `cannot tell ${waivedText(own)}, which is accepted`, reason }
  })
  return [...open, ...accepted]
}
