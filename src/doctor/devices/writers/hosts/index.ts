/**
 * Writers of hosts. Most files of a host are the same whatever its NIC is: the tool of the NIC makes the difference. What
 * the tool has no words for is in sysfs, which comes last.
 * Single values have no words though their field has: that lldpad does not run, an empty list of GIDs, "round-robin" and
 * weights other than percents, an MTU without a limit, the MTU of an RDMA device that is down, and two schedules in one
 * traffic class.
 */
import type { Language } from '../../dialects/dialect.ts'
import { UNKNOWN_CLASS } from '../../../../core/device-model/index.ts'
import { withReasons } from '../values.ts'
import type { Writer } from '../writer.ts'
import { dcbScript, mlnxScript } from './commands.ts'
import { dcb } from './dcb.ts'
import { LLDPTOOL, niccli } from './dcbx-tlvs.ts'
import { FIRMWARE } from './firmware.ts'
import { finished, type Form, hostOf } from './host-port.ts'
import { job } from './job.ts'
import { LINK } from './link.ts'
import { mlnxQos } from './mlnx-qos.ts'
import { NICCTL } from './nicctl.ts'
import { RDMA } from './rdma.ts'
import { sysfs } from './sysfs.ts'

const NO_FILE = 'no file of a host tells'
const OF_SWITCHES = 'a setting of switches'
const OF_MLX5 = 'only mlnx_qos shows it'
const OF_FIRMWARE = 'only the tools of NVIDIA firmware show it'
const IN_FIRMWARE = ['nic.hasOtherControl', 'nic.toleratesReordering']

/** Fields that no file of a host has, by the reason. */
const NEVER: Readonly<Record<string, readonly string[]>> = {
  [NO_FILE]: ['vlanMode', 'classifies', 'isPfcAsymmetric'],
  [OF_SWITCHES]: Object.keys(UNKNOWN_CLASS)
    .filter((field) => field !== 'queue' && field !== 'schedule')
    .map((field) => `classes.${field}`),
  'follows from maps and traffic classes': ['dataClass', 'cnpClass'],
  'the model of the simulator': ['rateControl', 'recovery'],
}

interface Tool {
  readonly language: Language
  readonly variants?: readonly string[]
  readonly forms: readonly Form[]
  readonly script: Form
  /** Fields beyond those of all hosts that the tool has no words for, by the reason. */
  readonly never: Readonly<Record<string, readonly string[]>>
}

const OF_LLDP = 'only lldptool shows it'
const NO_MODE = 'the tool shows priorities, and no mode of PFC'

const TOOLS: readonly Tool[] = [
  {
    language: 'mlnx_qos',
    variants: ['new', 'old'],
    forms: [mlnxQos, ...FIRMWARE],
    script: mlnxScript,
    never: { [OF_LLDP]: ['peerPfcClasses', 'nic.isWilling'], [NO_MODE]: ['pfcMode'] },
  },
  {
    language: 'niccli',
    forms: [niccli],
    script: dcbScript,
    never: {
      [OF_LLDP]: ['peerPfcClasses'],
      [NO_MODE]: ['pfcMode'],
      [OF_MLX5]: ['cableM', 'nic.dcbx', 'nic.hasLldpad'],
      [OF_FIRMWARE]: IN_FIRMWARE,
    },
  },
  {
    language: 'nicctl',
    forms: NICCTL,
    script: dcbScript,
    never: {
      [OF_LLDP]: ['peerPfcClasses', 'nic.isWilling'],
      [OF_MLX5]: ['cableM', 'nic.dcbx', 'nic.hasLldpad'],
      [OF_FIRMWARE]: IN_FIRMWARE,
      'the tool shows schedules by priority, and no traffic classes': ['classes.queue'],
    },
  },
  {
    language: 'lldptool',
    forms: LLDPTOOL,
    script: dcbScript,
    never: { [NO_MODE]: ['pfcMode'], [OF_MLX5]: ['cableM', 'nic.dcbx', 'nic.hasLldpad'] },
  },
  {
    language: 'host',
    forms: [dcb],
    script: dcbScript,
    never: {
      [OF_LLDP]: ['peerPfcClasses', 'nic.isWilling'],
      [NO_MODE]: ['pfcMode'],
      [OF_MLX5]: ['cableM', 'nic.dcbx', 'nic.hasLldpad'],
      [OF_FIRMWARE]: IN_FIRMWARE,
    },
  },
]

const writerOf = ({ language, variants = ['usual'], forms, script, never }: Tool): Writer => ({
  language,
  variants,
  cannotSay: withReasons({ ...NEVER, ...never }),
  write(config, options) {
    const host = hostOf(config, options)
    return finished(
      host,
      [...forms, ...RDMA, ...LINK, script, job, sysfs].flatMap((form) => form(host)),
    )
  },
})

export const HOST_WRITERS: readonly Writer[] = TOOLS.map(writerOf)
