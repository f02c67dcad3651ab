/**
 * Text: what somebody has collected from a device, without what terminals and pagers add to it, in parts of one command each.
 */
import { readYaml } from '../../../core/notation/index.ts'
import { commandIn, isShowing, type Typed, typedIn } from './commands.ts'
import { printedLine, withoutStamps } from './terminal.ts'

/** A line as it stands in the file, without its end. */
export interface Line {
  /** In the file, from 1. */
  readonly number: number
  readonly text: string
}

/** The same characters in memory of their own: a piece of a text keeps all of it alive, which may be a megabyte. */
export const ownText = (text: string): string => ` ${text}`.slice(1)

export const ownLine = ({ number, text }: Line): Line => ({ number, text: ownText(text) })

/** The output of one command, or a file that holds one thing. */
export interface Part {
  /** Name of the file, for places. */
  readonly file: string
  /** As it was typed, without sudo, ssh and the like: "show pfc counters"; '': unknown. */
  readonly command: string
  /** Lines above it that a script has written there: "eth2" of "== eth2 =="; '': none. */
  readonly heading: string
  readonly lines: readonly Line[]
  /** The lines joined; line `n` of it is `lines[n - 1]`. */
  readonly text: string
  /** Whether the file ends within its last line, which may have lost its rest. */
  readonly endsInLine?: boolean
}

/** First line of an output. */
export interface Start {
  readonly line: RegExp
  /** Whether the line says of which port it is, so that several in a row are one output. */
  readonly namesPort: boolean
}

/** Objects of a list in JSON, each with its line, and whether the text is whole. */
export function jsonEntries(
  { text, lines }: Part,
  charsMost?: number,
): { readonly entries: readonly JsonEntry[]; readonly isWhole: boolean } {
  const { value, readable, locate } = readYaml(text, charsMost)
  const lineAt = (path: readonly (string | number)[], of: 'key' | 'value'): Line =>
    lines[(locate(path, of)?.line ?? 1) - 1] ?? lines[0]!
  const entries = (Array.isArray(value) ? (value as unknown[]) : []).flatMap((each, i): JsonEntry[] =>
    typeof each !== 'object' || each === null || Array.isArray(each)
      ? []
      : [{ fields: { ...each }, line: lineAt([i], 'value'), lineOf: (key) => lineAt([i, key], 'key') }],
  )
  return { entries, isWhole: readable }
}

interface JsonEntry {
  readonly fields: Readonly<Record<string, unknown>>
  readonly line: Line
  readonly lineOf: (key: string) => Line
}

interface OpenPart {
  command: string
  heading: string
  lines: Line[]
}

/**
 * Parts of a text. @param command that made the file, where it is known from elsewhere
 * @param starts first lines by which outputs are known without the commands that made them
 * @param lineNumbers number in the file of each line, from 1; absent: the text is the whole file
 */
export function partsOf(
  file: string,
  text: string,
  command = '',
  starts: readonly Start[] = [],
  lineNumbers?: readonly number[],
): Part[] {
  const { lines, typedAt, endsInLine } = sessionOf(text, lineNumbers)
  const parts: OpenPart[] = [{ command: commandIn(command).text, heading: '', lines: [] }]
  for (const line of lines) {
    const typed = typedAt(line)
    if (typed === undefined) parts.at(-1)!.lines.push(line)
    else parts.push({ command: commandIn(typed.text).text, heading: '', lines: [] })
  }
  const all = parts.flatMap((part) => outputsOf(part, starts))
  const last = all.at(-1)!
  return all
    .filter((part) => part.lines.some((line) => line.text.trim() !== ''))
    .map((part) => ({
      ...part,
      file,
      text: part.lines.map((line) => line.text).join('\n'),
      endsInLine: endsInLine && part === last,
    }))
}

export interface Session {
  readonly lines: readonly Line[]
  /** The command typed in a line, which begins an output; undefined: none. */
  readonly typedAt: (line: Line) => Typed | undefined
  /** Whether the text ends within a line that a device has printed. */
  readonly endsInLine: boolean
}

