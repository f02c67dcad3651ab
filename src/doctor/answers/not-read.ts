/**
 * Not read: all that was collected and that nothing was made of, and why.
 */
import { exactCount } from '../../core/base/format.ts'
import { counted } from '../../core/findings/index.ts'
import type { Fabric, FormRead, Unread } from '../index.ts'

/** A file, or a part of one. */
export interface NotRead {
  readonly file: string
  /** From 1; 0: the whole file. */
  readonly line: number
  readonly why: string
  /** Its first line, cut; '': it has none. */
  readonly text: string
}

/** A file, and why it is not read. */
export interface WholeFile {
  readonly file: string
  readonly why: string
}

export interface Collected {
  readonly fabric: Fabric
  /** Files that cannot be read, or are no texts. */
  readonly unreadable: readonly WholeFile[]
  /** Files that nobody tried to read. */
  readonly skipped: readonly WholeFile[]
}

const TEXT_LENGTH_MAX = 60
const NO_FORM = 'of no form that is known'

/** Files and outputs first, lines of files that are read last. */
export function notReadIn({ fabric, unreadable, skipped }: Collected): NotRead[] {
  const devices = [...fabric.devices.values()]
  const whole = ({ file, why }: WholeFile): NotRead => ({ file, line: 0, why, text: '' })
  return [
    ...unreadable.map(whole),
    ...devices.flatMap(({ unread }) => unread.map(ofPart)),
    ...skipped.map(whole),
    ...devices.flatMap(({ forms }) => linesLeft(forms)),
  ]
}

function ofPart({ file, line, text, why, count, form, language }: Unread): NotRead {
  const ports = count === 1 ? 'its port' : 'their ports'
  const ofForm = language === '' ? NO_FORM : `${language}, a language that is not read`
  const reason = why === 'form' ? ofForm : `${counted(count, 'output')} of ${form} without ${ports}`
  return { file, line, why: reason, text: cut(text) }
}

/** One entry for a file. */
function linesLeft(forms: readonly FormRead[]): NotRead[] {
  const left = new Map<string, FormRead[]>()
  for (const form of forms) if (form.remainder.length > 0) left.set(form.file, [...(left.get(form.file) ?? []), form])
  return [...left].map(([file, own]): NotRead => {
    const lines = own.flatMap(({ remainder }) => remainder)
    const half = own.find(({ isHalfRead }) => isHalfRead)
    const reading = half === undefined ? '' : `half read as ${half.dialect.title}: `
    const { number, text } = lines[0]!
    return { file, line: number, why: `${reading}${counted(lines.length, 'line')} not understood`, text: cut(text) }
  })
}

/** Files in languages that are known by name alone. */
export function strangersOf(unread: readonly Unread[]): { readonly file: string; readonly language: string }[] {
  return unread.flatMap(({ file, language }) => (language === '' ? [] : [{ file, language }]))
}

/** Rows that are written out. */
const ROWS_MAX = 20

/** All of it as rows of a table. */
export function notReadRows(collected: Collected): string[][] {
  const all = notReadIn(collected)
  const rows = all.slice(0, ROWS_MAX).map((each) => ['not read', notReadText(each)])
  if (all.length > ROWS_MAX)
    rows.push(['not read', `${exactCount(all.length - ROWS_MAX)} more files or parts of files: --format json has all`])
  return rows
}

/** Files of a device of which nothing at all is read. */
export function wholeFilesOf(unread: readonly Unread[], forms: readonly FormRead[]): string[] {
  const read = new Set(forms.map(({ file }) => file))
  return [...new Set(unread.map(({ file }) => file))].filter((file) => !read.has(file))
}

/** "gpu1/notes.txt:3: of no form that is known: ask Bob" */
export function notReadText({ file, line, why, text }: NotRead): string {
  return `${file}${line === 0 ? '' : `:${line}`}: ${why}${text === '' ? '' : `: ${text}`}`
}

const cut = (text: string): string => {
  const plain = text.trim().replaceAll(/\s+/g, ' ')
  return plain.length > TEXT_LENGTH_MAX ? `${plain.slice(0, TEXT_LENGTH_MAX)}...` : plain
}
