/**
 * Page of a scenario that is made from files of a fabric, for a terminal: where its values come from. Equal lines of several
 * ports are one line.
 */
import { isOwnName } from '../../core/base/device-names.ts'
import { exactCount } from '../../core/base/format.ts'
import type { FabricScenario, PageEntry } from '../../importers/fabric/index.ts'
import { PAGE_KINDS } from '../../importers/fabric/index.ts'
import { plainText } from '../../doctor/index.ts'
import { type TextOptions, textTable } from '../../show/index.ts'

export function pageText(page: readonly PageEntry[], options: TextOptions): string {
  const groups = new Map<string, PageEntry[]>()
  for (const entry of page) {
    const key = JSON.stringify([entry.kind, entry.key, entry.value, entry.reason])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  const rows = PAGE_KINDS.flatMap((kind) =>
    [...groups.values()]
      .filter(([first]) => first!.kind === kind)
      .map(([first, ...more], i) => [
        i === 0 ? kind : '',
        first!.key,
        valueText(first!),
        spotText(first!, more.length),
        first!.file === '' ? '' : `${first!.file}:${first!.line}`,
        first!.reason,
      ]),
  )
  const heads = ['', 'key', 'value', 'at', 'from', 'note']
  return textTable(
    heads.map((head) => ({ head })),
    rows,
    options,
  )
}

function valueText({ value, kind }: PageEntry): string {
  if (value === null) return kind === 'left out' ? '' : 'off'
  return plainText(value)
}

function spotText({ device, port }: PageEntry, more: number): string {
  const first = device === '' ? 'all' : `${device} ${port}`.trim()
  return more === 0 ? first : `${first} and ${exactCount(more)} more`
}

/** Lines of comments that say which device of the fabric has no name in the scenario. */
export const namesText = (names: FabricScenario['names']): string =>
  names
    .filter(({ device }) => !isOwnName(device))
    .map(({ name, device }) => `# ${name}: ${device.replaceAll(/\p{Cc}/gu, '?')}\n`)
    .join('')
