/** Verdicts on tables of collectives: bandwidth of the bus beside the NICs of a server, and beside NCCL's own model. */
import { INSIDE_H100_BPS } from '../../core/hardware/index.ts'
import { busFactor, type CollectiveName } from '../../core/workload/collective-names.ts'
import {
  channelsOf,
  type NcclAlgorithm,
  type NcclChoice,
  ncclChoice,
  type NcclMachine,
  type NcclProtocol,
} from '../../core/workload/nccl/cost-model.ts'
import {
  ABOVE_LINK,
  type Answer,
  ascending,
  belowBy,
  confirmOf,
  lowest,
  type Reason,
  type RowAnswer,
  ratiosOf,
  type Seen,
  type Verdict,
} from './answer.ts'
import type { Facts } from './fabric-line.ts'
import { type Ceiling, type PartId, unknownPart } from './parts.ts'
import { hostPath, pcie, wireOf } from './perf-run.ts'
import type { CollectiveReading, CollectiveRow } from './readings.ts'
import { collapseIn, dipIn, fixedTimeIn, flatIn, type Sized } from './shape.ts'
import { payloadBps, type Wire } from './wire.ts'

const GIB = 2 ** 30
/** Rings of healthy systems reach this share of the NICs with large sizes: seven tables, 0.92 to 0.987. */
const HEALTHY = 0.92
/** Below 1 GiB beside NCCL's model: as far as healthy tables are from it. */
const MODEL_BAND = [0.85, 1.15] as const
/** NCCL sends slots of this size over a link. */
const SLOT_BYTES = 512 * 2 ** 10
/** Where the fixed times of the model are more than this of the whole, it says nothing of a rate. */
const FIXED_SHARE = 0.35

/** GPUs of a job, as far as their names tell; by the first that fits. */
const CAPABILITIES: readonly (readonly [RegExp, number])[] = [
  [/\b(?:GB|B)[23]00\b|\bB10\d\b/i, 100],
  [/\b(?:GH|H)(?:100|200|800)\b|\bH20\b/i, 90],
  [/\bA(?:100|800|30|40)\b/i, 80],
  [/\bV100\b/i, 70],
]

/** A job on a fabric, as far as both are known. */
export interface Job {
  readonly operation: CollectiveName
  readonly ranks: number
  readonly servers: number
  readonly nics: number
  readonly rateBps: number
  readonly wire: Wire
  /** Payload of the link of a NIC. */
  readonly nicBps: number
  /** Rates that the links of a server's NICs allow together, and their slots. */
  readonly limits: readonly Ceiling[]
  readonly machine: NcclMachine | null
  readonly only: { readonly algorithm?: NcclAlgorithm; readonly protocol?: NcclProtocol }
}

export function judgeTable(facts: Facts, reading: CollectiveReading): Answer {
  const sized = sizedOf(reading)
  const job = jobOf(facts, reading)
  const [dip, collapse, flat] = [dipIn(sized), collapseIn(sized), flatIn(sized)]
  const rows = reading.rows.map((row) => rowAnswer(reading, row, job))
  const judged = judge(job, rows, { dip: dip?.sizes ?? [], isCollapsed: collapse !== undefined, flat })
  const last = reading.rows.reduce((a, b) => (b.sizeBytes >= a.sizeBytes ? b : a), reading.rows[0]!)
  return {
    files: [reading.file],
    kind: 'collective',
    operation: reading.operation,
    rows,
    ratios: ratiosOf(rows),
    ...judged,
    ceilings: ascending(typeof job === 'string' ? withoutJob() : ceilingsOfJob(job, last.sizeBytes)),
    seen: [
      collapse,
      dip && { id: dip.id, values: dip.values },
      isLow(judged.verdict) ? flat : undefined,
      ...asidesOf(facts, reading, sized, job),
    ].flatMap((each) => each ?? []),
    confirm: confirmOf(judged.verdict, judged.part ?? (collapse === undefined ? null : 'protocol')),
  }
}

/** The best call of each size, ascending: a table may hold several runs. */
function sizedOf(reading: CollectiveReading): Sized[] {
  const best = new Map<number, Sized>()
  for (const row of reading.rows) {
    const timeUs = Math.min(...row.timesUs)
    if (row.sizeBytes === 0 || timeUs === 0 || (best.get(row.sizeBytes)?.timeUs ?? Infinity) <= timeUs) continue
    best.set(row.sizeBytes, { sizeBytes: row.sizeBytes, timeUs, bps: busBps(reading, row, timeUs) })
  }
  return [...best.values()].toSorted((a, b) => a.sizeBytes - b.sizeBytes)
}

