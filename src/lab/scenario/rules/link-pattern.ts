/**
 * Link patterns, which select links of a network by text. Nodes are written as base/device-names.ts has it, by node id
 * ("34", "node 34") or by name ("leaf 2"); whether they exist is checked when the network is built.
 *
 *     A        every link of A
 *     A-B      the links between A and B
 *     A>B      the same links, in the direction from A to B
 */

/** One pattern. `to` is null for every link of `from`. */
export interface LinkPattern {
  readonly text: string
  readonly from: string
  readonly to: string | null
  readonly isOneWay: boolean
}

/** Keywords for sets of links; no node has such a name. */
const SETS = ['all', 'hosts', 'fabric']
const NODE =
  '\\d{1,9}|[a-z]+(?: \\d{1,9}(?:\\.\\d{1,9})?)?(?: [a-z]+ \\d{1,9})?(?: \\((?:node \\d{1,9}|[A-Za-z][\\w.@+-]{0,63})\\))?'
const PATTERN = new RegExp(`^(${NODE})(?: ?([->]) ?(${NODE}))?$`)

/** The patterns of a comma-separated list; null if one of them is malformed. */
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

/** A number without leading zeros, or the name. */
function nodeOf(word: string): string {
  return /^\d+$/.test(word) ? String(Number(word)) : word
}
