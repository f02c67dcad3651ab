/**
 * A port of a host while its files are written, and the files until all of them are there.
 */
import { knownOf, DSCP_COUNT } from '../../../../core/device-model/index.ts'
import {
  type DeviceConfig,
  type JobSettings,
  type NicSettings,
  type PortConfig,
  type PortSettings,
  UNKNOWN_NIC,
} from '../../../../core/device-model/index.ts'
import type { WriteOptions, WrittenFile } from '../writer.ts'

export class HostPort {
  readonly name: string
  readonly settings: PortSettings
  readonly nic: NicSettings
  /** Names that tools have for it; those that nobody knows are given, since their values have no other place. */
  readonly rdmaDevice: string
  readonly pciName: string
  /** Fields that a file has said: the last file says the rest. */
  readonly said = new Set<string>()
  /** Names that a file uses: another says which port has them. */
  readonly used = new Set<'pciName' | 'rdmaDevice'>()

  /** @param index of the port at its host */
  constructor({ name, settings }: PortConfig, index: number, { nameOf }: WriteOptions) {
    this.name = name
    this.settings = settings
    this.nic = settings.nic ?? UNKNOWN_NIC
    this.rdmaDevice = knownOf(this.nic.rdmaDevice) ?? nameOf(`rdma-device ${name}`)
    this.pciName = knownOf(this.nic.pciName) ?? `0000:${(index + 1).toString(16).padStart(2, '0')}:00.0`
  }

  say(...fields: readonly string[]): void {
    for (const field of fields) this.said.add(field)
  }

  /** DSCPs whose priority is known, ascending. */
  dscps(): { readonly dscp: number; readonly priority: number }[] {
    return Array.from({ length: DSCP_COUNT }, (_, dscp) => dscp).flatMap((dscp) => {
      const priority = knownOf(this.settings.dscpToClass[dscp])
      return priority === undefined ? [] : [{ dscp, priority }]
    })
  }
}

export interface Host {
  /** Its name as a device. */
  readonly name: string
  readonly ports: readonly HostPort[]
  readonly job: JobSettings | undefined
  readonly options: WriteOptions
}

export function hostOf({ device, settings, ports }: DeviceConfig, options: WriteOptions): Host {
  return {
    name: device,
    ports: ports.map((port, index) => new HostPort(port, index, options)),
    job: 'job' in settings ? settings.job : undefined,
    options,
  }
}

/** A file before all are known. */
export interface Draft extends WrittenFile {
  /** Command that printed it, where nothing else in it says which port it is of; '': it says so itself. */
  readonly command: string
  /** Whether it is understood with its command only. */
  readonly needsCommand?: boolean
  /** Whether it has names of ports. */
  readonly namesPorts?: boolean
}

/** Files of a form. */
export type Form = (host: Host) => readonly Draft[]

/** A file of each port. @param text '': nothing is known. @param command IF and DEV stand for names of the port */
export function perPort(
  file: string,
  command: string,
  text: (port: HostPort, host: Host) => string,
  { needsCommand = false }: { readonly needsCommand?: boolean } = {},
): Form {
  return (host) =>
    host.ports.flatMap((port): Draft[] => {
      const own = text(port, host)
      if (own === '') return []
      const names = { IF: port.name, DEV: port.rdmaDevice, PCI: port.pciName }
      const typed = command.replaceAll(/\b(?:IF|DEV|PCI)\b/g, (word) => names[word as keyof typeof names])
      return [
        {
          file: host.ports.length === 1 ? file : file.replace(/(?=\.\w+$)/, `-${port.name}`),
          text: own,
          command: port.name === '' ? '' : typed,
          needsCommand,
        },
      ]
    })
}

/** One file that names all ports. */
export function together(
  file: string,
  text: (port: HostPort, host: Host) => string,
  { head = '', tail = '' }: { readonly head?: string; readonly tail?: string | ((text: string) => string) } = {},
): Form {
  return (host) => {
    const own = host.ports
      .filter(({ name }) => name !== '')
      .map((port) => text(port, host))
      .join('')
    if (own === '') return []
    const end = typeof tail === 'string' ? tail : tail(own)
    return [{ file, text: `${head}${own}${end}`, command: '', namesPorts: true }]
  }
}

/** The files, each with its command where it is needed to know the port. */
export function finished(host: Host, drafts: readonly Draft[]): WrittenFile[] {
  const isClear = host.ports.length === 1 && drafts.some(({ namesPorts }) => namesPorts === true)
  return drafts.map(({ file, text, command, needsCommand }) => ({
    file,
    text: command !== '' && (needsCommand === true || !isClear) ? `# ${command}\n${text}` : text,
  }))
}
