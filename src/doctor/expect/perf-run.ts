/** Runs of perftest beside the ceilings of their path. Runs at the same time share what they share. */
import {
  HOST_BRIDGE_BPS,
  type NicProfile,
  nics,
  PCIE_EFFICIENCY,
  pcieBps,
  POSTS_PER_SECOND,
  LOSSY_TRUNK_SHARE,
  ROUND_TRIP_NS,
  THROUGH_HOST,
} from '../../core/hardware/index.ts'
import type { Facts } from './fabric-line.ts'
import { type Ceiling, unknownPart } from './parts.ts'
import type { PerftestReading, PerftestRow } from './readings.ts'
import { messageNs, payloadBps, type Wire, wireForm } from './wire.ts'

/** A run among those that ran with it. */
export interface PerfRun {
  readonly reading: PerftestReading
  /** All that ran at the same time, this one too. */
  readonly together: readonly PerftestReading[]
}

const ASSUMED_MTU_BYTES = 4096

export function wireOf(facts: Facts, reading: PerftestReading | null, rateBps: number): Wire {
  return {
    rateBps,
    link: facts.link ?? reading?.link ?? 'roce',
    mtuBytes: reading?.mtuBytes ?? facts.mtuBytes ?? ASSUMED_MTU_BYTES,
  }
}

export const profileOf = ({ nic }: Facts): NicProfile | undefined => nics.find(({ name }) => name === nic)

/** Whether nothing keeps packets from being dropped; undefined: nobody says it, or ECN alone may. */
export function isLossy({ hasPfc, hasEcn, link }: Facts): boolean | undefined {
  if (link === 'ib' || hasPfc === true) return false
  return hasPfc === undefined || hasEcn === true ? undefined : true
}

/** All parts of the path of a run, for messages of a size, in the order of the path. */
export function ceilingsOfRun(facts: Facts, run: PerfRun, { sizeBytes }: PerftestRow): Ceiling[] {
  const { reading } = run
  const directions = reading.isBidirectional ? 2 : 1
  const ofOneWay = [
    posting(sizeBytes),
    queuePairs(facts, reading, sizeBytes),
    depth(facts, reading, sizeBytes),
    pcie(facts),
    hostPath(facts, run),
    linkOf(facts, reading, sizeBytes),
    ...shared(facts, run, sizeBytes),
    unknownPart('receiver', []),
  ]
  return ofOneWay.map((each) => ({
    ...each,
    fromBps: times(each.fromBps, directions),
    toBps: times(each.toBps, directions),
  }))
}

const times = (bps: number | null, directions: number): number | null => (bps === null ? null : bps * directions)

function posting(sizeBytes: number): Ceiling {
  // The rate of another machine is no ceiling of this one.
  return unknownPart(
    'posting',
    [],
    `${POSTS_PER_SECOND.value / 1e6} M requests a second on another machine x ${sizeBytes} B`,
  )
}

function queuePairs(facts: Facts, { queuePairs: count }: PerftestReading, sizeBytes: number): Ceiling {
  const own = profileOf(facts)?.workRequestGapNs
  const known = own ?? nics.find(({ workRequestGapNs }) => workRequestGapNs !== undefined)!.workRequestGapNs!
  const bps = (8e9 * sizeBytes * count) / known.value
  return {
    part: 'queue-pair',
    fromBps: bps,
    toBps: bps,
    needs: own === undefined ? ['nic'] : [],
    form: `${count} x 8 x ${sizeBytes} B / ${known.value} ns`,
    source: known.source,
    status: own === undefined ? 'assumed' : known.status,
  }
}

function depth(facts: Facts, reading: PerftestReading, sizeBytes: number): Ceiling {
  if (facts.rateBps === undefined) return unknownPart('depth', ['rateBps'])
  if (reading.depth === null) return unknownPart('depth', [], 'the log names no TX depth')
  const ns = messageNs(wireOf(facts, reading, facts.rateBps), sizeBytes, reading.operation)
  const outstanding = reading.depth * reading.queuePairs
  const [short, long] = ROUND_TRIP_NS.value
  const at = (roundTripNs: number): number => (8e9 * sizeBytes * outstanding) / (roundTripNs + ns)
  return {
    part: 'depth',
    fromBps: at(long),
    toBps: at(short),
    needs: [],
    source: ROUND_TRIP_NS.source,
    status: 'assumed',
    form: `${outstanding} x 8 x ${sizeBytes} B in a round trip of ${short} to ${long} ns and the message`,
  }
}

/** MaxPayload where nobody gives it: 256 is usual. */
const MAX_PAYLOADS_BYTES = [128, 512] as const

/** The slot of a NIC. */
export function pcie({ pcieGeneration, pcieLanes, maxPayloadBytes }: Facts): Ceiling {
  const needs = ['pcieGeneration', 'pcieLanes'] as const
  if (pcieGeneration === undefined || pcieLanes === undefined) return unknownPart('pcie', needs)
  const [least, most] = maxPayloadBytes === undefined ? MAX_PAYLOADS_BYTES : [maxPayloadBytes, maxPayloadBytes]
  const [fromBps, toBps] = [pcieBps(pcieGeneration, pcieLanes, least), pcieBps(pcieGeneration, pcieLanes, most)]
  if (fromBps === undefined || toBps === undefined) return unknownPart('pcie', [])
  const payload = maxPayloadBytes === undefined ? `${least} to ${most}` : `${most}`
  return {
    part: 'pcie',
    fromBps,
    toBps,
    needs: maxPayloadBytes === undefined ? ['maxPayloadBytes'] : [],
    form: `Gen${pcieGeneration} x${pcieLanes}, MaxPayload ${payload} B`,
    source: PCIE_EFFICIENCY.source,
    status: PCIE_EFFICIENCY.status,
  }
}

