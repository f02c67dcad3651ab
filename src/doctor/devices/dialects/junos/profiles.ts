/**
 * Definitions under class-of-service: classifiers, drop profiles, schedulers, congestion notification profiles (which are
 * profiles of PFC; they have nothing to do with CNPs).
 * Source: Juniper CLI reference of [edit class-of-service], Traffic Management User Guide (QFX Series).
 */
import type { Line } from '../text.ts'
import { type Branch, countOf } from '../tree.ts'
import { dscpOf, priorityOf } from './names.ts'

export interface Classifier {
  readonly line: Line
  /** Codepoint, name of its forwarding class. */
  readonly entries: readonly { readonly code: number; readonly className: string; readonly line: Line }[]
  /** Classifier that the rest is taken from; '': none. */
  readonly imported: string
  /** Whether it has codepoints that cannot be read. */
  readonly isPartial: boolean
}

export interface DropProfile {
  readonly line: Line
  /** Shares of the queue's buffer, and the share of packets that are marked at the upper one. Undefined: not readable. */
  readonly marks: { readonly kmin: number; readonly kmax: number; readonly pmax: number } | undefined
}

export interface Scheduler {
  readonly line: Line
  readonly ecn: Branch | undefined
  /** Drop profile of packets that are not worth less than others. */
  readonly dropProfile: Branch | undefined
  readonly schedule: { readonly value: number | string; readonly line: Line } | undefined
}

export interface PfcProfile {
  readonly line: Line
  readonly watchdog: Branch | undefined
  readonly codepoints: readonly { readonly dscp: number; readonly line: Line }[]
  readonly priorities: readonly { readonly priority: number; readonly line: Line }[]
  /** Whether it has codepoints that cannot be read. */
  readonly isPartial: boolean
  /** Queues that stop at a pause of a priority. */
  readonly outputs: readonly { readonly priority: number; readonly queues: readonly number[]; readonly line: Line }[]
  readonly length: Branch | undefined
  /** Largest MRU that headroom is computed for. */
  readonly mru: Branch | undefined
}

export interface Profiles {
  readonly dscp: ReadonlyMap<string, Classifier>
  readonly ieee: ReadonlyMap<string, Classifier>
  readonly drops: ReadonlyMap<string, DropProfile>
  readonly schedulers: ReadonlyMap<string, Scheduler>
  /** Names of schedulers by names of forwarding classes. */
  readonly maps: ReadonlyMap<string, { readonly line: Line; readonly schedulers: ReadonlyMap<string, Branch> }>
  readonly pfc: ReadonlyMap<string, PfcProfile>
  /** Scheduler maps of traffic control profiles. */
  readonly controls: ReadonlyMap<string, Branch | undefined>
}

function named<T>(branches: readonly Branch[] | undefined, read: (branch: Branch) => T): Map<string, T> {
  return new Map((branches ?? []).map((branch) => [branch.word, read(branch)]))
}

export function profilesOf(cos: Branch | undefined): Profiles {
  const aliases = new Map((cos?.all('code-point-aliases', 'dscp') ?? []).map((one) => [one.word, bitsOf(one)]))
  return {
    dscp: named(cos?.all('classifiers', 'dscp'), (one) => classifierOf(one, (text) => dscpOf(text, aliases))),
    ieee: named(cos?.all('classifiers', 'ieee-802.1'), (one) => classifierOf(one, priorityOf)),
    drops: named(cos?.all('drop-profiles'), (one) => ({ line: linesOf(one), marks: marksOf(one) })),
    schedulers: named(cos?.all('schedulers'), schedulerOf),
    maps: named(cos?.all('scheduler-maps'), (one) => ({ line: one.line, schedulers: schedulersOf(one) })),
    pfc: named(cos?.all('congestion-notification-profile'), (one) => pfcOf(one, aliases)),
    controls: named(cos?.all('traffic-control-profiles'), (one) => one.value('scheduler-map')),
  }
}

const bitsOf = (alias: Branch): string => alias.value()?.word ?? ''

function schedulersOf(map: Branch): ReadonlyMap<string, Branch> {
  const pairs = map.all('forwarding-class').map((one) => [one.word, one.value('scheduler')] as const)
  return new Map(pairs.flatMap(([name, scheduler]) => (scheduler === undefined ? [] : [[name, scheduler]])))
}

