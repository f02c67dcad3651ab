/**
 * Found files: what a folder or an archive holds, in one form, with limits for all of it together.
 */
import type { TarHeader } from 'modern-tar'
import { inputError } from '../../core/base/issue.ts'
import { humanBytes } from '../../show/index.ts'

export interface FoundFile {
  /** Below the folder, with forward slashes; files in an archive stand below the name of the archive. */
  readonly file: string
  /** Throws InputError, also for what is no text. */
  text(): string
}

/** Something that is not read, and why. */
export interface Skipped {
  readonly file: string
  readonly why: string
}

export interface Found {
  /** In the order of their names. */
  readonly files: readonly FoundFile[]
  /** Folders, with those that hold no files. */
  readonly folders: readonly string[]
  readonly skipped: readonly Skipped[]
}

/** An entry of an archive. */
export interface Entry {
  readonly header: Pick<TarHeader, 'name' | 'type' | 'pax'>
  readonly body: AsyncIterable<Uint8Array>
}

/** Limits of all files together. */
export interface Limits {
  readonly files: number
  readonly bytes: number
}
export const LIMITS: Limits = { files: 200_000, bytes: 2 ** 30 }
/** One file of an archive. */
export const PACKED_FILE_BYTES_MAX: number = 32 * 2 ** 20
/** Files of archives as they are kept in memory, packed. */
const HELD_BYTES_MAX = 64 * 2 ** 20
/** Folders in each other. */
export const DEPTH_MAX = 20

/** The rest of the limits. */
export class Budget {
  readonly #shown: string
  readonly #limits: Limits
  #files = 0
  #bytes = 0
  #held = 0

  /** @param shown the input as the user named it */
  constructor(shown: string, limits: Limits) {
    this.#shown = shown
    this.#limits = limits
  }

  file(): void {
    this.#files++
    this.#check()
  }

  bytes(count: number): void {
    this.#bytes += count
    this.#check()
  }

  held(count: number): void {
    this.#held += count
    this.#check()
  }

  #check(): void {
    const { files, bytes } = this.#limits
    if (this.#held > HELD_BYTES_MAX)
      throw inputError(this.#shown, `at most ${humanBytes(HELD_BYTES_MAX)} of packed texts`, 'more', 'unpack it')
    if (this.#files > files || this.#bytes > bytes)
      throw inputError(this.#shown, `at most ${files} files and ${humanBytes(bytes)}`, 'more', 'split the folder')
  }
}

/** Endings of archives and of packed files, also of those that are not read. */
const PACKED = /\.(?:tar|tgz|txz|gz|xz|zip|tbz2?|bz2|zst|7z|rar)$/i
const READ_ENDING = /\.(?:tar|tgz|txz|zip|(?:tar\.)?[gx]z)$/i

export const isPacked = (file: string): boolean => PACKED.test(file)

/** Whether the name says that it is a tar archive, packed or not. */
export const isTar = (file: string): boolean => /\.(?:tar|tgz|txz|tar\.[gx]z)$/i.test(file)

/** "leaf1" of "leaf1.tar.gz". */
export const withoutEnding = (file: string): string => file.replace(READ_ENDING, '')

/** In the order of a listing that goes into each folder as it meets it. */
export function inOrder<T extends { readonly file: string }>(files: readonly T[]): T[] {
  return files
    .map((each) => ({ each, names: each.file.split('/') }))
    .sort((a, b) => compareNames(a.names, b.names))
    .map(({ each }) => each)
}

function compareNames(a: readonly string[], b: readonly string[]): number {
  for (const [i, name] of a.entries()) {
    const other = b[i]
    if (other === undefined) return 1
    if (name !== other) return name < other ? -1 : 1
  }
  return a.length - b.length
}
