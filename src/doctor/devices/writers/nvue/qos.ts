/**
 * Classes, PFC, marking and scheduling of ports in NVUE, as profiles.
 * Source: NVIDIA Cumulus Linux User Guide, "Quality of Service".
 */
import { PLAIN, type Preset } from '../../dialects/nvue/preset.ts'
import { knownOf, type ClassConfig, type PortConfig, type PortSettings } from '../../../../core/device-model/index.ts'
import { firstKnown, whole, written } from '../known.ts'
import type { Statements, Words } from './statements.ts'

const TRUSTS: Readonly<Record<string, string>> = { pcp: 'l2', dscp: 'l3', both: 'both', none: 'port' }
/** Length of the cable of a lossless port that does not say. */
const LENGTH_M = 10
const PERCENT = 100
const SIZES = [
  ['xoff-threshold', 'xoffBytes'],
  ['xon-threshold', 'xonOffsetBytes'],
  ['port-buffer', 'reserveBytes'],
] as const

/** Numbers by what is said of them: "0,3". */
function lists(rows: Iterable<readonly [number: number, what: string]>): [list: string, what: string][] {
  const numbers = new Map<string, number[]>()
  for (const [number, what] of rows) numbers.set(what, [...(numbers.get(what) ?? []), number])
  return [...numbers].map(([what, own]) => [own.sort((a, b) => a - b).join(','), what])
}

/** One map of queues for the switch: of each class the first known queue. @returns queues as they are then */
export function writeQueues(statements: Statements, ports: readonly PortConfig[]): readonly number[] {
  return PLAIN.queues.map((usual, index) => {
    const values = ports.map(({ settings }) => settings.classes[index]!.queue)
    const queue = firstKnown(values)
    const isUsual = queue === usual && values.every(({ state }) => state === 'default' || state === 'unknown')
    if (queue !== undefined && !isUsual)
      statements.device(
        'qos',
        'egress-queue-mapping',
        'default-global',
        'switch-priority',
        String(index),
        'traffic-class',
        String(queue),
      )
    return queue ?? usual
  })
}

/** Which class packets come in. */
export function mappingOf(settings: PortSettings): Words[] {
  const classes = settings.dscpToClass.map((value) => knownOf(value))
  const isSaid = classes.some((index) => index !== undefined)
  const trust = knownOf(settings.trust) ?? (isSaid ? 'dscp' : undefined)
  const words: Words[] = []
  if (trust !== undefined && (settings.trust.state !== 'default' || trust !== PLAIN.trust))
    words.push(['trust', TRUSTS[trust] ?? 'port'])
  if (trust === 'none') {
    const fixed = classes.find((index) => index !== undefined)
    if (fixed !== undefined) words.push(['port-default-sp', String(fixed)])
  } else if (trust === 'dscp' || trust === 'both') {
    const rows = settings.dscpToClass.flatMap((value, dscp): [number, string][] => {
      const index = written(value, dscp >> 3)
      return index === undefined ? [] : [[dscp, String(index)]]
    })
    for (const [dscps, index] of lists(rows)) words.push(['dscp', dscps, 'switch-priority', index])
  }
  return words
}

/** @param lossless classes that a preset makes lossless  @param hasLength whether the switch says the length for all ports */
export function pfcOf(settings: PortSettings, lossless: readonly number[], hasLength: boolean): Words[] {
  const inForce = knownOf(settings.pfcClasses)
  const classes = knownOf(settings.pfcWritten) ?? inForce ?? []
  const words: Words[] = []
  if (classes.length > 0 && lossless.length === 0) words.push(['switch-priority', classes.join(',')])
  const isOff = inForce === undefined ? knownOf(settings.pfcMode) === 'off' : inForce.length === 0
  const isOneWay = inForce === undefined && knownOf(settings.isPfcAsymmetric) === true
  if (classes.length > 0 && isOff) words.push(['tx', 'disable'], ['rx', 'disable'])
  else if (classes.length > 0 && isOneWay) words.push(['tx', 'enable'], ['rx', 'disable'])
  const metres = written(settings.cableM, LENGTH_M)
  if (metres !== undefined && !hasLength) words.push(['cable-length', whole(metres)])
  const own = (inForce ?? classes).map((index) => settings.classes[index]!)
  for (const [word, field] of SIZES) {
    const bytes = firstKnown(own.map((each) => each[field]))
    if (bytes !== undefined) words.push([word, whole(bytes)])
  }
  return words
}

