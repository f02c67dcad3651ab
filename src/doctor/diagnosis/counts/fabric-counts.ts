/**
 * Counts of a fabric: how much each counter has grown, and where pauses and losses come from by the localiser. Only growth
 * is evidence. Where the times of files are unknown it has no duration, and there are no shares of time.
 */
import { assert } from '../../../core/base/assert.ts'
import { type Device, type End, type Fabric, type FileReading, type Link, portKey } from '../../devices/joins/index.ts'
import { type DeviceSettings, locate, type Located, settingsOf } from '../locate/index.ts'
import { ALL_PRIORITIES, counterNamed, type Edge, knownOf, type Reading } from '../../../core/device-model/index.ts'
import { Series } from '../../devices/series/index.ts'
import { isTotal, type Kept, keptOf, keyOf, Polls, type Timing, totalsOf } from './kept.ts'
import { sumsOf } from './sums.ts'

/** Growth of a counter over all its readings. */
export interface Growth {
  readonly amount: number
  /** Seconds of which it is known; NaN: the files have no times. */
  readonly seconds: number
  /** Readings that it is from. */
  readonly readings: readonly FileReading[]
}

/** Counters that tell of errors without any times. */
const OF_ERRORS: ReadonlySet<string> = new Set(['crcErrors', 'stompedFrames', 'rxPackets', 'txPackets', 'seqNaks'])
/** Orders of files stand for times: one such step. */
const STEP_NS = 1e9

/** Counters of one device. */
interface Counted {
  readonly kept: ReadonlyMap<string, Kept>
  /** The readings that a counter is from, by keyOf. */
  readonly sources: ReadonlyMap<string, readonly Kept[]>
  readonly timed: readonly Reading[]
  readonly ordered: readonly Reading[]
  readonly timing: Timing
}

const KNOWN = new WeakMap<Fabric, FabricCounts>()

/** Those of a fabric, read once. */
export function countsOf(fabric: Fabric): FabricCounts {
  let counts = KNOWN.get(fabric)
  if (counts === undefined) KNOWN.set(fabric, (counts = new FabricCounts(fabric)))
  return counts
}

export class FabricCounts {
  /** Origins of pauses and losses. */
  readonly located: Located
  readonly #devices: ReadonlyMap<string, Counted>
  readonly #timed: Series
  readonly #ordered: Series

