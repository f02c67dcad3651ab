/**
 * Whole: whether a text is the whole configuration of a device, so that what it does not say has its default.
 */
import { blocksOf, type BlockText } from '../blocks.ts'
import type { Facts } from '../facts.ts'
import type { Line, Part } from '../text.ts'
import { allOf, countMattering, type Entry, entriesOf, type Form, lastOf } from './entries.ts'

/** The whole of a running configuration, and not one interface or what a filter has left of it. */
const WHOLE_COMMAND = /^show run\S*(?: (?:all|sanitized))*(?: \| no-more)?$/i

/** By the command that has printed it; by its header or the name of its device where it does not tell the command. */
function claimsToBeWhole(part: Part, { blocks, comments }: BlockText): boolean {
  const printed = /^\s*! ?Command: (.*)$/i
  const command = (comments.map(({ text }) => printed.exec(text)?.[1]).find(Boolean) ?? part.command).trim()
  if (/^show run/i.test(command)) return WHOLE_COMMAND.test(command)
  return (
    blocks.some(({ text }) => /^(?:hostname|switchname) \S/.test(text)) ||
    comments.some(({ text }) => /^! ?Version \d/i.test(text))
  )
}

/** Blocks that mean nothing without the lines inside them. */
const NEVER_EMPTY = /^(?:class-map|policy-map|system qos|qos (?:profile|map|\w+-policy)|trust|qos-map|wred) ?/

/** Whether the last block is an Ethernet port without the line that every other one has. */
function lacksEnd(interfaces: readonly Entry[], last: Line): boolean {
  const ports = interfaces.filter(({ args }) => /^(?:range )?e/i.test(args[0]!))
  const final = ports.find(({ line }) => line === last)
  const isClosed = (each: Entry): boolean => allOf(each.entries, 'shutdown').length > 0
  return final !== undefined && !isClosed(final) && ports.every((each) => each === final || isClosed(each))
}

/** The part that is missing at the end; null: nothing, as far as one can tell. */
function missingIn(part: Part, text: BlockText, interfaces: readonly Entry[], hasEnd: boolean): string | null {
  if (text.isBannerOpen) return 'the end of the banner'
  if (hasEnd) return text.hasEnd ? null : 'end'
  const isClosed = /^(?:!|(?:no )?shutdown$)/.test(text.last?.text.trim() ?? '')
  if (part.endsInLine === true && text.last === part.lines.at(-1) && !isClosed) return 'the rest of the line'
  const last = text.blocks.at(-1)
  if (isClosed || last === undefined) return null
  if (last.blocks.length === 0 && NEVER_EMPTY.test(last.text)) return `the lines of ${last.text}`
  return lacksEnd(interfaces, last.line) ? 'shutdown or no shutdown, as at every other port' : null
}

/**
 * The entries of a running configuration; notes its device, and whether it is whole or where it ends too early.
 * @param hasEnd whether the dialect ends its configurations with "end"
 */
export function openConfig(
  part: Part,
  forms: readonly Form[],
  hasEnd: boolean,
  facts: Facts,
): { readonly text: BlockText; readonly entries: readonly Entry[] } {
  facts.kind = 'switch'
  const text = blocksOf(part.lines, forms)
  const entries = entriesOf(text.blocks, forms, facts.remainder)
  facts.understood = countMattering(entries)
  facts.hostname = lastOf(entries, 'hostname')?.args[0] ?? ''
  noteWhole(part, text, entries, hasEnd, facts)
  return { text, entries }
}

/** A switch without interfaces is none. */
function noteWhole(part: Part, text: BlockText, entries: readonly Entry[], hasEnd: boolean, facts: Facts): void {
  if (!claimsToBeWhole(part, text)) return
  const interfaces = allOf(entries, 'interface')
  const expected = missingIn(part, text, interfaces, hasEnd) ?? (interfaces.length === 0 ? 'interfaces' : null)
  if (expected !== null) facts.cut(part.lines.at(-1)!, expected)
  // A text that is mostly not understood has its settings in other words: none of them is absent.
  facts.isComplete = expected === null && facts.remainder.length <= (facts.understood ?? 0)
}
