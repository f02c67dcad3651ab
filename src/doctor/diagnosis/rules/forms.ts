/**
 * Forms: which file would tell a value that is unknown.
 */
import { type Device, isUnread } from '../../devices/joins/index.ts'

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
  'nic.cmaTclass': 'cma_roce_tos -d DEV',
  'nic.bufferBytes': 'grep "" -r /sys/class/net/IF/qos',
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
  sonic: {
    headroomTable: 'cat /usr/share/sonic/hwsku/pg_profile_lookup.ini',
    'classes.hasHeadroom': 'tables BUFFER_PG and BUFFER_PROFILE of config_db.json',
    'classes.marks': 'tables QUEUE and WRED_PROFILE of config_db.json',
  },
  nvue: {
    pfcClasses: 'nv show interface IF qos roce status',
    trust: 'nv show interface IF qos roce status',
    'classes.marks': 'nv show interface IF qos roce status',
  },
}

/** Fields that no form of a language has, as far as it is read. */
const CLI_NOWHERE = [
  'classes.hasHeadroom',
  'classes.headroomBytes',
  'classes.alpha',
  'classes.reserveBytes',
  'classes.xonBytes',
  'classes.pausedQueue',
  'classes.dropsAtEgress',
  'cableM',
  'floodsLossless',
  'arpSeconds',
  'balance',
]
const NOWHERE: Readonly<Record<string, readonly string[]>> = {
  'nx-os': CLI_NOWHERE,
  eos: [...CLI_NOWHERE, 'classes.classMtuBytes'],
  os10: [
    ...CLI_NOWHERE,
    'classes.classMtuBytes',
    'classes.isWatched',
    'watchdog.detectionPs',
    'watchdog.action',
    'watchdog.restorationPs',
  ],
  junos: ['classes.classMtuBytes', 'floodsLossless', 'classes.reserveBytes', 'classes.alpha', 'classes.xonBytes'],
  nvue: ['classes.classMtuBytes', 'classes.pausedQueue', 'floodsLossless'],
  sonic: ['classes.classMtuBytes', 'balance'],
  nicctl: ['nic.toleratesReordering'],
  niccli: ['nic.toleratesReordering'],
}

/** For a device whose files are of no known form. */
const ANY_FORM = 'a file of a known form'
export const LINK_FORM = 'edges.csv or LLDP'

/** Forms for hosts and switches alike. */
const COMMON_FORMS: Readonly<Record<string, string>> = {
  link: LINK_FORM,
  linkLength: 'cable_m in edges.csv',
  portName: 'the command of each file (collected.tsv)',
  counters: 'two readings of the counters',
  'counters.times': 'the times of the readings (collected.tsv)',
}

/** The file that would tell a field of a device; '': none that is read. */
export function formFor(device: Device | undefined, field: string): string {
  const stranger = device?.unread.find((each) => each.language !== '')?.language
  const config = stranger === undefined ? CONFIG : `${CONFIG} in a language that is read (it is there, in ${stranger})`
  if (device === undefined || isUnread(device)) return stranger === undefined ? ANY_FORM : config
  const common = COMMON_FORMS[field]
  if (common !== undefined) return common
  const { kind, language } = device.config
  if (NOWHERE[language]?.includes(field) ?? false) return NONE
  if (kind === 'host') {
    const form = HOST_FORMS[field] ?? NONE
    // It is there, and nothing tells of which port it is.
    const nameless = device.unread.find((each) => each.why === 'port' && form.startsWith(each.form))
    return nameless === undefined ? form : `the ports of ${nameless.file}`
  }
  return device.isComplete ? (SHOWN_FORMS[language]?.[field] ?? NONE) : config
}
