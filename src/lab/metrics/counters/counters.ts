/**
 * Counters: what switches and hosts count, polled as the collector of a real fabric polls them: cumulative values at the
 * collector's times, which may be late or lost, of devices whose counters wrap or begin anew (docs/models/counters.md).
 * Source: [MS-Scale] 5.2 (pause frames and intervals, packets and bytes per port and priority, drops at ingress and egress).
 */
import { PS_PER_METRE } from '../../../core/base/units.ts'
import { choice, duration, flag, ratio, textOrOff } from '../../../core/base/params.ts'
import { MS } from '../../../core/base/params.ts'
import { inputError } from '../../../core/base/issue.ts'
import { isNamed } from '../../../core/base/device-names.ts'
import { type ColumnSpec, type Table, TableBuilder } from '../../../core/results/table.ts'
import { rowLimit, tableName, tableParams } from '../limits.ts'
import { defineMetric, type MetricContext } from '../metric.ts'
import { Collector } from './collector.ts'
import { type CountedDevice, devicesOf, Reader } from './devices.ts'
import { HOST_VENDORS, SWITCH_VENDORS, VENDORS } from './vendors.ts'

const EDGE_COLUMNS: readonly ColumnSpec[] = [
  { name: 'deviceA', type: 'text' },
  { name: 'portA', type: 'text' },
  { name: 'deviceB', type: 'text' },
  { name: 'portB', type: 'text' },
  { name: 'cableM', type: 'number' },
]
/** Polls within which a reset comes. */
const RESET_POLLS = 8

export const counters = defineMetric({
  name: 'counters',
  help: 'counters of switches and hosts as a collector polls them: pauses, traffic, drops, watermarks, marks, CNPs, NAKs; and a table of the links',
  source: '[MS-Scale] 5.2',
  params: {
    interval: duration({ default: 1 * MS, min: 16, help: 'time between two polls of a device' }),
    watermarks: flag({ default: true, help: 'also the highest use of buffers between two polls' }),
    hosts: choice(HOST_VENDORS, {
      default: 'all',
      help: 'counters that hosts have, and their widths: all, or those of a driver',
    }),
    switches: choice(SWITCH_VENDORS, {
      default: 'all',
      help: 'counters that switches have, and their widths: all, or those of a system',
    }),
    aged: flag({
      default: false,
      help: 'counters begin anywhere in their range, as those of devices that have run for long',
    }),
    lost: ratio({ default: 0, help: 'share of the polls that a device does not answer' }),
    late: ratio({ default: 0, help: 'a device answers late by up to this share of the interval' }),
    reset: ratio({
      default: 0,
      help: 'share of the devices whose counters begin anew once, within 8 polls, as after a reboot',
    }),
    clockOff: duration({ default: 0, help: 'clocks of devices are ahead by up to this' }),
    silent: textOrOff({
      default: null,
      help: 'devices that do not answer, comma separated ("leaf 1, host 3"); off: none',
    }),
    ...tableParams,
  },
  create(values, context) {
    const name = tableName(values, 'counters')
    const { network, topology } = context
    const all = devicesOf(network, topology)
    const isSilent = silentDevices(values.silent, context)
    const collector = new Collector({
      table: name,
      devices: all.filter((device) => !isSilent(device)),
      reader: new Reader(network),
      widthsOf: ({ host }) => VENDORS[host >= 0 ? values.hosts : values.switches],
      damage: { ...values, clockOffPs: values.clockOff, isAged: values.aged },
      random: context.random,
      intervalPs: values.interval,
      maxRows: rowLimit(values, context),
      resetPolls: RESET_POLLS,
    })
    return {
      name,
      intervalPs: collector.intervalPs,
      sample: (nowPs) => collector.sample(nowPs),
      watch: collector.watch,
      table: () => collector.table(),
      lastTable: (nowPs) => collector.lastTable(nowPs),
      others: () => [edgesOf(`${name}-edges`, all)],
    }
  },
})

/** @throws InputError for a device that is not there */
function silentDevices(text: string | null, { topology }: MetricContext): (device: CountedDevice) => boolean {
  if (text === null) return () => false
  const words = text.split(',').map((word) => word.trim().replaceAll(/\s+/g, ' '))
  for (const word of words)
    if (!topology.names.some((_, node) => isNamed(word, node, topology)))
      throw inputError('counters.silent', 'devices of the network', `"${word}"`, 'check shows their names')
  return ({ ports }) => ports.some(({ port }) => words.some((word) => isNamed(word, port.node, topology)))
}

/** Each cable once, as LLDP at both ends or a list of links has it. */
function edgesOf(name: string, devices: readonly CountedDevice[]): Table {
  const builder = new TableBuilder(name, EDGE_COLUMNS)
  const ends = new Map(
    devices.flatMap((device) => device.ports.map(({ name: port, port: { id } }) => [id, [device.name, port] as const])),
  )
  for (const { ports } of devices)
    for (const { port } of ports) {
      if (port.id > port.peer.id) continue
      builder.add(...ends.get(port.id)!, ...ends.get(port.peer.id)!, port.delayPs / PS_PER_METRE)
    }
  return { ...builder.build(), kind: 'counters/edges' }
}
