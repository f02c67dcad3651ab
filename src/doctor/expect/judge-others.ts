/** Verdicts on round trips and on storage, of which little is published. */
import { nics, SWITCH_CROSSING_NS } from '../../core/hardware/index.ts'
import { type Answer, type RowAnswer, ratiosOf, type Seen } from './answer.ts'
import type { Facts } from './fabric-line.ts'
import { type Ceiling, unknownPart } from './parts.ts'
import type { RoundTripReading, StorageReading } from './readings.ts'
import { payloadBps } from './wire.ts'
import { wireOf } from './perf-run.ts'

/** A time within this of the sum of its parts is theirs. */
const NEAR = 0.15

/** Times are given beside what two NICs and the switches between them take; a row's "rate" is its time, nanoseconds. */
export function judgeRoundTrips(facts: Facts, readings: readonly RoundTripReading[]): Answer {
  const rows = readings.map((reading): RowAnswer => {
    const nic = nics.find(({ name }) => name === (reading.nic ?? facts.nic))?.oneWayNs
    const at = { file: reading.file, line: reading.line, sizeBytes: 0, measuredBps: reading.roundTripNs }
    const switches = reading.switches ?? facts.switches
    if (nic === undefined || switches === undefined) {
      return {
        ...at,
        fromBps: null,
        toBps: null,
        ratio: null,
        part: null,
        verdict: 'cannot-tell',
        reason: 'nic-unknown',
      }
    }
    const expectedNs = 2 * (nic.value + switches * SWITCH_CROSSING_NS.value)
    const range = {
      fromBps: expectedNs * (1 - NEAR),
      toBps: expectedNs * (1 + NEAR),
      ratio: reading.roundTripNs / expectedNs,
    }
    const isNear = reading.roundTripNs <= range.toBps
    const part = isNear ? 'nic' : null
    return {
      ...at,
      ...range,
      part,
      verdict: isNear ? 'as-expected' : 'below',
      reason: isNear ? null : 'no-ceiling-explains',
    }
  })
  const judged = rows.filter(({ verdict }) => verdict !== 'cannot-tell')
  const { verdict, part, reason } = judged.find((row) => row.verdict === 'below') ?? judged[0] ?? rows[0]!
  return {
    files: [...new Set(readings.map(({ file }) => file))],
    kind: 'round-trip',
    operation: null,
    rows,
    ceilings: [],
    verdict,
    part,
    reason,
    ratios: ratiosOf(rows),
    confirm: [],
    seen: crossings(readings),
  }
}

/** Time that a switch adds, where the same NICs were measured with and without one. */
function crossings(readings: readonly RoundTripReading[]): Seen[] {
  const direct = readings.find(({ switches }) => switches === 0)
  return readings.flatMap((reading): Seen[] => {
    if (direct === undefined || reading.switches === null || reading.switches === 0) return []
    const addedNs = (reading.roundTripNs - direct.roundTripNs) / 2 / reading.switches
    return [{ id: 'switch-time', values: { addedNs, nicShare: direct.roundTripNs / reading.roundTripNs } }]
  })
}

/** Only the link of storage can be judged: what its drives do stands in no log. */
export function judgeStorage(facts: Facts, reading: StorageReading): Answer {
  const drives = unknownPart('receiver', [])
  const link = linkOf(facts, reading)
  const depth = depthOf(reading)
  const ratio = link === undefined ? null : reading.rateBps / link.toBps!
  const isFull = ratio !== null && ratio >= 0.9
  const row: RowAnswer = {
    file: reading.file,
    line: reading.line,
    sizeBytes: reading.blockBytes ?? 0,
    measuredBps: reading.rateBps,
    ratio,
    fromBps: null,
    toBps: link?.toBps ?? null,
    part: isFull ? 'link' : null,
    verdict: isFull ? 'as-expected' : 'cannot-tell',
    reason: isFull ? null : ratio === null ? 'no-rate-of-the-link' : 'storage-unknown',
  }
  const { verdict, part, reason } = row
  return {
    files: [reading.file],
    kind: 'storage',
    operation: `${reading.job} ${reading.direction}`,
    rows: [row],
    ceilings: [link, depth, drives].flatMap((each) => each ?? []),
    verdict,
    part,
    reason,
    ratios: ratiosOf([row]),
    seen: [],
    confirm: [],
  }
}

function linkOf(facts: Facts, { blockBytes }: StorageReading): Ceiling | undefined {
  if (facts.rateBps === undefined) return undefined
  const [fromBps, toBps] = payloadBps(wireOf(facts, null, facts.rateBps), blockBytes ?? 65_536, 'send')
  const form = `${facts.rateBps / 1e9} Gb/s with headers`
  return { part: 'link', fromBps, toBps, form, status: 'exact', source: 'sizes of headers', needs: [] }
}

function depthOf({ blockBytes, depth, latencyUs }: StorageReading): Ceiling | undefined {
  if (blockBytes === null || depth === null || latencyUs === null || latencyUs === 0) return undefined
  const bps = (blockBytes * depth * 8e6) / latencyUs
  const form = `${depth} x ${blockBytes} B / ${latencyUs.toFixed(0)} us`
  return { part: 'depth', fromBps: bps, toBps: bps, form, status: 'measured', source: 'the log', needs: [] }
}
