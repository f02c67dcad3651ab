/**
 * Lines of grep "" over sysfs: DCQCN and the traffic class of the kernel, and what no tool of the host has said.
 * Source: as the reader (dialects/hosts/sysfs.ts).
 */
import { enableKey } from '../../dialects/hosts/sysfs-settings.ts'
import { knownOf, CLASS_COUNT } from '../../../../core/device-model/index.ts'
import { isAnyKnown } from '../values.ts'
import { type Form, type HostPort, together } from './host-port.ts'
import { rdmaParts } from './rdma.ts'
import { flagsOf } from './traffic-classes.ts'

/** Settings of the half of DCQCN that answers marks; the others are of the half that slows down. */
const OF_NP: readonly string[] = ['min_time_between_cnps']

const PRIORITIES = Array.from({ length: CLASS_COUNT }, (_, i) => i)

/** Files with their values; undefined: unknown. */
type Entries = readonly (readonly [file: string, value: number | string | undefined])[]

function ecnEntries({ settings: { other }, nic, said }: HostPort): Entries {
  const halves = [
    ['roce_np', 'nic.npClasses', nic.npClasses],
    ['roce_rp', 'nic.rpClasses', nic.rpClasses],
  ] as const
  const settings = Object.entries(other).flatMap(([name, value]) => {
    const number = knownOf(value)
    return typeof number === 'number' && /^[a-z][a-z0-9_]*$/.test(name)
      ? [[`ecn/${OF_NP.includes(name) ? 'roce_np' : 'roce_rp'}/${name}`, number] as const]
      : []
  })
  return [
    ...halves.flatMap(([half, field, value]) => {
      const classes = said.has(field) ? undefined : knownOf(value)
      return PRIORITIES.map((priority) => {
        const single = knownOf(other[enableKey(half, priority)])
        const isOn = classes === undefined ? single : classes.includes(priority)
        return [`ecn/${half}/enable/${priority}`, isOn === undefined ? undefined : Number(isOn)] as const
      })
    }),
    ['ecn/roce_np/cnp_802p_prio', knownOf(nic.cnpClass)],
    ['ecn/roce_np/cnp_dscp', said.has('nic.cnpDscp') ? undefined : knownOf(nic.cnpDscp)],
    ...settings,
  ]
}

/** Settings that no other file has. */
function restEntries(port: HostPort): Entries {
  const { settings, nic, said, used } = port
  const left = <T>(field: string, value: T | undefined): T | undefined => (said.has(field) ? undefined : value)
  const pfc = left('pfcClasses', knownOf(settings.pfcClasses))
  const rate = left('rateBps', knownOf(settings.rateBps))
  const up = left('isUp', knownOf(settings.isUp))
  const mtu = left('mtuBytes', knownOf(settings.mtuBytes))
  const isOnPci = isAnyKnown(nic.pciName) || used.has('pciName')
  const dscps = left('dscpToClass', port.dscps()) ?? []
  return [
    ['mtu', typeof mtu === 'number' ? mtu : undefined],
    ['speed', rate === undefined ? undefined : rate / 1e6],
    ['operstate', up === undefined ? undefined : up ? 'up' : 'down'],
    ['device/uevent', left('nic.pciName', isOnPci ? `PCI_SLOT_NAME=${port.pciName}` : undefined)],
    ['qos/trust', left('trust', knownOf(settings.trust))],
    ['qos/pfc', pfc === undefined ? undefined : flagsOf(pfc).join(' ')],
    ['qos/prio2buffer', left('nic.bufferOfClass', knownOf(nic.bufferOfClass)?.join(','))],
    ['qos/buffer_size', left('nic.bufferBytes', knownOf(nic.bufferBytes)?.join(','))],
    ...PRIORITIES.map((priority) => {
      const own = dscps.filter((one) => one.priority === priority).map(({ dscp }) => dscp)
      return ['qos/dscp2prio', own.length === 0 ? undefined : `prio:${priority} dscp:${own.join(',')}`] as const
    }),
  ]
}

/** The interface of the device is there where no other file has joined them. */
function rdmaEntries(port: HostPort): Entries {
  const { nic, said, used } = port
  const [device, number] = rdmaParts(port)
  const tclass = knownOf(nic.sysfsTclass)
  const isNeeded = tclass !== undefined || isAnyKnown(nic.rdmaDevice) || used.has('rdmaDevice')
  return [
    [`${device}/tc/${number}/traffic_class`, tclass === undefined ? undefined : `Global tclass=${tclass}`],
    [`${device}/ports/${number}/gid_attrs/ndevs/0`, isNeeded && !said.has('nic.rdmaDevice') ? port.name : undefined],
  ]
}

const linesOf = (folder: string, entries: Entries): string =>
  entries.map(([file, value]) => (value === undefined ? '' : `/sys/class/${folder}/${file}:${value}\n`)).join('')

export const sysfs: Form = together(
  'sysfs.txt',
  (port) =>
    linesOf(`net/${port.name}`, [...ecnEntries(port), ...restEntries(port)]) + linesOf('infiniband', rdmaEntries(port)),
)
