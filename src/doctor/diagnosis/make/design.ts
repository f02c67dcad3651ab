/**
 * Design: what a drawn fabric has in common: its shape, its classes, its thresholds. All of it is drawn from a seed, within
 * what rules take for sound.
 */
import { Draw } from '../../../core/base/draw.ts'
import type { Edge } from '../../../core/device-model/index.ts'

/** A port of a drawn device, and what it is connected to. */
export interface DrawnPort {
  readonly name: string
  readonly peer: string
  readonly peerPort: string
  readonly cableM: number
}

export interface DrawnDevice {
  readonly name: string
  readonly kind: 'host' | 'switch'
  readonly language: string
  /** Hardware; '': it is not said. */
  readonly platform: string
  readonly ports: DrawnPort[]
}

export interface Design {
  readonly devices: readonly DrawnDevice[]
  readonly edges: readonly Edge[]
  readonly rateBps: number
  /** Class of RoCE, its DSCP, and those of the answers to marks. */
  readonly lossless: number
  readonly dscp: number
  readonly cnpClass: number
  readonly cnpDscp: number
  readonly switchMtuBytes: number
  readonly hostMtuBytes: number
  readonly activeMtuBytes: number
  readonly kminBytes: number
  readonly kmaxBytes: number
  readonly pmaxRatio: number
  /** Thresholds of devices that have them as shares of the queue. */
  readonly kminRatio: number
  readonly kmaxRatio: number
  readonly alpha: number
  readonly poolBytes: number
  readonly sharedHeadroomBytes: number
  /** Weight of RoCE; lossy traffic has the rest of 100. */
  readonly weight: number
  readonly detectionPs: number
  readonly restorationPs: number
  readonly pollPs: number
  readonly timeout: number
  readonly retries: number
}

export interface DesignOptions {
  readonly seed: number
  readonly hosts: number
  /** Languages of switches and of hosts, drawn per device. */
  readonly languages: readonly string[]
  readonly hostLanguages: readonly string[]
}

/** Names that each language gives its ports, by number from 0. */
const PORT_NAMES: Readonly<Record<string, (index: number) => string>> = {
  sonic: (index) => `Ethernet${8 * index}`,
  nvue: (index) => `swp${index + 1}`,
  'nx-os': (index) => `Ethernet1/${index + 1}`,
  eos: (index) => `Ethernet${index + 1}/1`,
  os10: (index) => `ethernet1/1/${index + 1}`,
  junos: (index) => `et-0/0/${index}`,
}

export const SWITCH_LANGUAGES: readonly string[] = Object.keys(PORT_NAMES)
export const HOST_LANGUAGES: readonly string[] = ['mlnx_qos', 'niccli', 'nicctl', 'lldptool', 'host']

const hostPortName = (index: number): string => `eth${index + 1}`

/** Hardware by language, each with the rates in Gb/s and the lengths of cable, metres, that it ships headroom for. */
const PLATFORMS: Readonly<Record<string, readonly { name: string; gbps: readonly number[] }[]>> = {
  sonic: [
    { name: 'DellEMC-Z9332f-O32', gbps: [100, 400] },
    { name: 'Arista-7060X6-64PE-B-O128', gbps: [100, 400] },
    { name: 'Mellanox-SN4700-O28', gbps: [100, 200, 400] },
    { name: 'Mellanox-SN3800-C64', gbps: [100, 200] },
    { name: 'Arista-7260CX3-D108C8', gbps: [100] },
  ],
  eos: [{ name: 'DCS-7060X6-64PE', gbps: [100, 200, 400] }],
}
const HOST_LENGTH_M = 5
const SWITCH_LENGTH_M = 40

