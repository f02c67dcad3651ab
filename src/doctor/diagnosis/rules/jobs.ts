/**
 * Rules about jobs: adapters, entries of GIDs and retries that variables give the libraries of a job.
 */
import { adaptiveRetry, ibtaRetryMs } from '../../../core/hardware/index.ts'
import { fabricHosts } from '../../../core/findings/index.ts'
import type { Device, End } from '../../devices/joins/index.ts'
import { knownOf, type JobSettings, type PortConfig, UNKNOWN_JOB } from '../../../core/device-model/index.ts'
import { allPortsUp, evidence, hostLinks, hostSettingsOf, type KnownPort, nicOf, usualOf } from './look.ts'
import { defineRule } from './rule.ts'
import type { Spot } from './saying.ts'
import { watchdogAt } from './watchdogs.ts'

const { hst08, hst09, hst10, hst11 } = fabricHosts

export const jobOf = ({ at }: Pick<End, 'at'>): JobSettings =>
  (at === null ? undefined : hostSettingsOf(at)?.job) ?? UNKNOWN_JOB

/** Form that has all RDMA devices of a host. */
const WHOLE_LIST = 'rdma-link'

/**
 * Whether a list of NCCL_IB_HCA ("=mlx5_1:1,mlx5_2") takes a port of a device: "mlx4_0/2", or "mlx4_0" for its first port.
 * Source: NCCL documentation, NCCL_IB_HCA.
 */
function isTaken(list: string, rdmaPort: string): boolean {
  const [, sign = '', names = ''] = /^(\^=|=|\^)?(.*)$/.exec(list) ?? []
  const [device = '', port = '1'] = rdmaPort.split('/')
  const isNamed = names.split(',').some((one) => {
    const [name = '', ofPort = port] = one.trim().split(':')
    return name !== '' && ofPort === port && (sign.includes('=') ? device === name : device.startsWith(name))
  })
  return sign.startsWith('^') ? !isNamed : isNamed
}

/** Variables with lists of adapters, and how NCCL would mark that their names are whole ones. */
const HCA_LISTS = {
  ncclIbHca: ['NCCL_IB_HCA', ''],
  ucxNetDevices: ['UCX_NET_DEVICES', '='],
  nvshmemHcaList: ['NVSHMEM_HCA_LIST', '='],
  fiVerbsDevice: ['FI_VERBS_DEVICE_NAME', ''],
} as const
type ListField = keyof typeof HCA_LISTS
const LIST_FIELDS = Object.keys(HCA_LISTS) as ListField[]

/** A list of adapters as NCCL would write it; '': all, or nobody knows. UCX has other devices in it, without a port. */
function listOf(job: JobSettings, field: ListField): string {
  const text = knownOf(job[field]) ?? ''
  if (field === 'ncclIbHca' || text === '') return text
  const items = text.replaceAll('^', '').split(',')
  const own = field === 'ucxNetDevices' ? items.filter((item) => item.includes(':') && !item.includes('[')) : items
  return own.length === 0 ? '' : `${text.startsWith('^') ? '^' : ''}${HCA_LISTS[field][1]}${own.join(',')}`
}

/** Whether the job may use a port: its list takes the RDMA device, or of one without a name a link is known. */
export function mayCarryJob(host: KnownPort, field: ListField = 'ncclIbHca'): boolean {
  const [list, device] = [listOf(jobOf(host), field), knownOf(nicOf(host).rdmaDevice)]
  return device === undefined ? host.link !== null : list === '' || isTaken(list, device)
}

/** Variables that name an entry of the table of GIDs, for the adapters of a list. */
const GID_INDICES = [
  ['NCCL_IB_GID_INDEX', 'ncclIbGidIndex', 'ncclIbHca'],
  ['NVSHMEM_IB_GID_INDEX', 'nvshmemIbGidIndex', 'nvshmemHcaList'],
  ['UCX_IB_GID_INDEX', 'ucxIbGidIndex', 'ucxNetDevices'],
  ['FI_VERBS_GID_IDX', 'fiVerbsGidIndex', 'fiVerbsDevice'],
] as const

export const gidIsRouted = defineRule(hst08, ({ fabric }, say, kind) => {
  for (const host of allPortsUp(fabric, 'host')) {
    for (const [variable, field, list] of GID_INDICES) {
      const setting = jobOf(host)[field]
      const index = knownOf(setting)
      if (index === undefined || index < 0 || setting.state === 'default') continue
      if (!mayCarryJob(host, list)) continue
      const gids = say.known(host, 'nic.gids', nicOf(host).gids)
      if (gids === undefined) continue
      const { version, address } = gids.find((gid) => gid.index === index) ?? { version: '', address: '' }
      const good = gids.filter((gid) => gid.version === 'v2' && !gid.address.startsWith('fe80:'))
      const routed = (good.find((gid) => gid.address === address) ?? good[0])?.index ?? null
      say.judge(!good.some((gid) => gid.index === index), kind, host, () => ({
        values: { variable, index, version, address, routed },
        evidence: evidence(host, setting, nicOf(host).gids),
      }))
    }
  }
})

interface RdmaPort {
  /** "mlx4_0/2" */
  readonly name: string
  /** Undefined: unknown. */
  readonly isActive: boolean | undefined
  readonly config: PortConfig
}

