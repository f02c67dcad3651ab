/**
 * Configuration mode of switches with blocks: a line that is typed belongs to the innermost open block that takes it, whatever
 * its indentation; one of a setting with one value takes the place of the earlier one; numbers of a list leave the line that
 * had them; an interface that changes leaves its range.
 */
import { listOf, numbersOf, Refused } from './texts.test-data.ts'

export interface Block {
  line: string
  children: Block[]
}

/** A setting with one value. Groups of the expression before the value, joined, are its name: "(mtu) \d+". */
interface Single {
  readonly single: RegExp
  /** A name that must be defined: its kind, and it is the group "name". */
  readonly needs?: RegExp
}
/** Takes a line away, with all that begins so: the group "what", or another line alone. */
interface Gone {
  readonly gone: RegExp
  readonly only?: string
}
/** A list of numbers, each of which stands in one line: "qos-group {to} dscp {list}". */
interface Moves {
  readonly moves: string
}
/** A command that a block may hold several times: "match dscp 26". */
interface Adds {
  readonly adds: RegExp
}
export type Command = Single | Gone | Moves | Adds

export interface Opens {
  /** Its group "name" is the name, "type" the type. */
  readonly opens: RegExp
  readonly kind: string
  /** It cannot be made by typing it. */
  readonly isFixed?: boolean
  /** A thing of this name must be defined first, at the top. */
  readonly needs?: (name: string) => RegExp | null
  readonly isPort?: boolean
}

export interface Words {
  readonly step: number
  /** By kind of block; "top" is the outermost. */
  readonly kinds: Readonly<Record<string, { readonly commands: readonly Command[]; readonly blocks: readonly Opens[] }>>
}

function parsed(text: string): Block[] {
  const top: Block = { line: '', children: [] }
  const open: [depth: number, block: Block][] = [[-1, top]]
  for (const raw of text.split('\n')) {
    if (raw.trim() === '') continue
    const depth = raw.length - raw.trimStart().length
    while (open.at(-1)![0] >= depth) open.pop()
    const block: Block = { line: raw.trim(), children: [] }
    open.at(-1)![1].children.push(block)
    open.push([depth, block])
  }
  return top.children
}

const printed = (blocks: readonly Block[], step: number, depth = 0): string =>
  blocks
    .map(({ line, children }) => `${' '.repeat(depth * step)}${line}\n${printed(children, step, depth + 1)}`)
    .join('')

/** "Ethernet1/1-3,Ethernet1/5" or "range ethernet1/1/1-1/1/4" as single ports. */
export function portsOf(names: string): string[] {
  let stem = ''
  return names
    .replace(/^range /, '')
    .split(',')
    .flatMap((part) => {
      const [, prefix = '', first = '', last = first] =
        /^\s*([A-Za-z]*(?:\d+\/)*)(\d+)(?:-(?:[\d/]*\/)?(\d+))?$/.exec(part) ?? []
      if (first === '') return [part]
      if (/^[A-Za-z]/.test(prefix)) stem = prefix
      return numbersOf(`${first}-${last}`).map((n) => `${/^[A-Za-z]/.test(prefix) ? prefix : stem}${n}`)
    })
}

export class Configuration {
  readonly #top: Block
  readonly #words: Words
  #open: { block: Block; kind: string }[]

  constructor(text: string, words: Words) {
    this.#top = { line: '', children: parsed(text) }
    this.#words = words
    this.#open = [{ block: this.#top, kind: 'top' }]
  }

  text(): string {
    return printed(this.#top.children, this.#words.step)
  }

  /** @throws Refused */
  type(typed: string): void {
    const line = typed.trim()
    for (let depth = this.#open.length - 1; depth >= 0; depth--) {
      const { block, kind } = this.#open[depth]!
      const { commands, blocks } = this.#words.kinds[kind]!
      for (const opens of blocks) {
        const match = opens.opens.exec(line)
        if (match === null) continue
        const found = opens.isPort === true ? this.#port(line, match) : this.#child(block, line, match, opens)
        this.#open = [...this.#open.slice(0, depth + 1), { block: found, kind: opens.kind }]
        return
      }
      for (const command of commands)
        if (this.#apply(block, line, command)) {
          this.#open = this.#open.slice(0, depth + 1)
          return
        }
    }
    throw new Refused(line, 'no open block takes it')
  }

  #defines(pattern: RegExp): boolean {
    return this.#top.children.some(({ line }) => pattern.test(line))
  }

