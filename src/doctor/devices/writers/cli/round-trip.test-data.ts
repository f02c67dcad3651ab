/** Round trips: what is written and read again, and the values that are not as before. */
import { type Device, deviceOf } from '../../joins/device.ts'
import { type DeviceConfig, type Field, fieldsOf, knownOf } from '../../../../core/device-model/index.ts'
import type { Writer, WriteOptions, WrittenFile } from '../writer.ts'

export const OPTIONS: WriteOptions = {
  variant: '',
  peers: new Map(),
  nameOf: (purpose) => purpose.toUpperCase().replaceAll(' ', '-'),
}

export const readDevice = (name: string, files: readonly WrittenFile[]): Device =>
  deviceOf(
    name,
    files.map(({ file, text }) => ({ file, text, command: '', timeNs: NaN })),
  )

export const rewritten = (writer: Writer, config: DeviceConfig, variant: string): Device =>
  readDevice(config.device, writer.write(config, { ...OPTIONS, variant }))

const keyOf = ({ name, slot }: Field): string => `${name} ${slot}`

/** Known values that are unknown or others afterwards, except for those that the writer has no words for. */
export function differences(config: DeviceConfig, again: DeviceConfig, { cannotSay }: Writer): string[] {
  const silent = new Set(Object.keys(cannotSay).map((field) => field.replace(/^(?:classes|pools)\./, '')))
  const compare = (where: string, before: readonly Field[], after: readonly Field[]): string[] => {
    const values = new Map(after.map((field) => [keyOf(field), field.value]))
    return before.flatMap((field) => {
      if (field.value.state === 'unknown' || silent.has(field.name)) return []
      const value = values.get(keyOf(field))
      const [was, is] = [field.value.value, knownOf(value)]
      return JSON.stringify(was) === JSON.stringify(is)
        ? []
        : [`${where} ${keyOf(field)}: ${JSON.stringify(was)} -> ${JSON.stringify(is)}`]
    })
  }
  const portOf = (name: string): readonly Field[] => {
    const port = again.ports.find((one) => one.name === name)
    return port === undefined ? [] : fieldsOf(port.settings)
  }
  return [
    ...compare('device', fieldsOf(config.settings), fieldsOf(again.settings)),
    ...config.ports.flatMap(({ name, settings }) => compare(name, fieldsOf(settings), portOf(name))),
  ]
}

/** Mistakes that a reader finds in what is written; none are expected. */
export const mistakesOf = ({ forms, references, unread, isComplete }: Device): string[] => [
  ...forms.flatMap(({ truncated, remainder }) => [
    ...(truncated === null ? [] : [`ends before ${truncated.expected}`]),
    ...remainder.map(({ text }) => `not understood: ${text}`),
  ]),
  ...references.map(({ problem, what, name }) => `${problem} ${what} ${name}`),
  ...unread.map(({ file }) => `not read: ${file}`),
  ...(isComplete ? [] : ['not complete']),
]
