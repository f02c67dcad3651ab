/**
 * Page of an experiment in Markdown: its short tables, figures, a line for each claim, and remarks. Longer tables, every
 * check and every run are in the files beside it.
 */
import type { TextColumn } from '../../../show/index.ts'
import { claimState } from './claim-state.ts'
import type { Claim } from '../findings.ts'
import { commandOf, seedsText, type StoredInfo } from './stored-info.ts'

/** Rows of a table that is shown. */
const MOST_ROWS = 16
/** Checks of a claim that are shown one by one. */
const MOST_CHECKS = 3

export function pageOf(info: StoredInfo, claims: readonly Claim[]): string {
  const { experiment, title, source, help, runs, seeds, version, note, tables, figures, remarks } = info
  const shown = tables.filter(({ rows }) => rows.length <= MOST_ROWS)
  const longer = tables.filter((table) => !shown.includes(table)).map((table) => table.title)
  const parts = [
    `# ${title}`,
    ...(note === '' ? [] : [`> ${note}`]),
    `Source: ${source}. ${help}`,
    `Made by \`${commandOf(info)}\`, rocelab ${version}: ${runs}; ${seedsText(seeds)}. Files: [every run](${experiment}.csv), ${filesText(info, claims)}.`,
    ...shown.flatMap((table) => [`## ${table.title}`, markdownTable(table.columns, table.rows)]),
    ...(longer.length === 0 ? [] : [`Longer tables, which \`rocelab report\` shows: ${longer.join('; ')}.`]),
    ...figures.map((figure) => `![${figure.title}](${experiment}-${figure.name}.svg)`),
    ...(claims.length === 0 ? [] : ['## Claims', claimTable(claims)]),
    ...(remarks.length > 0 ? ['## Remarks', ...remarks] : []),
  ]
  return `${parts.join('\n\n')}\n`
}

function filesText({ experiment }: StoredInfo, claims: readonly Claim[]): string {
  const checks = claims.length === 0 ? '' : `[every check with its reason](${experiment}-claims.csv), `
  return `${checks}[all tables](${experiment}.json)`
}

/** A row for each claim, or for each of its checks if they are few. */
function claimTable(claims: readonly Claim[]): string {
  const ids = [...new Set(claims.map(({ id }) => id))]
  const rows = ids.flatMap((id) => {
    const own = claims.filter((claim) => claim.id === id)
    if (own.length > MOST_CHECKS) {
      const state = claimState(own.map(({ verdict }) => verdict))
      return [[id, `${own.length} checks`, `${state}: ${countText(own)}`]]
    }
    return own.map(({ check, measured, verdict }) => [id, check === '' ? measured : `${check}: ${measured}`, verdict])
  })
  return markdownTable([{ head: 'claim' }, { head: 'measured' }, { head: 'verdict' }], rows)
}

/** "3 reproduced, 1 undecided". */
function countText(claims: readonly Claim[]): string {
  const verdicts = [...new Set(claims.map(({ verdict }) => verdict))]
  return verdicts.map((one) => `${claims.filter(({ verdict }) => verdict === one).length} ${one}`).join(', ')
}

export function markdownTable(columns: readonly TextColumn[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.map(markdownCell).join(' | ')} |`
  const rule = columns.map((column) => (column.align === 'right' ? '---:' : '---'))
  return [line(columns.map(({ head }) => head)), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}

const markdownCell = (text: string | number): string => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ')
