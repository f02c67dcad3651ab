/**
 * Maps the transport of the HPCC family to a scenario: windows, ACKs, loss recovery, congestion control.
 * Features that rocelab lacks are refused, with the key and the line that request them.
 */
import { mostOf } from '../../core/base/extremes.ts'
import { foundAt, importFindings } from '../../core/findings/index.ts'
import { scenarioParams } from '../../lab/scenario/index.ts'
import { bytes, conweaveHasPfc, microseconds, rateText, time, type Run, type Scheme } from './run.ts'
import type { Branch, ImportInput } from '../importer.ts'
import type { Ns3Config } from '../ns3/config.ts'
import { largestPair, windowsFrom } from '../ns3/paths.ts'
import type { Ns3Dialect } from '../ns3/topology.ts'
import { type ImportLog } from '../text-input.ts'

const CC_MODES: Readonly<Record<number, Scheme>> = {
  0: 'none',
  1: 'dcqcn',
  3: 'hpcc',
  7: 'timely',
  8: 'dctcp-rate',
  10: 'hpcc-pint',
}

function exists(definitions: readonly { readonly name: string }[], name: string): boolean {
  return definitions.some((definition) => definition.name === name)
}

export function chooseScheme(input: ImportInput, config: Ns3Config, dialect: Ns3Dialect, log: ImportLog): Scheme {
  const mode = config.whole('CC_MODE', 1)
  const wanted = Object.hasOwn(CC_MODES, mode) ? CC_MODES[mode] : undefined
  const chosen = input.options['congestion']
  if (chosen === 'none' || chosen === 'dcqcn') {
    if (chosen !== wanted)
      log.note(
        foundAt(
          importFindings.importReplaced,
          {},
          { option: 'congestion', chosen, key: 'CC_MODE', written: `${mode}` },
        ),
      )
    return chosen
  }
  const definitions = scenarioParams.fields.congestion.definitions
  if (wanted !== undefined && exists(definitions, wanted)) return wanted
  const reason =
    wanted === undefined
      ? 'an undocumented mode'
      : `${wanted === 'hpcc' ? 'HPCC' : 'HPCC-PINT'}, which rocelab does not have yet`
  const known = Object.entries(CC_MODES)
    .filter(([, name]) => exists(definitions, name))
    .map(([number, name]) => `${number} (${name})`)
  log.issue(
    config.location('CC_MODE'),
    'CC_MODE',
    `one of ${known.join(', ')}`,
    `${mode}: ${reason}`,
    `--congestion dcqcn or --congestion none imports the rest (dialect ${dialect})`,
  )
  return 'none'
}

/** Notes settings that the programs of ns3-datacenter take from their command line, in place of the configuration. */
export function noteCommandLine({ config, dialect, log, scheme }: Run): void {
  if (dialect === 'ns3-alibabacloud') noteAlibaba(config, log)
  if (dialect !== 'ns3-datacenter') return
  log.note(importFindings.differs('command-line-overrides', {}))
  if (scheme === 'hpcc') log.note(importFindings.differs('power-tcp', {}))
  log.note(foundAt(importFindings.importUnchecked, {}, { simulator: dialect, others: 'all else' }))
}

function noteAlibaba(config: Ns3Config, log: ImportLog): void {
  if (config.text('ns3::RdmaHw::NicCoalesceMethod') === 'PER_IP')
    log.note(importFindings.differs('coalesced-congestion-control', {}))
  if (config.real('ns3::MellanoxDcqcn::RateOnFirstCnp', 1, 0, 1) !== 1)
    log.note(
      foundAt(
        importFindings.importNotCarriedOver,
        {},
        { names: ['RateOnFirstCnp'], instead: 'the first CNP cuts the rate as any other' },
      ),
    )
  log.note(
    foundAt(
      importFindings.importUnchecked,
      {},
      { simulator: 'ns3-alibabacloud', others: 'all else that the configuration does not set' },
    ),
  )
}

export function mapQp(run: Run): Branch {
  const { config } = run
  const window = mapWindow(run)
  return {
    ackInterval: mapAckInterval(run),
    ...mapTimer(run),
    retryLimit: 'off',
    window,
    windowVariable: config.flag('VAR_WIN', false) && window !== 'off',
    ecnEcho: 'ack',
    rateRounding: 'bps',
    pacing: run.scheme === 'hpcc' ? 'follow' : 'fixed',
  }
}

