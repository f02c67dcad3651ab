/**
 * Reading: what tests ask of a text that a dialect has read.
 */
import { Facts, readFile } from '../index.ts'
import { knownOf } from '../../../../core/device-model/index.ts'

/** Facts of the only part of a text; of a text that nobody reads, none. */
export function factsOf(text: string, command = ''): Facts {
  return readFile('file.txt', text, command).parts[0]?.facts ?? new Facts('file.txt')
}

/** Value of a field of a port ("classes.3.marks"), or of the device where the port is ''. Undefined: not known. */
export function valueOf(facts: Facts, port: string, field: string): unknown {
  return knownOf((port === '' ? facts.device : facts.ports.get(port)?.values)?.get(field))
}

/** How a value is known, and in which line: "set 12". */
export function originOf(facts: Facts, port: string, field: string): string {
  const value = (port === '' ? facts.device : facts.ports.get(port)?.values)?.get(field)
  return value === undefined || value.state === 'unknown' ? 'unknown' : `${value.state} ${value.origin?.line}`
}

/** All values of a port, without their places. */
export function valuesOf(facts: Facts, port: string): Record<string, unknown> {
  const values = [...(facts.ports.get(port)?.values ?? [])].map(([field, value]) => [field, knownOf(value)] as const)
  return Object.fromEntries(values.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** All that a text says, without its places. */
export function contentOf(facts: Facts): unknown {
  const ports = [...facts.ports.keys()].toSorted().map((name) => [name, valuesOf(facts, name)])
  const device = [...facts.device].map(([field, value]) => [field, knownOf(value)] as const)
  const references = facts.references.map(({ problem, what, name, port }) => `${problem} ${what} ${name} ${port}`)
  return {
    ports,
    device: device.toSorted(([a], [b]) => (a < b ? -1 : 1)),
    references: references.toSorted(),
    isComplete: facts.isComplete,
  }
}
