/**
 * Shell words: the commands of a script, with its variables and loops filled in as far as the text tells.
 * It is no shell: a command that needs what only a run knows (arguments, outputs of commands) is unclear, and one that a
 * condition decides about is uncertain.
 * Source: POSIX.1-2017, Shell Command Language; bash(1) for arrays and braces.
 */
import type { Line } from '../../text.ts'

export interface ShellCommand {
  /** Its name without a folder, and its arguments. */
  readonly words: readonly string[]
  /** File that takes its output; '': none. */
  readonly target: string
  readonly line: Line
  /** Whether it runs whenever the script does. */
  readonly isCertain: boolean
  /** Whether a word of it is unknown. */
  readonly isUnclear: boolean
}

/** Longest line that is read, and most commands that one line may stand for. */
const LENGTH_MAX = 4096
const REPEATS_MAX = 64
/** Most variables of one command, and most words of all commands together. */
const NAMES_MAX = 8
const WORDS_MAX = 200_000

/** In place of quoted characters, which mean nothing to the shell, and of what only a run knows. */
const DOLLAR = '\u0001'
const BRACE = '\u0002'
const UNKNOWN_WORD = '\u0003'

/** Prompts of shells, and keys of systemd units. */
const PROMPT = /^\s*(?:(?:\[[^\]]*\][#$]|[^@\s]*@[^#$\s]*[#$]|\$)\s+|ExecStart(?:Pre|Post)?=[-+!@]*)/
const OPENING: readonly string[] = ['if', 'case', 'while', 'until', 'for', 'select']
const CLOSING: readonly string[] = ['fi', 'esac', 'done', '}']
/** Words in front of a command. */
const IN_FRONT: readonly string[] = [
  'then',
  'else',
  'elif',
  'do',
  '!',
  'sudo',
  'nohup',
  'time',
  'exec',
  'command',
  'env',
]

/** Commands that are run for their exit status alone. */
const TESTS: readonly string[] = ['[', '[[', 'test', 'grep', 'which', 'command']

/** A simple command before its variables are filled in. */
interface Piece {
  readonly words: string[]
  target: string
  /** The operator before it: "&&", "||", "|", ";" or ''. */
  readonly before: string
}

/** Position behind the bracket that closes the one at `from - 1`. */
function behindBracket(text: string, from: number): number {
  let depth = 1
  let i = from
  for (; i < text.length && depth > 0; i++) depth += text[i] === '(' ? 1 : text[i] === ')' ? -1 : 0
  return i
}

/** Splits a line into pieces and words. Quotes go, and what they protect is marked. */
class Scanner {
  readonly pieces: Piece[] = [{ words: [], target: '', before: '' }]
  readonly #text: string
  #at = 0
  #word: string | undefined
  #isTarget = false

  constructor(text: string) {
    this.#text = text
  }

  scan(): Piece[] {
    while (this.#at < this.#text.length) this.#step(this.#text[this.#at]!)
    this.#endWord()
    return this.pieces.filter(({ words }) => words.length > 0)
  }

  #step(char: string): void {
    this.#at++
    if (char === '\\') this.#add(this.#text[this.#at++] ?? '')
    else if (char === "'") this.#single()
    else if (char === '"') this.#double()
    else if (char === '`') {
      const end = this.#text.indexOf('`', this.#at)
      this.#at = end < 0 ? this.#text.length : end + 1
      this.#add(UNKNOWN_WORD)
    } else if (char === '$') this.#dollar()
    else if (/\s/.test(char)) this.#endWord()
    else if (char === '#' && this.#word === undefined) this.#at = this.#text.length
    else if (char === '(' && this.#word?.endsWith('=') === true) this.#array()
    else if (';&|()'.includes(char)) this.#operator(char)
    else if (char === '<' || char === '>') this.#redirection(char)
    else this.#add(char)
  }

  #single(): void {
    const end = this.#text.indexOf("'", this.#at)
    const inner = this.#text.slice(this.#at, end < 0 ? undefined : end)
    this.#add(inner.replaceAll('$', DOLLAR).replaceAll('{', BRACE))
    this.#at += inner.length + 1
  }

  #double(): void {
    this.#add('')
    while (this.#at < this.#text.length && this.#text[this.#at] !== '"') {
      const char = this.#text[this.#at++]!
      if (char === '$') this.#dollar()
      else if (char === '\\') this.#add((this.#text[this.#at++] ?? '').replace('$', DOLLAR))
      else this.#add(char === '{' ? BRACE : char)
    }
    this.#at++
  }

  /** "$(seq 0 7)" is as good as "{0..7}"; other outputs are unknown. */
  #dollar(): void {
    if (this.#text[this.#at] === '{') {
      this.#at++
      return this.#add('${')
    }
    if (this.#text[this.#at] !== '(') return this.#add('$')
    const end = behindBracket(this.#text, this.#at + 1)
    const [, first, last] = /^seq (\d{1,4}) (\d{1,4})$/.exec(this.#text.slice(this.#at + 1, end - 1).trim()) ?? []
    this.#add(first === undefined ? UNKNOWN_WORD : `{${first}..${last}}`)
    this.#at = end
  }

  /** NAME=(one two): as NAME="one two". */
  #array(): void {
    const end = behindBracket(this.#text, this.#at)
    this.#add(
      this.#text
        .slice(this.#at, end - 1)
        .replaceAll(/["']/g, '')
        .trim(),
    )
    this.#at = end
  }

  #operator(char: string): void {
    this.#endWord()
    const isDouble = this.#text[this.#at] === char && char !== '(' && char !== ')'
    if (isDouble) this.#at++
    this.pieces.push({ words: [], target: '', before: isDouble ? char + char : char })
  }

  #redirection(char: string): void {
    const isOfErrors = this.#word !== undefined && /^[02-9]$/.test(this.#word)
    if (this.#word === '1' || isOfErrors) this.#word = undefined
    this.#endWord()
    while ('<>&-'.includes(this.#text[this.#at] ?? ' ')) this.#at++
    if (/\d/.test(this.#text[this.#at] ?? '') && this.#text[this.#at - 1] === '&') this.#at++
    else this.#isTarget = true
    if (this.#isTarget && (char === '<' || isOfErrors)) this.#isTarget = this.#skipWord()
  }

  /** Passes over the word that follows. */
  #skipWord(): false {
    this.#at += /^\s*[^\s;&|]*/.exec(this.#text.slice(this.#at, this.#at + LENGTH_MAX))?.[0].length ?? 0
    return false
  }

  #add(text: string): void {
    this.#word = (this.#word ?? '') + text
  }

  #endWord(): void {
    const piece = this.pieces.at(-1)!
    if (this.#word === undefined) return
    if (this.#isTarget) piece.target = this.#word
    else piece.words.push(this.#word)
    this.#isTarget = false
    this.#word = undefined
  }
}

type Variables = ReadonlyMap<string, readonly string[]>

const VARIABLE = /\$(?:\{(\w+)(?:\[[@*]\])?\}|(\w+))/g

/** Values of a word with its braces: "mlx5_{0..7}", "{a,b}". */
function braced(word: string): string[] {
  const [, before = '', inner = '', after = ''] = /^([^{]*)\{([^{}]*)\}(.*)$/.exec(word) ?? []
  const [, first, last] = /^(\d{1,4})\.\.(\d{1,4})$/.exec(inner) ?? []
  const count = Number(last) - Number(first) + 1
  if (first !== undefined && count > 0 && count <= REPEATS_MAX)
    return Array.from({ length: count }, (_, i) => `${before}${Number(first) + i}${after}`)
  return inner.includes(',') && !before.endsWith('$') ? inner.split(',').map((one) => before + one + after) : [word]
}

const plain = (word: string): string => word.replaceAll(DOLLAR, '$').replaceAll(BRACE, '{')

/** The command once for each value of its variables. */
function* filled(texts: readonly string[], variables: Variables): Generator<string[]> {
  const names = new Set<string>()
  for (const text of texts) for (const [, braces, bare] of text.matchAll(VARIABLE)) names.add((braces ?? bare)!)
  const known = [...names].map((name) => [name, variables.get(name) ?? [UNKNOWN_WORD]] as const)
  const count = known.reduce((product, [, values]) => product * values.length, 1)
  let choices: ReadonlyMap<string, string>[] = [new Map()]
  // Too many to be run: all are unknown.
  for (const [name, values] of names.size > NAMES_MAX || count > REPEATS_MAX ? [] : known)
    choices = choices.flatMap((choice) => values.map((value) => new Map([...choice, [name, value]])))
  for (const choice of choices)
    yield texts.map((text) =>
      text.replace(VARIABLE, (_all, braces?: string, bare?: string) => choice.get((braces ?? bare)!) ?? UNKNOWN_WORD),
    )
}

const isUnclear = (word: string): boolean => word.includes(UNKNOWN_WORD) || /\$[\w{@*#?(]/.test(word)

/** State of a script between its lines. */
class Script {
  readonly #variables = new Map<string, readonly string[]>()
  /** Constructs that are open, from the outside in, and whether what is in them runs for certain. */
  readonly #open: boolean[] = []
  #wordsLeft = WORDS_MAX

  #set(name: string, texts: readonly string[]): void {
    const values: string[] = []
    for (const each of texts) {
      if (values.length > REPEATS_MAX) break
      for (const [text] of filled([each], this.#variables)) values.push(...text!.split(/\s+/).flatMap(braced))
    }
    const isKnown = this.#open.every(Boolean) && values.length <= REPEATS_MAX && !values.some(isUnclear)
    if (isKnown) this.#variables.set(name, values)
    else this.#variables.delete(name)
  }

  /** @param isTested whether a test stands in front of it */
  *commands(piece: Piece, line: Line, isTested: boolean): Generator<ShellCommand> {
    if (this.#wordsLeft < 0) return
    let words = piece.words
    while (words.length > 0) {
      const word = words[0]!
      if (IN_FRONT.includes(word)) words = words.slice(1)
      else if (CLOSING.includes(word)) {
        this.#open.pop()
        return
      } else if (OPENING.includes(word) || word === '{') {
        this.#open.push(word === 'for' || word === '{')
        if (word === 'for' && words[2] === 'in') this.#set(words[1]!, words.slice(3))
        if (word === 'for' || word === 'case' || word === 'select') return
        words = words.slice(1)
      } else if (/^(?:export|local|readonly|declare|-[A-Za-z]+)$/.test(word) && words.length > 1) words = words.slice(1)
      else if (/^\w+=/.test(word)) {
        this.#set(word.slice(0, word.indexOf('=')), [word.slice(word.indexOf('=') + 1)])
        words = words.slice(1)
      } else break
    }
    if (words.length === 0) return
    const isCertain = this.#open.every(Boolean) && piece.before !== '||' && !isTested
    for (const [target, ...texts] of filled([piece.target, ...words], this.#variables)) {
      const all = texts.flatMap((text, i) => (i === 0 ? [text.replace(/^.*\//, '')] : braced(text)))
      for (const each of braced(target!)) {
        if ((this.#wordsLeft -= all.length) < 0) return
        const unclear = isUnclear(each) || all.some(isUnclear)
        yield { words: all.map(plain), target: plain(each), line, isCertain, isUnclear: unclear }
      }
    }
  }
}

/** Commands in their order. */
export function* commandsOf(lines: readonly Line[]): Generator<ShellCommand> {
  const script = new Script()
  let joined = ''
  for (const line of lines) {
    if (line.text.length + joined.length > LENGTH_MAX) {
      joined = ''
      continue
    }
    joined += line.text.replace(joined === '' ? PROMPT : /^/, '')
    if (joined.endsWith('\\')) {
      joined = joined.slice(0, -1)
      continue
    }
    let input: Piece | undefined
    for (const piece of new Scanner(joined).scan()) {
      const isTested = piece.before === '&&' && TESTS.includes(input?.words[0] ?? '')
      const tee = piece.before === '|' ? piece.words.indexOf('tee') : -1
      // echo VALUE | tee FILE: the value goes to the file.
      if (tee >= 0 && input !== undefined)
        for (const target of piece.words.slice(tee + 1).filter((word) => !word.startsWith('-')))
          yield* script.commands({ ...input, target }, line, isTested)
      else yield* script.commands(piece, line, isTested)
      input = piece
    }
    joined = ''
  }
}
