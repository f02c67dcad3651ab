/**
 * Link patterns: which links of a network are meant, in words. Nodes are written as `rocelab check` shows them, by
 * number ("34") or by name ("leaf 2"); whether the network has them only the network knows.
 *
 *     A        every link of A
 *     A-B      the links between A and B
 *     A>B      these, in the direction from A to B
 */

/** One pattern. `to` is null where every link of `from` is meant. */
export interface LinkPattern {
  readonly text: string
  readonly from: string
  readonly to: string | null
  readonly isOneWay: boolean
}

/** Words for sets of links, which no node is called. */
const SETS = ['all', 'hosts', 'fabric']
const NODE = '\\d{1,9}|[a-z]+(?: \\d{1,9}(?:\\.\\d{1,9})?)?(?: [a-z]+ \\d{1,9})?'
const PATTERN = new RegExp(`^(${NODE})(?: ?([->]) ?(${NODE}))?$`)

/** The patterns of a list with commas between them; null where one of them is none. */
export function parseLinkPatterns(text: string): readonly LinkPattern[] | null {
  const patterns = text.split(',').map((item): LinkPattern | null => {
    const words = item.trim().replaceAll(/\s+/g, ' ')
    const match = PATTERN.exec(words)
    if (match === null || SETS.includes(words)) return null
    const to = match[3] === undefined ? null : nodeOf(match[3])
    return { text: words, from: nodeOf(match[1] as string), to, isOneWay: match[2] === '>' }
  })
  return patterns.every((pattern) => pattern !== null) ? patterns : null
}

/** A number without zeros before it, or the name. */
function nodeOf(word: string): string {
  return /^\d+$/.test(word) ? String(Number(word)) : word
}
