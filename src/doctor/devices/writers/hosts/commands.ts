/**
 * Commands that somebody has written to set a port, where it is known which priorities were to have PFC, whether they have
 * it or not.
 * Sources: as the reader (dialects/hosts/shell).
 */
import { knownOf } from '../../../../core/device-model/index.ts'
import { type Form, type HostPort, together } from './host-port.ts'
import { rdmaParts } from './rdma.ts'
import { flagsOf, trafficClassesOf } from './traffic-classes.ts'

/** Commands of a NIC whose tool is mlnx_qos. Old releases turned PFC off where the cable was set after it. */
function mlnxCommands(port: HostPort): string[] {
  const { name, settings, nic, rdmaDevice } = port
  const written = knownOf(settings.pfcWritten)
  if (written === undefined) return []
  const set = (words: string): string => `mlnx_qos -i ${name} ${words}`
  const [trust, length, classes] = [knownOf(settings.trust), knownOf(settings.cableM), trafficClassesOf(settings)]
  const [device, number] = rdmaParts(port)
  const [tclass, tos] = [knownOf(nic.sysfsTclass), knownOf(nic.cmaTclass)]
  const setLength = length === undefined ? [] : [set(`--cable_len ${length}`)]
  const isLast = knownOf(settings.other['cableSetAfterPfc']) === true
  return [
    ...(isLast ? [] : setLength),
    ...(trust === undefined ? [] : [set(`--trust ${trust}`)]),
    set(`--pfc ${flagsOf(written).join(',')}`),
    ...(classes === undefined
      ? []
      : [set(`-p ${classes.ofPriority.join(',')} -s ${classes.kinds.join(',')} -t ${classes.weights.join(',')}`)]),
    ...(isLast ? setLength : []),
    ...(tclass === undefined ? [] : [`echo ${tclass} > /sys/class/infiniband/${device}/tc/${number}/traffic_class`]),
    ...(tos === undefined ? [] : [`cma_roce_tos -d ${rdmaDevice} -t ${tos}`]),
  ]
}

function dcbCommands({ name, settings }: HostPort): string[] {
  const written = knownOf(settings.pfcWritten)
  if (written === undefined) return []
  return [`dcb pfc set dev ${name} prio-pfc all:off${written.map((one) => ` ${one}:on`).join('')}`]
}

const script = (commands: (port: HostPort) => readonly string[]): Form =>
  together('commands.sh', (port) =>
    commands(port)
      .map((line) => `${line}\n`)
      .join(''),
  )

export const mlnxScript: Form = script(mlnxCommands)
export const dcbScript: Form = script(dcbCommands)
