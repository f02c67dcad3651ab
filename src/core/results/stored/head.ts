/**
 * Stored head: result.json, everything of a result that is no table.
 * JSON has no Infinity and no NaN, which are null there. Fields that older results do not have are filled in.
 */
import {
  anything,
  countShape,
  countUpTo,
  type FieldShapes,
  flagShape,
  listOf,
  numberShape,
  objectOf,
  oneOf,
  optional,
  orNull,
  recordOf,
  type Shape,
  shapedJson,
  textOf,
  textShape,
} from '../../base/shape.ts'
import { inputError } from '../../base/issue.ts'
import { type Counters, FLOW_ROWS, type FlowRows, type PauseCircle, type Result, type RunCost } from '../result.ts'
import { DAMAGED } from '../table.ts'

const FILE = 'result.json'

export const digestShape: Shape<string> = textOf(/^[0-9a-f]{16}$/, '16 hex digits')
export const countsShape: Shape<Readonly<Record<string, number>>> = recordOf(countShape)
export const timesShape: Shape<Readonly<Record<string, number>>> = recordOf(numberShape)
/** File name of an attachment, which is in the folder itself. */
const fileShape: Shape<string> = textOf(/^[^./\\\0][^/\\\0]{0,250}$/, 'the name of a file in the folder')

export const pauseCircleShape: Shape<PauseCircle> = objectOf<PauseCircle>({
  nodes: listOf(textShape),
  trafficClass: countUpTo(7),
  sincePs: numberShape,
  ports: optional(listOf(countShape)),
  members: optional(countShape),
  victims: optional(countShape),
  hosts: optional(countShape),
  pairs: optional(countShape),
})

/** Checksums of the files of a result, by path: SHA-256 in hex. Whoever has the files compares them. */
export const checksumsShape: Shape<Readonly<Record<string, string>>> = recordOf(
  textOf(/^[0-9a-f]{64}$/, '64 hex digits'),
)

/** Not in results from before they were counted. */
type LaterCounter = 'dataPacketsDropped' | 'cnms' | 'rnrNaks' | 'trimmed' | 'trimmedBytes'
const LATER_COUNTERS: Readonly<Record<LaterCounter, number>> = {
  dataPacketsDropped: 0,
  cnms: 0,
  rnrNaks: 0,
  trimmed: 0,
  trimmedBytes: 0,
}

type StoredCounters = Omit<Counters, LaterCounter> & Partial<Pick<Counters, LaterCounter>>

export const counterShapes = {
  packetHops: countShape,
  events: countShape,
  dataPacketsSent: countShape,
  controlPacketsSent: countShape,
  payloadBytesDelivered: countShape,
  drops: countsShape,
  dataPacketsDropped: countShape,
  pauseFrames: countShape,
  resumeFrames: countShape,
  pausedPs: timesShape,
  ecnMarks: countShape,
  cnps: countShape,
  cnms: countShape,
  rnrNaks: countShape,
  trimmed: countShape,
  trimmedBytes: countShape,
  layer2: optional(countsShape),
  retransmissions: countShape,
  timeouts: countsShape,
} satisfies FieldShapes<Counters>

const later = optional(countShape)
const countersShape = objectOf<StoredCounters>({
  ...counterShapes,
  dataPacketsDropped: later,
  cnms: later,
  rnrNaks: later,
  trimmed: later,
  trimmedBytes: later,
})

/** The part that reports look up; the rest is for the scenario's own reader, as it may be of another version. */
const scenarioShape: Shape<unknown> = objectOf({ observe: optional(listOf(objectOf({ kind: textShape }))) })

const headShape = objectOf({
  schemaVersion: oneOf(1),
  version: textShape,
  scenario: scenarioShape,
  name: textShape,
  seed: countShape,
  digest: digestShape,
  partial: flagShape,
  simulatedPs: orNull(numberShape),
  stalledFromPs: optional(orNull(numberShape)),
  pauseCircle: optional(orNull(pauseCircleShape)),
  completion: oneOf('receiver', 'sender'),
  windowFromPs: orNull(numberShape),
  windowToPs: orNull(numberShape),
  windowPayloadBytes: optional(orNull(numberShape)),
  windowPayloadBytesByTag: optional(countsShape),
  unposted: optional(countsShape),
  counters: countersShape,
  series: listOf(textShape),
  kinds: optional(listOf(textShape)),
  flowRows: optional(oneOf(...FLOW_ROWS)),
  attachments: optional(listOf(fileShape)),
  sha256: optional(checksumsShape),
})

/** Contents of result.json: the result without its tables and attachments, and the names of those. */
export interface Head {
  readonly head: Omit<Result, 'flows' | 'series' | 'attachments'>
  readonly series: readonly string[]
  /** Kind of each table in `series`; undefined: the result was written before kinds were. */
  readonly kinds: readonly string[] | undefined
  /** Rows of flows that the result keeps. */
  readonly flowRows: FlowRows
  readonly attachments: readonly string[]
}

/** Reads result.json. Throws InputError with the field that is missing or of another kind. */
export function readHead(text: string): Head {
  const { schemaVersion } = shapedJson(objectOf({ schemaVersion: anything }), text, FILE, DAMAGED)
  if (schemaVersion !== 1) {
    const received = JSON.stringify(schemaVersion) ?? 'none'
    throw inputError(FILE, 'schemaVersion 1', received.slice(0, 40), 'made by another version of rocelab')
  }
  const {
    series,
    kinds,
    flowRows = 'all',
    attachments = [],
    sha256: _,
    ...stored
  } = shapedJson(headShape, text, FILE, DAMAGED)
  for (const [field, names] of Object.entries({ series, attachments })) {
    if (new Set(names).size < names.length)
      throw inputError(`${FILE}: ${field}`, 'each name once', 'one twice', DAMAGED)
  }
  if (kinds !== undefined && kinds.length !== series.length)
    throw inputError(`${FILE}: kinds`, `${series.length}, one of each series`, `${kinds.length}`, DAMAGED)
  const head: Head['head'] = {
    ...stored,
    simulatedPs: stored.simulatedPs ?? Infinity,
    windowFromPs: stored.windowFromPs ?? Infinity,
    windowToPs: stored.windowToPs ?? Infinity,
    windowPayloadBytes: stored.windowPayloadBytes ?? NaN,
    windowPayloadBytesByTag: stored.windowPayloadBytesByTag ?? {},
    unposted: stored.unposted ?? {},
    stalledFromPs: stored.stalledFromPs ?? null,
    pauseCircle: stored.pauseCircle ?? null,
    counters: { ...LATER_COUNTERS, ...stored.counters },
  }
  return { head, series, kinds, flowRows, attachments }
}

const costShape: Shape<RunCost> = objectOf<RunCost>({
  cpuSeconds: numberShape,
  wallSeconds: numberShape,
  peakRssBytes: numberShape,
})

/** Reads cost.json. Throws InputError like `readHead`. */
export function readCost(text: string): RunCost {
  return shapedJson(costShape, text, 'cost.json', 'remove the file, or run the scenario again')
}
