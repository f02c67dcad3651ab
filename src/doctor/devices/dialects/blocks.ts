/**
 * Blocks: configurations in which a deeper indentation means "inside", as switches print them (NX-OS, EOS, OS10).
 * Comments and banners prove nothing and are left out. A block ends where a command opens another one, not at a line that
 * is none.
 */
import { isForeignToConfigurations } from './terminal.ts'
import type { Line } from './text.ts'

/** A command that is known, and those that stand inside it. */
export interface Command {
  /** Matches the whole line, its words with one space between them. */
  readonly is: RegExp
  readonly inside?: readonly Command[]
}

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
  /** The last that is no foreign one, comments included; undefined: none. */
  readonly last: Line | undefined
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

/** Commands without indentation that have others inside them, in the languages of switches, and that are not read. */
const OPENS =
  /^(?:interface|(?:class|policy|route|dcb)-map|router|system|line|management|control-plane|daemon|event-handler|telemetry|wred|qos profile|monitor session|vrf (?:context|instance|definition)|vlan (?:\d|configuration)|vlan (?:access|group)|ip (?:vrf|access-list|sla|nat pool)|ipv6 access-list|mac (?:access-list|security)|vpc domain|mlag configuration|aaa (?:group|root)|role|key chain|flow (?:exporter|monitor|record)|sflow|evpn|peer-filter|mpls (?:traffic|label|static)|segment-routing|maintenance|redundancy|port-(?:profile|group)|object-group|template|itd|app-hosting|virtual-\w+|guestshell|scheduler|track|vsan|zone|policy-options|vlt-domain|crypto|iscsi|support-assist\S*|uplink-state-group|switch-port-profile|traffic-policies|platform|openflow|cvx|bridge-domain|l2vpn)(?![\w-])/

interface OpenBlock extends Block {
  readonly blocks: OpenBlock[]
}

interface Open {
  readonly indentation: number
  /** Whether its line has lost its indentation, so that only a line's words tell whether they are inside. */
  readonly isGuessed: boolean
  readonly block: OpenBlock
  /** Commands inside it; undefined: not known. */
  readonly inside: readonly Command[] | undefined
}

/** A line that says something. */
interface Said {
  readonly line: Line
  readonly text: string
  readonly indentation: number
}

const commandIn = (commands: readonly Command[] | undefined, text: string): Command | undefined =>
  commands?.find(({ is }) => is.test(text))

/** Blocks while they are read. */
class Reading {
  readonly roots: OpenBlock[] = []
  readonly #open: Open[] = []
  readonly #commands: readonly Command[]

  constructor(commands: readonly Command[]) {
    this.#commands = commands
  }

  /** Closes blocks that a line of this indentation is not inside. */
  #close(indentation: number): void {
    while (this.#open.length > 0 && this.#open.at(-1)!.indentation >= indentation) this.#open.pop()
  }

  exit(indentation: number): void {
    this.#close(indentation)
    this.#open.pop()
  }

  #add({ line, text }: Said, depth: number, indentation: number, isGuessed: boolean, command?: Command): void {
    this.#open.length = depth
    const block: OpenBlock = { line, text, blocks: [] }
    ;(this.#open.at(-1)?.block.blocks ?? this.roots).push(block)
    this.#open.push({ indentation, isGuessed, block, inside: command?.inside })
  }

  /** A line with indentation. */
  addInner(said: Said): void {
    this.#close(said.indentation)
    let command = commandIn(this.#open.at(-1)?.inside, said.text)
    while (command === undefined && this.#open.at(-1)?.isGuessed === true) {
      const outer = commandIn(this.#open.at(-2)?.inside, said.text)
      if (outer === undefined) break
      this.#open.pop()
      command = outer
    }
    if (command !== undefined || !isForeignToConfigurations(said.text))
      this.#add(said, this.#open.length, said.indentation, false, command)
  }

  /**
   * A line without: a block of its own, a command that has lost its indentation, or one that leaves the open block open.
   * @param next the line that follows
   */
  addOuter(said: Said, next: Said | undefined): void {
    const { text } = said
    const command = commandIn(this.#commands, text)
    const depth = this.#open.findLastIndex(({ inside }) => commandIn(inside, text) !== undefined)
    const opens = command === undefined ? OPENS.test(text) : command.inside !== undefined
    const isInner =
      command === undefined ||
      (opens ? commandIn(command.inside, next?.text ?? '') === undefined : (next?.indentation ?? 0) > 0)
    if (depth >= 0 && isInner) {
      const { inside, indentation, block } = this.#open[depth]!
      const inner = commandIn(inside, text)!
      const isIndented = depth === this.#open.length - 1 || !this.#open.at(-1)!.isGuessed
      // The indentation of the next line tells whether inner blocks go on.
      if (inner.inside === undefined && isIndented) block.blocks.push({ line: said.line, text, blocks: [] })
      else {
        this.#add(said, depth + 1, indentation + 1, true, inner)
        if (inner.inside === undefined) this.#open.pop()
      }
    } else if (opens || this.#open.length === 0) this.#add(said, 0, 0, false, command)
    else this.roots.push({ line: said.line, text, blocks: [] })
  }
}

/** The blocks of a text. "exit" closes the block that it is in. @param commands that stand inside nothing */
export function blocksOf(lines: readonly Line[], commands: readonly Command[]): BlockText {
  const comments: Line[] = []
  const said: Said[] = []
  let bannerEnd: string | null = null
  let last: Line | undefined
  for (const line of lines) {
    const text = line.text.trim().replaceAll(/\s+/g, ' ')
    if (bannerEnd !== null) {
      if (text.includes(bannerEnd)) bannerEnd = null
      continue
    }
    const indentation = indentationOf(line.text)
    if (text === '' || (indentation === 0 && isForeignToConfigurations(text))) continue
    last = line
    if (text.startsWith('!')) comments.push(line)
    else said.push({ line, text, indentation })
    if (indentation === 0) bannerEnd = bannerEndOf(text)
  }
  const reading = new Reading(commands)
  let hasEnd = false
  for (const [i, each] of said.entries())
    if (each.text === 'exit') reading.exit(each.indentation)
    else if (each.indentation > 0) reading.addInner(each)
    else if (each.text === 'end') hasEnd = true
    else reading.addOuter(each, said[i + 1])
  return { blocks: reading.roots, comments, hasEnd, isBannerOpen: bannerEnd !== null, last }
}
