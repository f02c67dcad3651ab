/**
 * headroom [FILE]: headroom that a port needs, in the simulation and on hardware, as sums of named terms.
 */
import { inputError } from '../../core/base/issue.ts'
import { formatQuantity, parseQuantity } from '../../core/base/units.ts'
import { headroomText } from '../../lab/advice/headroom-text.ts'
import { LINK_PS_PER_METRE, FAMILY_NAMES, type FamilyName } from '../../core/fabric/index.ts'
import { headroomPlan, topologyOf } from '../../lab/index.ts'
import { command, type FlagsOf } from '../command.ts'
import { givenFlag, setFlag, valueFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { located, openScenario, readScenario, type ScenarioFile } from '../files/scenario-file.ts'
import { fileText, parser, quantity, wholeNumber, wordOf } from '../parsers.ts'

/** "TH5" is th5. */
const familyNamed = (input: string): FamilyName => wordOf(FAMILY_NAMES)(input.toLowerCase())

/** "100G" is 100Gbps. */
const rateOf = parser('a rate from 1Mbps to 10Tbps, such as 400Gbps', (input) => {
  const bps = parseQuantity('rate', /^[\d.]+\s?[MGT]$/i.test(input) ? `${input.toUpperCase()}bps` : input)
  return bps !== undefined && bps >= 1e6 && bps <= 1e13 ? bps : undefined
})

/** Longest cable, metres: the storage networks between sites. */
const METRES_MAX = 1_000_000

/** The one-way delay of a cable, picoseconds, by its length: metres where it has no unit. */
const lengthOf = parser('a length up to 1000km, such as 300m, 2km or 300 (metres)', (input) => {
  const [, digits = '', kilo] = /^(\d{1,7}(?:\.\d{1,3})?)\s?(?:(k?)m)?$/.exec(input) ?? []
  const metres = Number(digits) * (kilo === 'k' ? 1000 : 1)
  return digits !== '' && metres <= METRES_MAX ? Math.round(metres * LINK_PS_PER_METRE) : undefined
})

const FLAGS = {
  rate: valueFlag('RATE', rateOf, 'Rate of the port: 400Gbps'),
  length: valueFlag('LENGTH', lengthOf, 'Length of its cable: 300m, 2km, or metres'),
  mtu: valueFlag(
    'SIZE',
    quantity('size', 128, 9294, 'a size from 128B to 9294B, such as 1102B'),
    'Longest lossless frame, as the switch counts it [default = 1102B, 1024 of payload]',
  ),
  classes: valueFlag('N', wholeNumber(1, 8), 'Lossless classes [default = 1]'),
  family: valueFlag('NAME', familyNamed, `Switch family: ${FAMILY_NAMES.join(', ')}`),
  set: setFlag('Change a parameter; may be repeated'),
  json: givenFlag('Print JSON'),
}
type HeadroomFlags = FlagsOf<typeof FLAGS>

export const headroom = command({
  brief: 'Print the headroom that a port needs, in the simulation and on hardware, term by term',
  about: [
    'For one port, given by --rate and --length, or for each kind of port of the switches of FILE. Two sums: the most bytes',
    'that the simulated parts can send after XOFF, and what hardware of a family needs, with the reaction time of its',
    'peer, its cells and its own terms. The sums, their sources and how far they can be trusted: docs/models/headroom.md.',
    '',
    'Examples:',
    '  rocelab headroom --rate 400Gbps --length 300m --family spc4',
    '  rocelab headroom --rate 100Gbps --length 40m --mtu 4174B --classes 2 --set pfc.reactionTime=500ns',
    '  rocelab headroom scenarios/incast-pfc.yaml --family th5 --json',
  ],
  usage: ['--rate RATE --length LENGTH [--family NAME] [...]', '[--family NAME] [--set PATH=VALUE] [...] FILE'],
  manyArgs: { brief: 'Scenario; - reads standard input', placeholder: 'FILE', parse: fileText, maximum: 1 },
  flags: FLAGS,
  run: printHeadroom,
})

function printHeadroom(this: Context, flags: HeadroomFlags, ...files: string[]): void {
  const [name] = files
  const file = name === undefined ? fileOf(flags, this.directory) : openNamed(flags, this.directory, name)
  const family = flags.family === undefined ? [] : [`switch.family=${flags.family}`]
  const text = readScenario(file, { sets: [...(flags.set ?? []), ...family] })
  const plan = located(text, () => headroomPlan(text.scenario, topologyOf(text.scenario)))
  if (plan === null)
    throw inputError('pfc.classes', 'a lossless class at some port of a switch', 'none', 'set pfc.classes, such as [3]')
  const { stdout } = this.process
  if (flags.json === true) stdout.write(`${JSON.stringify({ name: text.scenario.name, ports: plan.kinds })}\n`)
  else stdout.write(plan.kinds.map((kind) => headroomText(kind, name !== undefined, this.text)).join('\n'))
}

/** Options that describe a port without a file. */
const OF_PORT = ['rate', 'length', 'mtu', 'classes'] as const

function openNamed(flags: HeadroomFlags, directory: string, name: string): ScenarioFile {
  const given = OF_PORT.find((option) => flags[option] !== undefined)
  if (given === undefined) return openScenario(directory, name)
  throw inputError(`--${given}`, 'either a scenario file or a port', 'both', 'with FILE change it by --set PATH=VALUE')
}

/** Lossless classes, in the order in which they are added. */
const CLASSES = [3, 4, 0, 1, 2, 5, 6, 7]
/** Headers of a WRITE with payload. */
const HEADER_BYTES = 78

/** A scenario with one such port. */
function fileOf({ rate, length, mtu, classes }: HeadroomFlags, directory: string): ScenarioFile {
  if (rate === undefined || length === undefined) {
    const missing = rate === undefined ? '--rate' : '--length'
    const hint = 'for example rocelab headroom --rate 400Gbps --length 300m'
    throw inputError(missing, 'a scenario FILE, or --rate and --length of a port', 'nothing', hint)
  }
  const scenario = {
    name: 'headroom',
    topology: {
      kind: 'star',
      hosts: 2,
      linkRate: formatQuantity('rate', rate),
      linkDelay: formatQuantity('duration', length),
    },
    workload: [{ kind: 'permutation', messageSize: '1KB', messages: 1 }],
    ...(mtu === undefined ? {} : { frames: { payload: `${mtu - HEADER_BYTES}B` } }),
    pfc: { classes: CLASSES.slice(0, classes ?? 1) },
  }
  return { name: 'the options', isFile: false, text: JSON.stringify(scenario), folder: directory, directory }
}