/** Hard coded in conweave: L2Timeout, and RTO_high of its IRN. Every packet sent and every ACK or NAK restarts the timer. */
function mapTimer(run: Run): Branch {
  if (run.dialect !== 'conweave') return { ackTimeout: 'off' }
  if (!usesIrn(run)) return { ackTimeout: '4ms', ackTimer: 'packet' }
  // With PFC, HandleTimeout does nothing.
  return conweaveHasPfc(run) ? { ackTimeout: 'off' } : { ackTimeout: '320us', ackTimer: 'packet' }
}

/**
 * An ACK for every packet, with a note on L2_ACK_INTERVAL: ReceiveUdp resets the milestone to it with every packet, so
 * that a flow gets no ACK before that many bytes have arrived, and one for every packet from then on.
 */
function mapAckInterval(run: Run): number {
  const { config, log, flows } = run
  const intervalBytes = config.whole('L2_ACK_INTERVAL', 0, 0, 1 << 30)
  if (intervalBytes === 0) log.note(importFindings.differs('acks-ignored', {}))
  // The receiver of conweave's IRN sends an ACK or NACK for every packet, by rules of its own.
  if (intervalBytes <= 1 || usesIrn(run)) return 1
  const chunkBytes = config.chunkBytes()
  const shortFlows = flows.filter((flow) => flow.sizeBytes < intervalBytes && flow.sizeBytes % chunkBytes !== 0).length
  log.note(importFindings.differs('ack-interval', { intervalBytes, chunkBytes, shortFlows }))
  return 1
}

function mapWindow(run: Run): string {
  const { config, log, env, topology } = run
  if (usesIrn(run)) return 'off'
  if (run.dialect === 'conweave' && env.windowBytes !== undefined)
    log.note(
      foundAt(
        importFindings.importWithoutEffect,
        {},
        { names: ['IRN_BDP of the environment'], reason: 'read only with ENABLE_IRN 1' },
      ),
    )
  const hasWindow = config.flag('HAS_WIN', true)
  const global = config.flag('GLOBAL_T', true)
  if (!hasWindow) return 'off'
  const { windowBytes, roundTripNs } = largestPair(topology, run.payloadBytes)
  // AddQueuePair of ns3-datacenter: the window fills the sender's link, not the slowest one, for the base round trip.
  const usesHostRate = run.dialect === 'ns3-datacenter'
  const largest = usesHostRate ? Math.floor((Math.max(0, mostOf(hostRates(run))) * roundTripNs) / 8e9) : windowBytes
  if (largest < 1) {
    log.issue(config.location('HAS_WIN'), 'HAS_WIN', 'hosts that are connected', 'no path between any two hosts')
    return 'off'
  }
  if (usesHostRate && new Set(hostRates(run)).size > 1)
    log.note(importFindings.differs('windows-of-senders', { windowBytes: largest }))
  if (global) return bytes(largest)
  const own = new Set<number>()
  for (const source of new Set(run.flows.map((flow) => flow.sourceId))) {
    const windows = windowsFrom(topology, source, run.payloadBytes)
    for (const flow of run.flows) if (flow.sourceId === source) own.add(windows[flow.destinationId] ?? -1)
  }
  const [only] = own
  if (!usesHostRate && own.size === 1 && only !== undefined && only >= 1) return bytes(only)
  log.note(importFindings.differs('windows-of-pairs', { windowBytes: largest }))
  return bytes(largest)
}

function usesIrn(run: Run): boolean {
  return (
    run.dialect === 'conweave' && run.config.flag('ENABLE_IRN', false) && run.input.options['recovery'] === undefined
  )
}