/** Lines as devices print them, and what somebody has typed in between. */
export function sessionOf(text: string, lineNumbers?: readonly number[]): Session {
  const prompts = new Set<string>()
  const lines: Line[] = []
  const looksTyped = new Map<Line, Typed>()
  const numberOf = (nth: number): number => lineNumbers?.[nth - 1] ?? nth
  let at = 0
  for (const raw of withoutStamps(text.replace(/^\uFEFF/, '').split('\n'))) {
    at++
    const printed = printedLine(raw)
    if (printed === undefined) continue
    const line = { number: numberOf(at), text: printed }
    lines.push(line)
    const typed = typedIn(printed)
    if (typed === undefined) continue
    looksTyped.set(line, typed)
    if (isShowing(commandIn(typed.text).text)) prompts.add(typed.prompt)
  }
  // Other lines may look like prompts: comments, statements of configurations. A host that was asked once is one.
  const isSession = [...prompts].some((prompt) => /^[\w$+]/.test(prompt))
  const isPrompt = ({ prompt, text: typed }: Typed): boolean =>
    prompt === '' || prompt === '#'
      ? isShowing(commandIn(typed).text)
      : prompts.has(prompt) || (prompt === '$' && isSession)
  const typedAt = (line: Line): Typed | undefined => {
    const typed = looksTyped.get(line)
    return typed !== undefined && isPrompt(typed) ? typed : undefined
  }
  const last = lines.at(-1)
  const isLast = last?.number === numberOf(at) && last.text.trim() !== ''
  return { lines, typedAt, endsInLine: isLast && typedAt(last) === undefined }
}

/** A line that stands above an output to tell it from others: "== eth2 ==", "### gpu1 eth2", "eth2:", "Interface: eth2". */
const HEADING =
  /^(?:[-=#*<>~+[\]]+ {0,3}(\S[^\n]{0,120}?) {0,3}[-=#*<>~+[\]:]*|(?:interface|device|dev|port|nic|iface)[:= ]{1,3}(\S{1,64}?):?|([\w.@/-]{1,64}?):?)$/i
const HEADINGS_MAX = 3
/** Longest heading: a longer line is none, and is not tried, for that takes the square of its length. */
const HEADING_CHARS_MAX = 200

/** Outputs of a part, which one command or none has made. */
function outputsOf(part: OpenPart, starts: readonly Start[]): OpenPart[] {
  const { command, lines, heading } = part
  const parts: OpenPart[] = [{ command, heading, lines: [] }]
  let last: Start | undefined
  /** Two lines may begin one output. */
  let isBeginning = false
  for (const line of lines) {
    const open = parts.at(-1)!.lines
    const start = /^\S/.test(line.text) ? starts.find((each) => each.line.test(line.text)) : undefined
    if (start === undefined || isBeginning || (start === last && start.namesPort)) open.push(line)
    else {
      const above = headingsAbove(open)
      open.splice(open.length - above.length)
      const texts = above.map(headingIn).filter((each) => each !== undefined)
      parts.push({ command: parts.length === 1 ? command : '', heading: texts.join(' '), lines: [line] })
    }
    last = start ?? last
    isBeginning = start !== undefined || (isBeginning && line.text === '')
  }
  if (parts.length === 1) return [part]
  const values = loopIn(command)
  if (values === undefined) return parts
  const names = values.length === parts.length - 1 ? values : []
  return parts.map((each, i) => ({ ...each, command: '', heading: names[i - 1] ?? each.heading }))
}

/** Values of a loop of the shell: "for i in eth2 eth3; do mlnx_qos -i $i; done"; undefined: no loop. */
function loopIn(command: string): string[] | undefined {
  const [, values] = /^for \w+ in ([^;$`*]*); *do\b/.exec(command) ?? []
  return values?.trim().split(/\s+/) ?? (/^(?:for|while) /.test(command) ? [] : undefined)
}

/** Words of a heading; undefined: the line is none. */
export function headingIn({ text }: Line): string | undefined {
  const line = text.trimEnd()
  if (line.length > HEADING_CHARS_MAX) return undefined
  const [, decorated, named, alone] = HEADING.exec(line) ?? []
  return decorated ?? named ?? alone
}

/** Headings at the end of the lines, with the blank lines between and below them. */
function headingsAbove(lines: readonly Line[]): Line[] {
  let from = lines.length
  for (let i = lines.length - 1, found = 0; i >= 0 && found < HEADINGS_MAX; i--) {
    const line = lines[i]!
    if (line.text.trim() === '') continue
    if (headingIn(line) === undefined) break
    from = i
    found++
  }
  return lines.slice(from)
}
