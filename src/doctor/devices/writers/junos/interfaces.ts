/**
 * Ports of a Junos device under interfaces. The speed of a channel stands at the port that is split, where all channels
 * have the same.
 * Source: as the reader (dialects/junos/ports.ts).
 */
import { HEADER_BYTES } from '../../dialects/junos/ports.ts'
import { knownOf, type PortConfig, type PortSettings } from '../../../../core/device-model/index.ts'
import type { WriteOptions } from '../writer.ts'
import { block, leaf, quoted, type Statement, setting } from './statements.ts'

const FEC_NAMES: Readonly<Record<string, string>> = { rs: 'fec91', fc: 'fec74' }

const DEFAULT_MTU_BYTES = 1500

const parentOf = (name: string): string | undefined => /^(.+):\d+$/.exec(name)?.[1]

function speedOf({ rateBps }: PortSettings): string | undefined {
  const rate = knownOf(rateBps)
  return rate === undefined ? undefined : rate % 1e9 === 0 ? `${rate / 1e9}g` : `${rate / 1e6}m`
}

const onOff = (isOn: boolean): string => (isOn ? 'on' : 'off')

function pauseStatements({ takesGlobalPause, sendsGlobalPause }: PortSettings): Statement[] {
  const [takes, sends] = [knownOf(takesGlobalPause), knownOf(sendsGlobalPause)]
  if (takes !== undefined && takes === sends) return [leaf(takes ? 'flow-control' : 'no-flow-control')]
  return block(
    'configured-flow-control',
    setting('rx-buffers', takes === undefined ? undefined : onOff(takes)),
    setting('tx-buffers', sends === undefined ? undefined : onOff(sends)),
  )
}

/** Without a mode of its VLANs a routed port has frames without tags. */
function unitStatements({ vlanMode }: PortSettings): Statement[] {
  const mode = knownOf(vlanMode)
  if (mode === undefined) return []
  if (mode === 'untagged' && vlanMode.state === 'default') return block('unit 0', [leaf('family inet')])
  return block(
    'unit 0',
    block('family ethernet-switching', [leaf(`interface-mode ${mode === 'untagged' ? 'access' : 'trunk'}`)]),
  )
}

function portStatements({ name, settings }: PortConfig, speed: string | undefined, options: WriteOptions): Statement {
  const { mtuBytes, fec, isUp, autoNegotiates, vlanMode } = settings
  const [mtu, code, negotiates] = [knownOf(mtuBytes), knownOf(fec), knownOf(autoNegotiates)]
  const isUsual = mtu === DEFAULT_MTU_BYTES && mtuBytes.state === 'default'
  const peer = options.peers.get(name)
  return {
    words: name,
    inside: [
      ...setting('description', peer && quoted(`${peer.device} ${peer.port}`)),
      ...(knownOf(isUp) === false ? [leaf('disable')] : []),
      ...setting('speed', speed),
      ...setting('mtu', typeof mtu === 'number' && !isUsual ? mtu + HEADER_BYTES : undefined),
      ...block(
        'ether-options',
        negotiates === undefined ? [] : [leaf(negotiates ? 'auto-negotiation' : 'no-auto-negotiation')],
        pauseStatements(settings),
        setting('fec', code === undefined ? undefined : (FEC_NAMES[code] ?? code)),
      ),
      ...(knownOf(vlanMode) === 'both' ? [leaf('native-vlan-id 1')] : []),
      ...unitStatements(settings),
    ],
  }
}

export function interfaceStatements(ports: readonly PortConfig[], options: WriteOptions): Statement[] {
  const parents = new Map<string, Set<string | undefined>>()
  for (const { name, settings } of ports) {
    const parent = parentOf(name)
    if (parent !== undefined) parents.set(parent, (parents.get(parent) ?? new Set()).add(speedOf(settings)))
  }
  const written = new Set<string>()
  return ports.flatMap((port) => {
    const parent = parentOf(port.name)
    const speed = speedOf(port.settings)
    if (parent === undefined || parents.get(parent)!.size > 1) return [portStatements(port, speed, options)]
    const isFirst = !written.has(parent)
    written.add(parent)
    return [
      ...(isFirst && speed !== undefined ? block(parent, setting('speed', speed)) : []),
      portStatements(port, undefined, options),
    ]
  })
}
