/**
 * Maps frames, switches and pauses of the HPCC family to a scenario.
 * Source: buffer rules of the HPCC fork and of conweave; findings of the import say where a scenario can only approximate them.
 */
import { mostOf } from '../../core/base/extremes.ts'
import { importFindings } from '../../core/findings/index.ts'
import { bytes, conweaveHasPfc, microseconds, rateText, type Run, type Scheme } from './run.ts'
import { mapTelemetry } from './transport.ts'
import type { Branch } from '../importer.ts'
import { neighboursOf, switchRates } from '../ns3/topology.ts'
import type { ImportLog, Location } from '../text-input.ts'

/** Headers of a data packet: Ethernet 14, IPv4 20, UDP 8, sequence number and class 6. */
const HEADER_BYTES = 48
/** Packet size in conweave's buffer rules, whatever the payload: 1000 + 48. */
const CONWEAVE_PACKET_BYTES = 1048
/** Memory per port if no size is given (MaxTotalBufferPerPort). */
const CONWEAVE_PORT_BYTES = 375_000
/** Reserve of each egress queue of conweave, which marking does not count. */
const CONWEAVE_EGRESS_BYTES = CONWEAVE_PACKET_BYTES + 1

export function mapFrames(run: Run): Branch {
  const { scheme } = run
  // TIMELY adds a timestamp to every packet.
  const everyBytes = scheme === 'timely' ? 8 : 0
  return {
    payload: bytes(run.payloadBytes),
    dataOverhead: bytes(HEADER_BYTES),
    writeOverhead: '0B',
    everyOverhead: bytes(everyBytes),
    // Padded to 60 without telemetry; space for telemetry of five hops is added.
    ack: scheme === 'hpcc' ? '46B' : '60B',
    telemetry: '42B',
    readRequest: '60B',
    cnp: '60B',
    pfc: '43B',
    gap: '0B',
    vlanTag: '0B',
    minimum: '0B',
  }
}

export function mapSwitch(run: Run): Branch {
  const bufferBytes = run.env.bufferBytes ?? bufferOf(run)
  return {
    buffer: {
      kind: 'shared-buffer',
      size: bytes(bufferBytes),
      ...mapBuffer(run),
    },
    latency: forwardDelay(run),
    release: 'start',
    strictClasses: [0],
    scheduler: 'round-robin',
    ecn: mapEcn(run, bufferBytes),
    wred: { classes: [] },
    ...mapTelemetry(run),
  }
}

/** ForwardDelay, whole microseconds as ns-3 reads them. */
function forwardDelay({ config, dialect }: Run): string {
  if (dialect !== 'ns3-alibabacloud') return '0ps'
  return microseconds(Math.floor(config.real('ns3::SwitchNode::ForwardDelay', 0, 0, 1e6)))
}

/** All classes but 0, which is for control packets. */
const MARKED_CLASSES = [1, 2, 3, 4, 5, 6, 7]
const NEEDS_MARKS: ReadonlySet<Scheme> = new Set(['dcqcn', 'dctcp-rate'])

const HPCC_BUFFER: Branch = {
  reserve: '4096B',
  reservedClasses: 1,
  alpha: 0.125,
  alphaScaling: 'double-per-rate',
  headroom: 'off',
  headroomFormula: 'delay-rate',
  headroomFactor: 3,
  headroomExtra: '0B',
  headroomPer: 'port',
  xonOffset: '3072B',
  pool: 'after-reserves',
}

/** BUFFER_SIZE. In conweave 0, the default, stands for a fixed size per port. */
function bufferOf({ config, dialect, log, topology }: Run): number {
  if (dialect !== 'conweave') return config.whole('BUFFER_SIZE', 16, 1, 1 << 20) * 1024 * 1024
  const mebibytes = config.whole('BUFFER_SIZE', 0, 0, 1 << 20)
  if (mebibytes > 0) return mebibytes * 1024 * 1024
  const neighbours = neighboursOf(topology)
  const ports = topology.switches.map((node) => neighbours[node]?.length ?? 0)
  const most = Math.max(1, mostOf(ports))
  log.note(
    importFindings.differs('buffer-per-port', {
      portBytes: CONWEAVE_PORT_BYTES,
      ports: most,
      isUneven: ports.some((count) => count !== most),
    }),
  )
  return most * CONWEAVE_PORT_BYTES
}

function mapBuffer(run: Run): Branch {
  if (run.dialect === 'conweave') return conweaveBuffer(run)
  if (run.dialect === 'ns3-alibabacloud')
    return { ...HPCC_BUFFER, headroomFactor: 2, headroomExtra: bytes(2 * run.payloadBytes) }
  return run.dialect === 'ns3-datacenter' ? datacenterBuffer(run) : HPCC_BUFFER
}

/** The "sonic" model of ns3-datacenter's MMU, as configured by its PowerTCP programs. */
function datacenterBuffer(run: Run): Branch {
  run.log.note(importFindings.differs('datacenter-thresholds', {}))
  run.log.note(importFindings.differs('datacenter-egress-limit', {}))
  return {
    ...HPCC_BUFFER,
    reserve: '0B',
    alphaScaling: 'none',
    // For each of 8 queues.
    headroomPer: 'class',
    xonOffset: '2496B',
  }
}