  /** @param settings that are known from elsewhere than the files of the fabric */
  constructor(fabric: Fabric, settings: readonly DeviceSettings[] = []) {
    const lone = lonePriority(fabric)
    this.#devices = new Map(
      [...fabric.devices].map(([name, device]) => [name, countedOf(device, fabric.linksOf(name), lone)]),
    )
    const all = [...this.#devices.values()]
    const timed = all.flatMap((one) => one.timed)
    this.#timed = new Series(timed)
    this.#ordered = new Series(all.flatMap(({ ordered }) => ordered))
    const read = [...fabric.devices.values()].filter(({ forms }) => forms.length > 0)
    const configs = read.map(({ config }) => config)
    this.located = locate(
      fabric.links.flatMap(edgeOf),
      [...timed, ...this.#errorsWithoutTimes(all), ...ratesOf(fabric, this.#devices)],
      [...settings, ...settingsOf([{ atPs: 0, devices: configs }])],
      new Map(configs.map(({ device, kind }) => [device, kind])),
    )
  }

  /** How well the growth of counters of a device is known: that of the best known. */
  timing(device: string): Timing {
    return this.#devices.get(device)?.timing ?? 'nothing'
  }

  /** Ports of a device that have counters. */
  ports(device: string): string[] {
    return [...new Set([...(this.#devices.get(device)?.kept.values() ?? [])].map(({ port }) => port))].filter(
      (port) => port !== '',
    )
  }

  /** Growth; undefined: not known. Counters of hosts as a whole have port ''. */
  growth(device: string, port: string, priority: number, name: string): Growth | undefined {
    const timed = this.#timed.growth(device, port, priority, name)
    const grown = timed ?? this.#ordered.growth(device, port, priority, name)
    if (grown === undefined) return undefined
    const seconds = timed === undefined ? NaN : timed.coveredNs / 1e9
    assert(grown.value >= 0 && !(seconds <= 0), 'counts: growth is negative, or of no time')
    return { amount: grown.value, seconds, readings: this.readings(device, port, priority, name) }
  }

  /** The only reading of a counter; undefined: there are more, or none. */
  only(device: string, port: string, priority: number, name: string): FileReading | undefined {
    const kept = this.#devices.get(device)?.kept.get(keyOf(port, priority, name))
    return kept?.timing === 'once' ? kept.readings[0] : undefined
  }

  /** First and last readings of a counter, or of all that it is the sum of. */
  readings(device: string, port: string, priority: number, name: string): FileReading[] {
    const sources = this.#devices.get(device)?.sources.get(keyOf(port, priority, name)) ?? []
    return sources.flatMap(({ readings }) => [...new Set([readings.at(-1)!, readings[0]!])])
  }

  /** Errors count without times, too: they are given some within those of the others. */
  #errorsWithoutTimes(all: readonly Counted[]): Reading[] {
    const { fromNs, count, intervalNs } = this.#timed
    const spanNs = count > 0 ? count * intervalNs : STEP_NS
    return all.flatMap(({ ordered }) => {
      const lastNs = ordered.reduce((last, { timeNs }) => Math.max(last, timeNs), STEP_NS)
      return ordered
        .filter(({ name }) => OF_ERRORS.has(name))
        .map((reading) => ({ ...reading, timeNs: fromNs + (reading.timeNs / lastNs) * spanNs }))
    })
  }
}

const edgeOf = ({ ends: [a, b], cableM }: Link): Edge[] =>
  isDown(a) || isDown(b) ? [] : [{ deviceA: a.device, portA: a.port, deviceB: b.device, portB: b.port, cableM }]

const isDown = ({ config }: End): boolean => {
  const isUp = config?.settings.isUp
  return isUp !== undefined && isUp.state !== 'unknown' && !isUp.value
}

function countedOf(device: Device, links: readonly Link[], lone: LonePriority): Counted {
  const { device: name } = device.config
  const ports = new Map(
    links.flatMap(({ ends }) => ends.filter((end) => end.device === name).map(({ port }) => [portKey(port), port])),
  )
  const kept = keptOf(device, (port) => ports.get(portKey(port)) ?? port)
  const polls = new Polls(kept.values())
  const timeOf = (one: Kept, position: number): number => {
    const { timeNs } = one.readings[position]!
    return one.timing === 'timed' || (Number.isFinite(timeNs) && isLevel(one)) ? polls.near(timeNs) : position * STEP_NS
  }
  const sources = new Map<string, readonly Kept[]>()
  const [timed, ordered]: [Reading[], Reading[]] = [[], []]
  const add = (one: Kept, port: string, priority: number, counter: string): void => {
    sources.set(keyOf(port, priority, counter), [one])
    if (one.timing === 'once' && !isLevel(one)) return
    one.readings.forEach((reading, position) => {
      const own: Reading = { ...plainOf(reading), port, priority, name: counter, timeNs: timeOf(one, position) }
      if (one.timing === 'timed' || (isLevel(one) && Number.isFinite(reading.timeNs))) timed.push(own)
      else if (!isLevel(one)) ordered.push(own)
    })
  }
  for (const one of kept.values()) if (!isTotal(one)) add(one, one.port, one.priority, one.name)
  for (const port of new Set([...kept.values()].map((one) => one.port)))
    for (const { name: counter, kept: total } of totalsOf(kept, port)) {
      // Traffic and pauses are mostly of the lossless class; drops are rather not.
      const priority = counter.startsWith('drop') ? ALL_PRIORITIES : lone(name, port, links)
      add(total, port, priority, counter)
      // Frames are evidence of their own, too, whatever their priority is. Bytes would be added up.
      if (priority !== ALL_PRIORITIES && counter.startsWith('pfc')) add(total, port, ALL_PRIORITIES, counter)
    }
  for (const timing of ['timed', 'ordered'] as const) {
    const own = [...kept.values()].filter((one) => one.timing === timing)
    for (const [counter, { parts, readings }] of sumsOf(own, timeOf)) {
      const key = keyOf('', ALL_PRIORITIES, counter)
      if (timing === 'ordered' && sources.get(key)?.[0]?.timing === 'timed') continue
      sources.set(key, parts)
      if (parts[0]!.port !== '') (timing === 'timed' ? timed : ordered).push(...readings)
    }
  }
  const has = (timing: Timing): boolean => [...kept.values()].some((one) => one.timing === timing && !isLevel(one))
  const timing: Timing = (['timed', 'ordered', 'once'] as const).find(has) ?? 'nothing'
  return { kept, sources, timed, ordered, timing }
}

const isLevel = ({ name }: Kept): boolean => counterNamed(name)?.kind !== 'sum'

const plainOf = ({ device, port, priority, name, value, bits, timeNs }: FileReading): Reading => ({
  device,
  port,
  priority,
  name,
  value,
  bits,
  timeNs,
})

type LonePriority = (device: string, port: string, links: readonly Link[]) => number

/** The one lossless priority of a port, which counters of all priorities are mostly of; ALL_PRIORITIES: not known. */
function lonePriority(fabric: Fabric): LonePriority {
  const classesOf = ({ config }: End): readonly number[] | undefined => knownOf(config?.settings.pfcClasses)
  const all = new Set(fabric.links.flatMap(({ ends }) => ends.flatMap((end) => classesOf(end) ?? [])))
  return (device, port, links) => {
    const isOwn = (end: End): boolean => end.device === device && end.port === port
    const link = links.find(({ ends }) => ends.some(isOwn))
    const own = link?.ends.find(isOwn)
    const peer = link?.ends.find((end) => end !== own)
    const known = (own === undefined ? undefined : classesOf(own)) ?? (peer === undefined ? undefined : classesOf(peer))
    const [only, ...more] = known ?? [...all]
    return only === undefined || more.length > 0 ? ALL_PRIORITIES : only
  }
}

/** Speeds of ports that no counter tells. */
function ratesOf({ links }: Fabric, devices: ReadonlyMap<string, Counted>): Reading[] {
  return links.flatMap(({ ends }) =>
    ends.flatMap(({ device, port, config }): Reading[] => {
      const counted = devices.get(device)
      const read = counted?.kept.get(keyOf(port, ALL_PRIORITIES, 'rateBps'))?.readings.at(-1)?.value
      const set = config?.settings.rateBps
      const value = read ?? knownOf(set)
      if (value === undefined) return []
      const timeNs = counted?.timed[0]?.timeNs ?? 0
      return [{ device, port, priority: ALL_PRIORITIES, name: 'rateBps', value, bits: 64, timeNs }]
    }),
  )
}
