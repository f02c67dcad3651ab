/**
 * Blocks: configurations in which a deeper indentation means "inside", as switches print them (NX-OS, EOS, OS10).
 * Comments and banners prove nothing and are left out.
 */
import type { Line } from './text.ts'

/** A line and the lines inside it. */
export interface Block {
  readonly line: Line
  /** Its words, with one space between them. */
  readonly text: string
  readonly blocks: readonly Block[]
}

export interface BlockText {
  /** Those that are inside nothing. */
  readonly blocks: readonly Block[]
  readonly comments: readonly Line[]
  /** Whether it says that it has ended. */
  readonly hasEnd: boolean
  /** Whether it ends within the text of a banner. */
  readonly isBannerOpen: boolean
}

const TAB_WIDTH = 8

/** Columns before the first word. */
function indentationOf(text: string): number {
  let column = 0
  for (const letter of text) {
    if (letter === '\t') column += TAB_WIDTH - (column % TAB_WIDTH)
    else if (letter === ' ') column++
    else break
  }
  return column
}

/** Mark that ends the banner that a line begins; null: it begins none, or ends it as well. */
function bannerEndOf(text: string): string | null {
  const [, rest] = /^banner \S+(?: (.*))?$/.exec(text) ?? []
  if (!text.startsWith('banner ')) return null
  if (rest === undefined) return 'EOF'
  const mark = rest.startsWith('^C') ? '^C' : rest.charAt(0)
  return rest.indexOf(mark, mark.length) > 0 ? null : mark
}

interface OpenBlock extends Block {
  readonly blocks: OpenBlock[]
}

/** The blocks of a text. "exit" closes the block that it is in. */
export function blocksOf(lines: readonly Line[]): BlockText {
  const roots: OpenBlock[] = []
  const comments: Line[] = []
  const open: { readonly indentation: number; readonly block: OpenBlock }[] = []
  let hasEnd = false
  let bannerEnd: string | null = null
  for (const line of lines) {
    const text = line.text.trim().replaceAll(/\s+/g, ' ')
    if (bannerEnd !== null) {
      if (text.includes(bannerEnd)) bannerEnd = null
      continue
    }
    if (text === '') continue
    if (text.startsWith('!')) {
      comments.push(line)
      continue
    }
    const indentation = indentationOf(line.text)
    while (open.length > 0 && open.at(-1)!.indentation >= indentation) open.pop()
    if (text === 'exit') open.pop()
    else if (text === 'end' && open.length === 0) hasEnd = true
    else {
      const block: OpenBlock = { line, text, blocks: [] }
      ;(open.at(-1)?.block.blocks ?? roots).push(block)
      open.push({ indentation, block })
      if (open.length === 1) bannerEnd = bannerEndOf(text)
    }
  }
  return { blocks: roots, comments, hasEnd, isBannerOpen: bannerEnd !== null }
}
