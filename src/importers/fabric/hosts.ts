/**
 * Hosts: NICs, payload, timeouts and rate control.
 */
import { knownOf } from '../../core/device-model/index.ts'
import { formatQuantity } from '../../core/base/units.ts'
import type { HostSettings, NicSettings, Plain, Value } from '../../doctor/index.ts'
import { UNKNOWN_HOST, UNKNOWN_JOB } from '../../doctor/index.ts'
import { hostSettingsOf, nicOf, usualOf } from '../../doctor/diagnosis/rules/look.ts'
import type { Branch, Tree } from '../importer.ts'
import type { FabricClasses } from './classes.ts'
import type { FabricNetwork, NetworkDevice, NetworkPort } from './network.ts'
import { FABRIC, type Page, type Spot } from './page.ts'
import type { Spread } from './spread.ts'
import { mtuText } from './switches.ts'

export interface HostInput {
  readonly network: FabricNetwork
  readonly classes: FabricClasses
  readonly page: Page
  readonly spread: Spread
  /** Some queue marks the data. */
  readonly hasMarks: boolean
}

export interface HostGroups {
  readonly nic: Branch
  readonly payload: number
  readonly qp: Branch
  readonly congestion: string
  readonly recovery: string
  readonly balance: string
  /** Hosts that answer marks, and slow down. */
  readonly isControlled: (host: NetworkDevice) => boolean
}

export const spotOf = ({ device }: NetworkDevice): Spot => ({ device, port: '' })
export const settingsOf = ({ at }: NetworkDevice): HostSettings => (at && hostSettingsOf(at)) ?? UNKNOWN_HOST
const portsOf = (hosts: readonly NetworkDevice[]): NetworkPort[] => hosts.flatMap(({ ports }) => ports)

export function hostGroups(input: HostInput): HostGroups {
  const controlled = controlledHosts(input)
  return {
    nic: nicGroup(input),
    payload: payloadOf(input),
    qp: queuePairs(input),
    ...controlled,
    recovery: usualSetting(input, 'recovery', ({ recovery }) => recovery, 'go-back-n', 'as NICs of RoCE have it'),
    balance: balanceOf(input),
  }
}

function nicGroup({ network, page, spread }: HostInput): Branch {
  const ports = portsOf(network.hosts)
  const over = (key: string, of: (port: NetworkPort) => Tree, otherwise: Tree): Tree =>
    spread.over(
      `nic.${key}`,
      ports.map((port) => ({ node: port.node, port: null, value: of(port) })),
      otherwise,
    )
  return {
    trust: over('trust', (port) => trustOf(port, page), 'dscp'),
    mtu: over('mtu', (port) => mtuText(page, 'nic.mtu', port), 'off'),
    watchdog: over('watchdog', (port) => watchdogOf(port, page), 'off'),
  }
}

/** Frames have no tags in the network that is made: a NIC that looks at tags, or at nothing, has one class. */
function trustOf(port: NetworkPort, page: Page): string {
  const trust = port.end.config?.settings.trust
  const own = knownOf(trust)
  if (trust === undefined || own === undefined) {
    page.assumed('nic.trust', port, 'dscp', 'no file tells it')
    return 'dscp'
  }
  const value = own === 'pcp' || own === 'none' ? 'pcp' : 'dscp'
  page.read('nic.trust', port, trust, value, value === own ? '' : own)
  return value
}

const WATCHDOG_LEAST_PS = 1e6

function watchdogOf(port: NetworkPort, page: Page): string {
  const value = nicOf(port.end).pauseWatchdogPs
  const shown = (own: number | string): string =>
    typeof own === 'number' ? formatQuantity('duration', Math.max(WATCHDOG_LEAST_PS, Math.round(own))) : 'off'
  const own = page.take<number | string, null>(
    'nic.watchdog',
    port,
    value,
    { value: null, reason: 'no file tells of one' },
    shown,
  )
  return own === null ? 'off' : shown(own)
}

/** Payloads of RoCE, and what IP, UDP, BTH, RETH and ICRC add. Source: IBTA. */
const PAYLOADS = [4096, 2048, 1024, 512, 256]
const HEADER_BYTES = 60

