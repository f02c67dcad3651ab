/**
 * counters.csv: device, port, priority, name, value, timeNs, and where they are given unit, kind and bits. Names, units and
 * kinds are those of the catalogue of counters; bits are 64 where nothing is said.
 */
import { ALL_PRIORITIES, type CounterDefinition, counterNamed, type Reading } from '../../../core/device-model/index.ts'
import { nameIn, readRows, type Row } from './rows.ts'

const COLUMNS = {
  required: ['device', 'port', 'priority', 'name', 'value', 'time_ns'],
  optional: ['unit', 'kind', 'bits'],
}
const BITS = 64

/** Readings of a CSV text. Throws InputError with the line of each mistake. */
export function readReadings(file: string, text: string): Reading[] {
  return readRows(file, text, COLUMNS, readingIn)
}

function readingIn(row: Row): Reading | undefined {
  const device = nameIn(row, 'device')
  const port = nameIn(row, 'port', true)
  const definition = counterNamed(row.text('name'))
  const value = numberIn(row, 'value', /^\d{1,20}(\.\d{1,20})?([eE]\+?\d{1,2})?$/, 'a number of at least 0')
  const timeNs = numberIn(row, 'time_ns', /^\d{1,19}$/, 'a time in nanoseconds, a whole number of up to 19 digits')
  const bitsText = row.text('bits')
  const bits = bitsText === '' ? BITS : Number(/^\d{1,2}$/.test(bitsText) ? bitsText : NaN)
  if (!(bits >= 1 && bits <= BITS)) return row.mistake('bits', 'the width of the counter, 1 to 64, or nothing')
  if (definition === undefined)
    return row.mistake('name', 'the name of a counter, such as pauseRxUs', 'leave out rows of others')
  const priority = priorityIn(row, definition)
  if (device === undefined || port === undefined || value === undefined || timeNs === undefined) return undefined
  if (priority === undefined || !isAsDefined(row, definition, port)) return undefined
  if (definition.kind === 'sum' && value >= 2 ** bits) return row.mistake('value', `a number below 2^${bits}`)
  return { device, port, priority, name: definition.name, value, bits, timeNs }
}

function numberIn(row: Row, column: string, form: RegExp, expected: string): number | undefined {
  const text = row.text(column)
  return form.test(text) ? Number(text) : row.mistake(column, expected)
}

function priorityIn(row: Row, { name, scope }: CounterDefinition): number | undefined {
  const text = row.text('priority')
  if (scope === 'priority')
    return /^[0-7]$/.test(text) ? Number(text) : row.mistake('priority', `0 to 7, as ${name} is counted by priority`)
  const isAll = text === '' || text === String(ALL_PRIORITIES)
  return isAll ? ALL_PRIORITIES : row.mistake('priority', `nothing or -1, as ${name} is counted for all priorities`)
}

/** Whether unit, kind and port are those of the counter. */
function isAsDefined(row: Row, { name, scope, unit, kind }: CounterDefinition, port: string): boolean {
  const said = { unit: row.text('unit'), kind: row.text('kind') }
  if (said.unit !== '' && said.unit !== unit) row.mistake('unit', `${unit}, or nothing, for ${name}`)
  else if (said.kind !== '' && said.kind !== kind) row.mistake('kind', `${kind}, or nothing, for ${name}`)
  else if (scope === 'device' && port !== '') row.mistake('port', `nothing, as ${name} is counted for the whole device`)
  else if (scope !== 'device' && port === '') row.mistake('port', `a port, as ${name} is counted by port`)
  else return true
  return false
}