/** Classes by their queue. */
function slotsOf(settings: PortSettings, queues: readonly number[]): Map<number, ClassConfig[]> {
  const slots = new Map<number, ClassConfig[]>()
  for (const [index, queue] of queues.entries())
    slots.set(queue, [...(slots.get(queue) ?? []), settings.classes[index]!])
  return new Map([...slots].sort(([a], [b]) => a - b))
}

/** Queues that a port's own profile does not name are not marked. */
export function markingOf(settings: PortSettings, queues: readonly number[]): Words[] {
  const slots = slotsOf(settings, queues)
  if ([...slots].every(([queue, classes]) => classes.every((own) => marksAsUsual(own, queue)))) return []
  const rows = [...slots].flatMap(([queue, classes]): [number, string][] => {
    const first = (field: 'kminBytes' | 'kmaxBytes' | 'pmaxRatio'): number | undefined =>
      firstKnown(classes.map((own) => own[field]))
    const marks = firstKnown(classes.map((own) => own.marks))
    const [kmin, kmax, ratio] = [first('kminBytes'), first('kmaxBytes'), first('pmaxRatio')]
    if (marks !== true && kmin === undefined && kmax === undefined) return []
    const words: Words[] = [['ecn', marks === false ? 'disable' : 'enable']]
    if (kmin !== undefined) words.push(['min-threshold', whole(kmin)])
    if (kmax !== undefined) words.push(['max-threshold', whole(kmax)])
    if (ratio !== undefined) words.push(['probability', whole(ratio * PERCENT)])
    return [[queue, JSON.stringify(words)]]
  })
  if (rows.length === 0) return [['traffic-class', String([...slots.keys()][0]), 'ecn', 'disable']]
  return lists(rows).flatMap(([list, words]) =>
    (JSON.parse(words) as string[][]).map((each): Words => ['traffic-class', list, ...each]),
  )
}

function marksAsUsual(own: ClassConfig, queue: number): boolean {
  const usual = PLAIN.marks.get(queue)
  return [
    written(own.marks, usual !== undefined),
    written(own.kminBytes, usual?.minBytes ?? 0),
    written(own.kmaxBytes, usual?.maxBytes ?? 0),
    written(own.pmaxRatio, usual?.ratio ?? 0),
  ].every((value) => value === undefined)
}

export function schedulesOf(settings: PortSettings, queues: readonly number[]): Words[] {
  const rows = [...slotsOf(settings, queues)].flatMap(([queue, classes]): [number, string][] => {
    const usual = PLAIN.schedules.get(queue) ?? ''
    const schedule = classes.map((own) => written(own.schedule, usual)).find((value) => value !== undefined)
    return schedule === undefined ? [] : [[queue, typeof schedule === 'number' ? whole(schedule) : schedule]]
  })
  return lists(rows).flatMap(([list, schedule]): Words[] => {
    if (schedule === 'strict') return [['traffic-class', list, 'mode', 'strict']]
    const words: Words[] = [['traffic-class', list, 'mode', 'dwrr']]
    if (/^\d+$/.test(schedule)) words.push(['traffic-class', list, 'bw-percent', schedule])
    return words
  })
}

/** Whether a port has the values of a preset for RoCE, and none but these. */
export function isPreset(preset: Preset, settings: PortSettings): boolean {
  const isLike = (value: unknown, usual: unknown): boolean => value === undefined || value === usual
  const lossless = knownOf(settings.pfcClasses)
  return (
    knownOf(settings.trust) === preset.trust &&
    isLike(knownOf(settings.classifies), true) &&
    settings.dscpToClass.every((value, dscp) => knownOf(value) === dscp >> 3) &&
    lossless?.join() === preset.lossless.join() &&
    isLike(knownOf(settings.pfcWritten)?.join(), preset.lossless.join()) &&
    isLike(knownOf(settings.pfcMode), preset.lossless.length > 0 ? 'on' : 'off') &&
    isLike(knownOf(settings.isPfcAsymmetric), false) &&
    settings.classes.every((own, index) => {
      const queue = preset.queues[index]!
      const marks = preset.marks.get(queue)
      const isLossless = preset.lossless.includes(index)
      return (
        knownOf(own.queue) === queue &&
        knownOf(own.marks) === (marks !== undefined) &&
        isLike(knownOf(own.kminBytes), marks?.minBytes) &&
        isLike(knownOf(own.kmaxBytes), marks?.maxBytes) &&
        isLike(knownOf(own.pmaxRatio), marks?.ratio) &&
        knownOf(own.schedule) === preset.schedules.get(queue) &&
        (!isLossless || isLike(knownOf(own.pausedQueue), queue))
      )
    })
  )
}
