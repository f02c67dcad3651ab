/**
 * GOAL: the text form of operation graphs ("Group Operation Assembly Language").
 *   num_ranks N
 *   [group NAME RANK RANK ...]
 *   rank R {
 *     [LABEL:] send SIZEb to RANK [tag T] [cpu C] [nic K]
 *     [LABEL:] recv SIZEb from RANK|-1 [tag T|-1] [cpu C] [nic K]
 *     [LABEL:] calc NANOSECONDS [cpu C]
 *     [LABEL:] COLLECTIVE SIZEb group NAME [algorithm WORD] [channels N] [slices N] [element N]
 *     LABEL requires LABEL2      (after its end)
 *     LABEL irequires LABEL2     (after its begin)
 *   }
 * Ranks come in order. A label is defined above its use. cpu is the lane of a calc, nic and cpu name the channel of a message.
 * Groups and collectives are ours: each rank of the group has its part, and the k-th parts of all of them are one collective.
 * Source: LogGOPSim (txt2bin), and ATLAHS, which writes it. Their o, g and G are not taken: the network has those times.
 */
import type { Issue } from '../../base/issue.ts'
import { type CollectiveName, COLLECTIVES } from '../collective-names.ts'
import { OperationTable, type ProgramProblem } from './operation-table.ts'
import { ANY, channelOf } from './program.ts'
import { wholesColumn } from './table/columns.ts'

/** Issues in one text that are reported. */
const ISSUES_MAX = 20
const RANKS_MAX = 2 ** 20
const U32_MAX = 2 ** 32 - 1
const U8_MAX = 255

const OPERATION =
  /^(?:(?<label>[A-Za-z]\w*)\s*:\s*)?(?:(?<direction>send|recv)\s+(?<bytes>\d+)b\s+(?:to|from)\s+(?<peer>-?\d+)(?:\s+tag\s+(?<tag>-?\d+))?(?:\s+cpu\s+(?<cpu>\d+))?(?:\s+nic\s+(?<nic>\d+))?|calc\s+(?<ns>\d+)(?:\s+cpu\s+(?<lane>\d+))?)$/
const COLLECTIVE = new RegExp(
  `^(?:(?<label>[A-Za-z]\\w*)\\s*:\\s*)?(?<operation>${COLLECTIVES.join('|')})\\s+(?<bytes>\\d+)b\\s+group\\s+(?<group>[A-Za-z]\\w*)` +
    '(?:\\s+algorithm\\s+(?<algorithm>[a-z-]+))?(?:\\s+channels\\s+(?<channels>\\d+))?(?:\\s+slices\\s+(?<slices>\\d+))?' +
    '(?:\\s+element\\s+(?<element>\\d+))?$',
)
const GROUP = /^group\s+(?<name>[A-Za-z]\w*)(?<ranks>(?:\s+\d+)+)$/
const CHANNELS_MAX = 4096
const SLICES_MAX = 65_536
const DEPENDENCY = /^([A-Za-z]\w*)\s+(requires|irequires)\s+([A-Za-z]\w*)$/
const FORMS = 'send SIZEb to RANK, recv SIZEb from RANK, calc NS, COLLECTIVE SIZEb group NAME, LABEL requires LABEL'

/** Gives where the line with this index is. */
export type Locate = (line: number) => Pick<Issue, 'path' | 'file' | 'line' | 'column'>

/**
 * Reads a program.
 * @param where front of the paths of issues, "where.N" for the line with index N; or a function
 * @param issues that are found go there; then the table is not whole
 * @param kept gets what was read, line by line, without comments
 */
export function readGoal(
  lines: Iterable<string>,
  where: string | Locate,
  issues: Issue[],
  kept?: string[],
): OperationTable {
  const locate = typeof where === 'string' ? (line: number) => ({ path: `${where}.${line}` }) : where
  return new GoalReader(locate, issues, kept).read(lines)
}

class GoalReader {
  readonly #locate: Locate
  readonly #kept: string[] | undefined
  readonly #issues: Issue[]
  readonly #known: number
  #table: OperationTable | null = null
  #isInRank = false
  #isInComment = false
  /** Nothing of the rest could be understood. */
  #isUseless = false
  readonly #groups = new Map<string, { readonly number: number; readonly ranks: ReadonlySet<number> }>()
  /** Line of each operation. */
  readonly #lineOf = wholesColumn()
  #line = 0

  constructor(locate: Locate, issues: Issue[], kept: string[] | undefined) {
    this.#locate = locate
    this.#kept = kept
    this.#issues = issues
    this.#known = issues.length
  }

