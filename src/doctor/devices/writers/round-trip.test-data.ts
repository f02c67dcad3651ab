/**
 * Round trip: a device written and read again, and the known values that are not the same afterwards.
 */
import { type Device, deviceOf } from '../joins/device.ts'
import { knownOf, type DeviceConfig, fieldsOf, UNKNOWN_CLASS, UNKNOWN_POOL } from '../../../core/device-model/index.ts'
import type { Peer, Writer, WriteOptions, WrittenFile } from './writer.ts'

/** Device of some texts by file. @param knownPorts as a list of links has them */
export const readFiles = (name: string, files: readonly WrittenFile[], knownPorts: readonly string[] = []): Device =>
  deviceOf(
    name,
    files.map(({ file, text }) => ({ file, text, command: '', timeNs: Number.NaN })),
    knownPorts,
  )

export const filesOf = (texts: Readonly<Record<string, string>>): WrittenFile[] =>
  Object.entries(texts).map(([file, text]) => ({ file, text }))

export const optionsOf = (variant: string, peers: Readonly<Record<string, Peer>> = {}): WriteOptions => ({
  variant,
  peers: new Map(Object.entries(peers)),
  nameOf: (purpose) => purpose.replaceAll(/[^\w-]/g, '-'),
})

/** As writers name fields: "classes.alpha", "pools.side", "nic.gids". */
const pathOf = (name: string): string =>
  Object.hasOwn(UNKNOWN_CLASS, name) ? `classes.${name}` : Object.hasOwn(UNKNOWN_POOL, name) ? `pools.${name}` : name

/** Known values by port, field and slot. */
function valuesOf({ settings, ports }: DeviceConfig, skipped: ReadonlySet<string>): Map<string, unknown> {
  const values = new Map<string, unknown>()
  const add = (port: string, all: ReturnType<typeof fieldsOf>): void => {
    for (const { name, slot, value } of all)
      if (knownOf(value) !== undefined && !skipped.has(pathOf(name)))
        values.set([port, pathOf(name), ...(slot === null ? [] : [slot])].join(' '), knownOf(value))
  }
  add('', fieldsOf(settings))
  for (const port of ports) add(port.name, fieldsOf(port.settings))
  return values
}

/** Known values of a device that are others, or none, when its files are read. */
export function lostOf(
  writer: Writer,
  config: DeviceConfig,
  options: WriteOptions,
): { readonly lost: string[]; readonly device: Device; readonly files: readonly WrittenFile[] } {
  const files = writer.write(config, options)
  const device = readFiles(config.device, files)
  const skipped = new Set(Object.keys(writer.cannotSay))
  const found = valuesOf(device.config, skipped)
  const lost = [...valuesOf(config, skipped)].flatMap(([key, value]) => {
    const [before, after] = [JSON.stringify(value), JSON.stringify(found.get(key))]
    return before === after ? [] : [`${key}: ${before} became ${after}`]
  })
  return { lost, device, files }
}

/** Whether all files were understood to their ends, and no two contradict each other. */
export function troublesOf({ forms, unread, conflicts, references }: Device): unknown[] {
  return [
    ...forms.flatMap(({ file, truncated, remainder }) => [
      ...(truncated === null ? [] : [`${file} ends early: ${truncated.expected}`]),
      ...remainder.map(({ text }) => `${file}: ${text}`),
    ]),
    ...unread.map(({ file }) => file),
    ...conflicts,
    ...references,
  ]
}
