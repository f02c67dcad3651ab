/**
 * Forms: which file would tell a value that is unknown.
 */
import type { Device } from '../devices/index.ts'

const CONFIG = 'the running configuration'
/** No form that is read has the value. */
const NONE = ''

/** Forms for hosts, by field. */
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
  'nic.toleratesReordering': 'mlxreg -d DEV --reg_name ROCE_ACCL --get',
  job: 'the environment of the job (NCCL_*)',
}

const linkForms = (command: string): Readonly<Record<string, string>> => ({
  rateBps: command,
  mtuBytes: command,
  takesGlobalPause: command,
  sendsGlobalPause: command,
})

/** Forms for switches, by language and field: what a whole running configuration may leave open, and they show. */
const SHOWN_FORMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'nx-os': { ...linkForms('show interface'), pfcClasses: 'show interface priority-flow-control' },
  eos: {
    ...linkForms('show interfaces'),
    pfcClasses: 'show priority-flow-control',
    'classes.marks': 'show qos interfaces IF ecn',
  },
  nvue: {
    pfcClasses: 'nv show interface IF qos roce status',
    trust: 'nv show interface IF qos roce status',
    'classes.marks': 'nv show interface IF qos roce status',
  },
}

/** Fields that no form of a language has, as far as it is read. */
const NOWHERE: Readonly<Record<string, readonly string[]>> = {
  'nx-os': ['classes.hasHeadroom'],
  eos: ['classes.hasHeadroom'],
  os10: ['classes.hasHeadroom', 'classes.isWatched'],
  nicctl: ['nic.toleratesReordering'],
  niccli: ['nic.toleratesReordering'],
}

/** Forms for hosts and switches alike. */
const COUNTER_FORMS: Readonly<Record<string, string>> = {
  counters: 'two readings of the counters',
  'counters.times': 'the times of the readings (collected.tsv)',
}

/** The file that would tell a field of a device; '': none that is read. */
export function formFor(device: Device | undefined, field: string): string {
  if (device === undefined) return 'any file'
  const ofCounters = COUNTER_FORMS[field]
  if (ofCounters !== undefined) return ofCounters
  const { kind, language } = device.config
  if (NOWHERE[language]?.includes(field) ?? false) return NONE
  if (kind === 'host') return HOST_FORMS[field] ?? 'files of the host'
  return device.isComplete ? (SHOWN_FORMS[language]?.[field] ?? NONE) : CONFIG
}
