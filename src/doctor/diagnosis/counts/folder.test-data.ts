/**
 * A folder as it is collected: neutral readings in the forms of vendors. Hosts have mlx5 (ethtool -S, rdma statistic),
 * switches SONiC (COUNTERS_DB); speeds are in their configuration.
 */
import type { DeviceFile } from '../../devices/joins/index.ts'
import { ethtoolStatisticsText } from '../../devices/dialects/counters/ethtool-statistics.ts'
import { rdmaStatisticText } from '../../devices/dialects/counters/rdma-statistic.ts'
import {
  OF_GROUPS,
  OF_PORT_PRIORITIES,
  OF_QUEUES,
  type StoredCounter,
} from '../../devices/dialects/sonic/counter-names.ts'
import { ALL_PRIORITIES, counterNamed, type Edge, type Reading } from '../../../core/device-model/index.ts'
import { byDevice } from '../../devices/series/index.ts'

export type Folder = (readonly [string, DeviceFile[]])[]

const isHost = (device: string): boolean => device.startsWith('host')
const portName = (device: string, port: string): string =>
  port === '' ? '' : `${isHost(device) ? 'eth' : 'Ethernet'}${port}`

/** With the names that ports of hosts and of switches have in files. */
export const named = (readings: readonly Reading[]): Reading[] =>
  readings.map((reading) => ({ ...reading, port: portName(reading.device, reading.port) }))

export const namedEdges = (edges: readonly Edge[]): Edge[] =>
  edges.map((edge) => ({
    ...edge,
    portA: portName(edge.deviceA, edge.portA),
    portB: portName(edge.deviceB, edge.portB),
  }))

/** @param readings with names of files  @param lateNs the files of rdma statistic are later than the others by this */
export function folderOf(readings: readonly Reading[], lateNs = 0): Folder {
  return [...byDevice(readings)].map(([device, own]) => {
    const times = [...new Set(own.map(({ timeNs }) => timeNs))]
    const files = times.flatMap((timeNs, i) => {
      const now = own.filter((each) => each.timeNs === timeNs)
      return isHost(device) ? hostFiles(device, now, i, lateNs) : [switchFile(device, now, i)]
    })
    return [device, [...files, ...speedFiles(device, own)]]
  })
}

const fileOf = (name: string, timeNs: number, text: string, command = ''): DeviceFile => ({
  file: name,
  timeNs,
  text,
  command,
})

function hostFiles(device: string, now: readonly Reading[], index: number, lateNs: number): DeviceFile[] {
  const { timeNs } = now[0]!
  const ports = [...new Set(now.map(({ port }) => port))].filter((port) => port !== '')
  const ofPorts = ports.map((port) =>
    fileOf(
      `${device}/ethtool-${port}.t${index}`,
      timeNs,
      ethtoolStatisticsText(
        'mlx5',
        now.filter((each) => each.port === port),
      ),
      `ethtool -S ${port}`,
    ),
  )
  const whole = now.filter(({ name }) => counterNamed(name)?.scope === 'device')
  if (whole.length === 0) return ofPorts
  return [...ofPorts, fileOf(`${device}/rdma.t${index}`, timeNs + lateNs, rdmaStatisticText('mlx5', 'mlx5_0', whole))]
}

function switchFile(device: string, now: readonly Reading[], index: number): DeviceFile {
  const maps = { port: new Map<string, string>(), queue: new Map<string, string>(), group: new Map<string, string>() }
  const counters = new Map<string, Record<string, string>>()
  const put = (map: keyof typeof maps, key: string, field: string, value: number): void => {
    const id = `oid:${map}-${key.replace(':', '-')}`
    maps[map].set(key, id)
    counters.set(id, { ...counters.get(id), [field]: String(Math.round(value)) })
  }
  const fieldOf = (list: readonly StoredCounter[], name: string): string | undefined =>
    list.find((each) => each.name === name)?.from[0]
  for (const { port, priority, name, value } of now) {
    if (name === 'crcErrors') put('port', port, 'SAI_PORT_STAT_IF_IN_ERRORS', value)
    if (priority === ALL_PRIORITIES) continue
    const [ofPort, ofQueue, ofGroup] = [OF_PORT_PRIORITIES, OF_QUEUES, OF_GROUPS].map((list) => fieldOf(list, name))
    if (ofPort !== undefined) put('port', port, ofPort.replace('_P_', `_${priority}_`), value)
    else if (ofQueue !== undefined) put('queue', `${port}:${priority}`, ofQueue, value)
    else if (ofGroup !== undefined) put('group', `${port}:${priority}`, ofGroup, value)
  }
  const tables = {
    COUNTERS_PORT_NAME_MAP: Object.fromEntries(maps.port),
    COUNTERS_QUEUE_NAME_MAP: Object.fromEntries(maps.queue),
    COUNTERS_PG_NAME_MAP: Object.fromEntries(maps.group),
    ...Object.fromEntries([...counters].map(([id, fields]) => [`COUNTERS:${id}`, fields])),
  }
  return fileOf(`${device}/counters-db.t${index}.json`, now[0]!.timeNs, JSON.stringify(tables, null, 1))
}

function speedFiles(device: string, own: readonly Reading[]): DeviceFile[] {
  const speeds = new Map(own.flatMap(({ port, name, value }) => (name === 'rateBps' ? [[port, value / 1e6]] : [])))
  if (isHost(device))
    return [...speeds].map(([port, speed]) =>
      fileOf(
        `${device}/ethtool-${port}`,
        NaN,
        `Settings for ${port}:\n\tSpeed: ${speed}Mb/s\n\tDuplex: Full\n\tAuto-negotiation: off\n\tLink detected: yes\n`,
        `ethtool ${port}`,
      ),
    )
  const PORT = Object.fromEntries(
    [...speeds].map(([port, speed]) => [port, { speed: String(speed), admin_status: 'up' }]),
  )
  return [
    fileOf(`${device}/config_db.json`, NaN, JSON.stringify({ PORT, DEVICE_METADATA: { localhost: {} } }, null, 1)),
  ]
}