export function mapRecovery(run: Run): Branch {
  const { config, log, dialect } = run
  if (usesIrn(run)) {
    const { env } = run
    const cap = env.windowBytes === undefined ? 'off' : Math.max(1, Math.floor(env.windowBytes / run.payloadBytes))
    return { kind: 'irn', cap, rtoLow: '100us' }
  } else if (
    dialect === 'conweave' &&
    run.input.options['recovery'] !== undefined &&
    config.text('ENABLE_IRN') === '1'
  ) {
    log.note(
      foundAt(
        importFindings.importReplaced,
        {},
        { option: 'recovery', chosen: 'go-back-n', key: 'ENABLE_IRN', written: '1' },
      ),
    )
  }
  const nak: Branch = {
    nakInterval: nakInterval(run),
    nakGate: 'per-epsn',
    duplicates: dialect === 'conweave' ? 'acknowledge' : 'silent',
  }
  const chunkBytes = config.chunkBytes()
  if (!config.flag('L2_BACK_TO_ZERO', false)) {
    if (chunkBytes > 0) config.noteWithoutEffect(['L2_CHUNK_SIZE'], 'read only with L2_BACK_TO_ZERO 1')
    return { kind: 'go-back-n', ...nak }
  }
  if (chunkBytes === 0) {
    const location = config.location('L2_CHUNK_SIZE') ?? config.location('L2_BACK_TO_ZERO')
    log.issue(
      location,
      'L2_CHUNK_SIZE',
      'a chunk size in bytes, with L2_BACK_TO_ZERO 1',
      '0',
      'that simulator divides by it',
    )
    return { kind: 'go-back-n', ...nak }
  }
  const chunk = Math.ceil(chunkBytes / run.payloadBytes)
  if (chunk * run.payloadBytes !== chunkBytes)
    log.note(importFindings.differs('go-back-0-unit', { chunkBytes, packets: chunk }))
  return { kind: 'go-back-0', ...nak, chunk }
}

/** MIN_RATE. 0 is no bound in that simulator; here the least one is 1 bit/s. */
function leastRate(run: Run): string {
  const { config, log } = run
  const rateBps = rateOf(run, 'MIN_RATE')
  if (rateBps === 0 && config.has('MIN_RATE')) log.note(importFindings.differs('least-rate', { minRateBps: 1 }))
  return rateText(Math.max(1, rateBps))
}

/** Hard coded but in ns3-alibabacloud, where it is read as whole microseconds. */
function nakInterval({ config, dialect }: Run): string {
  if (dialect === 'conweave') return '4us'
  if (dialect !== 'ns3-alibabacloud') return '500us'
  return microseconds(Math.floor(config.real('ns3::RdmaHw::NACKGenerationInterval', 500, 0, 1e9)))
}

/** Defaults of rates in ns3-alibabacloud; the other simulators have none. */
function rateOf({ config, dialect }: Run, name: 'RATE_AI' | 'RATE_HAI' | 'MIN_RATE' | 'DCTCP_RATE_AI'): number {
  const standards = { RATE_AI: '5Mb/s', RATE_HAI: '50Mb/s', MIN_RATE: '100Mb/s', DCTCP_RATE_AI: '1000Mb/s' }
  return dialect === 'ns3-alibabacloud' ? config.rate(name, standards[name]) : config.rate(name)
}

/** Keys that only HPCC reads. */
const HPCC_KEYS = ['FAST_REACT', 'U_TARGET', 'MI_THRESH', 'INT_MULTI', 'MULTI_RATE', 'SAMPLE_FEEDBACK']
/** Link rates that its telemetry can encode, Gb/s. */
const KNOWN_RATES = [25, 50, 100, 200, 400]

/** Units of its telemetry: nanoseconds, and 128 bytes sent or 80 bytes queued, times INT_MULTI. */
export function mapTelemetry(run: Run): Branch {
  if (run.scheme !== 'hpcc') {
    run.config.noteWithoutEffect(HPCC_KEYS, 'read only with CC_MODE 3')
    return {}
  }
  const multiple = run.config.whole('INT_MULTI', 1, 1, 1000)
  return { telemetry: { timeUnit: '1ns', sentUnit: bytes(128 * multiple), queueUnit: bytes(80 * multiple) } }
}

function mapHpcc(run: Run): Branch {
  const { config, log, topology } = run
  const refuse = (key: string, expected: string, received: string): void =>
    log.issue(config.location(key), key, expected, received, '--congestion dcqcn or none imports the rest')
  if (config.flag('MULTI_RATE', true))
    refuse('MULTI_RATE', '0 (one rate for a flow)', '1 (a rate for each hop), which rocelab does not have')
  if (config.flag('SAMPLE_FEEDBACK', false))
    refuse('SAMPLE_FEEDBACK', '0', '1 (hops without a queue are skipped), which rocelab does not have')
  if (!config.flag('HAS_WIN', true)) refuse('HAS_WIN', '1, as HPCC of that simulator divides queues by the window', '0')
  const { windowBytes, roundTripNs } = largestPair(topology, run.payloadBytes)
  if (!config.flag('GLOBAL_T', true)) log.note(importFindings.differs('base-rtts-of-pairs', {}))
  const reported = new Set(KNOWN_RATES.map((gbps) => gbps * 1e9))
  const misreported = new Set(topology.links.map(({ rateBps }) => rateBps).filter((rateBps) => !reported.has(rateBps)))
  if (misreported.size > 0)
    log.note(
      importFindings.differs('telemetry-rates', {
        knownBps: KNOWN_RATES.map((gbps) => gbps * 1e9),
        reportedAsBps: 25e9,
        rateBps: [...misreported],
      }),
    )
  const rates = hostRates(run)
  if (rates.some((rateBps) => Math.abs((windowBytes * 8e9) / (rateBps * roundTripNs) - 1) > 0.001))
    log.note(importFindings.differs('hpcc-window', { windowBytes, baseRttPs: roundTripNs * 1000 }))
  return {
    kind: 'hpcc',
    limit: 'rate',
    eta: config.real('U_TARGET', 0.95, 0.01, 1),
    maxStage: config.whole('MI_THRESH', 5),
    additiveRate: rateText(rateOf(run, 'RATE_AI')),
    baseRtt: time(roundTripNs),
    minRate: leastRate(run),
    perAck: config.flag('FAST_REACT', true),
  }
}

