/**
 * counters RESULT: counters of switches and hosts, as rates between two readings, or as Prometheus scrapes them.
 */
import { countersText } from '../../../doctor/answers/counters-text.ts'
import { mostOf } from '../../../core/base/extremes.ts'
import { inputError } from '../../../core/base/issue.ts'
import {
  COUNTER_VENDORS,
  counterRows,
  type CounterWriter,
  counterWriterOf,
  expositionOf,
  type Reading,
  sessionText,
} from '../../../doctor/index.ts'
import { command, type FlagsOf } from '../../command.ts'
import { choiceFlag, givenFlag, repeatedFlag, valueFlag } from '../../flags.ts'
import type { Context } from '../../context.ts'
import { instrumentInput, tooFewReadings } from '../../instruments/instrument-input.ts'
import { anyText, fileText, quantity } from '../../parsers.ts'

const timeOf = quantity('duration', 0, Infinity, 'a time, such as 2ms')

const FLAGS = {
  device: repeatedFlag('NAME', anyText, 'Only this device; may be repeated'),
  from: valueFlag('TIME', timeOf, 'From the first reading at or after TIME, such as 2ms'),
  to: valueFlag('TIME', timeOf, 'To the last reading at or before TIME'),
  all: givenFlag('Also ports that did nothing'),
  format: {
    ...choiceFlag(
      ['prometheus', ...COUNTER_VENDORS],
      "The last readings by the names of node_exporter and the SONiC exporter, or of one --device in a vendor's forms",
    ),
    placeholder: 'FORMAT',
  },
  json: givenFlag('Print JSON'),
}
type CountersFlags = FlagsOf<typeof FLAGS>

export const counters = command({
  brief: 'Print counters of switches and hosts: pauses, traffic, drops, marks',
  about: [
    'For each device a table of its ports that did anything: rates, and shares of the time that PFC held them, between',
    'the first reading and the last, or within --from and --to. IN is a result whose scenario observes counters, or a',
    'folder with counters.csv (device, port, priority, name, value, timeNs, and unit, kind, bits where known) and',
    'edges.csv (device_a, port_a, device_b, port_b, cable_m). What each counter means: docs/models/counters.md.',
    '',
    'Examples:',
    '  rocelab run scenarios/pause-spread.yaml --set "observe=[counters]" --out spread',
    '  rocelab counters spread --device "leaf 0"',
    '  rocelab counters spread --format prometheus > spread.prom',
    '  rocelab counters spread --device "leaf 0" --to 2ms --format nx-os > leaf0.t1.txt',
  ],
  args: [{ brief: 'Result folder, or a folder with counters.csv', placeholder: 'IN', parse: fileText }],
  flags: FLAGS,
  run: printCounters,
})

async function printCounters(this: Context, flags: CountersFlags, folder: string): Promise<void> {
  const { readings: all, edges, isSimulated } = await instrumentInput(this.directory, folder)
  const firstNs = all.reduce((least, { timeNs }) => Math.min(least, timeNs), Infinity)
  const isWithin = ({ timeNs }: Reading): boolean =>
    timeNs - firstNs >= (flags.from ?? 0) / 1000 && timeNs - firstNs <= (flags.to ?? Infinity) / 1000
  const devices = new Set(all.map(({ device }) => device))
  for (const name of flags.device ?? [])
    if (!devices.has(name))
      throw inputError('--device', `one of ${[...devices].slice(0, 8).join(', ')} ...`, JSON.stringify(name))
  const readings = all.filter((one) => isWithin(one) && (flags.device?.includes(one.device) ?? true))
  const { stdout } = this.process
  const writer = counterWriterOf(flags.format ?? '')
  if (writer !== undefined) stdout.write(vendorText(writer, readings))
  else if (flags.format === 'prometheus')
    stdout.write(expositionOf(readings, isSimulated ? mostOf(readings.map(({ timeNs }) => timeNs)) / 1e9 : undefined))
  else {
    const rows = counterRows(readings, edges)
    if (rows.every(({ spanNs }) => spanNs === 0)) throw tooFewReadings(folder, 'a device')
    if (flags.json === true) stdout.write(`${JSON.stringify({ rows: rows.map(jsonOf) })}\n`)
    else stdout.write(countersText(rows, flags.all === true, this.text))
  }
}

/** Forms of one device, as a terminal shows them. */
function vendorText(writer: CounterWriter, readings: readonly Reading[]): string {
  const [device, ...more] = new Set(readings.map((one) => one.device))
  if (device === undefined || more.length > 0)
    throw inputError('--device', `one device for --format ${writer.vendor}`, device === undefined ? 'none' : 'several')
  return sessionText(writer, device, readings)
}

function jsonOf({ values, ...row }: ReturnType<typeof counterRows>[number]): object {
  return { ...row, values: Object.fromEntries(values) }
}
