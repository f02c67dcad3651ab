/**
 * Origins as text for an operator on call: where it comes from, how it spread, the numbers, what to do.
 */
import { escapeControls, shownName } from '../../../core/base/control-characters.ts'
import { humanDuration, humanNumber, humanShare } from '../../../core/base/format.ts'
import { counted } from '../../../core/findings/index.ts'
import { counterNamed } from '../../../core/device-model/index.ts'
import { findingKindOf } from './findings.ts'
import type { OriginGroup } from './groups.ts'
import type { Located } from './locate.ts'
import type { Missing, Origin, OriginKind } from './origin.ts'
import type { Evidence } from './states.ts'

const VICTIMS_SHOWN = 6
const NUMBERS_SHOWN = 8
const DEVICES_SHOWN = 10
const GROUPS_SHOWN = 8
const OTHERS_SHOWN = 4
const LABEL_WIDTH = 10

const KIND_TEXTS: Readonly<Record<OriginKind, string>> = {
  storm: 'pause storm',
  'slow-receiver': 'slow receiver',
  incast: 'incast',
  alpha: 'small alpha',
  'bad-cable': 'bad cable',
  deadlock: 'deadlock',
  'noisy-host': 'noisy host',
  headroom: 'headroom too small',
  reordering: 'reordering',
  oversubscription: 'oversubscription',
  unknown: 'unknown kind',
}

/** @param isWhole all groups, and all origins of each */
export function locatedText(located: Located, isWhole = false): string {
  const { origins, groups, unheard, intervals, intervalNs, fromNs } = located
  const lines = [
    `${counted(intervals, 'interval')} of ${duration(intervalNs)}`,
    ...(unheard.length === 0 ? [] : [`not read twice: ${someOf(unheard, DEVICES_SHOWN)}`]),
    '',
  ]
  const shown = isWhole ? groups : groups.slice(0, GROUPS_SHOWN)
  const firstPossible = shown.find(({ isPossible }) => isPossible)
  shown.forEach((group, i) => {
    if (group === firstPossible) lines.push('possible, none of them certain:')
    const own = group.origins.map((position) => origins[position]!)
    lines.push(...groupLines(group, own, group.isPossible ? '- ' : `${i + 1}. `, fromNs, isWhole))
  })
  const more = groups.length - shown.length
  if (more > 0) lines.push(`and ${more} more: --all prints them`)
  if (origins.length === 0) lines.push('no port is held above 1 % of an interval, and nothing is lost')
  return `${lines.map(escapeControls).join('\n').trimEnd()}\n`
}

/** The first origin of a group in full, and where else the same is. */
function groupLines(
  group: OriginGroup,
  own: readonly Origin[],
  mark: string,
  startNs: number,
  isWhole: boolean,
): string[] {
  const [first, ...others] = own as [Origin, ...Origin[]]
  const lines = originLines(first, mark, startNs)
  if (others.length === 0) return [...lines, '']
  const positions = others.map((one) => `${positionText(one)} (${one.confidence}, blame ${humanShare(one.blame)})`)
  const head = `${counted(own.length, 'origin')} at ${counted(group.devices.length, 'device')}, blame ${humanShare(group.blame)} together`
  return [...lines, labelled('also', `${someOf(positions, isWhole ? Infinity : OTHERS_SHOWN)}: ${head}`), '']
}

const positionText = ({ device, port, peer }: Origin): string => {
  const where = device === '' ? 'the fabric' : portText(device, port)
  return `${where}${peer === '' ? '' : ` (link to ${shownName(peer)})`}`
}

function originLines(origin: Origin, mark: string, startNs: number): string[] {
  const { kind, device, port, priority, confidence, blame, intervals, fromNs, toNs } = origin
  const where = device === '' ? 'the fabric' : portText(device, port)
  const ofClass = priority < 0 ? '' : `, class ${priority}`
  const since = `${duration(fromNs - startNs)} to ${duration(toNs - startNs)}`
  const lines = [
    `${mark}${KIND_TEXTS[kind]} at ${positionText(origin)}${ofClass}: confidence ${confidence}`,
    labelled('blame', `${humanShare(blame)}, in ${counted(intervals, 'interval')} from ${since}`),
  ]
  if (origin.path.length > 0) {
    const steps = origin.path.map((step) => `${portText(step.device, step.port)} held ${humanShare(step.share, 2)}`)
    lines.push(labelled('path', [...steps, where].join(' > ')))
  }
  if (origin.circle.length > 0)
    lines.push(labelled('circle', origin.circle.map((one) => portText(one.device, one.port)).join(' > ')))
  if (origin.victims.length > 0) {
    const victims = origin.victims.map((one) => `${portText(one.device, one.port)} ${duration(one.pausedNs)}`)
    lines.push(labelled('held', someOf(victims, VICTIMS_SHOWN)))
  }
  const numbers = origin.numbers.slice(0, NUMBERS_SHOWN).map((number) => numberText(number, startNs))
  if (numbers.length > 0) lines.push(labelled('numbers', numbers.join('; ')))
  lines.push(labelled('remedy', findingKindOf(kind).remedy))
  if (origin.alternatives.length > 0) {
    const others = origin.alternatives.map((other) => KIND_TEXTS[other]).join(', ')
    lines.push(labelled('perhaps', others))
  }
  if (origin.raise.length > 0) lines.push(labelled('surer by', origin.raise.map(missingText).join('; ')))
  return lines
}

function labelled(label: string, text: string): string {
  return `   ${label.padEnd(LABEL_WIDTH)}${text}`
}

function portText(device: string, port: string): string {
  return port === '' ? shownName(device) : `${shownName(device)} port ${shownName(port)}`
}

function numberText({ device, port, name, value, fromNs, toNs }: Evidence, startNs: number): string {
  const unit = counterNamed(name)?.unit ?? ''
  const span = `${duration(fromNs - startNs)} to ${duration(toNs - startNs)}`
  return `${portText(device, port)} ${name} ${humanNumber(value, 4)} ${unit} (${span})`
}

function missingText({ what, device }: Missing): string {
  const of = device === '' ? '' : ` of ${shownName(device)}`
  if (what === 'readings') return `counters${of}`
  if (what === 'durations') return `pause times${of}, or frames of both ends`
  if (what === 'configuration') return `alpha and buffers${device === '' ? ' of the switches' : of} and of its peers`
  return 'a second interval with it'
}

function someOf(texts: readonly string[], shown: number): string {
  const more = texts.length - shown
  return `${texts.slice(0, shown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function duration(ns: number): string {
  return humanDuration(Math.round(ns) * 1000)
}
