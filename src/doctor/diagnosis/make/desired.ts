/** Desired: the devices of a drawn fabric in the neutral model, as they are meant to be. */
import type { HeadroomNeed, HeadroomPort } from '../rules/rule.ts'
import {
  CLASSES,
  type ClassConfig,
  type DeviceConfig,
  nicHeadroomBytes,
  type PoolConfig,
  type PortConfig,
  type PortSettings,
  type SwitchSettings,
  UNKNOWN,
} from '../../../core/device-model/index.ts'
import type { Design, DrawnDevice, DrawnPort } from './design.ts'
import { classOf, hostOf, portOf, switchOf } from './values.ts'

type Need = (port: HeadroomPort) => HeadroomNeed

export function desiredConfigs(design: Design, headroomNeed: Need): DeviceConfig[] {
  return design.devices.map((device) => ({
    device: device.name,
    kind: device.kind,
    language: device.language,
    role: device.kind,
    settings: device.kind === 'host' ? hostSettings(design, device) : switchSettings(design, device),
    ports: device.ports.map((port, i): PortConfig => ({
      name: port.name,
      role: 'port',
      peer: UNKNOWN,
      settings: device.kind === 'host' ? nicPort(design, device, i) : switchPort(design, device, port, headroomNeed),
    })),
  }))
}

/** Such switches flood, and have a watchdog of their own. */
export const isNvidia = (platform: string): boolean => platform.startsWith('Mellanox')

/** Rule of detection that each language stands for; absent: it has no watchdog. */
const WATCHDOGS: Readonly<Record<string, string>> = {
  sonic: 'sonic',
  nvue: 'nvidia',
  'nx-os': 'nx-os',
  eos: 'eos',
  junos: 'generic',
}

/** Lengths of cable in tables of headroom, metres. */
const TABLE_M = [5, 40, 300]

const set = <T extends number | string>(value: T): { state: 'set'; value: T } => ({ state: 'set', value })

function switchSettings(design: Design, { platform, language }: DrawnDevice): SwitchSettings {
  const { detectionPs, restorationPs, pollPs, poolBytes, sharedHeadroomBytes, rateBps } = design
  const kind = isNvidia(platform) ? 'nvidia' : WATCHDOGS[language]
  const ingress: PoolConfig = {
    poolName: set('ingress_lossless_pool'),
    side: set('ingress'),
    sizeBytes: set(poolBytes),
    sharedHeadroomBytes: set(sharedHeadroomBytes),
  }
  const egress: PoolConfig = {
    poolName: set('egress_lossless_pool'),
    side: set('egress'),
    sizeBytes: set(poolBytes + sharedHeadroomBytes),
    sharedHeadroomBytes: set(0),
  }
  return switchOf(
    {
      ...(platform === '' ? {} : { platform }),
      isHeadroomDynamic: false,
      headroomOversubscription: 2,
      headroomTable: TABLE_M.map((cableM) => ({ rateBps, cableM })),
      floodsLossless: false,
      ...(language === 'junos' ? { balance: 'ecmp' } : {}),
      arpSeconds: 300,
      macAgeSeconds: 600,
    },
    { ...(kind === undefined ? {} : { kind }), action: 'drop', detectionPs, restorationPs, pollPs },
    language === 'sonic' ? [egress, ingress] : [],
  )
}

/** Above the need by a little, and not above twice of what is shipped. */
function headroomBytes(design: Design, { platform }: DrawnDevice, { cableM }: DrawnPort, need: Need): number {
  const { rateBps, switchMtuBytes: mtuBytes, sharedHeadroomBytes } = design
  const { leastBytes } = need({ platform, rateBps, cableM, mtuBytes, hasSharedHeadroom: sharedHeadroomBytes > 0 })
  return 256 * Math.ceil((leastBytes * 1.05) / 256)
}

function switchPort(design: Design, device: DrawnDevice, port: DrawnPort, need: Need): PortSettings {
  const { lossless, dscp, cnpClass, cnpDscp } = design
  const headroom = headroomBytes(design, device, port, need)
  return portOf({
    port: {
      rateBps: design.rateBps,
      isUp: true,
      fec: 'rs',
      mtuBytes: design.switchMtuBytes,
      trust: 'dscp',
      vlanMode: 'untagged',
      classifies: true,
      pfcClasses: [lossless],
      pfcWritten: [lossless],
      pfcMode: 'on',
      isPfcAsymmetric: false,
      takesGlobalPause: false,
      sendsGlobalPause: false,
      cableM: port.cableM,
    },
    dscpToClass: (one) => (one === dscp ? lossless : one === cnpDscp ? cnpClass : 0),
    classes: (c) => switchClass(design, device, c, headroom),
  })
}