  read(lines: Iterable<string>): OperationTable {
    for (const line of lines) {
      // Braces may stand with anything else on a line.
      for (const piece of this.#withoutComments(line).split(/(?<=\{)|(?=\})|(?<=\})/)) {
        const text = piece.trim()
        if (text === '') continue
        this.#kept?.push(text)
        this.#read(text)
      }
      this.#line++
      if (this.#isUseless || this.#issues.length - this.#known >= ISSUES_MAX) break
    }
    const table = this.#table ?? new OperationTable(0)
    const isWhole = this.#issues.length === this.#known
    if (isWhole && this.#table === null) this.#problem('num_ranks N', 'the end')
    if (isWhole && this.#isInRank) this.#problem('} at the end of a rank', 'the end')
    if (isWhole && !this.#isInRank && table.rank < table.ranks) this.#problem(`rank ${table.rank} {`, 'the end')
    if (this.#issues.length === this.#known) for (const problem of table.problems()) this.#report(problem)
    return table
  }

  #read(text: string): void {
    if (this.#table === null) {
      const ranks = this.#number(/^num_ranks\s+(\d+)$/.exec(text)?.[1], RANKS_MAX)
      if (ranks === null || ranks === 0) {
        this.#problem('num_ranks N', text)
        this.#isUseless = true
        return
      }
      this.#table = new OperationTable(ranks)
      return
    }
    if (!this.#isInRank) return this.#readRank(text, this.#table)
    if (text === '}') {
      this.#isInRank = false
      this.#table.endRank()
      return
    }
    const operation = OPERATION.exec(text)
    const part = COLLECTIVE.exec(text)
    const dependency = DEPENDENCY.exec(text)
    if (operation !== null) this.#readOperation(operation.groups!, text, this.#table)
    else if (part !== null) this.#readPart(part.groups!, text, this.#table)
    else if (dependency !== null) this.#readDependency(dependency, this.#table)
    else this.#problem(FORMS, text)
  }

  #readRank(text: string, table: OperationTable): void {
    if (table.rank === 0 && text.startsWith('group')) return this.#readGroup(text, table)
    const rank = this.#number(/^rank\s+(\d+)\s*\{$/.exec(text)?.[1], U32_MAX)
    if (rank !== table.rank || rank >= table.ranks) {
      this.#problem(table.rank < table.ranks ? `rank ${table.rank} {` : 'the end', text)
      // The rest would only repeat it.
      if (rank === null) return
    }
    this.#isInRank = true
  }

  #readGroup(text: string, table: OperationTable): void {
    const found = GROUP.exec(text)?.groups
    const ranks = found?.['ranks']
      ?.trim()
      .split(/\s+/)
      .map((word) => this.#number(word, table.ranks - 1)) ?? [null]
    const members = new Set(ranks)
    if (found === undefined || members.has(null) || members.size < ranks.length)
      return this.#problem(`group NAME RANK RANK ..., with ranks 0 to ${table.ranks - 1}, each once`, text)
    const name = found['name']!
    if (this.#groups.has(name)) return this.#problem(`group ${name} once`, text)
    const positions = ranks.flatMap((rank) => rank ?? [])
    this.#groups.set(name, { number: table.addGroup(positions), ranks: new Set(positions) })
  }

  #readPart(groups: Record<string, string | undefined>, text: string, table: OperationTable): void {
    const { label, operation, bytes, group, algorithm = 'default' } = groups
    const known = this.#groups.get(group!)
    if (known === undefined || !known.ranks.has(table.rank))
      return this.#problem(`a group of this rank, ${table.rank}, defined above all ranks`, text)
    const sizeBytes = this.#number(bytes, Number.MAX_SAFE_INTEGER)
    const channels = this.#number(groups['channels'] ?? '1', CHANNELS_MAX)
    const slices = this.#number(groups['slices'] ?? '1', SLICES_MAX)
    const elementBytes = this.#number(groups['element'] ?? '1', Number.MAX_SAFE_INTEGER)
    if (sizeBytes === null || !channels || !slices || !elementBytes || sizeBytes % elementBytes !== 0)
      return this.#problem(`1 to ${CHANNELS_MAX} channels, 1 to ${SLICES_MAX} slices, whole elements`, text)
    const name = operation as CollectiveName
    this.#added(label, text, table, () =>
      table.addPart(known.number, { operation: name, algorithm, sizeBytes, elementBytes, channels, slices }),
    )
  }

  /** Adds an operation with its label, which must be new on its rank. */
  #added(label: string | undefined, text: string, table: OperationTable, add: () => number): void {
    if (label !== undefined && table.labelled(label) >= 0) return this.#problem(`${label} once in a rank`, text)
    const id = add()
    this.#lineOf.push(this.#line)
    if (label !== undefined) table.label(id, label)
  }

  #readOperation(groups: Record<string, string | undefined>, text: string, table: OperationTable): void {
    const { label, direction, bytes, peer, tag, cpu, nic, ns, lane } = groups
    const isAny = direction === 'recv'
    const operation = {
      kind:
        direction === undefined
          ? ('compute' as const)
          : direction === 'send'
            ? ('send' as const)
            : ('receive' as const),
      sizeBytes: this.#number(bytes ?? '0', Number.MAX_SAFE_INTEGER),
      peer: isAny && isAnyWord(peer) ? ANY : this.#number(peer ?? '0', table.ranks - 1),
      tag: isAny && isAnyWord(tag) ? ANY : this.#number(tag ?? '0', U32_MAX),
      // A message has its own queue pair for each nic and cpu.
      channel: channelFrom(this.#number(cpu ?? '0', U8_MAX), this.#number(nic ?? '0', U8_MAX)),
      lane: this.#number(lane ?? '0', U8_MAX),
      durationPs: timesThousand(this.#number(ns ?? '0', Number.MAX_SAFE_INTEGER / 1000)),
    }
    const { kind, sizeBytes, durationPs } = operation
    const preposition = direction === 'send' ? / to / : / from /
    if (direction !== undefined && !preposition.test(text.replaceAll(/\s+/g, ' '))) return this.#problem(FORMS, text)
    if (
      sizeBytes === null ||
      operation.peer === null ||
      operation.tag === null ||
      operation.channel === null ||
      operation.lane === null ||
      durationPs === null
    ) {
      return this.#problem(`ranks 0 to ${table.ranks - 1}, tags to 2^32 - 1, cpu and nic to 255`, text)
    }
    const { peer: to, tag: mark, channel, lane: on } = operation
    this.#added(label, text, table, () =>
      table.add({ kind, sizeBytes, durationPs, peer: to!, tag: mark!, channel: channel!, lane: on! }),
    )
  }

  #readDependency([text, name, word, other]: RegExpExecArray, table: OperationTable): void {
    const [id, on] = [table.labelled(name!), table.labelled(other!)]
    if (id < 0 || on < 0) return this.#problem(`a label above this line, not ${id < 0 ? name! : other!}`, text)
    table.depend(id, on, word === 'requires' ? 'after' : 'with')
  }

  /** null: it is no number, or above the most. */
  #number(text: string | undefined, most: number): number | null {
    if (text === undefined || !/^\d{1,16}$/.test(text)) return null
    const value = Number(text)
    return value <= most ? value : null
  }