/** The path MTU of RoCE: that of most NICs, else what fits into their MTU. */
function payloadOf({ network, page }: HostInput): number {
  const key = 'frames.payload'
  const stated = portsOf(network.hosts).map((port) => {
    const { activeMtuBytes } = nicOf(port.end)
    const mtu = knownOf(port.end.config?.settings.mtuBytes)
    const fits = typeof mtu === 'number' ? PAYLOADS.find((payload) => payload + HEADER_BYTES <= mtu) : undefined
    return { port, active: activeMtuBytes, bytes: knownOf(activeMtuBytes) ?? fits }
  })
  const usual = usualOf(stated.flatMap(({ bytes }) => bytes ?? []).filter((bytes) => PAYLOADS.includes(bytes)))
  const payload = usual ?? PAYLOADS[0]!
  if (usual === undefined) page.assumed(key, FABRIC, `${payload}B`, 'no file tells the MTU of RoCE')
  for (const { port, active, bytes } of stated)
    if (bytes === undefined) page.assumed(key, port, `${payload}B`, 'as most NICs')
    else if (bytes !== payload) page.leftOut(key, port, active, `${bytes} here: a scenario has one payload`)
    else if (knownOf(active) === undefined) page.assumed(key, port, `${payload}B`, 'the largest that fits into its MTU')
    else page.read(key, port, active, `${payload}B`)
  return payload
}

/** The unit of timeouts. Source: IBTA. */
const TIMEOUT_UNIT_PS = 4_096_000
/** NCCL's defaults. */
const TIMEOUT_CODE = 20
const RETRIES = 7
const CODE_MOST = 31

/** 0: no timeout. */
const timeoutText = (code: number): string =>
  code <= 0 ? 'off' : formatQuantity('duration', TIMEOUT_UNIT_PS * 2 ** Math.min(CODE_MOST, Math.floor(code)))

function queuePairs({ network, page }: HostInput): Branch {
  const jobs = network.hosts.map((host) => ({ host, job: settingsOf(host).job ?? UNKNOWN_JOB }))
  const usual = (
    key: string,
    of: (job: (typeof jobs)[number]['job']) => Value<number>,
    otherwise: number,
    shown: (own: number) => string | number,
  ): number => {
    const most = usualOf(jobs.flatMap(({ job }) => knownOf(of(job)) ?? [])) ?? otherwise
    for (const { host, job } of jobs) {
      const value = knownOf(of(job))
      if (value === undefined) page.assumed(key, spotOf(host), shown(most), 'as NCCL has it by default, or other hosts')
      else if (value === most) page.read(key, spotOf(host), of(job), shown(value))
      else page.leftOut(key, spotOf(host), of(job), `${shown(most)} elsewhere: a scenario has one value`)
    }
    return most
  }
  const code = usual('qp.ackTimeout', ({ ncclIbTimeout }) => ncclIbTimeout, TIMEOUT_CODE, timeoutText)
  const retries = usual(
    'qp.retryLimit',
    ({ ncclIbRetryCount }) => ncclIbRetryCount,
    RETRIES,
    (own) => own,
  )
  return { ackTimeout: timeoutText(code), retryLimit: Math.max(0, Math.floor(retries)) }
}

/** A setting of hosts of which a scenario has one value. */
function usualSetting(
  { network, page }: HostInput,
  key: string,
  of: (settings: HostSettings) => Value<string>,
  otherwise: string,
  reason: string,
): string {
  const most = usualOf(network.hosts.flatMap((host) => knownOf(of(settingsOf(host))) ?? [])) ?? otherwise
  for (const host of network.hosts) {
    const value = of(settingsOf(host))
    const own = knownOf(value)
    if (own === undefined) page.assumed(key, spotOf(host), most, reason)
    else if (own === most) page.read(key, spotOf(host), value, own)
    else page.leftOut(key, spotOf(host), value, `${most} elsewhere: a scenario has one value`)
  }
  return most
}

const RATE_CONTROL = 'dcqcn-connectx4'

/** Whether marks are answered, and slow down; undefined: unknown. With the value that tells it. */
function controlOf({ npClasses, rpClasses }: NicSettings, c: number): { isOn: boolean; from: Value } | undefined {
  const [np, rp] = [knownOf(npClasses), knownOf(rpClasses)]
  if (np !== undefined && !np.includes(c)) return { isOn: false, from: npClasses }
  if (rp !== undefined && !rp.includes(c)) return { isOn: false, from: rpClasses }
  return np === undefined || rp === undefined ? undefined : { isOn: true, from: rpClasses }
}