/** Languages differ in what they say of the classes of a port: SONiC has maps of all, others speak of those in use. */
function switchClass(design: Design, { language }: DrawnDevice, c: number, headroom: number): ClassConfig {
  const { lossless, cnpClass, weight } = design
  const isSonic = language === 'sonic'
  if (c === lossless) return losslessClass(design, language, headroom)
  const isCnp = c === cnpClass
  if (!isCnp && c !== 0 && !isSonic) return classOf({})
  const queue = isCnp ? c : 0
  return classOf({
    group: isSonic ? 0 : c,
    queue,
    marks: false,
    schedule: isCnp ? 'strict' : 100 - weight,
    ...(isSonic ? { pausedQueue: queue, hasHeadroom: false, isWatched: false } : {}),
  })
}

function losslessClass(design: Design, language: string, headroom: number): ClassConfig {
  const { lossless, alpha, weight, kminBytes, kmaxBytes, kminRatio, kmaxRatio, pmaxRatio } = design
  const thresholds = language === 'junos' ? { kminRatio, kmaxRatio } : { kminBytes, kmaxBytes }
  return classOf({
    group: lossless,
    queue: lossless,
    pausedQueue: lossless,
    hasHeadroom: true,
    isWatched: true,
    alpha,
    reserveBytes: 4608,
    headroomBytes: headroom,
    xonBytes: 4608,
    xonOffsetBytes: 18_432,
    marks: true,
    ...thresholds,
    pmaxRatio,
    schedule: weight,
    ...(language === 'sonic' ? { dropsAtEgress: false } : {}),
  })
}

function hostSettings({ dscp, timeout, retries }: Design, { ports }: DrawnDevice): DeviceConfig['settings'] {
  const tclass = 4 * dscp
  return hostOf({
    ncclIbTc: tclass,
    ncclIbFifoTc: tclass,
    ncclGinIbTc: tclass,
    ncclIbHca: `=${ports.map((_, i) => `mlx5_${i}`).join(',')}`,
    ncclIbGidIndex: 3,
    ncclIbTimeout: timeout,
    ncclIbRetryCount: retries,
  })
}

const ROOM_BYTES = 20_016

function nicPort(design: Design, { language, ports }: DrawnDevice, index: number): PortSettings {
  const { cableM } = ports[index]!
  const { lossless, dscp, cnpClass, cnpDscp, weight, rateBps, hostMtuBytes } = design
  const leastBytes = nicHeadroomBytes(rateBps, cableM, hostMtuBytes)
  const bufferBytes = CLASSES.map((i) => (i === 0 ? ROOM_BYTES : i === 1 ? 16 * Math.ceil((2 * leastBytes) / 16) : 0))
  const address = `::ffff:10.0.${index}.${1 + index}`
  return portOf({
    port: {
      rateBps,
      isUp: true,
      fec: 'rs',
      autoNegotiates: false,
      mtuBytes: hostMtuBytes,
      trust: 'dscp',
      pfcClasses: [lossless],
      takesGlobalPause: false,
      sendsGlobalPause: false,
      cableM,
    },
    // The NIC's own map, but for the two DSCPs that matter.
    dscpToClass: (one) => (one === dscp ? lossless : one === cnpDscp ? cnpClass : one >> 3),
    classes: (c) =>
      classOf({
        queue: c === lossless || c === cnpClass ? c : 0,
        schedule: c === cnpClass ? 'strict' : c === lossless ? weight : 100 - weight,
      }),
    nic: {
      rdmaDevice: `mlx5_${index}`,
      isActive: true,
      activeMtuBytes: design.activeMtuBytes,
      sysfsTclass: 4 * dscp,
      cmaTclass: 4 * dscp,
      npClasses: CLASSES,
      rpClasses: CLASSES,
      cnpDscp,
      cnpClass,
      // Only the firmware of these NICs tells.
      ...(language === 'mlnx_qos' ? { toleratesReordering: false } : {}),
      bufferOfClass: CLASSES.map((c) => (c === lossless ? 1 : 0)),
      bufferBytes,
      dcbx: 'os',
      pauseWatchdogPs: 100e9,
      gids: [
        { index: 2, version: 'v1', address },
        { index: 3, version: 'v2', address },
      ],
    },
  })
}
