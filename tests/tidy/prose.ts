/**
 * The words of the project's prose: comments and strings of the source, and pages.
 * docs/glossary.md lists the phrases that are not used; this file finds them.
 */
import ts from 'typescript'

/** A piece of prose and the line it begins on, counted from 1. */
export interface Prose {
  readonly line: number
  readonly text: string
}

/** Comments of a TypeScript file, without their markers; a run of `//` lines is one comment. */
export function commentsOf(name: string, text: string): Prose[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const lineOf = (at: number): number => source.getLineAndCharacterOfPosition(at).line + 1
  const seen = new Set<number>()
  const found: { from: number; line: number; last: number; text: string }[] = []
  const take = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const { pos, end } of ranges ?? []) {
      if (seen.has(pos)) continue
      seen.add(pos)
      const bare = text
        .slice(pos, end)
        .replace(/^\/\*+|\*+\/$/g, '')
        .replace(/^[ \t]*(\/\/|\*)[ \t]?/gm, '')
      found.push({ from: pos, line: lineOf(pos), last: lineOf(end), text: bare.trim() })
    }
  }
  const visit = (node: ts.Node): void => {
    take(ts.getLeadingCommentRanges(text, node.pos))
    take(ts.getTrailingCommentRanges(text, node.end))
    node.getChildren(source).forEach(visit)
  }
  visit(source)
  found.sort((a, b) => a.from - b.from)
  const merged: { line: number; last: number; text: string }[] = []
  for (const each of found) {
    const before = merged.at(-1)
    const isLine = text.startsWith('//', each.from)
    if (isLine && before !== undefined && before.last === each.line - 1 && /^\s*$/.test(lineStart(text, each.from))) {
      before.text += ` ${each.text}`
      before.last = each.last
    } else merged.push(each)
  }
  return merged
}

const lineStart = (text: string, at: number): string => text.slice(text.lastIndexOf('\n', at - 1) + 1, at)

/** String and template literals of a TypeScript file that hold a space: messages, help, names of tests. */
export function stringsOf(name: string, text: string): Prose[] {
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true)
  const found: Prose[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      if (node.text.includes(' ')) {
        found.push({ line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1, text: node.text })
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Prose of a page: headings, paragraphs, items and cells, without code. */
export function proseOf(markdown: string): Prose[] {
  let isCode = false
  return markdown.split('\n').flatMap((raw, index) => {
    if (/^\s*(```|~~~)/.test(raw)) isCode = !isCode
    if (isCode || /^ {4}\S/.test(raw) || /^\s*(```|~~~)/.test(raw)) return []
    const pieces = raw.trimStart().startsWith('|') ? raw.split('|') : [raw]
    return pieces
      .map((piece) =>
        piece
          .replace(/`[^`]*`/g, '`')
          .replace(/^[\s>#*\-0-9.]+(?=\S)/, '')
          .trim(),
      )
      .filter((piece) => piece.length > 0)
      .map((text) => ({ line: index + 1, text }))
  })
}

/** Words of an identifier, in small letters: `leftOfTurn` has left, of, turn. */
export function wordsOf(identifier: string): string[] {
  return identifier
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase())
}

/** Rows of the table under a heading of a page: the text of its first and of its second column. */
export function rowsUnder(page: string, heading: string): [string, string][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  return section.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    return cells.length < 4 ||
      /^-+$/.test(cells[1]!) ||
      cells[1] === 'not' ||
      cells[1] === 'name' ||
      cells[1] === 'term'
      ? []
      : [[cells[1]!, cells[2]!] as [string, string]]
  })
}
