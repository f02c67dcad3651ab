/**
 * Readers as tests use them: the values that its reader finds, by plain names.
 */
import type { Value } from '../../../../core/device-model/index.ts'
import { type Facts, readFile } from '../index.ts'

/** Values by port and field; "field?" is a value that is only a default, and 'unknown' one that the text leaves open. */
export interface Said {
  readonly dialect: string
  readonly facts: Facts
  readonly device: Record<string, unknown>
  readonly ports: Record<string, Record<string, unknown>>
}

function plain(values: ReadonlyMap<string, Value>): Record<string, unknown> {
  const entries = [...values].map(([field, value]) => {
    if (value.state === 'unknown') return [field, 'unknown']
    return [value.state === 'default' ? `${field}?` : field, value.value]
  })
  return Object.fromEntries(entries) as Record<string, unknown>
}

/** Reads a text that is one part. */
export function said(text: string, command = '', file = 'file'): Said {
  const [part] = readFile(file, text, command).parts
  if (part === undefined) throw new Error('no form')
  const { dialect, facts } = part
  const ports = Object.fromEntries([...facts.ports].map(([name, { values }]) => [name, plain(values)]))
  return { dialect: dialect.name, facts, device: plain(facts.device), ports }
}

/** The values of one port. */
export const port = (text: string, name = '', command = ''): Record<string, unknown> =>
  said(text, command).ports[name] ?? {}

/** Lines that the reader has left over. */
export const leftOver = ({ facts }: Said): number[] => facts.remainder.map((line) => line.number)