const isLow = (verdict: Verdict): boolean => verdict === 'below' || verdict === 'far-below'

/** Bit/s on the bus, from size and time. Without ranks the bandwidth of the algorithm, which shapes need no more. */
function busBps({ operation, ranks }: CollectiveReading, { sizeBytes }: CollectiveRow, timeUs: number): number {
  const factor = operation === null || ranks === null ? 1 : busFactor(operation, ranks)
  return (sizeBytes * 8e6 * factor) / timeUs
}

/** The job, or why nothing can be said of it. */
export function jobOf(
  facts: Facts,
  reading: Pick<CollectiveReading, 'operation' | 'ranks' | 'servers' | 'gpu'>,
): Job | Reason {
  const { operation, ranks } = reading
  if (operation === null || ranks === null) return 'operation-unknown'
  if (facts.rateBps === undefined) return 'no-rate-of-the-link'
  const servers = facts.servers ?? reading.servers ?? (facts.gpus === undefined ? null : ranks / facts.gpus)
  if (servers === null || !Number.isInteger(servers) || ranks % servers !== 0) return 'no-servers'
  const gpus = ranks / servers
  const nics = facts.nics ?? 1
  const wire = wireOf(facts, null, facts.rateBps)
  const nicBps = payloadBps(wire, SLOT_BYTES, 'write')[1]
  const capability = CAPABILITIES.find(([pattern]) => pattern.test(facts.gpu ?? reading.gpu ?? ''))?.[1]
  const { algorithm, protocol } = facts
  // Messages of an all-to-all inside a server stay off its NICs.
  const share = operation === 'all-to-all' ? (nics / gpus) * (servers / (servers - 1)) : nics
  const link: Ceiling = {
    part: 'link',
    fromBps: nicBps * share,
    toBps: nicBps * share,
    form: `${nics} NICs of ${facts.rateBps / 1e9} Gb/s with headers`,
    status: 'exact',
    source: 'sizes of headers',
    needs: [],
  }
  const slots = [pcie(facts), hostPath(facts, null)].map((each) => timesOf(each, share))
  return {
    operation,
    ranks,
    servers,
    nics,
    rateBps: facts.rateBps,
    wire,
    nicBps,
    limits: [link, ...slots],
    machine:
      capability === undefined || operation !== 'all-reduce'
        ? null
        : { servers, gpus, capability, ...channelsOf(nics, facts.rateBps) },
    only: { ...(algorithm && { algorithm }), ...(protocol && { protocol }) },
  }
}

/** A limit of one NIC, of several. */
const timesOf = (each: Ceiling, share: number): Ceiling => ({
  ...each,
  fromBps: each.fromBps === null ? null : each.fromBps * share,
  toBps: each.toBps === null ? null : each.toBps * share,
  form: each.toBps === null ? each.form : `${each.form}, of each NIC`,
})

function modelOf(
  { machine, only, ranks }: Job,
  sizeBytes: number,
): (NcclChoice & { readonly busBps: number }) | undefined {
  if (machine === null) return undefined
  const choice = ncclChoice(machine, sizeBytes, only)
  return { ...choice, busBps: (sizeBytes * 8e6 * busFactor('all-reduce', ranks)) / choice.timeUs }
}

