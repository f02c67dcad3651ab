/**
 * Vendors: each device of a run has one, drawn from the seed. Its readings are written in the vendor's forms, a folder of
 * files, and what the localiser is given is what the doctor's readers read of these.
 */
import { FabricCounts } from '../../../src/doctor/diagnosis/counts/index.ts'
import {
  byDevice,
  type DeviceFile,
  type DeviceSettings,
  type Edge,
  fabricOf,
  type Located,
  type Reading,
} from '../../../src/doctor/index.ts'
import { COUNTER_WRITERS, type CounterWriter } from '../../../src/doctor/devices/writers/index.ts'
import { Draw } from '../../../src/core/base/draw.ts'
import type { Base } from '../base.ts'
import type { Form } from '../seeds.ts'

/** Names of vendors by device. */
export type Vendors = Readonly<Record<string, string>>

/** The class of RoCE in incidents. */
const LOSSLESS = [3]

export const VENDORS_OF = {
  hosts: COUNTER_WRITERS.filter(({ devices }) => devices === 'hosts'),
  switches: COUNTER_WRITERS.filter(({ devices }) => devices === 'switches'),
}

export function drawVendors(form: Form, seed: number, { topology: { names, tiers } }: Base): Vendors {
  const draw = new Draw(seed, `score/origin/vendors/${form}`)
  return Object.fromEntries(
    names.map((name, node) => [name, draw.one(VENDORS_OF[tiers[node] === 0 ? 'hosts' : 'switches']).vendor]),
  )
}

export function writerFor(vendors: Vendors, device: string): CounterWriter {
  return COUNTER_WRITERS.find(({ vendor }) => vendor === vendors[device])!
}

const portIn = (vendors: Vendors, device: string, port: string): string =>
  port === '' ? '' : writerFor(vendors, device).portName(Number(port))

/**
 * Readings of one device by time, each with all counters. A counter that a run shows only once its class is used has stood at
 * its first value before: sums over classes do not jump.
 */
function polls(readings: readonly Reading[]): Reading[][] {
  const byTime = new Map<number, Map<string, Reading>>()
  const last = new Map<string, Reading>()
  for (const reading of readings) {
    const key = `${reading.port} ${reading.priority} ${reading.name}`
    if (!last.has(key)) last.set(key, reading)
    const own = byTime.get(reading.timeNs)
    if (own === undefined) byTime.set(reading.timeNs, new Map([[key, reading]]))
    else own.set(key, reading)
  }
  return [...byTime].map(([timeNs, own]) => {
    for (const [key, reading] of own) last.set(key, reading)
    return [...last.values()].map((reading) => ({ ...reading, timeNs }))
  })
}

/** Files of one device: one of each form at each time at which it was read. */
function filesOf(vendors: Vendors, device: string, readings: readonly Reading[]): DeviceFile[] {
  const writer = writerFor(vendors, device)
  const files = new Map<string, DeviceFile>()
  for (const [i, own] of polls(readings).entries()) {
    const { timeNs } = own[0]!
    const counts = own.map((each) => ({ ...each, port: portIn(vendors, device, each.port) }))
    for (const { file, text, command, of } of writer.write(counts, LOSSLESS)) {
      const name = `${device}/${of === 'counters' ? `t${i}-` : ''}${file}`
      files.set(name, { file: name, text, command, timeNs: of === 'counters' ? timeNs : NaN })
    }
  }
  return [...files.values()]
}

/** Origins by the files of all devices, with the names that ports have in a run. */
export function locatedIn(
  edges: readonly Edge[],
  readings: readonly Reading[],
  settings: readonly DeviceSettings[],
  vendors: Vendors,
): Located {
  const folder = [...byDevice(readings)].map(([device, own]) => [device, filesOf(vendors, device, own)] as const)
  const ends = edges.map((edge) => ({
    ...edge,
    portA: portIn(vendors, edge.deviceA, edge.portA),
    portB: portIn(vendors, edge.deviceB, edge.portB),
  }))
  const { located } = new FabricCounts(fabricOf(folder, ends), settings)
  const numbers = new Map(
    ends.flatMap(({ deviceA, portA, deviceB, portB }, i) => [
      [`${deviceA} ${portA}`, edges[i]!.portA],
      [`${deviceB} ${portB}`, edges[i]!.portB],
    ]),
  )
  const origins = located.origins.map((origin) => ({
    ...origin,
    port: numbers.get(`${origin.device} ${origin.port}`) ?? origin.port,
  }))
  return { ...located, origins }
}