function rdmaPortsOf({ config: { ports } }: Device): RdmaPort[] {
  return ports.flatMap((config) => {
    const { rdmaDevice, isActive } = nicOf({ config })
    const name = knownOf(rdmaDevice)
    return name === undefined ? [] : [{ name, isActive: knownOf(isActive), config }]
  })
}

/** Whether a file has all RDMA devices of a host. */
const hasAllPorts = ({ forms }: Device): boolean => forms.some(({ dialect }) => dialect.name === WHOLE_LIST)

/** Items of a list that no active port has. @param isWhole whether these are all ports of the host */
function absentItems(list: string, ports: readonly RdmaPort[], isWhole: boolean): string[] {
  if (list.startsWith('^')) return []
  const [, sign = '', items = ''] = /^(=?)(.*)$/.exec(list) ?? []
  return items.split(',').filter((item) => {
    // A name that is one of a device means that device, though others begin with it.
    const own = ports.filter(({ name }) => isTaken(`=${item}`, name))
    const meant = own.length > 0 ? own : ports.filter(({ name }) => isTaken(`${sign}${item}`, name))
    return meant.length === 0 ? isWhole : meant.every(({ isActive }) => isActive === false)
  })
}

export const hcaIsThere = defineRule(hst09, ({ fabric }, say, kind) => {
  const lists = [...fabric.devices.values()].flatMap((at) => LIST_FIELDS.map((field) => ({ at, field })))
  for (const { at, field } of lists) {
    const job = jobOf({ at })
    const list = listOf(job, field)
    if (list === '') continue
    const ports = rdmaPortsOf(at)
    const spot: Spot = { device: at.config.device, port: '', at }
    const known = ports.filter(({ isActive }) => isActive !== undefined)
    if (known.length === 0) {
      say.lacks(spot, 'nic.isActive')
      continue
    }
    const active = known.filter(({ isActive }) => isActive)
    const isUsed = active.some(({ name }) => isTaken(list, name))
    const absent = absentItems(list, ports, hasAllPorts(at))
    const down = known.filter(({ name, isActive }) => isActive === false && isTaken(list, name))
    say.judge(!isUsed || absent.length > 0, kind, spot, () => ({
      values: {
        variable: HCA_LISTS[field][0],
        list: knownOf(job[field])!,
        devices: active.map(({ name }) => name),
        absent,
        isUsed,
      },
      evidence: [
        ...evidence(spot, job[field]),
        ...down.flatMap(({ config }) => evidence({ ...spot, port: config.name }, nicOf({ config }).isActive)),
      ],
    }))
  }
})

export const railsAreAlike = defineRule(hst11, ({ fabric }, say, kind) => {
  const hosts = [...fabric.devices.values()].flatMap((at) => {
    const value = hostSettingsOf(at)?.job?.ncclIbHca
    const ports = rdmaPortsOf(at)
    const isKnown = ports.length > 0 && ports.every(({ isActive }) => isActive !== undefined) && hasAllPorts(at)
    const list = knownOf(value)
    if (list === undefined || !isKnown) return []
    const used = ports.filter(({ name, isActive }) => isActive === true && (list === '' || isTaken(list, name)))
    return [{ at, value, rails: used.length }]
  })
  const usual = usualOf(hosts.map(({ rails }) => rails))
  if (usual === undefined || 2 * hosts.filter(({ rails }) => rails === usual).length <= hosts.length) return
  for (const { at, value, rails } of hosts) {
    const spot: Spot = { device: at.config.device, port: '', at }
    // None at all is another rule's.
    say.judge(rails !== usual && rails > 0, kind, spot, () => ({
      values: { rails, usual },
      evidence: evidence(spot, value),
    }))
  }
})

/** Beyond it a fault hangs a job unseen. */
const RETRY_MOST_PS = 120e12

const RETRIES = [
  ['ncclIbTimeout', 'ncclIbRetryCount'],
  ['ucxRcTimeout', 'ucxRcRetryCount'],
] as const

export const retriesOutliveStorms = defineRule(hst10, ({ fabric }, say, kind) => {
  for (const { host, peer } of hostLinks(fabric)) {
    const watchdog = watchdogAt(peer)
    const [detectionPs, restorationPs] = [knownOf(watchdog.detectionPs), knownOf(watchdog.restorationPs)]
    const watchdogPs =
      detectionPs === undefined || typeof restorationPs !== 'number' ? null : detectionPs + restorationPs
    for (const fields of RETRIES) {
      const settings = fields.map((field) => jobOf(host)[field])
      const [timeout, retries] = settings.map((value) => knownOf(value))
      if (timeout === undefined || retries === undefined || timeout === 0) continue
      const retryPs = ibtaRetryMs(timeout, retries) * 1e9
      const adaptivePs = retries === 0 ? null : adaptiveRetry(timeout, retries).ms * 1e9
      const isShort = watchdogPs !== null && retryPs < watchdogPs
      say.judge(isShort || retryPs > RETRY_MOST_PS, kind, host, () => ({
        values: { retryPs, adaptivePs, watchdogPs: isShort ? watchdogPs : null },
        evidence: evidence(host, ...settings),
      }))
    }
  }
})
