/**
 * Configuration groups: statements of a group are inherited where it is applied, and those that stand there win. A word
 * "<et-*>" of a group means all words that are there and match.
 * Source: Junos CLI User Guide, "Use Configuration Groups".
 */
import type { Line } from '../text.ts'
import type { Branch } from '../tree.ts'
import { matches } from './names.ts'

/** Comparisons of wildcards with words, and words that are inherited; no real configuration needs as many. */
const STEPS_MAX = 500_000
/** Orders of the statements of one group lie closer together. */
const APART = 10_000_000
/** Groups that come with the system. */
const BUILT_IN = /^(?:junos-defaults|re\d|node\d|global|member\d+|\$\{node\})$/

export interface Inherited {
  /** Groups that are applied and not there. */
  readonly missing: readonly Branch[]
  /** Statements that apply groups in a way that is not followed. */
  readonly strange: readonly Line[]
}

/** Brings statements of groups to where they are applied. */
export function inherit(root: Branch): Inherited {
  const groups = root.children.get('groups')
  const missing: Branch[] = []
  const strange: Line[] = []
  let steps = 0
  let applied = 0

  /** Children of a branch of a group that stand for a word. */
  const standFor = (source: Branch, word: string): Branch[] => [
    ...(source.children.has(word) ? [source.children.get(word)!] : []),
    ...wildcardsOf(source).filter((child) => ++steps < STEPS_MAX && matches(child.word.slice(1, -1), word)),
  ]

  const merge = (target: Branch, source: Branch, group: string, below: number): void => {
    if (target.children.get('apply-groups-except')?.children.has(group) === true) return
    for (const child of source.children.values()) {
      const order = child.order - below
      if (++steps >= STEPS_MAX) return
      if (!isWildcardOf(child)) {
        const own = target.grow(child.word, child.line, order)
        if (own.order < 0) own.order = Math.max(own.order, order)
        merge(own, child, group, below)
      } else
        for (const own of target.children.values())
          if (++steps < STEPS_MAX && matches(child.word.slice(1, -1), own.word)) merge(own, child, group, below)
    }
  }

  const apply = (target: Branch, path: readonly string[]): void => {
    for (const child of target.children.values()) if (child !== groups) apply(child, [...path, child.word])
    const names = [...(target.children.get('apply-groups')?.children.values() ?? [])]
    for (const name of names.sort((a, b) => a.order - b.order)) {
      const group = groups?.children.get(name.word)
      if (group === undefined && !BUILT_IN.test(name.word)) missing.push(name)
      if (group?.children.has('when') === true) strange.push(name.line)
      else if (group !== undefined) {
        let sources: Branch[] = [group]
        for (const word of path) sources = sources.flatMap((source) => standFor(source, word))
        applied++
        for (const source of sources) merge(target, source, name.word, APART * applied)
      }
      if (steps >= STEPS_MAX) strange.push(name.line)
    }
  }
  apply(root, [])
  root.children.delete('groups')
  return { missing, strange }
}

const isWildcardOf = ({ word }: Branch): boolean => word.startsWith('<') && word.endsWith('>')

const known = new WeakMap<Branch, readonly Branch[]>()

function wildcardsOf(source: Branch): readonly Branch[] {
  let wildcards = known.get(source)
  if (wildcards === undefined) known.set(source, (wildcards = [...source.children.values()].filter(isWildcardOf)))
  return wildcards
}