/** Distinct link rates of the hosts. */
function hostRates({ topology }: Run): number[] {
  const hosts = new Set(topology.hosts)
  const rates = topology.links.filter(({ a, b }) => hosts.has(a) || hosts.has(b)).map(({ rateBps }) => rateBps)
  return [...new Set(rates)]
}

export function mapCongestion(run: Run): Branch {
  const { config, scheme, log } = run
  const paced = config.flag('RATE_BOUND', true)
  const isConweave = run.dialect === 'conweave'
  if (!paced && scheme !== 'none') {
    log.issue(
      config.location('RATE_BOUND'),
      'RATE_BOUND',
      '1 (senders pace at their rate)',
      '0, which rocelab does not have',
      '--congestion none sends at line rate',
    )
  }
  switch (scheme) {
    case 'none':
      return { kind: 'none' }
    case 'dcqcn':
      return {
        kind: 'dcqcn',
        g: gain(run),
        alphaStart: 1,
        cnpInterval: '0ps',
        cut: 'windowed',
        decreaseInterval: microseconds(config.real('RATE_DECREASE_INTERVAL', 4, 1e-3, 1e9)),
        decreaseOffset: '1ns',
        alphaInterval: microseconds(config.real('ALPHA_RESUME_INTERVAL', 55, 1e-3, 1e9)),
        rateInterval: microseconds(config.real('RP_TIMER', RP_TIMERS[run.dialect], 1e-3, 1e9)),
        byteCounter: 'off',
        fastRecovery: config.whole('FAST_RECOVERY_TIMES', isConweave ? 1 : 5),
        additiveRate: rateText(rateOf(run, 'RATE_AI')),
        hyperRate: rateText(rateOf(run, 'RATE_HAI')),
        minRate: leastRate(run),
        clampTarget: config.flag('CLAMP_TARGET_RATE', false),
        hyperScaling: 'constant',
        stageTest: 'before',
      }
    case 'timely':
      return {
        kind: 'timely',
        gain: 0.875,
        beta: 0.8,
        tLow: '50us',
        tHigh: '500us',
        minRtt: '20us',
        additiveRate: rateText(rateOf(run, 'RATE_AI')),
        hyperRate: rateText(rateOf(run, 'RATE_HAI')),
        hyperAfter: 5,
        hyperLow: true,
        minRate: leastRate(run),
        update: 'window',
        serialization: 'counted',
        segment: '64KB',
      }
    case 'dctcp-rate':
      return {
        kind: 'dctcp-rate',
        g: gain(run),
        additiveRate: rateText(rateOf(run, 'DCTCP_RATE_AI')),
        minRate: leastRate(run),
      }
    case 'hpcc':
      return mapHpcc(run)
    default:
      log.note(
        foundAt(
          importFindings.importNotCarriedOver,
          {},
          { names: [`the parameters of ${scheme}`], instead: 'it has its defaults' },
        ),
      )
      return { kind: scheme }
  }
}

/** Defaults of RP_TIMER, microseconds; the other simulators have none. */
const RP_TIMERS: Readonly<Partial<Record<Ns3Dialect, number>>> = { conweave: 300, 'ns3-alibabacloud': 1500 }

/** The default gain is 1/16, which is 0 where it is computed with integers. */
const gain = (run: Run): number => run.config.real('EWMA_GAIN', run.dialect === 'ns3-alibabacloud' ? 1 / 16 : 0, 0, 1)
