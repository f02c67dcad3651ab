/**
 * Environment of a job: variables of NCCL, UCX, NVSHMEM and libfabric, as assignments (also behind `export`, `-x`, `ENV`, `env`), as YAML or JSON
 * maps, or as pairs of `name:` and `value:`. Where NCCL has any, the others have the defaults of NCCL 2.14 and later.
 * Source: NCCL, src/core/transport/net_ib*; UCX, uct/ib/base/ib_iface.c, ib_device.c (times of queue pairs), rc/base/rc_iface.c;
 * NVSHMEM documentation, environment variables; fi_verbs(7). Numbers are read as in C.
 */
import type { Dialect } from '../../dialect.ts'
import type { Facts } from '../../facts.ts'
import type { JobSettings } from '../../../../../core/device-model/index.ts'
import type { Line } from '../../text.ts'

/** Number of a C program: "106", "0x6a", "0152"; undefined: none. */
function numberIn(text: string): number | undefined {
  if (/^-?\d{1,9}$/.test(text)) return /^-?0[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number(text)
  return /^0x[0-9a-f]{1,8}$/i.test(text) ? Number(text) : undefined
}

type TextField = 'ncclIbHca' | 'ncclAlgo' | 'ucxNetDevices' | 'nvshmemHcaList' | 'fiVerbsDevice'
type NumberField = Exclude<keyof JobSettings, TextField | 'isNcclGinOn' | 'ucxRcTimeout'>

/** Fields of variables that have lists: of adapters, of algorithms. */
export const JOB_LISTS: Readonly<Record<string, TextField>> = {
  NCCL_ALGO: 'ncclAlgo',
  NCCL_IB_HCA: 'ncclIbHca',
  UCX_NET_DEVICES: 'ucxNetDevices',
  NVSHMEM_HCA_LIST: 'nvshmemHcaList',
  FI_VERBS_DEVICE_NAME: 'fiVerbsDevice',
}

/** Fields of variables that have numbers. */
export const JOB_NUMBERS: Readonly<Record<string, NumberField>> = {
  NCCL_IB_TC: 'ncclIbTc',
  NCCL_IB_FIFO_TC: 'ncclIbFifoTc',
  NCCL_GIN_IB_TC: 'ncclGinIbTc',
  NCCL_GIN_TYPE: 'ncclGinType',
  NCCL_IB_GID_INDEX: 'ncclIbGidIndex',
  NCCL_IB_TIMEOUT: 'ncclIbTimeout',
  NCCL_IB_RETRY_CNT: 'ncclIbRetryCount',
  NCCL_CROSS_NIC: 'ncclCrossNic',
  NCCL_PXN_DISABLE: 'ncclPxnDisable',
  NCCL_MIN_NCHANNELS: 'ncclMinChannels',
  // Since 2.17, and first where both are set.
  NCCL_MIN_CTAS: 'ncclMinChannels',
  UCX_IB_TRAFFIC_CLASS: 'ucxIbTc',
  UCX_IB_GID_INDEX: 'ucxIbGidIndex',
  NVSHMEM_IB_TRAFFIC_CLASS: 'nvshmemIbTc',
  NVSHMEM_IB_GID_INDEX: 'nvshmemIbGidIndex',
  FI_VERBS_GID_IDX: 'fiVerbsGidIndex',
  UCX_RC_RETRY_COUNT: 'ucxRcRetryCount',
}

/** Variables whose value -1 means that they are not set. */
const UNSET_BY_MINUS_ONE: readonly string[] = ['NCCL_IB_TC', 'NCCL_IB_FIFO_TC', 'NCCL_GIN_IB_TC']

/** Values that NCCL takes where nobody has set a variable. */
export const JOB_DEFAULTS = { NCCL_IB_TC: 0, NCCL_IB_GID_INDEX: -1, NCCL_IB_TIMEOUT: 20, NCCL_IB_RETRY_CNT: 7 }

/** Those of UCX: a second, which is code 18, and retries. */
const UCX_DEFAULTS = { ucxRcTimeout: 18, ucxRcRetryCount: 7 }
const SECONDS: Readonly<Record<string, number>> = { m: 60, '': 1, s: 1, ms: 1e-3, us: 1e-6, ns: 1e-9 }
const CODES = 32

/** Code of a queue pair's timeout for a time of UCX, "500ms": the nearest by its logarithm, and 0 for one without end. */
function timeoutCode(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,9})?)(m|s|ms|us|ns)?$/.exec(text) ?? []
  if (number === undefined) return undefined
  let code = 0
  for (let ratio = (Number(number) * SECONDS[unit]!) / 4.096e-6; ratio >= Math.SQRT2; ratio /= 2) code++
  return code >= CODES ? 0 : Math.max(1, code)
}

/** A variable and where it was set last. */
interface Setting {
  readonly value: string
  readonly line: Line
}