function classifierOf(branch: Branch, codeOf: (text: string) => number | undefined): Classifier {
  const entries: { code: number; className: string; line: Line }[] = []
  let isPartial = false
  for (const own of branch.all('forwarding-class'))
    for (const priority of own.all('loss-priority'))
      for (const { word, line } of priority.all('code-points')) {
        const code = codeOf(word)
        if (code === undefined) isPartial = true
        else entries.push({ code, className: own.word, line })
      }
  return { line: branch.line, entries, imported: branch.value('import')?.word ?? '', isPartial }
}

/** Line of the fill levels. */
const linesOf = (branch: Branch): Line =>
  (branch.all('interpolate', 'fill-level').at(-1) ?? branch.all('fill-level').at(-1) ?? branch).line

/** Curve from the last fill without drops to the first with the most; a segmented profile has steps. */
function marksOf(branch: Branch): DropProfile['marks'] {
  const ascending = (values: readonly Branch[]): number[] =>
    values.map((one) => countOf(one) ?? Number.NaN).sort((a, b) => a - b)
  let levels = ascending(branch.all('interpolate', 'fill-level'))
  let shares = ascending(branch.all('interpolate', 'drop-probability'))
  const steps = branch.all('fill-level')
  const isStepped = levels.length === 0
  if (isStepped) {
    levels = ascending(steps)
    shares = ascending(steps.flatMap((step) => step.value('drop-probability') ?? []))
  }
  if (levels.length === 0 || levels.length !== shares.length) return undefined
  if (![...levels, ...shares].every((one) => one <= 100)) return undefined
  const most = shares.at(-1)!
  const first = shares.findIndex((share) => share > 0)
  if (first < 0) return undefined
  const start = isStepped || first === 0 ? first : first - 1
  return { kmin: levels[start]! / 100, kmax: levels[shares.indexOf(most)]! / 100, pmax: most / 100 }
}

function schedulerOf(branch: Branch): Scheduler {
  const priority = branch.value('priority')
  const rate = branch.value('transmit-rate', 'percent')
  const share = countOf(rate)
  branch.all('transmit-rate')
  const isStrict = priority !== undefined && priority.word.startsWith('strict')
  return {
    line: branch.line,
    ecn: branch.at('explicit-congestion-notification'),
    dropProfile: dropProfileOf(branch),
    schedule: isStrict
      ? { value: 'strict', line: priority.line }
      : rate !== undefined && share !== undefined
        ? { value: share, line: rate.line }
        : undefined,
  }
}

function dropProfileOf(branch: Branch): Branch | undefined {
  for (const loss of branch.all('drop-profile-map', 'loss-priority'))
    if (loss.word === 'any' || loss.word === 'low')
      for (const protocol of loss.all('protocol')) {
        const profile = protocol.value('drop-profile')
        if (profile !== undefined) return profile
      }
  return undefined
}

function pfcOf(branch: Branch, aliases: ReadonlyMap<string, string>): PfcProfile {
  const withPfc = (type: string): Branch[] =>
    branch.all('input', type, 'code-point').filter((one) => one.at('pfc') !== undefined)
  const codepoints = withPfc('dscp').map((one) => ({ dscp: dscpOf(one.word, aliases), line: one.line }))
  const priorities = withPfc('ieee-802.1').map((one) => ({ priority: priorityOf(one.word), line: one.line }))
  const mrus = [...withPfc('dscp'), ...withPfc('ieee-802.1')].flatMap((one) => one.value('pfc', 'mru') ?? [])
  return {
    line: branch.line,
    watchdog: branch.at('pfc-watchdog'),
    codepoints: codepoints.flatMap(({ dscp, line }) => (dscp === undefined ? [] : [{ dscp, line }])),
    priorities: priorities.flatMap(({ priority, line }) => (priority === undefined ? [] : [{ priority, line }])),
    isPartial: [...codepoints.map((one) => one.dscp), ...priorities.map((one) => one.priority)].includes(undefined),
    outputs: branch.all('output', 'ieee-802.1', 'code-point').flatMap((one) => {
      const queues = one.all('flow-control-queue').flatMap((queue) => countOf(queue) ?? [])
      const priority = priorityOf(one.word)
      const line = one.value('flow-control-queue')?.line ?? one.line
      return priority === undefined || queues.length === 0 ? [] : [{ priority, queues, line }]
    }),
    length: branch.value('input', 'cable-length'),
    mru: mrus.sort((a, b) => (countOf(a) ?? 0) - (countOf(b) ?? 0)).at(-1),
  }
}