function rowAnswer(reading: CollectiveReading, row: CollectiveRow, job: Job | Reason): RowAnswer {
  const { sizeBytes } = row
  const times = row.timesUs.filter((timeUs) => timeUs > 0)
  const measuredBps = times.length === 0 ? 0 : Math.max(...times.map((timeUs) => busBps(reading, row, timeUs)))
  const open = {
    file: reading.file,
    line: row.line,
    sizeBytes,
    measuredBps,
    fromBps: null,
    toBps: null,
    ratio: null,
    part: null,
  }
  const not = (reason: Reason): RowAnswer => ({ ...open, verdict: 'cannot-tell', reason })
  if ((row.wrong ?? 0) > 0) return not('values-are-wrong')
  if (typeof job === 'string') return not(job)
  if (measuredBps === 0) return not('small-message')
  if (job.servers === 1) return not('inside-one-server')
  const first = lowest(job.limits)!
  const [fromBps, limitBps] = [first.fromBps! * HEALTHY, first.toBps!]
  const linkBps = job.limits[0]!.toBps!
  if (measuredBps > linkBps * ABOVE_LINK)
    return {
      ...open,
      fromBps,
      toBps: limitBps,
      ratio: measuredBps / limitBps,
      part: 'link',
      verdict: 'above-link',
      reason: job.servers === 2 ? 'trees-of-two-servers' : null,
    }
  const model = modelOf(job, sizeBytes)
  const isLarge = sizeBytes >= GIB
  if (isLarge || model === undefined) {
    const range = { fromBps, toBps: limitBps, ratio: measuredBps / limitBps }
    if (measuredBps >= fromBps) return { ...open, ...range, part: first.part, verdict: 'as-expected', reason: null }
    if (!isLarge) return { ...not('model-unknown'), toBps: limitBps, ratio: range.ratio }
    return { ...open, ...range, part: null, verdict: belowBy(range.ratio), reason: 'no-ceiling-explains' }
  }
  const [least, most] = MODEL_BAND
  const toBps = Math.min(limitBps, model.busBps * most)
  const range = { fromBps: Math.min(model.busBps * least, fromBps), toBps, ratio: measuredBps / toBps }
  const part: PartId = measuredBps >= fromBps || model.busBps > fromBps ? first.part : 'nccl'
  if (measuredBps >= range.fromBps) return { ...open, ...range, part, verdict: 'as-expected', reason: null }
  if (model.latencyUs > FIXED_SHARE * model.timeUs)
    return { ...open, ...range, part: null, verdict: 'cannot-tell', reason: 'fixed-times-rule' }
  return { ...open, ...range, part: null, verdict: belowBy(range.ratio), reason: 'no-ceiling-explains' }
}

interface Shapes {
  readonly dip: readonly number[]
  readonly isCollapsed: boolean
  readonly flat: Seen | undefined
}

/** The whole table: its large rows decide; a shape that names its own cause goes first. */
function judge(
  job: Job | Reason,
  rows: readonly RowAnswer[],
  { dip, isCollapsed, flat }: Shapes,
): { verdict: Verdict; part: PartId | null; reason: Reason | null } {
  if (rows.some(({ reason }) => reason === 'values-are-wrong'))
    return { verdict: 'cannot-tell', part: null, reason: 'values-are-wrong' }
  const judged = rows.filter(({ verdict }) => verdict !== 'cannot-tell')
  if (typeof job === 'string' || judged.length === 0) {
    const reason = typeof job === 'string' ? job : (rows.at(-1)?.reason ?? null)
    return { verdict: 'cannot-tell', part: null, reason }
  }
  const above = judged.find(({ verdict }) => verdict === 'above-link')
  if (above !== undefined) return { verdict: 'above-link', part: 'link', reason: above.reason }
  const low = judged.filter(({ verdict }) => isLow(verdict))
  const last = judged.at(-1)!
  if (low.length === 0) return { verdict: 'as-expected', part: last.part, reason: null }
  const worst = low.some(({ verdict }) => verdict === 'far-below') ? 'far-below' : 'below'
  if (isCollapsed) return { verdict: worst, part: 'protocol', reason: null }
  if (dip.length > 0 && low.every(({ sizeBytes }) => dip.includes(sizeBytes)))
    return { verdict: worst, part: 'algorithm', reason: null }
  if (flat !== undefined && nicsWorth(job, flat) !== null) return { verdict: worst, part: 'nics-used', reason: null }
  return { verdict: worst, part: null, reason: 'no-ceiling-explains' }
}

/** A flat rate that is that of some of the NICs: how many, and the share of their links; null: it is of none. */
function nicsWorth({ nics, nicBps }: Job, { values }: Seen): { readonly count: number; readonly share: number } | null {
  const bps = values['rateBps'] as number
  const count = Math.ceil(bps / (nicBps * ABOVE_LINK))
  const share = bps / (nicBps * count)
  return count < nics && share >= NICS_LEAST ? { count, share } : null
}
const NICS_LEAST = 0.85

