/**
 * Folder: a drawn fabric as the files that somebody would have collected, with what is wrong in them, if anything is.
 */
import { Draw } from '../../../core/base/draw.ts'
import { type DeviceFile, type Fabric, fabricOf } from '../../devices/joins/index.ts'
import type { DeviceConfig, Edge } from '../../../core/device-model/index.ts'
import type { HeadroomNeed, HeadroomPort } from '../rules/rule.ts'
import { type Peer, writerOf, type WrittenFile } from '../../devices/writers/index.ts'
import { type DesignOptions, drawDesign } from './design.ts'
import { desiredConfigs } from './desired.ts'
import { editText, type WrittenDevice } from './faults/edits.ts'
import type { Fault } from './faults/fault.ts'
import { type Expected, plant, type Plantable } from './plant.ts'

export interface MakeOptions extends DesignOptions {
  /** Faults to plant, one after the other; those for which the fabric has no place are left out. */
  readonly faults: readonly Fault[]
  readonly headroomNeed: (port: HeadroomPort) => HeadroomNeed
}

export interface MadeFolder {
  /** "leaf1/config_db.json" */
  readonly files: readonly WrittenFile[]
  /** Links as somebody has listed them. */
  readonly edges: readonly Edge[]
  readonly expected: readonly Expected[]
  /** The devices that the files are of. */
  readonly configs: readonly DeviceConfig[]
}

export function makeFolder(options: MakeOptions): MadeFolder {
  const { seed, faults, headroomNeed } = options
  const design = drawDesign(options)
  let fabric: Plantable = { design, configs: desiredConfigs(design, headroomNeed), edges: design.edges }
  const made: { device: string; fault: Fault; expected: Expected }[] = []
  faults.forEach((fault, i) => {
    const planted = plant(fault, fabric, new Draw(seed, `make/fault/${i}`), headroomNeed)
    if (planted === null) return
    fabric = planted
    made.push({ device: planted.device, fault, expected: planted.expected })
  })
  const draw = new Draw(seed, 'make/files')
  const impossible = new Set<Expected>()
  const files = fabric.configs.flatMap((config) => {
    let own = written(config, fabric.edges, draw)
    for (const { device, fault, expected } of made) {
      if (device !== config.device) continue
      const edited = editText(fault, own, draw)
      if (edited === null) impossible.add(expected)
      else own = edited
    }
    return own.files.map(({ file, text }) => ({ file: `${config.device}/${file}`, text }))
  })
  const expected = made.map((one) => one.expected).filter((one) => !impossible.has(one))
  return { files, edges: design.edges, expected, configs: fabric.configs }
}

/** List of links, as edges.csv. */
export function edgesText({ edges }: MadeFolder): string {
  const rows = edges.map(({ deviceA, portA, deviceB, portB, cableM }) =>
    [deviceA, portA, deviceB, portB, cableM].join(','),
  )
  return `${['device_a,port_a,device_b,port_b,cable_m', ...rows].join('\n')}\n`
}

/** Faults and where rules are to find each, as a table parted by tabs: one of the spots, since two ends may share it. */
export function expectedText({ expected }: MadeFolder): string {
  const rows = expected.map(({ rule, title, language, spots, also }) => {
    const at = spots.map(({ device, port }) => `${device} ${port}`.trim()).join('; ')
    return [rule.toUpperCase(), language, at, also.map((one) => one.toUpperCase()).join(', '), title].join('\t')
  })
  return `${['rule\tlanguage\tone_of\tmay_follow\tfault', ...rows].join('\n')}\n`
}

/** A folder as it is read back. */
export function fabricOfFolder({ files, edges }: MadeFolder): Fabric {
  const devices = new Map<string, DeviceFile[]>()
  for (const { file, text } of files) {
    const device = file.slice(0, file.indexOf('/'))
    devices.set(device, [...(devices.get(device) ?? []), { file, text, command: '', timeNs: NaN }])
  }
  return fabricOf(devices, edges)
}

/** Styles in which people name things. */
const STYLES: readonly ((words: string) => string)[] = [
  (words) => words.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '-'),
  (words) => `roce_${words.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`,
  (words) => `dc1-${words.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-v2`,
]

function written(config: DeviceConfig, edges: readonly Edge[], draw: Draw): WrittenDevice {
  const writer = writerOf(config.language)
  if (writer === undefined) return { files: [], names: [] }
  const style = draw.one(STYLES)
  const names = new Set<string>()
  const nameOf = (purpose: string): string => {
    const name = style(purpose)
    names.add(name)
    return name
  }
  const files = writer.write(config, {
    variant: draw.one(writer.variants),
    peers: peersOf(config.device, edges),
    nameOf,
  })
  return { files, names: [...names] }
}

function peersOf(device: string, edges: readonly Edge[]): ReadonlyMap<string, Peer> {
  const peers = new Map<string, Peer>()
  for (const { deviceA, portA, deviceB, portB } of edges) {
    if (deviceA === device) peers.set(portA, { device: deviceB, port: portB })
    if (deviceB === device) peers.set(portB, { device: deviceA, port: portA })
  }
  return peers
}