function controlledHosts({
  network,
  classes,
  page,
  hasMarks,
}: HostInput): Pick<HostGroups, 'congestion' | 'isControlled'> {
  const key = 'congestion'
  const named = usualOf(network.hosts.flatMap((host) => knownOf(settingsOf(host).rateControl) ?? []))
  const kind = named !== undefined && named !== 'none' ? named : RATE_CONTROL
  const on = new Set<NetworkDevice>()
  for (const host of network.hosts) {
    const spot = spotOf(host)
    const { rateControl } = settingsOf(host)
    const nic = nicOf(host.ports[0]!.end)
    const own = knownOf(rateControl)
    const stated = controlOf(nic, classes.ofHost.get(host)!)
    const isOn = own === undefined ? (stated?.isOn ?? hasMarks) : own !== 'none'
    if (own !== undefined) page.read(key, spot, rateControl, own)
    else if (stated !== undefined) page.read(key, spot, stated.from, isOn ? kind : 'none')
    else page.assumed(key, spot, isOn ? kind : 'none', 'on where switches mark: no file tells it')
    if (knownOf(nic.hasOtherControl) === true)
      page.leftOut('nic.hasOtherControl', spot, nic.hasOtherControl, 'its rate control is none that is simulated')
    if (isOn) on.add(host)
  }
  if (!hasMarks) page.assumed(key, FABRIC, 'none', 'no switch marks: DCQCN would never act')
  return { congestion: hasMarks && on.size > 0 ? kind : 'none', isControlled: (host) => on.has(host) }
}

const BALANCES: readonly string[] = ['ecmp', 'flowlet', 'spray', 'adaptive']

function balanceOf({ network, page }: HostInput): string {
  const key = 'balance'
  const stated = network.switches.map((at) => {
    const settings = at.at?.config.settings
    const value: Value<string> | undefined =
      settings !== undefined && 'balance' in settings ? settings.balance : undefined
    return { at, value, own: knownOf(value) }
  })
  const most =
    usualOf(stated.flatMap(({ own }) => (own !== undefined && BALANCES.includes(own) ? [own] : []))) ?? 'ecmp'
  for (const { at, value, own } of stated)
    if (value === undefined || own === undefined) page.assumed(key, spotOf(at), most, 'no file tells it')
    else if (own === most) page.read(key, spotOf(at), value, own)
    else page.leftOut(key, spotOf(at), value, `${most} elsewhere, or not simulated: a scenario has one value`)
  return most
}

/** Settings that a file tells and a scenario has no words for. */
export function leftOutOfPorts(ports: readonly NetworkPort[], page: Page): void {
  for (const port of ports) {
    const settings = port.end.config?.settings
    if (settings === undefined) continue
    const leave = (key: string, value: Value, reason: string, isThere = knownOf(value) === true): void => {
      if (isThere) page.leftOut(key, port, value, reason)
    }
    leave('takesGlobalPause', settings.takesGlobalPause, 'the simulator has no pauses of the whole link (802.3x)')
    leave('sendsGlobalPause', settings.sendsGlobalPause, 'the simulator has no pauses of the whole link (802.3x)')
    leave('isPfcAsymmetric', settings.isPfcAsymmetric, 'PFC is in both directions or in none')
    const vlan = knownOf(settings.vlanMode)
    leave('vlanMode', settings.vlanMode, 'frames have no tags', vlan === 'tagged' || vlan === 'both')
    for (const [c, { group, queue, pausedQueue }] of settings.classes.entries()) {
      const isOther =
        knownOf(pausedQueue) !== undefined && knownOf(queue) !== undefined && knownOf(pausedQueue) !== knownOf(queue)
      leave(`classes.${c}.pausedQueue`, pausedQueue, 'a pause stops the queue of its class', isOther)
      for (const [name, value] of [['group', group] as const, ['queue', queue] as const])
        if (!port.isHost)
          leave(`classes.${c}.${name}`, value, 'a class has its own group and queue', (knownOf(value) ?? c) !== c)
    }
    if (settings.nic !== undefined) {
      const { nic } = settings
      leave('nic.toleratesReordering', nic.toleratesReordering, 'recovery is go-back-n')
      leave('nic.bufferBytes', nic.bufferBytes, 'NICs take in all that arrives', knownOf(nic.bufferBytes) !== undefined)
    }
  }
}

export function leftOutOfSwitches({ switches }: FabricNetwork, page: Page): void {
  for (const at of switches) {
    const settings = at.at?.config.settings
    if (settings === undefined || !('arpSeconds' in settings)) continue
    const tables = 'MAC addresses are always known'
    for (const key of ['arpSeconds', 'macAgeSeconds', 'floodsLossless'] as const)
      if (knownOf<Plain>(settings[key]) !== undefined) page.leftOut(key, spotOf(at), settings[key], tables)
  }
}
