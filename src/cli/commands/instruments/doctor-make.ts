/**
 * doctor make: a folder of files as somebody would have collected it, drawn from a seed, with mistakes planted in it and a
 * list of them.
 */
import { buildRouteMap } from '@stricli/core'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { headroomNeed } from '../../../doctor/platforms/headroom-need.ts'
import { Draw } from '../../../core/base/draw.ts'
import { InputError, type Issue } from '../../../core/base/issue.ts'
import { counted } from '../../../core/findings/index.ts'
import {
  edgesText,
  expectedText,
  type Fault,
  FAULTS,
  HOST_LANGUAGES,
  makeFolder as drawFolder,
  SWITCH_LANGUAGES,
} from '../../../doctor/index.ts'
import { factsTable } from '../../../show/index.ts'
import { command, type FlagsOf } from '../../command.ts'
import { seedFlag, valueFlag } from '../../flags.ts'
import type { Context } from '../../context.ts'
import { doctor, DOCTOR_BRIEF, DOCTOR_DESCRIPTION } from './doctor.ts'
import { makeFolder } from '../../files/folders.ts'
import { fillNewFolder } from '../../doctor/new-folder.ts'
import { anyText, fileText, wholeNumber } from '../../parsers.ts'

const HOSTS = 8
const HOSTS_MAX = 5000

const FLAGS = {
  seed: { ...seedFlag, brief: 'Seed [default = 1]' },
  hosts: valueFlag('N', wholeNumber(2, HOSTS_MAX), `Number of hosts [default = ${HOSTS}]`),
  languages: valueFlag('NAME,...', anyText, 'Languages of devices [default = all]'),
  faults: valueFlag('N|RULE,...', anyText, 'Number of mistakes, or rules that are to find one each [default = 0]'),
}
type MakeFlags = FlagsOf<typeof FLAGS>

export const doctorMake = command({
  brief: 'Draw a fabric from a seed, as files with known mistakes: to learn, or to test a doctor',
  about: [
    'DIR is a new folder with a folder per device, edges.csv, and expected.tsv: which rule is to find each mistake, at one of',
    'which ports. Hosts and switches have the languages that are named, drawn per device.',
    `Languages of switches: ${SWITCH_LANGUAGES.join(', ')}; of hosts: ${HOST_LANGUAGES.join(', ')}.`,
    `Rules with mistakes to plant: ${[...new Set(FAULTS.map(({ rule }) => rule))].join(', ')}.`,
    '',
    'Examples:',
    '  rocelab doctor make practice --seed 7 --faults 3',
    '  rocelab doctor make practice --hosts 32 --languages sonic,eos,mlnx_qos --faults pfc01,buf01',
  ],
  args: [{ brief: 'New folder', placeholder: 'DIR', parse: fileText }],
  flags: FLAGS,
  run: makeFabric,
})

function makeFabric(this: Context, flags: MakeFlags, out: string): void {
  const { seed = 1, hosts = HOSTS } = flags
  const issues: Issue[] = []
  const named = languagesIn(flags.languages, issues)
  const faults = faultsIn(flags.faults, seed, issues)
  if (issues.length > 0) throw new InputError(issues)
  const made = drawFolder({ seed, hosts, ...named, faults, headroomNeed })
  fillNewFolder(this.directory, out, 'DIR', (folder) => {
    for (const { file, text } of made.files) {
      makeFolder(path.dirname(path.join(folder, file)))
      writeFileSync(path.join(folder, file), text)
    }
    writeFileSync(path.join(folder, 'edges.csv'), edgesText(made))
    writeFileSync(path.join(folder, 'expected.tsv'), expectedText(made))
  })
  const devices = new Set(made.files.map(({ file }) => path.dirname(file))).size
  const left = faults.length - made.expected.length
  this.process.stdout.write(
    factsTable(
      [
        ['made', `${counted(devices, 'device')}, ${counted(made.edges.length, 'link')}: ${out}`],
        ['planted', `${counted(made.expected.length, 'mistake')}, listed in ${path.join(out, 'expected.tsv')}`],
        ...(left === 0 ? [] : [['left out', `${counted(left, 'mistake')} that this fabric has no room for`]]),
      ],
      this.text,
    ),
  )
}

/** Languages by kind of device; all where none of a kind is named. */
function languagesIn(
  text: string | undefined,
  issues: Issue[],
): { readonly languages: readonly string[]; readonly hostLanguages: readonly string[] } {
  const names = text?.split(',').map((name) => name.trim()) ?? []
  for (const name of names)
    if (!SWITCH_LANGUAGES.includes(name) && !HOST_LANGUAGES.includes(name))
      issues.push({
        path: '--languages',
        expected: `some of ${[...SWITCH_LANGUAGES, ...HOST_LANGUAGES].join(', ')}`,
        received: name,
        hint: '',
      })
  const [switches, hosts] = [SWITCH_LANGUAGES, HOST_LANGUAGES].map((all) => {
    const own = all.filter((name) => names.includes(name))
    return own.length > 0 ? own : all
  })
  return { languages: switches!, hostLanguages: hosts! }
}

/** A mistake for each rule that is named, or that number of mistakes of different rules, as the seed has it. */
function faultsIn(text: string | undefined, seed: number, issues: Issue[]): Fault[] {
  if (text === undefined) return []
  const rules = [...new Set(FAULTS.map(({ rule }) => rule))]
  const ofRule = (rule: string): Fault => {
    const own = FAULTS.filter((fault) => fault.rule === rule)
    return own[seed % own.length]!
  }
  if (/^\d{1,3}$/.test(text))
    return new Draw(seed, 'make/faults').some(rules, Math.min(Number(text), rules.length)).map(ofRule)
  const names = text.split(',').map((name) => name.trim().toLowerCase())
  for (const name of names)
    if (!rules.includes(name))
      issues.push({ path: '--faults', expected: `a number, or some of ${rules.join(', ')}`, received: name, hint: '' })
  return names.filter((name) => rules.includes(name)).map(ofRule)
}

/** `doctor FOLDER`, and `doctor make DIR`. */
export const doctorRoutes = buildRouteMap({
  routes: { folder: doctor, make: doctorMake },
  defaultCommand: 'folder',
  docs: { brief: DOCTOR_BRIEF, fullDescription: DOCTOR_DESCRIPTION.join('\n') },
})
