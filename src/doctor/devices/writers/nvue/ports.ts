/**
 * Ports in NVUE: link, VLANs, pauses of the whole link; and the PFC watchdog of the switch.
 * Source: NVIDIA Cumulus Linux User Guide, "Switch Port Attributes", "VLAN-aware Bridge Mode", "Quality of Service".
 */
import { knownOf, type PortConfig, type SwitchSettings } from '../../../../core/device-model/index.ts'
import { whole, written } from '../known.ts'
import type { Statements, Words } from './statements.ts'

/** Also the largest: in place of no limit. */
const MTU_BYTES = 9216
const FEC_WORDS: Readonly<Record<string, string>> = { fc: 'baser', none: 'off' }
const BRIDGE: Words = ['bridge', 'domain', 'br_default']
/** VLAN of frames without a tag. */
const ACCESS = '10'
const PS_PER_MS = 1e9
const POLL_MS = 100
const POLLS = 3
const WATCHDOG: Words = ['qos', 'pfc-watchdog']

export function writePort(statements: Statements, { name, settings }: PortConfig): void {
  const put = (words: Words, value: string | undefined): void => {
    if (value !== undefined) statements.port(name, ...words, value)
  }
  statements.port(name)
  const mtu = written(settings.mtuBytes, MTU_BYTES)
  put(['link', 'mtu'], mtu === undefined ? undefined : whole(typeof mtu === 'string' ? MTU_BYTES : mtu))
  const rate = knownOf(settings.rateBps)
  put(['link', 'speed'], rate === undefined ? undefined : rate % 1e9 === 0 ? `${rate / 1e9}G` : `${whole(rate / 1e6)}M`)
  const fec = knownOf(settings.fec)
  put(['link', 'fec'], fec === undefined ? undefined : (FEC_WORDS[fec] ?? fec))
  const [negotiates, isUp] = [knownOf(settings.autoNegotiates), knownOf(settings.isUp)]
  put(['link', 'auto-negotiate'], negotiates === undefined ? undefined : negotiates ? 'on' : 'off')
  put(['link', 'state'], isUp === undefined ? undefined : isUp ? 'up' : 'down')
  const vlan = knownOf(settings.vlanMode)
  if (vlan === 'untagged') put([...BRIDGE, 'access'], ACCESS)
  else if (vlan === 'tagged') put([...BRIDGE, 'untagged'], 'none')
  else if (vlan === 'both') statements.port(name, ...BRIDGE)
  const pauses = (
    [
      ['rx', settings.takesGlobalPause],
      ['tx', settings.sendsGlobalPause],
    ] as const
  ).flatMap(([word, value]): Words[] => {
    const isOn = knownOf(value)
    return isOn === undefined ? [] : [[word, isOn ? 'enable' : 'disable']]
  })
  statements.profile(name, 'link-pause', pauses)
}

/** A watchdog watches all lossless classes of its port. */
export function writeWatchdog(
  statements: Statements,
  { watchdog }: SwitchSettings,
  ports: readonly PortConfig[],
): void {
  const states = ports.map(({ name, settings }) => {
    const lossless = knownOf(settings.pfcClasses) ?? []
    const own = lossless.map((index) => settings.classes[index]!.isWatched)
    const isOn = own.some((value) => knownOf(value) === true)
    const isOff = own.some((value) => value.state !== 'default' && knownOf(value) === false)
    return { name, isOn, isOff, isFree: own.every(({ state }) => state === 'unknown') }
  })
  const kind = knownOf(watchdog.kind)
  const isIdle = !states.some(({ isOn }) => isOn)
  for (const { name, isOn, isOff, isFree } of states)
    if (isOn || (isIdle && isFree && kind !== undefined && kind !== 'off'))
      statements.port(name, ...WATCHDOG, 'state', 'enable')
    else if (isOff) statements.port(name, ...WATCHDOG, 'state', 'disable')
  if (kind === 'off') return
  const restoration = knownOf(watchdog.restorationPs)
  const poll = written(watchdog.pollPs, POLL_MS * PS_PER_MS)
  const pollPs = knownOf(watchdog.pollPs) ?? (typeof restoration === 'number' ? restoration : POLL_MS * PS_PER_MS)
  const detection = written(watchdog.detectionPs, pollPs * POLLS)
  if (poll !== undefined || (watchdog.pollPs.state === 'unknown' && typeof restoration === 'number'))
    statements.device(...WATCHDOG, 'polling-interval', whole(pollPs / PS_PER_MS))
  if (detection !== undefined) statements.device(...WATCHDOG, 'robustness', whole(detection / pollPs))
}
