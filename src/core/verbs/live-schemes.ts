/**
 * Live schemes: any loss recovery and congestion control that needs no switch, for a queue pair that sends real packets: with
 * a line rate, and few packets in flight until the congestion control lets them grow. And the values that a connection has
 * unless both ends agree on others.
 * Units: bit/s, picoseconds, packets, bytes.
 */
import { type AnyValues, defaultsOf, GBPS, US } from '../base/params.ts'
import { InputError, type Issue } from '../base/issue.ts'
import type { CongestionDefinition } from '../transport/congestion/congestion.ts'
import { dcqcn } from '../transport/congestion/dcqcn.ts'
import { congestions } from '../transport/congestion/index.ts'
import { recoveries } from '../transport/recovery/index.ts'
import type { RecoveryDefinition } from '../transport/recovery/recovery.ts'
import { neededBy, type Needs, type SchemeDefinition } from '../transport/scheme.ts'
import type { OrderSource } from '../transport/timers.ts'
import { BTH_BYTES } from '../wire/bth.ts'
import { FORMAT_IRN, FORMAT_LSN, FORMAT_ROCE } from '../wire/opcodes.ts'
import { packetBytes } from './codec.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues } from './connection/values.ts'
import { framesOf, plainRecovery, schemesOn } from './plain-schemes.ts'
import type { Schemes } from './schemes.ts'

/** A scheme as a scenario names it: its kind, and values that differ from its defaults. Durations are picoseconds. */
export interface SchemeChoice {
  readonly kind: string
  readonly [name: string]: unknown
}

export interface LiveOptions {
  /** By default that of the connection's mode: go-back-N, or IRN's. */
  readonly recovery?: SchemeChoice
  readonly congestion: SchemeChoice
  /** Rate at which data are sent at most. */
  readonly lineRateBps: number
  /** Round trip of a full packet and its ACK while nothing else is sent: an estimate, until one is measured. */
  readonly baseRttPs: number
  /** Packets in flight at first. A control without a window keeps to them. */
  readonly windowPackets: number
  /** Least time between two CNPs of each packet space that report marked packets; null: none are sent. */
  readonly cnpIntervalPs: number | null
}

/** Timeout of code 14 (IBTA 9.7.6.1.3), 4.096 us * 2^14. */
const TIMEOUT_PS = 4096 * 2 ** 14 * 1000

interface LiveDefaults {
  readonly connection: Omit<ConnectionValues, 'remoteQp'>
  readonly schemes: LiveOptions
}

/**
 * Values of live connections. Sources: rdma-core 44's examples (timeout 14, retry_cnt 7, min RNR timer 12, rnr_retry 7, which
 * is any number); Linux rxe 6.1, which gives no credits, loses packets when more than about 32 are in flight, and as
 * requester has up to 128 READs outstanding. IRN has no shorter timeout for few packets: a process may not run for tens of
 * milliseconds, and after a timeout without a loss IRN sends again one packet for each ACK.
 */
export const LIVE_DEFAULTS: LiveDefaults = {
  connection: {
    ...CONNECTION_DEFAULTS,
    readsIn: 128,
    rnrTimerCode: 12,
    ackTimeoutPs: TIMEOUT_PS,
    ackInterval: 16,
    selectiveRepeat: { ...CONNECTION_DEFAULTS.selectiveRepeat, rtoLowPs: TIMEOUT_PS, rtoHighPs: TIMEOUT_PS },
    hasCredits: false,
  },
  schemes: {
    congestion: { kind: 'none' },
    lineRateBps: 10 * GBPS,
    baseRttPs: 100 * US,
    windowPackets: 32,
    cnpIntervalPs: defaultsOf(dcqcn.params).cnpInterval,
  },
}

/** Ethernet with FCS, preamble and gap, IPv4, UDP and ICRC. */
const AROUND_BYTES = 18 + 20 + 20 + 8 + 4

/** Needs of a scheme that a queue pair cannot meet on a real wire. */
const MISSING: readonly (readonly [need: keyof Needs, reason: string])[] = [
  ['telemetry', 'it needs switches that write the state of their queues into packets'],
  ['qcn', 'it needs switches that send congestion messages'],
  ['wred', 'it needs switches that drop packets early'],
  ['multipath', 'it needs several paths for one queue pair'],
  ['rttProbes', 'it needs RTT probes, for which RoCE has no packets'],
  ['cwr', 'it needs a bit for a reduced window, which RoCE does not have'],
]

/** Values of a live connection, with the schemes that `schemes` names; the mode is by default that of its recovery. */
export function liveConnection(
  given: Pick<ConnectionValues, 'remoteQp'> & Partial<ConnectionValues>,
  schemes: Partial<LiveOptions>,
  order: OrderSource,
): ConnectionValues {
  const { kind } = schemes.congestion ?? LIVE_DEFAULTS.schemes.congestion
  const isAsking = congestions.some(({ name, needs }) => name === kind && (needs as Needs).perPacketAck === true)
  const recovery = recoveries.find(({ name }) => name === schemes.recovery?.kind)
  const mode = (recovery as RecoveryDefinition | undefined)?.acknowledgesReads === true ? 'irn' : 'roce'
  const connection = { ...LIVE_DEFAULTS.connection, mode, ...(isAsking ? { ackInterval: 1 } : {}), ...given } as const
  return { ...connection, schemes: liveSchemes(schemes, connection, order) }
}

