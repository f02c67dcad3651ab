/**
 * collected.tsv: path of a file, when it was collected, and where it is known the command that printed it. Columns are
 * parted by tabs; a column `device` is read over, since the path has it.
 */
import { readRows } from './rows.ts'

const COLUMNS = { required: ['path', 'time'], optional: ['device', 'command'] }

export interface CollectedFile {
  readonly timeNs: number
  readonly command: string
}

const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/

/** By path below the folder, with forward slashes. Throws InputError with the line of each mistake. */
export function readCollected(file: string, text: string): Map<string, CollectedFile> {
  const rows = readRows(file, asCsv(text), COLUMNS, (row) => {
    const timeNs = instantNs(row.text('time'))
    if (timeNs === undefined) return row.mistake('time', 'an instant such as 2026-11-20T10:00:00.2Z')
    return [row.text('path').replaceAll('\\', '/'), { timeNs, command: row.text('command') }] as const
  })
  return new Map(rows)
}

function asCsv(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) =>
      line === ''
        ? ''
        : line
            .split('\t')
            .map((field) => `"${field.replaceAll('"', '""')}"`)
            .join(','),
    )
    .join('\n')
}

/** Nanoseconds since 1970; undefined: no instant. */
function instantNs(text: string): number | undefined {
  if (!INSTANT.test(text)) return undefined
  const [, year, month, day, hour, minute, second, fraction = '0', sign, zoneHours, zoneMinutes] =
    /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/.exec(text)!
  const zone = sign === undefined ? 0 : (sign === '-' ? -1 : 1) * (Number(zoneHours) * 60 + Number(zoneMinutes))
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute) - zone, Number(second))
  return ms * 1e6 + Number(fraction) * 1e9
}