  #withoutComments(line: string): string {
    let rest = line
    let kept = ''
    for (;;) {
      if (this.#isInComment) {
        const end = rest.indexOf('*/')
        if (end < 0) return kept
        this.#isInComment = false
        rest = rest.slice(end + 2)
      }
      const [block, toEnd] = [rest.indexOf('/*'), rest.indexOf('//')]
      if (toEnd >= 0 && (block < 0 || toEnd < block)) return kept + rest.slice(0, toEnd)
      if (block < 0) return kept + rest
      kept += `${rest.slice(0, block)} `
      rest = rest.slice(block + 2)
      this.#isInComment = true
    }
  }

  #report(problem: ProgramProblem): void {
    if (problem.kind === 'cycle') {
      const lines = problem.ids.map((id) => this.#lineOf.at(id) + 1)
      this.#problem(
        'operations that can begin',
        `those of lines ${lines.join(', ')}, which wait for each other`,
        lines[0]! - 1,
      )
      return
    }
    const line = this.#lineOf.at(problem.id)
    if (problem.kind === 'algorithm') this.#problem(problem.expected, problem.received, line)
    else if (problem.kind === 'part') {
      const { isMissing } = problem
      const expected = isMissing
        ? 'the same collective on every rank of its group'
        : `that of line ${this.#lineOf.at(problem.other) + 1}`
      this.#problem(expected, isMissing ? 'none on some' : 'another one', line)
    } else if (problem.kind === 'unmatched') {
      const { sends, receives } = problem
      this.#problem('as many sends as receives between two ranks with one tag', `${sends} and ${receives}`, line)
    } else {
      this.#problem(`a receive of ${problem.sentBytes} bytes, as are sent`, `${problem.receivedBytes}`, line)
    }
  }

  #problem(expected: string, received: string, line: number = this.#line): void {
    if (this.#issues.length - this.#known >= ISSUES_MAX) return
    this.#issues.push({ ...this.#locate(line), expected, received, hint: '' })
  }
}

/** Any peer or tag; txt2bin's -1 is the largest number of 32 bits. */
function isAnyWord(word: string | undefined): boolean {
  return word === '-1' || word === String(U32_MAX)
}

function channelFrom(cpu: number | null, nic: number | null): number | null {
  return cpu === null || nic === null ? null : channelOf(nic, cpu)
}

function timesThousand(value: number | null): number | null {
  return value === null ? null : value * 1000
}