  #child(block: Block, line: string, match: RegExpExecArray, { opens, isFixed, needs }: Opens): Block {
    const { name = '', type = '', before } = match.groups ?? {}
    const same = block.children.find((child) => {
      const groups = opens.exec(child.line)?.groups
      return groups?.['name'] === name && (groups['type'] ?? '') === type
    })
    if (same !== undefined) return same
    if (isFixed === true) throw new Refused(line, 'is not there')
    const needed = needs?.(name) ?? null
    if (needed !== null && !this.#defines(needed)) throw new Refused(line, `${name} is not defined`)
    const made: Block = { line: line.replace(/ insert-before \S+$/, ''), children: [] }
    if (before === undefined) this.#put(block, made)
    else {
      const at = block.children.findIndex((child) => opens.exec(child.line)?.groups?.['name'] === before)
      if (at < 0) throw new Refused(line, `${before} is not there`)
      block.children.splice(at, 0, made)
    }
    return made
  }

  /** New things stand before the interfaces, which may use them. */
  #put(block: Block, made: Block): void {
    const first = block === this.#top ? block.children.findIndex((child) => child.line.startsWith('interface ')) : -1
    block.children.splice(first < 0 ? block.children.length : first, 0, made)
  }

  /** The block of one port alone, with all that ranges say of it. */
  #port(line: string, match: RegExpExecArray): Block {
    const name = match.groups!['name']!
    const own: Block = { line, children: [] }
    let at = -1
    for (let i = 0; i < this.#top.children.length; i++) {
      const block = this.#top.children[i]!
      const [, names] = /^interface (.+)$/.exec(block.line) ?? []
      const ports = names === undefined ? [] : portsOf(names)
      if (!ports.includes(name)) continue
      own.children.push(...structuredClone(block.children))
      const others = ports.filter((port) => port !== name)
      const rest = others.map((port): Block => ({
        line: `interface ${port}`,
        children: structuredClone(block.children),
      }))
      this.#top.children.splice(i, 1, ...rest)
      at = i + rest.length
      i += rest.length - 1
    }
    if (at < 0) throw new Refused(line, 'no such port')
    this.#top.children.splice(at, 0, own)
    return own
  }

  #apply(block: Block, line: string, command: Command): boolean {
    if ('moves' in command) return moved(block, line, command.moves, (made) => this.#put(block, made))
    const match = ('single' in command ? command.single : 'gone' in command ? command.gone : command.adds).exec(line)
    if (match === null) return false
    if ('adds' in command) {
      if (!block.children.some((child) => child.line === line)) this.#put(block, { line, children: [] })
      return true
    }
    if ('gone' in command) {
      const { only } = command
      const what = match.groups!['what']!
      const isIt = (one: string): boolean =>
        only === undefined ? one === what || one.startsWith(`${what} `) : one === only
      block.children = block.children.filter((child) => !isIt(child.line))
      return true
    }
    const { name } = match.groups ?? {}
    if (
      name !== undefined &&
      command.needs !== undefined &&
      !this.#top.children.some((child) => command.needs!.exec(child.line)?.groups?.['name'] === name)
    )
      throw new Refused(line, `${name} is not defined`)
    const key = match[1]!
    const isIt = (one: string): boolean =>
      [key, `no ${key}`].some((start) => one === start || (key !== line && one.startsWith(`${start} `)))
    const index = block.children.findIndex((child) => isIt(child.line))
    block.children = block.children.filter((child, i) => i === index || !isIt(child.line))
    if (index >= 0) block.children[index] = { line, children: [] }
    else this.#put(block, { line, children: [] })
    return true
  }
}

/** Each number of the list leaves the line that has it. */
function moved(block: Block, line: string, form: string, put: (made: Block) => void): boolean {
  const [before = '', after = ''] = form
    .replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
    .split('{list}')
    .map((part) => part.replace('{to}', '(?<to>\\S+)'))
  const pattern = new RegExp(`^${before}(?<list>[\\d, -]+?)${after}$`)
  const print = (list: readonly number[], to: string): string =>
    form.replace('{list}', listOf(list)).replace('{to}', () => to)
  const typed = pattern.exec(line)?.groups
  if (typed === undefined) return false
  const numbers = numbersOf(typed['list']!)
  let isPut = false
  block.children = block.children.flatMap((child): Block[] => {
    const groups = pattern.exec(child.line)?.groups
    if (groups === undefined) return [child]
    const to = groups['to']!
    const left = numbersOf(groups['list']!).filter((n) => !numbers.includes(n))
    const now = to === typed['to'] && !isPut ? [...left, ...numbers] : left
    if (to === typed['to']) isPut = true
    return now.length === 0 ? [] : [{ ...child, line: print(now, to) }]
  })
  if (!isPut) put({ line: print(numbers, typed['to']!), children: [] })
  return true
}
