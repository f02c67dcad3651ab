/**
 * Writer: a device in the language of a vendor, the other direction of its readers (dialects/). What it writes reads back as
 * what was written, except for the fields that the language has no words for. A language is one file, and one line in
 * index.ts.
 */
import type { Language } from '../dialects/dialect.ts'
import type { DeviceConfig } from '../../../core/device-model/index.ts'

export interface WrittenFile {
  /** Name in the folder of the device: "config_db.json". */
  readonly file: string
  readonly text: string
}

/** The other end of the link of a port. */
export interface Peer {
  readonly device: string
  readonly port: string
}

export interface WriteOptions {
  /** One of the writer's variants. */
  readonly variant: string
  /** By port of the device. */
  readonly peers: ReadonlyMap<string, Peer>
  /**
   * Names of maps, classes, policies and profiles, by what they are for ("dscp-map", "queuing-policy 2"), in letters, digits,
   * "-" and "_". Different purposes have different names.
   */
  readonly nameOf: (purpose: string) => string
}

export interface Writer {
  readonly language: Language
  /** Layouts of the same settings: "braces", "set". The usual one is the first. */
  readonly variants: readonly string[]
  /**
   * Fields that the language, or the files that are written, have no words for, by their names in the model
   * ("classes.alpha", "nic.gids", "watchdog.pollPs"), and why.
   */
  readonly cannotSay: Readonly<Record<string, string>>
  /** Files of the device, with all known values that the language has words for, whatever their state. */
  write(config: DeviceConfig, options: WriteOptions): readonly WrittenFile[]
}
