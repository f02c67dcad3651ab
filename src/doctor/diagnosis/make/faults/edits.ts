/** Faults of texts: a name that leads nowhere, a file that ends too early. */
import type { Draw } from '../../../../core/base/draw.ts'
import type { WrittenFile } from '../../../devices/writers/index.ts'
import type { Fault } from './fault.ts'

/** Files of a device that was written. */
export interface WrittenDevice {
  readonly files: readonly WrittenFile[]
  /** Names of maps and profiles in them. */
  readonly names: readonly string[]
}

/** Files of a device with a fault of its text, if it is one; null: it cannot be made in them. */
export function editText({ edit }: Fault, written: WrittenDevice, draw: Draw): WrittenDevice | null {
  if (edit === 'dangling name') return dangling(written, draw)
  if (edit === 'cut') return cut(written, draw)
  return written
}

/** One of the spots of a name that is both defined and used gets a typo. */
function dangling({ files, names }: WrittenDevice, draw: Draw): WrittenDevice | null {
  const candidates = files.flatMap(({ text }, i) =>
    names.flatMap((name) => {
      const spots = [...text.matchAll(new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'g'))].map(({ index }) => index)
      return spots.length >= 2 ? [{ i, name, spots }] : []
    }),
  )
  if (candidates.length === 0) return null
  const { i, name, spots } = draw.one(candidates)
  const end = draw.one(spots) + name.length
  return {
    names,
    files: files.map((file, j) =>
      j === i ? { ...file, text: `${file.text.slice(0, end)}X${file.text.slice(end)}` } : file,
    ),
  }
}

/** The longest file ends at a line within its last half. */
function cut({ files, names }: WrittenDevice, draw: Draw): WrittenDevice {
  const lengths = files.map(({ text }) => text.length)
  const longest = lengths.indexOf(Math.max(...lengths))
  return {
    names,
    files: files.map((file, i) => {
      if (i !== longest) return file
      const lines = file.text.split('\n')
      const kept = draw.whole(Math.ceil(lines.length / 2), Math.max(Math.ceil(lines.length / 2), lines.length - 3))
      return { ...file, text: `${lines.slice(0, kept).join('\n')}\n` }
    }),
  }
}
