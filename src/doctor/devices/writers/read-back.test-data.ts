/** Devices that were written, read again by the readers of files, and the settings that are not the same. */
import { deviceOf, type DeviceFile } from '../joins/device.ts'
import { type DeviceConfig, fieldsOf, type Value } from '../../../core/device-model/index.ts'
import type { Files } from '../../diagnosis/rules/planted/clean.test-data.ts'
import type { Peer, Writer, WrittenFile } from './writer.ts'

export const plainName = (purpose: string): string => purpose.replaceAll(/[^A-Za-z0-9]/g, '_')

const deviceFile = (file: string, text: string): DeviceFile => ({ file, text, command: '', timeNs: NaN })

export const configOf = (name: string, files: Readonly<Record<string, string>>): DeviceConfig =>
  deviceOf(
    name,
    Object.entries(files).map(([file, text]) => deviceFile(file, text)),
  ).config

/** A device of a fabric that is given as texts. @param of which of its files */
export const deviceIn = (files: Files, name: string, of: RegExp = /./): DeviceConfig =>
  configOf(
    name,
    Object.fromEntries(Object.entries(files).filter(([file]) => file.startsWith(`${name}/`) && of.test(file))),
  )

export function write(
  writer: Writer,
  config: DeviceConfig,
  variant: string,
  nameOf: (purpose: string) => string = plainName,
  peers: ReadonlyMap<string, Peer> = new Map(),
): readonly WrittenFile[] {
  return writer.write(config, { variant, peers, nameOf })
}

export const readBack = (config: DeviceConfig, files: readonly WrittenFile[]): DeviceConfig =>
  configOf(config.device, Object.fromEntries(files.map(({ file, text }) => [file, text])))

const textOf = (value: Value | undefined): string =>
  value !== undefined && 'value' in value ? JSON.stringify(value.value) : 'unknown'

function valuesOf({ settings, ports }: DeviceConfig): Map<string, { name: string; value: Value }> {
  const values = new Map<string, { name: string; value: Value }>()
  for (const [port, own] of [['', settings] as const, ...ports.map((each) => [each.name, each.settings] as const)])
    for (const { name, slot, value } of fieldsOf(own))
      values.set(`${port} ${name}${slot === null ? '' : ` ${slot}`}`, { name, value })
  return values
}

/** "PORT FIELD CLASS: written, read" of all known fields that are read otherwise, apart from those named. */
export function differences(
  config: DeviceConfig,
  again: DeviceConfig,
  except: Readonly<Record<string, string>>,
): string[] {
  const read = valuesOf(again)
  return [...valuesOf(config)].flatMap(([key, { name, value }]) => {
    const [before, after] = [textOf(value), textOf(read.get(key)?.value)]
    return before === 'unknown' || before === after || Object.hasOwn(except, name)
      ? []
      : [`${key}: ${before}, ${after}`]
  })
}

type Json = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** "TABLE KEY FIELD VALUE". References of old releases are written as new ones. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  const enter = (table: string, key: string, fields: Readonly<Record<string, unknown>>): void => {
    for (const [field, value] of Object.entries(fields))
      words.add(`${table} ${key} ${field} ${String(value).replaceAll(/\[[A-Z_]+\|([^\]]*)\]/g, '$1')}`)
  }
  for (const [name, inner] of Object.entries(JSON.parse(text) as Json)) {
    const [table = '', ...key] = name.split('|')
    if (key.length > 0) enter(table, key.join('|'), inner)
    else
      for (const [row, fields] of Object.entries(inner)) enter(table, row, fields as Readonly<Record<string, unknown>>)
  }
  return words
}

/** Words of one text that another does not have, apart from those that are known not to be there. */
export const unlike = (a: ReadonlySet<string>, b: ReadonlySet<string>, known: readonly RegExp[]): string[] =>
  [...a].filter((word) => !b.has(word) && !known.some((pattern) => pattern.test(word)))
