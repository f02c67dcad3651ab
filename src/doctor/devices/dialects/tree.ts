/**
 * Tree of a configuration whose statements are paths of words: "set a b 1" and "a { b 1; }" are one path. Of two values of
 * a setting the later one holds; where several may stand together, all do: the reader of the setting knows which.
 */
import type { Line } from './text.ts'

/** Words of a path that are kept; no statement that matters is as long. */
export const PATH_LENGTH_MAX = 40

/** A word of a statement, with the words that may follow it. */
export class Branch {
  readonly word: string
  /** Statement that brought it, of several the last that ended here. */
  line: Line
  /** Greater: written later. Below 0: inherited. */
  order: number
  /** A switched-off statement, which counts as absent. */
  isOff = false
  /** Whether somebody has looked at it. */
  isRead = false
  readonly children = new Map<string, Branch>()

  constructor(word: string, line: Line, order: number) {
    this.word = word
    this.line = line
    this.order = order
  }

  /** The word below with all that follows it, made where it is missing. */
  grow(word: string, line: Line, order: number): Branch {
    let child = this.children.get(word)
    if (child === undefined) this.children.set(word, (child = new Branch(word, line, order)))
    return child
  }

  /** The branch that the words lead to; undefined: they are not there. */
  at(...words: readonly string[]): Branch | undefined {
    let branch = this.children.get(words[0]!)
    if (branch !== undefined) branch.isRead = true
    for (const word of words.slice(1)) {
      branch = branch?.children.get(word)
      if (branch !== undefined) branch.isRead = true
    }
    return branch
  }

  /** All values behind the words, in their order. */
  all(...words: readonly string[]): Branch[] {
    const found = words.length === 0 ? this : this.at(...words)
    const values = [...(found?.children.values() ?? [])].sort((a, b) => a.order - b.order)
    for (const value of values) value.isRead = true
    return values
  }

  /** The value behind the words, where one alone can hold. */
  value(...words: readonly string[]): Branch | undefined {
    return this.all(...words).at(-1)
  }

  /** Removes what is switched off. */
  prune(): void {
    for (const [word, child] of this.children)
      if (child.isOff) this.children.delete(word)
      else child.prune()
  }

  /** Lines of the first words that nobody has looked at. @param skipped words that do not matter, with all below them */
  unread(skipped: ReadonlySet<string>): Line[] {
    const lines: Line[] = []
    for (const child of this.children.values())
      if (skipped.has(child.word)) continue
      else if (child.isRead) lines.push(...child.unread(skipped))
      else lines.push(child.line)
    return lines
  }
}

/** The branch that a path leads to, made where it is missing. */
export function growPath(root: Branch, words: readonly string[], line: Line, order: number): Branch {
  let branch = root
  for (const word of words.slice(0, PATH_LENGTH_MAX)) branch = branch.grow(word, line, order)
  branch.line = line
  branch.order = order
  return branch
}

/** Whole number from 0 on in a branch's word; undefined: no branch or no number. */
export function countOf(branch: Branch | undefined): number | undefined {
  return branch !== undefined && /^\d{1,15}$/.test(branch.word) ? Number(branch.word) : undefined
}