/** @param run null: of any NIC, whose path nobody names */
export function hostPath(facts: Facts, run: PerfRun | null): Ceiling {
  if (facts.hostBps !== undefined) {
    return {
      part: 'host-path',
      fromBps: facts.hostBps * HOST_PATH_LEAST,
      toBps: facts.hostBps,
      needs: [],
      form: `${facts.hostBps / 1e9} Gb/s of a host`,
      status: 'measured',
      source: 'given',
    }
  }
  if (run === null) return unknownPart('host-path', ['paths'])
  const { reading, together } = run
  const isThrough = ({ device }: PerftestReading): boolean => THROUGH_HOST.has(facts.paths?.[device] ?? '')
  if (facts.paths?.[reading.device] === undefined) return unknownPart('host-path', ['paths'])
  if (!isThrough(reading))
    return { ...unknownPart('host-path', []), form: `${facts.paths[reading.device]!}: by the slot` }
  const sharers = together.filter(isThrough).length
  const bps = HOST_BRIDGE_BPS.value / sharers
  return {
    part: 'host-path',
    fromBps: bps,
    toBps: bps,
    needs: [],
    source: HOST_BRIDGE_BPS.source,
    status: 'measured',
    form: `${facts.paths[reading.device]!}: ${HOST_BRIDGE_BPS.value / 1e9} Gb/s${sharers === 1 ? '' : `, shared by ${sharers}`}`,
  }
}
/** A rate that people give of a host is rounded, or was measured with another overhead. */
const HOST_PATH_LEAST = 0.95

function linkOf(facts: Facts, reading: PerftestReading, sizeBytes: number): Ceiling {
  if (facts.rateBps === undefined) return unknownPart('link', ['rateBps'])
  const wire = wireOf(facts, reading, facts.rateBps)
  const [fromBps, toBps] = payloadBps(wire, sizeBytes, reading.operation)
  return { part: 'link', fromBps, toBps, form: wireForm(wire), status: 'exact', source: 'sizes of headers', needs: [] }
}

/** Where runs at the same time meet: a trunk, or the port of one receiver. */
function shared(facts: Facts, { reading, together }: PerfRun, sizeBytes: number): Ceiling[] {
  const ceilings: Ceiling[] = []
  const count = together.length
  if (facts.trunkBps !== undefined) {
    const [fromBps, toBps] = payloadBps(wireOf(facts, reading, facts.trunkBps), sizeBytes, reading.operation)
    const form = `${facts.trunkBps / 1e9} Gb/s / ${count}`
    const fair = { fromBps: fromBps / count, toBps: toBps / count, form }
    ceilings.push({ part: 'trunk', ...fair, status: 'exact', source: 'sizes of headers', needs: [] })
    if (count > 1 && isLossy(facts) === true) ceilings.push(lossyTrunk(facts, fair.toBps))
  }
  // With one host more than runs, all send to the same.
  if (count > 1 && facts.trunkBps === undefined && facts.servers === count + 1 && facts.rateBps !== undefined) {
    const [fromBps, toBps] = payloadBps(wireOf(facts, reading, facts.rateBps), sizeBytes, reading.operation)
    const fair = { fromBps: fromBps / count, toBps: toBps / count, form: `${facts.rateBps / 1e9} Gb/s / ${count}` }
    ceilings.push({ part: 'receiver-port', ...fair, status: 'exact', source: 'sizes of headers', needs: [] })
    if (isLossy(facts) === true) ceilings.push(lossyPort(facts, fair.toBps * count, count))
  }
  return ceilings
}

/** Whether each loss cuts the rate: by what is given, else as the NIC is shipped. */
export const slowRestartOf = (facts: Facts): boolean | undefined =>
  facts.hasSlowRestart ?? profileOf(facts)?.hasSlowRestart?.value

function lossyTrunk(facts: Facts, fairBps: number): Ceiling {
  const cut = slowRestartOf(facts)
  if (cut !== true) return unknownPart('trunk-loss', ['hasSlowRestart'])
  const [least, most] = LOSSY_TRUNK_SHARE.value
  return {
    part: 'trunk-loss',
    fromBps: fairBps * least,
    toBps: fairBps * most,
    needs: [],
    form: `${least} to ${most} of the share of the trunk`,
    status: LOSSY_TRUNK_SHARE.status,
    source: LOSSY_TRUNK_SHARE.source,
  }
}

/** The share that such NICs were measured to carry together is shown, and expected of no other system. */
function lossyPort(facts: Facts, portBps: number, count: number): Ceiling {
  const measured = profileOf(facts)?.lossyShare
  if (measured === undefined) return unknownPart('receiver-loss', ['nic', 'hasSlowRestart'])
  const [least, most] = measured.value.map((share) => (share * portBps) / count) as [number, number]
  const form = `such a NIC once carried ${(least / 1e9).toFixed(2)} to ${(most / 1e9).toFixed(2)} Gb/s`
  return { ...unknownPart('receiver-loss', ['hasSlowRestart'], form), source: measured.source }
}
