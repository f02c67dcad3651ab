/**
 * Statements of a Junos configuration, in braces or as "set" lines: the same paths of words from both.
 * Source: Junos CLI User Guide ("show configuration", "| display set", "deactivate").
 */
import { PATH_LENGTH_MAX } from '../tree.ts'
import { isForeignToConfigurations } from '../terminal.ts'
import type { Line, Part } from '../text.ts'

export interface Statement {
  readonly verb: 'set' | 'deactivate' | 'activate' | 'delete'
  readonly words: readonly string[]
  readonly line: Line
}

export interface Script {
  readonly statements: readonly Statement[]
  /** Where it ends inside a block, string or comment; null: it does not. */
  readonly open: Line | null
  /** Whether blocks are closed that were never opened. */
  readonly isTorn: boolean
  /** Lines that are no statements. */
  readonly strange: readonly Line[]
}

interface Token {
  readonly text: string
  /** Quoted text is never punctuation. */
  readonly isQuoted: boolean
  readonly line: Line
}

const VERB = /^\s*(set|deactivate|activate|delete|edit|top|up|exit)(?:\s|$)/
const TAGS: ReadonlySet<string> = new Set(['inactive:', 'protect:', 'unprotect:', 'replace:'])

/** Words, quoted texts without their quotes, and the signs { } [ ] ; of some lines. */
function* tokensOf(lines: readonly Line[], onOpen: (line: Line) => void): Generator<Token> {
  const text = lines.map((line) => (isForeignToConfigurations(line.text.trim()) ? '' : line.text)).join('\n')
  const plain = /[^\s{}[\];"]+/y
  let row = 0
  let at = 0
  const jump = (end: number): void => {
    for (; at < end; at++) if (text[at] === '\n') row++
  }
  while (at < text.length) {
    const sign = text[at]!
    const line = lines[row]!
    if (/\s/.test(sign)) jump(at + 1)
    else if (sign === '#') while (at < text.length && text[at] !== '\n') at++
    else if (sign === '"' || text.startsWith('/*', at)) {
      const end = sign === '"' ? closingQuote(text, at + 1) : text.indexOf('*/', at + 2)
      if (end < 0) {
        onOpen(line)
        return
      }
      if (sign === '"') yield { text: text.slice(at + 1, end), isQuoted: true, line }
      jump(end + (sign === '"' ? 1 : 2))
    } else if ('{}[];'.includes(sign)) {
      yield { text: sign, isQuoted: false, line }
      at++
    } else {
      plain.lastIndex = at
      const word = plain.exec(text)![0]
      yield { text: word, isQuoted: false, line }
      at += word.length
    }
  }
}

function closingQuote(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at < text.length ? at : -1
}

/** Words whose list in brackets stands for one statement per item; none: brackets that no statement has. */
class Words {
  readonly words: string[] = []
  #list: string[] | null = null
  #state: 'before' | 'in' | 'after' = 'before'
  #isStrange = false
  line: Line | null = null

  add(token: Token): void {
    this.line ??= token.line
    const isSign = !token.isQuoted
    if (isSign && token.text === '[' && this.#state === 'before') [this.#state, this.#list] = ['in', []]
    else if (isSign && token.text === ']' && this.#state === 'in') this.#state = 'after'
    else if ((isSign && '[]'.includes(token.text)) || this.#state === 'after') this.#isStrange = true
    else (this.#list ?? this.words).push(token.text)
  }

  get isEmpty(): boolean {
    return this.line === null
  }

  /** Paths behind `prefix`. */
  paths(prefix: readonly string[]): string[][] {
    if (this.#isStrange || this.#state === 'in') return []
    const base = [...prefix, ...this.words]
    return (this.#list === null ? [base] : this.#list.map((item) => [...base, item])).flatMap(splitClass)
  }
}

/** Words of a forwarding class that stand side by side in one statement, and how many follow each. */
const CLASS_WORDS: Readonly<Record<string, number>> = {
  'queue-num': 1,
  'no-loss': 0,
  'pfc-priority': 1,
  priority: 1,
  'policing-priority': 1,
}

/** "class A queue-num 4 no-loss" is two statements of A. */
function splitClass(path: string[]): string[][] {
  const at = path.findIndex((word, i) => word === 'class' && path[i - 1] === 'forwarding-classes') + 2
  if (at < 2 || path.length <= at) return [path]
  const base = path.slice(0, at)
  const paths: string[][] = []
  for (let i = at; i < path.length;) {
    const count = Object.hasOwn(CLASS_WORDS, path[i]!) ? CLASS_WORDS[path[i]!]! : path.length
    paths.push([...base, ...path.slice(i, i + 1 + count)])
    i += 1 + count
  }
  return paths
}

/** Line that ends with a sign of the form in braces. */
const SIGNED = /[{};]\s*(?:##.*)?$/

/** Statements of a text in either form. @param prefix words in front of all of them, of the command that showed them */
export function scriptOf({ lines }: Part, prefix: readonly string[]): Script {
  const counts = { set: 0, braces: 0 }
  for (const { text } of lines)
    if (/^\s*(?:set|deactivate|activate|delete)\s+\S/.test(text)) counts.set++
    else if (SIGNED.test(text)) counts.braces++
  if (counts.set > counts.braces) return setLines(lines)
  // Lines above the first statement are a greeting.
  const first = lines.findIndex(({ text }) => SIGNED.test(text) || text.includes('/*'))
  return braces(lines.slice(Math.max(0, first)), prefix)
}

function setLines(lines: readonly Line[]): Script {
  const statements: Statement[] = []
  const strange: Line[] = []
  let open: Line | null = null
  let edited: string[] = []
  for (const line of lines) {
    const verb = VERB.exec(line.text)?.[1]
    if (verb === undefined) {
      if (!/^\s*(?:$|#|\/\*|\*)/.test(line.text) && !isForeignToConfigurations(line.text.trim())) strange.push(line)
      continue
    }
    const words = new Words()
    open = null
    for (const token of tokensOf([line], (at) => (open = at)))
      if (token.isQuoted || token.text !== ';') words.add(token)
    words.words.shift()
    if (verb === 'edit') edited = [...edited, ...words.words].slice(0, PATH_LENGTH_MAX)
    else if (verb === 'top' || verb === 'exit') edited = []
    else if (verb === 'up') edited.pop()
    else {
      const paths = words.paths(edited)
      if (paths.length === 0) strange.push(line)
      for (const path of paths) statements.push({ verb: verb as Statement['verb'], words: path, line })
    }
  }
  return { statements, open, isTorn: false, strange }
}

function braces(lines: readonly Line[], prefix: readonly string[]): Script {
  const statements: Statement[] = []
  const strange: Line[] = []
  const path = [...prefix]
  /** Lengths of the path at the start of the open blocks; below an inactive block nothing is noted. */
  const blocks: { length: number; isOff: boolean }[] = []
  let open: Line | null = null
  let isTorn = false
  let words = new Words()
  let isOff = false
  const note = (): void => {
    if (isOff || blocks.at(-1)?.isOff === true || words.line === null || path.length > PATH_LENGTH_MAX) return
    const paths = words.paths(path)
    if (paths.length === 0) strange.push(words.line)
    for (const one of paths) statements.push({ verb: 'set', words: one, line: words.line })
  }
  for (const token of tokensOf(lines, (at) => (open = at))) {
    const sign = token.isQuoted ? '' : token.text
    if (TAGS.has(sign) && words.isEmpty) isOff ||= sign === 'inactive:'
    else if (sign === '{') {
      note()
      blocks.push({ length: path.length, isOff: isOff || blocks.at(-1)?.isOff === true })
      if (path.length <= PATH_LENGTH_MAX) path.push(...words.words.slice(0, PATH_LENGTH_MAX))
      ;[words, isOff] = [new Words(), false]
    } else if (sign === ';' || sign === '}') {
      if (!words.isEmpty) note()
      ;[words, isOff] = [new Words(), false]
      if (sign === ';') continue
      const block = blocks.pop()
      if (block === undefined) isTorn = true
      else path.length = block.length
    } else words.add(token)
  }
  if (blocks.length > 0 || !words.isEmpty) open ??= lines.at(-1)!
  return { statements, open, isTorn, strange }
}
