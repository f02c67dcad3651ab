/**
 * Stored page: reads back the parts of a page that report.ts wrote: title, source, command, tables, figures and paragraphs.
 * Claims and measures have files of their own and are read from those.
 */
import type { ReportedTable, TextColumn } from '../../report/index.ts'
import type { Size } from './plan.ts'

export interface StoredPage {
  readonly title: string
  readonly source: string
  /** Paragraphs above the tables, without source and command. */
  readonly help: readonly string[]
  readonly command: string
  /** As in the command; undefined if the page has none. */
  readonly size: Size | undefined
  readonly seeds: string
  readonly version: string
  readonly tables: readonly ReportedTable[]
  readonly figures: readonly { readonly title: string; readonly file: string }[]
  readonly remarks: readonly string[]
}

const COMMAND = /`(rocelab reproduce \S+ --size (small|full) --seeds ([\d.,]+))`, rocelab (\S+?)\.(?:\s|$)/
const FIGURE = /^!\[(.*)\]\(([^()]+\.svg)\)$/

/** The parts of a page; those that it does not have are empty. */
export function readPage(text: string): StoredPage {
  const [, command = '', size, seeds = '', version = ''] = COMMAND.exec(text) ?? []
  const tables: ReportedTable[] = []
  const figures: { title: string; file: string }[] = []
  const paragraphs: { readonly heading: string; readonly text: string }[] = []
  let title = ''
  let heading = ''
  for (const block of text.split(/\n{2,}/).map((one) => one.trim())) {
    const [, figureTitle, file] = FIGURE.exec(block) ?? []
    if (block.startsWith('# ')) title = block.slice(2)
    else if (block.startsWith('## ')) heading = block.slice(3)
    else if (block.startsWith('| ')) tables.push({ title: heading, ...tableOf(block) })
    else if (figureTitle !== undefined && file !== undefined) figures.push({ title: figureTitle, file })
    else if (block !== '') paragraphs.push({ heading, text: block.replace(/^> /, '') })
  }
  const isSource = (one: string): boolean => one.startsWith('Source: ')
  const isOutside = (one: string): boolean => isSource(one) || COMMAND.test(one)
  return {
    title,
    source: /^Source: (.*?)\.?$/.exec(paragraphs.find((one) => isSource(one.text))?.text ?? '')?.[1] ?? '',
    help: paragraphs.filter((one) => one.heading === '' && !isOutside(one.text)).map((one) => one.text),
    command,
    size: size === 'small' || size === 'full' ? size : undefined,
    seeds,
    version,
    tables,
    figures,
    remarks: paragraphs.filter((one) => one.heading !== '').map((one) => one.text),
  }
}

function tableOf(block: string): Pick<ReportedTable, 'columns' | 'rows'> {
  const [heads = [], rule = [], ...rows] = block.split('\n').map(cellsOf)
  const columns = heads.map((head, i): TextColumn => ({ head, align: rule[i] === '---:' ? 'right' : 'left' }))
  return { columns, rows: rows.map((row) => columns.map((_, i) => row[i] ?? '')) }
}

/** Cells of a line "| a | b |", in which a bar of the text has a backslash. */
function cellsOf(line: string): string[] {
  const cells = line.split(/(?<!\\)\|/).slice(1, -1)
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}
