/**
 * Loud senders: a host that gets more CNPs than others, and alone sends whenever its port is not held: it heeds none.
 * Sources: [MS-Scale] 5.2; docs/models/localiser.md, "Kinds".
 */
import { ALL_PRIORITIES } from '../../../core/device-model/index.ts'
import type { Series } from '../../devices/series/index.ts'
import type { Fabric, Port } from './fabric.ts'
import { hasLosses } from './losses.ts'
import { LOUD_SHARE, LOUD_TIMES, LOUD_USE } from './limits.ts'
import type { Evidence, States } from './states.ts'

export interface Loud {
  readonly port: Port
  readonly numbers: readonly Evidence[]
}

/** The one loud sender that a full egress is full of. @param seen intervals in which it is */
export function loudSender(
  { fabric, series }: { readonly fabric: Fabric; readonly series: Series },
  seen: readonly { readonly states: States }[],
  egress: Port,
): Loud | undefined {
  const hosts = [...fabric.devices.values()].filter(({ isHost }) => isHost)
  const portsOf = hosts.flatMap(({ ports }) => ports.map((id) => fabric.ports[id]!))
  const totalOf = (name: string, counter: string): number => series.total(name, '', ALL_PRIORITIES, counter) ?? 0
  // With slow restart a NIC counts its losses as CNPs, which nobody has sent.
  const cnpsOf = (name: string): number =>
    totalOf(name, 'cnpHandled') + totalOf(name, 'cnpIgnored') - totalOf(name, 'slowRestarts')
  const usual = hosts.map(({ name }) => cnpsOf(name)).sort((a, b) => a - b)[hosts.length >> 1] ?? 0
  const naksOf = (name: string): number | undefined => series.total(name, '', ALL_PRIORITIES, 'seqNaks')
  // Hosts that send again what was lost are busy, too.
  const isLossy = hasLosses(fabric, series)
  const isNotified = ({ device }: Port): boolean => {
    const [cnps, naks] = [cnpsOf(device), naksOf(device)]
    return cnps > 0 && cnps >= LOUD_TIMES * usual && (naks === undefined ? !isLossy : naks === 0)
  }
  const notified = portsOf.filter(isNotified)
  // Where several are loud their applications are, and congestion control may be at its work. Frames show who may be.
  const loud = notified.filter((port) => busyShare(seen, port, 'frames too') >= LOUD_USE)
  const [port] = loud
  if (loud.length !== 1 || port === undefined || port.peer === egress.id) return undefined
  if (busyShare(seen, port, 'durations') < LOUD_USE) return undefined
  const bytesOf = (one: Port): number => seen.reduce((sum, { states }) => sum + (states.sentBytes(one) ?? 0), 0)
  if (bytesOf(port) < LOUD_SHARE * bytesOf(egress)) return undefined
  const count = cnpsOf(port.device)
  const { device } = port
  const toNs = series.beginNs(series.count)
  const span = { device, fromNs: series.fromNs, toNs }
  return {
    port,
    numbers: [
      { ...span, port: port.port, priority: ALL_PRIORITIES, name: 'txBytes', value: bytesOf(port) },
      { ...span, port: '', priority: ALL_PRIORITIES, name: 'cnpHandled', value: count },
    ],
  }
}

/**
 * Share of the known time in which a port sends or is held: congestion control leaves some. Frames alone bound the time that
 * it is held from above: they are left out where the share has to be certain.
 */
function busyShare(seen: readonly { readonly states: States }[], port: Port, by: 'durations' | 'frames too'): number {
  const shares = seen.flatMap(({ states }) => {
    const use = states.use(port)
    const hold = states.hold(port)
    return use === undefined
      ? []
      : [use + (hold !== undefined && (hold.isDuration || by === 'frames too') ? hold.share : 0)]
  })
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length)
}