export function drawDesign({ seed, hosts, languages, hostLanguages }: DesignOptions): Design {
  const draw = new Draw(seed, 'make/design')
  const gbps = draw.one([100, 200, 400])
  const { devices, edges } = drawShape(new Draw(seed, 'make/shape'), { hosts, languages, hostLanguages, gbps })
  const { lossless, dscp } = draw.one([
    { lossless: 3, dscp: 26 },
    { lossless: 3, dscp: 26 },
    { lossless: 3, dscp: 24 },
    { lossless: 4, dscp: 34 },
    { lossless: 5, dscp: 40 },
    { lossless: 2, dscp: 18 },
  ])
  const kminBytes = 50_000 * draw.whole(3, 20)
  const pollPs = 50e9 * draw.whole(1, 2)
  const kminPercent = draw.whole(10, 40)
  return {
    devices,
    edges,
    rateBps: gbps * 1e9,
    lossless,
    dscp,
    cnpClass: 6,
    cnpDscp: 48,
    switchMtuBytes: draw.one([9216, 9100, 9000]),
    hostMtuBytes: draw.one([9000, 4200]),
    activeMtuBytes: 4096,
    kminBytes,
    kmaxBytes: kminBytes * draw.whole(2, 4),
    pmaxRatio: draw.whole(1, 20) / 100,
    kminRatio: kminPercent / 100,
    kmaxRatio: (kminPercent + draw.whole(10, 50)) / 100,
    alpha: 2 ** draw.whole(-3, 0),
    poolBytes: 1_000_000 * draw.whole(50, 100),
    sharedHeadroomBytes: 1_000_000 * draw.whole(20, 40),
    weight: draw.whole(40, 80),
    detectionPs: 200e9 * draw.whole(1, 2),
    restorationPs: 200e9 * draw.whole(1, 3),
    pollPs,
    timeout: draw.whole(18, 20),
    retries: 7,
  }
}

interface ShapeOptions {
  readonly hosts: number
  readonly languages: readonly string[]
  readonly hostLanguages: readonly string[]
  readonly gbps: number
}

/** Leaves with 2 to 6 hosts, each connected to all spines. Hosts have one port, or two at neighbouring leaves. */
function drawShape(
  draw: Draw,
  { hosts, languages, hostLanguages, gbps }: ShapeOptions,
): Pick<Design, 'devices' | 'edges'> {
  const perLeaf = draw.whole(2, 6)
  const leafCount = Math.max(1, Math.ceil(hosts / perLeaf))
  const spineCount = leafCount === 1 ? 0 : draw.whole(1, 3)
  const portsOfHost = leafCount > 1 && draw.chance(0.25) ? 2 : 1
  const named = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`)
  const switchOf = (name: string): DrawnDevice => {
    const language = draw.one(languages)
    const platforms = PLATFORMS[language]?.filter((each) => each.gbps.includes(gbps)) ?? []
    const platform = platforms.length === 0 ? '' : draw.one(platforms).name
    return { name, kind: 'switch', language, platform, ports: [] }
  }
  const leaves = named('leaf', leafCount).map(switchOf)
  const spines = named('spine', spineCount).map(switchOf)
  const servers = named('gpu', hosts).map((name): DrawnDevice => ({
    name,
    kind: 'host',
    language: draw.one(hostLanguages),
    platform: '',
    ports: [],
  }))
  const edges: Edge[] = []
  const connect = (a: DrawnDevice, b: DrawnDevice, cableM: number): void => {
    const [portA, portB] = [nextPort(a), nextPort(b)]
    a.ports.push({ name: portA, peer: b.name, peerPort: portB, cableM })
    b.ports.push({ name: portB, peer: a.name, peerPort: portA, cableM })
    edges.push({ deviceA: a.name, portA, deviceB: b.name, portB, cableM })
  }
  servers.forEach((server, i) => {
    for (let p = 0; p < portsOfHost; p++)
      connect(server, leaves[(Math.floor(i / perLeaf) + p) % leafCount]!, HOST_LENGTH_M)
  })
  for (const leaf of leaves) for (const spine of spines) connect(leaf, spine, SWITCH_LENGTH_M)
  return { devices: [...servers, ...leaves, ...spines], edges }
}

function nextPort({ kind, language, ports }: DrawnDevice): string {
  const nameOf = kind === 'host' ? hostPortName : (PORT_NAMES[language] ?? ((index: number) => `port${index + 1}`))
  return nameOf(ports.length)
}
