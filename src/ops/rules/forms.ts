/**
 * Forms: which file would tell a value that is unknown.
 */
import type { Device } from '../devices/index.ts'

const CONFIG = 'the running configuration'
/** Where the configuration is there and does not tell. */
const MORE = 'more than the running configuration'

/** Forms for hosts, by field. Switches have all in their running configuration, except for the counters. */
const HOST_FORMS: Readonly<Record<string, string>> = {
  pfcClasses: 'mlnx_qos -i IF (dcb, nicctl, niccli)',
  trust: 'mlnx_qos -i IF (dcb, nicctl, niccli)',
  dscpToClass: 'mlnx_qos -i IF (dcb, nicctl, niccli)',
  takesGlobalPause: 'ethtool -a IF',
  sendsGlobalPause: 'ethtool -a IF',
  mtuBytes: 'ip link show IF',
  rateBps: 'ethtool IF',
  'nic.activeMtuBytes': 'ibv_devinfo',
  'nic.gids': 'show_gids',
  'nic.isActive': 'rdma link',
  'nic.sysfsTclass': 'grep "" -r /sys/class/infiniband',
  'nic.npClasses': 'grep "" -r /sys/class/net/IF/ecn',
  'nic.rpClasses': 'grep "" -r /sys/class/net/IF/ecn',
  'nic.cnpDscp': 'grep "" -r /sys/class/net/IF/ecn',
  'nic.cnpClass': 'grep "" -r /sys/class/net/IF/ecn',
  'nic.pauseWatchdogPs': 'ethtool --get-tunable IF pfc-prevention-tout',
  job: 'the environment of the job (NCCL_*)',
}

/** Forms for hosts and switches alike. */
const COUNTER_FORMS: Readonly<Record<string, string>> = {
  counters: 'two readings of the counters',
  'counters.times': 'the times of the readings (collected.tsv)',
}

/** The file that would tell a field of a device. */
export function formFor(device: Device | undefined, field: string): string {
  if (device === undefined) return 'any file'
  const ofCounters = COUNTER_FORMS[field]
  if (ofCounters !== undefined) return ofCounters
  if (device.config.kind === 'host') return HOST_FORMS[field] ?? 'files of the host'
  return device.isComplete ? MORE : CONFIG
}
