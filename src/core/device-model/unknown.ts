/**
 * Unknown: settings of which nothing is known. What is known is written over them.
 */
import {
  type ClassConfig,
  type HostSettings,
  type JobSettings,
  type NicSettings,
  type PoolConfig,
  type PortSettings,
  type SwitchSettings,
  UNKNOWN,
  type Value,
} from './device-config.ts'

export const CLASS_COUNT = 8
export const DSCP_COUNT = 64
/** All of them, ascending. */
export const CLASSES: readonly number[] = Array.from({ length: CLASS_COUNT }, (_, index) => index)
export const DSCPS: readonly number[] = Array.from({ length: DSCP_COUNT }, (_, dscp) => dscp)

export const UNKNOWN_CLASS: ClassConfig = {
  group: UNKNOWN,
  queue: UNKNOWN,
  pausedQueue: UNKNOWN,
  hasHeadroom: UNKNOWN,
  dropsAtEgress: UNKNOWN,
  isWatched: UNKNOWN,
  isStormed: UNKNOWN,
  classMtuBytes: UNKNOWN,
  alpha: UNKNOWN,
  staticBytes: UNKNOWN,
  reserveBytes: UNKNOWN,
  headroomBytes: UNKNOWN,
  xoffBytes: UNKNOWN,
  xonBytes: UNKNOWN,
  xonOffsetBytes: UNKNOWN,
  profileName: UNKNOWN,
  marks: UNKNOWN,
  kminBytes: UNKNOWN,
  kmaxBytes: UNKNOWN,
  kminRatio: UNKNOWN,
  kmaxRatio: UNKNOWN,
  pmaxRatio: UNKNOWN,
  schedule: UNKNOWN,
}

export const UNKNOWN_NIC: NicSettings = {
  rdmaDevice: UNKNOWN,
  pciName: UNKNOWN,
  isActive: UNKNOWN,
  activeMtuBytes: UNKNOWN,
  sysfsTclass: UNKNOWN,
  cmaTclass: UNKNOWN,
  dataDscps: UNKNOWN,
  npClasses: UNKNOWN,
  rpClasses: UNKNOWN,
  cnpDscp: UNKNOWN,
  cnpClass: UNKNOWN,
  hasOtherControl: UNKNOWN,
  toleratesReordering: UNKNOWN,
  bufferOfClass: UNKNOWN,
  bufferBytes: UNKNOWN,
  dcbx: UNKNOWN,
  isWilling: UNKNOWN,
  hasLldpad: UNKNOWN,
  pauseWatchdogPs: UNKNOWN,
  gids: UNKNOWN,
}

const UNKNOWN_CLASSES: readonly ClassConfig[] = CLASSES.map(() => UNKNOWN_CLASS)
const UNKNOWN_DSCPS: readonly Value<number>[] = DSCPS.map(() => UNKNOWN)

export const UNKNOWN_PORT: PortSettings = {
  rateBps: UNKNOWN,
  isUp: UNKNOWN,
  fec: UNKNOWN,
  autoNegotiates: UNKNOWN,
  mtuBytes: UNKNOWN,
  trust: UNKNOWN,
  vlanMode: UNKNOWN,
  classifies: UNKNOWN,
  dscpToClass: UNKNOWN_DSCPS,
  pfcClasses: UNKNOWN,
  pfcWritten: UNKNOWN,
  peerPfcClasses: UNKNOWN,
  pfcMode: UNKNOWN,
  isPfcAsymmetric: UNKNOWN,
  takesGlobalPause: UNKNOWN,
  sendsGlobalPause: UNKNOWN,
  cableM: UNKNOWN,
  classes: UNKNOWN_CLASSES,
  other: {},
}

export const UNKNOWN_POOL: PoolConfig = {
  poolName: UNKNOWN,
  side: UNKNOWN,
  sizeBytes: UNKNOWN,
  sharedHeadroomBytes: UNKNOWN,
}

export const UNKNOWN_SWITCH: SwitchSettings = {
  platform: UNKNOWN,
  watchdog: {
    kind: UNKNOWN,
    action: UNKNOWN,
    ports: UNKNOWN,
    detectionPs: UNKNOWN,
    restorationPs: UNKNOWN,
    pollPs: UNKNOWN,
  },
  pools: [],
  headroomOversubscription: UNKNOWN,
  isHeadroomDynamic: UNKNOWN,
  headroomTable: UNKNOWN,
  arpSeconds: UNKNOWN,
  macAgeSeconds: UNKNOWN,
  floodsLossless: UNKNOWN,
  balance: UNKNOWN,
  other: {},
}

export const UNKNOWN_JOB: JobSettings = {
  ncclIbTc: UNKNOWN,
  ncclIbFifoTc: UNKNOWN,
  ncclGinIbTc: UNKNOWN,
  ncclGinType: UNKNOWN,
  isNcclGinOn: UNKNOWN,
  ncclIbHca: UNKNOWN,
  ncclIbGidIndex: UNKNOWN,
  ncclIbTimeout: UNKNOWN,
  ncclIbRetryCount: UNKNOWN,
  ncclCrossNic: UNKNOWN,
  ncclPxnDisable: UNKNOWN,
  ncclMinChannels: UNKNOWN,
  ncclAlgo: UNKNOWN,
  ucxIbTc: UNKNOWN,
  ucxIbGidIndex: UNKNOWN,
  nvshmemIbTc: UNKNOWN,
  nvshmemIbGidIndex: UNKNOWN,
  fiVerbsGidIndex: UNKNOWN,
  ucxNetDevices: UNKNOWN,
  nvshmemHcaList: UNKNOWN,
  fiVerbsDevice: UNKNOWN,
  ucxRcTimeout: UNKNOWN,
  ucxRcRetryCount: UNKNOWN,
}

export const UNKNOWN_HOST: HostSettings = {
  dataClass: UNKNOWN,
  cnpClass: UNKNOWN,
  rateControl: UNKNOWN,
  recovery: UNKNOWN,
  other: {},
}
