/**
 * Statements of class-of-service for each port, and the definitions that they name.
 * Source: as the reader (dialects/junos/qos.ts, dialects/junos/profiles.ts).
 */
import {
  knownOf,
  type ClassConfig,
  CLASS_COUNT,
  type PortConfig,
  type PortSettings,
} from '../../../../core/device-model/index.ts'
import type { Definitions } from './definitions.ts'
import type { ForwardingClasses } from './forwarding-classes.ts'
import { block, leaf, type Statement, setting } from './statements.ts'

export interface Context {
  readonly classes: ForwardingClasses
  readonly definitions: Definitions
  /** Settings of the watchdog at ports that have it. */
  readonly watchdog: Statement
  /** Whether ports of which nobody knows have it. */
  readonly isWatched: boolean
}

const bits = (value: number, count: number): string => value.toString(2).padStart(count, '0')
const PRIORITY_BITS = 3
const DSCP_BITS = 6

const DEFAULT_LENGTH_M = 100

/** Lossless classes of a port, and those that are written and not in force. */
function writtenOf({ pfcClasses, pfcWritten }: PortSettings): number[] {
  return [...new Set([...(knownOf(pfcClasses) ?? []), ...(knownOf(pfcWritten) ?? [])])].sort((a, b) => a - b)
}

const dscpsOf = ({ dscpToClass }: PortSettings, index: number): number[] =>
  dscpToClass.flatMap((value, dscp) => (knownOf(value) === index ? [dscp] : []))

/** Whether the port has a classifier of DSCPs. */
function isByDscp({ trust, classifies, dscpToClass }: PortSettings): boolean {
  const by = knownOf(trust)
  if (knownOf(classifies) === false) return false
  return by === undefined ? dscpToClass.some((value) => knownOf(value) !== undefined) : by === 'dscp' || by === 'both'
}

/** DSCPs of the class that all others have need no name, unless PFC names them. */
function classifierOf({ classes: { of, rest } }: Context, settings: PortSettings): Statement[] {
  const written = writtenOf(settings)
  return [...of.values()].flatMap(({ index, name }) => {
    const codes = index === rest && !written.includes(index) ? [] : dscpsOf(settings, index)
    const points = { words: 'loss-priority low code-points', values: codes.map((code) => bits(code, DSCP_BITS)) }
    return codes.length === 0 ? [] : block(`forwarding-class ${name}`, [points])
  })
}

function classification(context: Context, settings: PortSettings): Statement[] {
  const trust = knownOf(settings.trust)
  if (knownOf(settings.classifies) === false) return []
  if (trust === 'none') {
    const only = knownOf(settings.dscpToClass.find((value) => knownOf(value) !== undefined)) ?? context.classes.rest
    const own = only === undefined ? undefined : context.classes.of.get(only)
    return setting('forwarding-class', own?.name)
  }
  const isByPcp = trust === 'pcp' || trust === 'both' || (knownOf(settings.classifies) === true && !isByDscp(settings))
  return block(
    'classifiers',
    isByDscp(settings)
      ? setting('dscp', context.definitions.use('dscp-classifier', classifierOf(context, settings)))
      : [],
    isByPcp ? [leaf('ieee-802.1 default')] : [],
  )
}

/** Whether a profile of PFC is attached; nobody knows: where it has something to say. */
function hasProfile(settings: PortSettings): boolean {
  const { pfcMode, cableM, classes } = settings
  const mode = knownOf(pfcMode)
  if (mode !== undefined) return mode !== 'off'
  return (
    writtenOf(settings).length > 0 ||
    knownOf(cableM) !== undefined ||
    classes.some(({ pausedQueue, isWatched }) => knownOf(isWatched) === true || (knownOf(pausedQueue) ?? -1) >= 0)
  )
}

/** By the DSCPs of the classes where there are some, else by their priorities. */
function inputStatements({ classes }: Context, settings: PortSettings): Statement[] {
  const { cableM, other } = settings
  const length = cableM.state === 'default' && cableM.value === DEFAULT_LENGTH_M ? undefined : knownOf(cableM)
  const mru = knownOf(other['mru'])
  const pfc = typeof mru === 'number' ? block('pfc', setting('mru', mru)) : [leaf('pfc')]
  const lossless = knownOf(settings.pfcClasses) ?? []
  // A class that is lossless at another port would be in force at this one, too, if it were written.
  const points = writtenOf(settings)
    .filter((index) => lossless.includes(index) || classes.of.get(index)?.isLossless !== true)
    .map((index) => ({ index, dscps: isByDscp(settings) ? dscpsOf(settings, index) : [] }))
  return block(
    'input',
    setting('cable-length', length),
    block(
      'dscp',
      points.flatMap(({ dscps }) => dscps.flatMap((dscp) => block(`code-point ${bits(dscp, DSCP_BITS)}`, pfc))),
    ),
    block(
      'ieee-802.1',
      points.flatMap(({ index, dscps }) =>
        dscps.length === 0 && lossless.includes(index) ? block(`code-point ${bits(index, PRIORITY_BITS)}`, pfc) : [],
      ),
    ),
  )
}

