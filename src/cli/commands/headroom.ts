/**
 * headroom [FILE]: headroom that a port needs, in the simulation and on hardware, as sums of named terms.
 */
import { buildCommand } from '@stricli/core'
import { inputError } from '../../base/issue.ts'
import { formatQuantity, parseQuantity } from '../../base/units.ts'
import { headroomText } from '../../advice/headroom-text.ts'
import { LINK_PS_PER_METRE, FAMILY_NAMES, type FamilyName } from '../../fabric/index.ts'
import { headroomPlan, topologyOf } from '../../lab/index.ts'
import type { Context } from '../context.ts'
import { guarded } from '../failure.ts'
import { located, openScenario, readScenario, type ScenarioFile } from '../files/scenario-file.ts'
import { givenFlag, setFlag } from '../flags.ts'
import { fileText, wholeNumber } from '../parsers.ts'

interface HeadroomFlags {
  readonly rate?: number
  readonly length?: number
  readonly mtu?: number
  readonly classes?: number
  readonly family?: FamilyName
  readonly set?: readonly string[]
  readonly json?: boolean
}

export const headroom = buildCommand<HeadroomFlags, string[], Context>({
  docs: {
    brief: 'Print the headroom that a port needs, in the simulation and on hardware, term by term',
    fullDescription: [
      'For one port, given by --rate and --length, or for each kind of port of the switches of FILE. Two sums: the most bytes',
      'that the simulated parts can send after XOFF, and what hardware of a family needs, with the reaction time of its',
      'peer, its cells and its own terms. The sums, their sources and how far they can be trusted: docs/models/headroom.md.',
      '',
      'Examples:',
      '  rocelab headroom --rate 400Gbps --length 300m --family spc4',
      '  rocelab headroom --rate 100Gbps --length 40m --mtu 4174B --classes 2 --set pfc.reactionTime=500ns',
      '  rocelab headroom scenarios/incast-pfc.yaml --family th5 --json',
    ].join('\n'),
    customUsage: ['--rate RATE --length LENGTH [--family NAME] [...]', '[--family NAME] [--set PATH=VALUE] [...] FILE'],
  },
  parameters: {
    positional: {
      kind: 'array',
      maximum: 1,
      parameter: { brief: 'Scenario; - reads standard input', placeholder: 'FILE', parse: fileText },
    },
    flags: {
      rate: { kind: 'parsed', parse: rateOf, optional: true, placeholder: 'RATE', brief: 'Rate of the port: 400Gbps' },
      length: {
        kind: 'parsed',
        parse: lengthOf,
        optional: true,
        placeholder: 'LENGTH',
        brief: 'Length of its cable: 300m, 2km, or metres',
      },
      mtu: {
        kind: 'parsed',
        parse: mtuOf,
        optional: true,
        placeholder: 'SIZE',
        brief: 'Longest lossless frame, as the switch counts it [default = 1102B, 1024 of payload]',
      },
      classes: {
        kind: 'parsed',
        parse: wholeNumber(1, 8),
        optional: true,
        placeholder: 'N',
        brief: 'Lossless classes [default = 1]',
      },
      family: {
        kind: 'parsed',
        parse: familyNamed,
        optional: true,
        placeholder: 'NAME',
        brief: `Switch family: ${FAMILY_NAMES.join(', ')}`,
      },
      set: setFlag('Change a parameter; may be repeated'),
      json: givenFlag('Print JSON'),
    },
  },
  func: guarded(printHeadroom),
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

/** "TH5" is th5. */
function familyNamed(input: string): FamilyName {
  const name = FAMILY_NAMES.find((each) => each === input.toLowerCase())
  if (name !== undefined) return name
  throw new Error(`expected one of ${FAMILY_NAMES.join(', ')}, received ${JSON.stringify(input)}`)
}

/** "100G" is 100Gbps. */
function rateOf(input: string): number {
  const bps = parseQuantity('rate', /^[\d.]+\s?[MGT]$/i.test(input) ? `${input.toUpperCase()}bps` : input)
  if (bps !== undefined && bps >= 1e6 && bps <= 1e13) return bps
  throw new Error(`expected a rate from 1Mbps to 10Tbps, such as 400Gbps, received ${JSON.stringify(input)}`)
}

/** Longest cable, metres: the storage networks between sites. */
const METRES_MAX = 1_000_000

/** Metres where it has no unit. @returns its one-way delay, picoseconds */
function lengthOf(input: string): number {
  const [, digits = '', kilo] = /^(\d{1,7}(?:\.\d{1,3})?)\s?(?:(k?)m)?$/.exec(input) ?? []
  const metres = Number(digits) * (kilo === 'k' ? 1000 : 1)
  if (digits !== '' && metres <= METRES_MAX) return Math.round(metres * LINK_PS_PER_METRE)
  throw new Error(
    `expected a length up to 1000km, such as 300m, 2km or 300 (metres), received ${JSON.stringify(input)}`,
  )
}

function mtuOf(input: string): number {
  const bytes = parseQuantity('size', input)
  if (bytes !== undefined && bytes >= 128 && bytes <= 9294) return bytes
  throw new Error(`expected a size from 128B to 9294B, such as 1102B, received ${JSON.stringify(input)}`)
}