function ceilingsOfJob(job: Job, sizeBytes: number): Ceiling[] {
  const { limits, nicBps, servers } = job
  const [link, ...slots] = limits as [Ceiling, ...Ceiling[]]
  const model = modelOf(job, sizeBytes)
  const inside = INSIDE_H100_BPS
  return [
    { ...link, fromBps: link.fromBps! * HEALTHY },
    { ...link, part: 'one-nic', fromBps: nicBps, toBps: nicBps, form: 'its link with headers' },
    ...slots,
    model === undefined
      ? unknownPart('nccl', [])
      : {
          part: 'nccl',
          fromBps: model.busBps * MODEL_BAND[0],
          toBps: model.busBps * MODEL_BAND[1],
          form: `${model.algorithm} ${model.protocol}, ${sizeBytes} B`,
          status: 'code',
          source: 'NCCL, tuning.cc',
          needs: [],
        },
    servers === 1
      ? {
          part: 'inside',
          fromBps: inside.value[0],
          toBps: inside.value[1],
          form: 'ring, and NVLS',
          status: inside.status,
          source: inside.source,
          needs: [],
        }
      : unknownPart('inside', []),
  ]
}

const withoutJob = (): Ceiling[] => [
  unknownPart('link', ['rateBps', 'servers', 'nics']),
  unknownPart('nccl', []),
  unknownPart('inside', []),
]

/** Besides: a mean of rows that are not there, wrong values, times that do not depend on the size. */
function asidesOf(facts: Facts, reading: CollectiveReading, sized: readonly Sized[], job: Job | Reason): Seen[] {
  const seen: Seen[] = []
  const wrong = reading.rows.filter((row) => (row.wrong ?? 0) > 0).length
  if (wrong > 0) seen.push({ id: 'wrong-values', values: { rows: wrong } })
  const means = reading.rows.flatMap((row) => row.timesUs.filter((t) => t > 0).map((t) => busBps(reading, row, t)))
  const mean = means.reduce((a, b) => a + b, 0) / means.length
  if (reading.printedMeanBps !== null && Math.abs(reading.printedMeanBps - mean) > 0.02 * mean)
    seen.push({ id: 'mean-of-other-rows', values: { printedBps: reading.printedMeanBps, meanBps: mean } })
  const fixed = fixedTimeIn(sized)
  const latencyUs =
    typeof job === 'string' || sized.length === 0 ? undefined : modelOf(job, sized[0]!.sizeBytes)?.latencyUs
  if (fixed !== undefined && latencyUs !== undefined && fixed.fixedUs > 2 * latencyUs)
    seen.push({ id: 'fixed-time', values: { fixedUs: fixed.fixedUs, rateBps: fixed.bytesPerUs * 8e6 } })
  const flat = typeof job === 'string' ? undefined : flatIn(sized)
  const worth = flat === undefined || typeof job === 'string' ? null : nicsWorth(job, flat)
  if (facts.oneNicBps !== undefined && typeof job !== 'string') {
    const { oneNicBps: rateBps } = facts
    seen.push({ id: 'one-nic-alone', values: { rateBps, share: rateBps / job.nicBps } })
  }
  if (worth !== null) seen.push({ id: 'share-of-nic', values: { count: worth.count, share: worth.share } })
  return seen
}

/** An all-reduce over all GPUs of a fabric that nobody has measured yet. */
export function jobOfFabric(facts: Facts): Job | Reason {
  const { servers, nics = 1, gpus = nics } = facts
  if (servers === undefined) return 'no-servers'
  return jobOf(facts, { operation: 'all-reduce', ranks: servers * gpus, servers, gpu: null })
}

/** Bus bandwidth to expect of a fabric before anybody has measured, by size. */
export function expectedTable(facts: Facts, sizes: readonly number[]): readonly RowAnswer[] | Reason {
  const job = jobOfFabric(facts)
  if (typeof job === 'string') return job
  return sizes.map((sizeBytes): RowAnswer => {
    const [first, model] = [lowest(job.limits)!, modelOf(job, sizeBytes)]
    const [leastBps, mostBps] = [first.fromBps! * HEALTHY, first.toBps!]
    const isModelled = sizeBytes < GIB && model !== undefined
    const toBps = isModelled ? Math.min(mostBps, model.busBps * MODEL_BAND[1]) : mostBps
    const fromBps = isModelled ? Math.min(model.busBps * MODEL_BAND[0], leastBps) : leastBps
    return {
      file: '',
      line: 0,
      sizeBytes,
      measuredBps: null,
      fromBps,
      toBps,
      ratio: null,
      part: isModelled ? 'nccl' : first.part,
      verdict: 'cannot-tell',
      reason: null,
    }
  })
}