/** One queue that is written takes away those that obey by default; where all are by default nothing is written. */
function outputStatements({ classes }: PortSettings): Statement[] {
  const queues = classes.flatMap(({ pausedQueue }, priority) => {
    const queue = knownOf(pausedQueue)
    return queue === undefined ? [] : [{ priority, queue, isDefault: pausedQueue.state === 'default' }]
  })
  if (queues.every(({ isDefault, priority, queue }) => isDefault && (queue < 0 || queue === priority))) {
    const isObeying = queues.some(({ queue }) => queue >= 0)
    if (isObeying || queues.every(({ priority }) => priority !== 3 && priority !== 4)) return []
  }
  const obeying = queues.filter(({ queue }) => queue >= 0)
  // No queue obeys where the only one that is written obeys a priority that nobody uses.
  const unused = Array.from({ length: CLASS_COUNT }, (_, i) => i).find(
    (one) => knownOf(classes[one]?.pausedQueue) === undefined,
  )
  const written = obeying.length > 0 || unused === undefined ? obeying : [{ priority: unused, queue: unused }]
  return block(
    'output',
    block(
      'ieee-802.1',
      written.flatMap(({ priority, queue }) =>
        block(`code-point ${bits(priority, PRIORITY_BITS)}`, setting('flow-control-queue', queue)),
      ),
    ),
  )
}

function profileName(context: Context, settings: PortSettings): string | undefined {
  if (!hasProfile(settings)) return undefined
  const watched = settings.classes.map(({ isWatched }) => knownOf(isWatched))
  const isWatched = watched.includes(true) || (context.isWatched && !watched.includes(false))
  return context.definitions.use('congestion-notification-profile', [
    ...(isWatched ? [context.watchdog] : []),
    ...inputStatements(context, settings),
    ...outputStatements(settings),
  ])
}

const percentOf = (ratio: number): number => Math.round(ratio * 100)

/** Curve from no mark at the lower fill to the most at the upper one; a step where they are the same. */
function dropStatements({ kminRatio, kmaxRatio, pmaxRatio }: ClassConfig): Statement[] {
  const [kmin, kmax, pmax] = [knownOf(kminRatio), knownOf(kmaxRatio), knownOf(pmaxRatio)]
  if (kmin === undefined && kmax === undefined && pmax === undefined) return []
  const [low, high, most] = [kmin ?? 0, kmax ?? 1, pmax ?? 1].map(percentOf) as [number, number, number]
  if (low === high) return [leaf(`fill-level ${high} drop-probability ${most}`)]
  return block('interpolate', [
    { words: 'fill-level', values: [low, high] },
    { words: 'drop-probability', values: [0, most] },
  ])
}

/** Undefined: nothing is known of the schedule of the class, and its packets are not marked. */
function schedulerName({ definitions }: Context, index: number, own: ClassConfig): string | undefined {
  const schedule = knownOf(own.schedule)
  const marks = knownOf(own.marks) === true
  if (schedule === undefined && !marks) return undefined
  const profile = marks ? definitions.use('drop-profile', dropStatements(own)) : undefined
  return definitions.use(
    'scheduler',
    [
      ...(profile === undefined
        ? []
        : [
            leaf(`drop-profile-map loss-priority any protocol any drop-profile ${profile}`),
            leaf('explicit-congestion-notification'),
          ]),
      ...(schedule === 'strict' ? [leaf('priority strict-high')] : []),
      ...(typeof schedule === 'number' ? [leaf(`transmit-rate percent ${schedule}`)] : []),
    ],
    `scheduler ${index}`,
  )
}

function schedulerMap(context: Context, { classes }: PortSettings): string | undefined {
  const entries = [...context.classes.of.values()].flatMap(({ index, name }) => {
    const scheduler = schedulerName(context, index, classes[index]!)
    return setting(`forwarding-class ${name} scheduler`, scheduler)
  })
  return entries.length === 0 ? undefined : context.definitions.use('scheduler-map', entries)
}

/** All ports by one wildcard where they are alike, else each by its name. */
export function attachments(context: Context, ports: readonly PortConfig[]): Statement[] {
  const each = ports.map(({ name, settings }) => ({
    name,
    direct: [
      ...setting('congestion-notification-profile', profileName(context, settings)),
      ...setting('scheduler-map', schedulerMap(context, settings)),
    ],
    ofUnit: classification(context, settings),
  }))
  const kinds = new Set(each.map(({ name }) => name.slice(0, name.indexOf('-'))))
  const isAlike = new Set(each.map(({ direct, ofUnit }) => JSON.stringify([direct, ofUnit]))).size === 1
  if (isAlike && kinds.size === 1) {
    const [{ direct, ofUnit } = { direct: [], ofUnit: [] }] = each
    return block(`${[...kinds][0]}-*`, direct, block('unit *', ofUnit))
  }
  return each.flatMap(({ name, direct, ofUnit }) => block(name, direct, block('unit 0', ofUnit)))
}