/** @throws InputError with all mistakes, and for schemes that need more than the two ends of a connection. */
export function liveSchemes(given: Partial<LiveOptions>, connection: ConnectionValues, order: OrderSource): Schemes {
  const options = { ...LIVE_DEFAULTS.schemes, ...given }
  const { lineRateBps, baseRttPs, windowPackets, cnpIntervalPs } = options
  const { mode, mtuBytes } = connection
  const plain = plainRecovery(connection)
  const issues: Issue[] = []
  const recovery = chosen<RecoveryDefinition>(
    'recovery',
    recoveries,
    options.recovery ?? { kind: plain.definition.name },
    issues,
  )
  const congestion = chosen<CongestionDefinition>('congestion', congestions, options.congestion, issues)
  for (const [path, value] of Object.entries({ lineRateBps, baseRttPs }))
    if (!(value > 0 && value < Infinity)) issues.push(issueOf(path, 'a finite number above 0', `${value}`))
  if (!(windowPackets >= 1)) issues.push(issueOf('windowPackets', '1 or more', `${windowPackets}`))
  if (recovery !== null) refuse('recovery', recovery, recoveryReason(recovery, mode), issues)
  if (congestion !== null) refuse('congestion', congestion, congestionReason(congestion, connection), issues)
  if (recovery === null || congestion === null || issues.length > 0) throw new InputError(issues)
  const format = (mode === 'irn' ? FORMAT_IRN : FORMAT_ROCE) | (connection.lsnWindowBytes === null ? 0 : FORMAT_LSN)
  // The connection has values for its mode's recovery; those that the choice names come before them.
  const isPlain = plain.definition.name === recovery.definition.name
  const link = {
    recovery: isPlain
      ? { definition: plain.definition, values: { ...recovery.values, ...plain.values, ...recovery.own } }
      : recovery,
    timeoutPs: plain.timeoutPs,
    congestion,
    lineRateBps,
    baseRttPs,
    windowPackets,
    needsProgress: true,
    cnpIntervalPs,
    frames: framesOf(mtuBytes),
    fullBytes: AROUND_BYTES + BTH_BYTES + mtuBytes,
    wireBytes: (packet: Parameters<Schemes['wireBytes']>[0]) => AROUND_BYTES + packetBytes(packet, format),
  }
  return schemesOn(link, connection, order)
}

interface Chosen<D> {
  readonly definition: D
  readonly values: AnyValues
  /** Those that the choice names. */
  readonly own: AnyValues
}

function issueOf(path: string, expected: string, received: string, hint = ''): Issue {
  return { path, expected, received, hint }
}

function chosen<D extends SchemeDefinition>(
  path: string,
  definitions: readonly D[],
  { kind, ...rest }: SchemeChoice,
  issues: Issue[],
): Chosen<D> | null {
  const definition = definitions.find(({ name }) => name === kind)
  if (definition === undefined) {
    issues.push(issueOf(path, `one of ${definitions.map(({ name }) => name).join(', ')}`, `"${kind}"`))
    return null
  }
  const names = Object.keys(definition.params)
  for (const name of Object.keys(rest))
    if (!names.includes(name)) issues.push(issueOf(`${path}.${name}`, `one of ${names.join(', ')}`, 'another name'))
  const own = rest as AnyValues
  return { definition, own, values: { ...defaultsOf(definition.params), ...own } }
}

function refuse(path: string, { definition }: Chosen<SchemeDefinition>, reason: string | null, issues: Issue[]): void {
  if (reason === null) return
  issues.push(issueOf(path, 'a scheme that works between two ends', `"${definition.name}"`, reason))
}

function missingFor({ definition, values }: Chosen<SchemeDefinition>): string | null {
  const needs = neededBy(definition, values)
  return MISSING.find(([need]) => needs[need] === true)?.[1] ?? null
}

function recoveryReason(choice: Chosen<RecoveryDefinition>, mode: ConnectionValues['mode']): string | null {
  const { definition, values } = choice
  const { acknowledgesReads = false } = definition
  if (definition.framing?.(values) !== undefined) return 'its packets are not those of RoCE'
  const missing = missingFor(choice)
  if (missing !== null) return missing
  // READ responses have ACKs in IRN mode, and nowhere else.
  if (acknowledgesReads === (mode === 'irn')) return null
  return acknowledgesReads ? 'it needs mode irn' : 'it needs mode roce'
}

function congestionReason(choice: Chosen<CongestionDefinition>, connection: ConnectionValues): string | null {
  const missing = missingFor(choice)
  if (missing !== null) return missing
  const { ecn, cnp, perPacketAck } = neededBy(choice.definition, choice.values)
  if (ecn === true && cnp !== true) return "it needs marks in ACKs, for which RoCE's have no bit"
  if (choice.definition.needsOneClock === true) return 'it needs ends that have the same clock'
  const isAsking = connection.mode === 'irn' || connection.ackInterval === 1
  return perPacketAck === true && !isAsking ? 'it needs an ACK for each packet: ackInterval 1' : null
}