const TEXT = String.raw`"[^"]*"|'[^']*'|[^\s"';]*`
const ASSIGNED = new RegExp(String.raw`(?:^|[^\w$])((?:NCCL|UCX|NVSHMEM|FI)_[A-Z0-9_]+)(?:"?\s*:\s+|=)(${TEXT})`, 'g')
const ANY = /(?:^|[^\w$#])(?:NCCL|UCX|NVSHMEM|FI)_[A-Z0-9_]+(?:"?:\s|=|["']?$)/m
const unquoted = (text: string): string => text.replace(/^(["'])(.*)\1$/, '$2')

/** The last setting of each variable; one that is unset again has none. */
function settingsOf(lines: readonly Line[]): Map<string, Setting> {
  const settings = new Map<string, Setting>()
  let pairName: string | undefined
  for (const line of lines) {
    if (line.text.trimStart().startsWith('#')) continue
    const text = line.text.split(' #', 1)[0] ?? ''
    for (const [, name, value] of text.matchAll(ASSIGNED))
      settings.set(name!, { value: unquoted(value!.replace(/[,}]$/, '')), line })
    if (/^\s*unset\s/.test(text)) for (const name of text.trim().split(/\s+/)) settings.delete(name)
    const [, key, value = ''] = /^\s*(?:-\s+)?(name|value):\s+(\S.*)$/.exec(text) ?? []
    if (key === 'name') pairName = /^["']?((?:NCCL|UCX|NVSHMEM|FI)_[A-Z0-9_]+)["']?\s*$/.exec(value)?.[1]
    else if (key === 'value' && pairName !== undefined) {
      settings.set(pairName, { value: unquoted(value.trim()), line })
      pairName = undefined
    }
  }
  return settings
}

function put(name: string, { value, line }: Setting, facts: Facts): void {
  const { job } = facts
  const number = numberIn(value)
  const field = JOB_NUMBERS[name]
  const list = JOB_LISTS[name]
  if (list !== undefined) job.put(list, value, line)
  else if (name === 'UCX_RC_TIMEOUT') job.note('ucxRcTimeout', timeoutCode(value), line)
  else if (name === 'NCCL_GIN_ENABLE') job.note('isNcclGinOn', number === undefined ? undefined : number !== 0, line)
  else if (field !== undefined && (number !== -1 || !UNSET_BY_MINUS_ONE.includes(name))) job.note(field, number, line)
}

/** Values that NCCL takes where a variable is not set: one has a value of its own, or that of another variable. */
function putDefaults(settings: ReadonlyMap<string, Setting>, facts: Facts): void {
  const ofRetries = settings.get('UCX_RC_TIMEOUT') ?? settings.get('UCX_RC_RETRY_COUNT')
  for (const [field, value] of Object.entries(UCX_DEFAULTS) as [keyof typeof UCX_DEFAULTS, number][])
    if (ofRetries !== undefined && !facts.job.has(field)) facts.job.put(field, value, ofRetries.line, 'default')
  const first = [...settings].find(([name]) => name.startsWith('NCCL_'))?.[1].line
  if (first === undefined) return
  for (const [name, value] of Object.entries(JOB_DEFAULTS)) {
    const field = JOB_NUMBERS[name]!
    if (!facts.job.has(field)) facts.job.put(field, value, first, 'default')
  }
  const setting = settings.get('NCCL_IB_TC')
  const value = numberIn(setting?.value ?? '-1')
  const effective = value && Math.max(value, 0)
  for (const field of ['ncclIbFifoTc', 'ncclGinIbTc'] as const)
    if (!facts.job.has(field)) facts.job.note(field, effective, setting?.line ?? first, 'default')
}

/** Whether lines have such variables. */
export const hasJobVariables = (text: string): boolean => ANY.test(text)

/** Notes the variables that lines set. */
export function readJobVariables(lines: readonly Line[], facts: Facts): void {
  const settings = settingsOf(lines)
  // Without the mapping NVSHMEM takes the nearest adapters, whatever its list says.
  if (!/^(?:[1-9y]|on|true)/i.test(settings.get('NVSHMEM_ENABLE_NIC_PE_MAPPING')?.value ?? ''))
    settings.delete('NVSHMEM_HCA_LIST')
  for (const [name, setting] of settings) put(name, setting, facts)
  putDefaults(settings, facts)
}

export const jobEnvironment: Dialect = {
  name: 'job-environment',
  title: 'variables of NCCL, UCX, NVSHMEM and libfabric',
  command: 'env | grep -E "^(NCCL|UCX|NVSHMEM|FI)_"',
  leavesOut: [
    'defaults before NCCL 2.14, and those of other libraries',
    'service levels of other libraries than NCCL, and timeouts of single transports of UCX',
    'variables that say nothing of RDMA',
  ],
  recognises: ({ text }) => hasJobVariables(text),
  read({ lines }, facts) {
    facts.kind = 'host'
    readJobVariables(lines, facts)
  },
}