function conweaveBuffer(run: Run): Branch {
  if (conweaveHasPfc(run))
    run.log.note(importFindings.differs('conweave-pauses', { packetBytes: CONWEAVE_PACKET_BYTES }))
  return {
    reserve: bytes(CONWEAVE_PACKET_BYTES),
    reservedClasses: 8,
    alpha: 0.0625,
    alphaScaling: 'none',
    // CheckIngressAdmission does not use alpha, only GetPauseClasses does, and its SP counts all bytes.
    ingressLimit: 'total',
    egressAlpha: 1,
    egressReserve: bytes(CONWEAVE_EGRESS_BYTES),
    egressLimit: 'all',
    headroom: 'off',
    headroomFormula: 'delay-rate',
    headroomFactor: 2,
    headroomExtra: bytes(2 * CONWEAVE_PACKET_BYTES),
    headroomPer: 'port',
    // It resumes below alpha * (free - 16): one byte below the threshold.
    xonOffset: '1B',
    pool: 'after-reserves',
  }
}

function mapEcn(run: Run, bufferBytes: number): Branch {
  const { config, log } = run
  const enabled = config.flag('ENABLE_QCN', true)
  if (!enabled) return unmarked(run, bufferBytes)
  const names = ['KMIN_MAP', 'KMAX_MAP', 'PMAX_MAP'] as const
  const kmins = config.rateMap('KMIN_MAP', 1e9)
  const kmaxs = config.rateMap('KMAX_MAP', 1e9)
  const pmaxs = config.rateMap('PMAX_MAP', 1)
  const [shiftBytes, at] = markingOf(run)
  const byRate: Branch[] = []
  const rates = switchRates(run.topology)
  for (const rateBps of new Set([...rates, ...(kmins?.keys() ?? [])])) {
    const [kmin, kmax, pmax] = [kmins?.get(rateBps), kmaxs?.get(rateBps), pmaxs?.get(rateBps)]
    if (kmin === undefined || kmax === undefined || pmax === undefined) {
      const missing = names.filter((_name, i) => [kmin, kmax, pmax][i] === undefined)
      const location = missing.map((name) => config.location(name)).find((found) => found !== undefined)
      if (rates.includes(rateBps)) requireThreshold(log, location, missing, rateBps)
      continue
    }
    if (kmax < kmin)
      log.issue(config.location('KMAX_MAP'), 'KMAX_MAP', `at least KMIN_MAP's ${kmin} for ${rateBps}`, `${kmax}`)
    byRate.push({
      rate: rateText(rateBps),
      kmin: bytes(Math.max(0, Math.round(kmin * 1000) + shiftBytes)),
      kmax: bytes(Math.max(0, Math.round(kmax * 1000) + shiftBytes)),
      pmax,
    })
  }
  return { classes: MARKED_CLASSES, byRate, at, compare: 'above' }
}

/** Correction of thresholds for bytes that that simulator does not count, or counts earlier; and when it marks. */
function markingOf(run: Run): readonly [shiftBytes: number, at: 'enqueue' | 'dequeue'] {
  if (run.dialect === 'conweave') {
    const ownBytes = CONWEAVE_EGRESS_BYTES
    run.log.note(importFindings.adapted('conweave-marks', { reserveBytes: ownBytes }))
    return [ownBytes, 'dequeue']
  }
  if (run.dialect !== 'ns3-datacenter') return [0, 'dequeue']
  const packetBytes = run.payloadBytes + HEADER_BYTES
  run.log.note(importFindings.adapted('datacenter-marks', { packetBytes }))
  return [-packetBytes, 'enqueue']
}

/** ENABLE_QCN 0: controls that react to marks get none, and keep their rate. */
function unmarked({ config, log, scheme }: Run, bufferBytes: number): Branch {
  config.noteWithoutEffect(['KMIN_MAP', 'KMAX_MAP', 'PMAX_MAP'], 'read only with ENABLE_QCN 1')
  if (!NEEDS_MARKS.has(scheme)) return { classes: [] }
  log.note(
    importFindings.adapted(
      'marks-off',
      { congestion: scheme },
      { file: config.file, line: config.location('ENABLE_QCN')!.line },
    ),
  )
  const whole = bytes(bufferBytes)
  return { classes: MARKED_CLASSES, kmin: whole, kmax: whole, pmax: 0, at: 'dequeue', compare: 'above' }
}

function requireThreshold(
  log: ImportLog,
  location: Location | undefined,
  missing: readonly string[],
  rateBps: number,
): void {
  log.issue(
    location,
    missing.join(', '),
    `a threshold for ${rateBps}, a link rate of the topology`,
    'none',
    'that simulator stops at this too',
  )
}

export function mapPfc(run: Run): Branch {
  const { config, log } = run
  if (run.dialect !== 'conweave') {
    config.noteWithoutEffect(['PAUSE_TIME'], 'a pause lasts until a resume frame, as in that simulator')
    // ns3-datacenter reserves headroom for queue 0 too.
    if (run.dialect === 'ns3-alibabacloud' && !config.flag('ns3::SwitchNode::PfcEnabled', true)) {
      log.note(importFindings.differs('headroom-without-pfc', {}))
      return { classes: [], expiry: false, refresh: 0, repeat: false, reactionTime: '0ps' }
    }
    const classes = run.dialect === 'ns3-datacenter' ? [0, 1, 2, 3, 4, 5, 6, 7] : [1, 2, 3, 4, 5, 6, 7]
    return { classes, expiry: false, refresh: 0, repeat: false, reactionTime: '0ps' }
  }
  const pauseUs = config.real('PAUSE_TIME', 5, 0, 1e6)
  const rates = switchRates(run.topology)
  const fastestBps = rates.at(-1) ?? 0
  if (rates.length > 1)
    log.note(importFindings.differs('pause-of-slow-links', { pausePs: Math.round(pauseUs * 1e6), fastestBps }))
  const quanta = Math.min(65535, Math.max(1, Math.round((pauseUs * fastestBps) / 512e6)))
  const classes = conweaveHasPfc(run) ? [1, 2, 3, 4, 5, 6, 7] : []
  return { classes, quanta, expiry: true, refresh: 0, repeat: true, reactionTime: '0ps' }
}
