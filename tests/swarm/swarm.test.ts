/**
 * The swarm: random networks with every feature, each run with all laws checked between slices of random length.
 * ROCELAB_SEED is the first seed, ROCELAB_BUDGET multiplies the number of cases. A failure prints its seed and scenario.
 */
import { describe, expect, test } from 'vitest'
import { INTS } from '../../src/core/base/memory.ts'
import { InputQueuedBuffer } from '../../src/core/fabric/buffer/input-queued.ts'
import { SharedBuffer } from '../../src/core/fabric/buffer/shared.ts'
import { Fabric } from '../../src/core/fabric/fabric.ts'
import { KIND, Packets } from '../../src/core/fabric/packets.ts'
import { createSimulation, run } from '../../src/lab/index.ts'
import { TimeoutCauses } from '../../src/lab/checks/timeout-causes.ts'
import { textsOf } from '../../src/core/results/index.ts'
import { parseScenario, type Scenario, schemeSets } from '../../src/lab/scenario/index.ts'
import { Receiver } from '../../src/core/transport/receive/receiver.ts'
import { CNM, DATA, type Segment } from '../../src/core/transport/segment.ts'
import { Sender } from '../../src/core/transport/send/sender.ts'
import { caseOf, drawCase, runCase } from './run-case.ts'

const BUDGET = Math.max(0.01, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const FIRST = Number(process.env['ROCELAB_SEED'] ?? 1)
const CASES = Math.round(1200 * BUDGET)
const TIMEOUT_MS = 240_000 * Math.max(1, BUDGET)
/** Failures that are reported one by one, at most. */
const REPORTED = 3

/** Number of cases that had an event or feature, by its name. */
class Tally {
  readonly counts = new Map<string, number>()
  add(names: Iterable<string>): void {
    for (const name of new Set(names)) this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }
  get(name: string): number {
    return this.counts.get(name) ?? 0
  }
  toString(): string {
    return [...this.counts]
      .map(([name, count]) => `${name} ${count}`)
      .toSorted()
      .join(', ')
  }
}

test(
  `${CASES} random scenarios keep all laws, end, and give results that can be`,
  () => {
    const features = new Tally()
    const failures: string[] = []
    let redraws = 0
    let withFaults = 0
    let injected = 0
    for (let seed = FIRST; seed < FIRST + CASES; seed++) {
      try {
        const { scenario, result, faults, ...outcome } = runCase(seed)
        redraws += outcome.redraws
        if (faults > 0) withFaults++
        injected += faults
        features.add([
          `topology ${scenario.topology.kind}`,
          `buffer ${scenario.switch.buffer.kind}`,
          `watchdog ${scenario.switch.watchdog.kind}`,
          ...((result.counters.drops['watchdog'] ?? 0) > 0 ? ['packets discarded by watchdogs'] : []),
          `forwarding ${scenario.switch.forwarding.kind}`,
          `recovery ${scenario.recovery.kind}`,
          `congestion ${scenario.congestion.kind}`,
          `balance ${scenario.balance.kind}`,
          ...(['rails', 'planes'].includes(scenario.topology.kind) ? [`ports ${scenario.nic.portChoice}`] : []),
          ...scenario.workload.map(({ kind }) => `workload ${kind}`),
          ...scenario.faults.map(({ kind }) => `fault ${kind}`),
          ...Object.keys(result.counters.drops).map((reason) => `drop ${reason}`),
          ...Object.keys(result.counters.timeouts).map((cause) => `timeout ${cause}`),
          ...textsOf(result.flows, 'status').map((status) => `status ${status}`),
          ...(result.counters.pauseFrames > 0 ? ['paused'] : []),
          ...(result.counters.ecnMarks > 0 ? ['marked'] : []),
          ...(result.counters.retransmissions > 0 ? ['resent'] : []),
          ...(result.counters.cnms > 0 ? ['told'] : []),
          ...(result.counters.trimmed > 0 ? [`trimmed ${scenario.recovery.kind}`] : []),
        ])
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error))
      }
    }
    console.log(
      `swarm: seeds ${FIRST} to ${FIRST + CASES - 1}, ${redraws} drawn again; ${injected} packets lost by faults in ${withFaults} cases\n  ${features.toString()}`,
    )
    expect(failures.slice(0, REPORTED).join('\n\n'), `${failures.length} of ${CASES} cases failed`).toBe('')
    // A swarm without faults would show nothing.
    expect(withFaults / CASES).toBeGreaterThan(0.3)
    expect(redraws).toBeLessThan(CASES)
    if (CASES < 500) return
    for (const feature of EXPECTED) expect(features.get(feature), feature).toBeGreaterThan(0)
    for (const feature of ['paused', 'marked', 'resent'])
      expect(features.get(feature) / CASES, feature).toBeGreaterThan(0.1)
  },
  TIMEOUT_MS,
)

/** Events and features that a swarm of this size must have. */
const EXPECTED = [
  ...['star', 'dumbbell', 'leaf-spine', 'fat-tree', 'clos-podset', 'graph'].map((kind) => `topology ${kind}`),
  ...['input-queued', 'shared-buffer', 'memory-manager'].map((kind) => `buffer ${kind}`),
  ...['store-and-forward', 'cut-through'].map((kind) => `forwarding ${kind}`),
  ...['go-back-n', 'go-back-0', 'send-twice', 'check-epsn', 'improved-gbn', 'irn', 'iwarp', 'mp-rdma', 'tcp'].map(
    (kind) => `recovery ${kind}`,
  ),
  ...[
    'none',
    'dcqcn',
    'dcqcn-connectx4',
    'dcqcn-hpcc',
    'timely',
    'dctcp-rate',
    'aimd',
    'newreno',
    'cubic',
    'dctcp',
    'd2tcp',
    'l2dct',
    'patched-timely',
    'dx',
    'swift',
    'hpcc',
    'qcn',
    'ldcp',
    'ldcp-pcc',
    'mp-rdma',
  ].map((kind) => `congestion ${kind}`),
  ...['ecmp', 'spray', 'flowlet', 'adaptive'].map((kind) => `balance ${kind}`),
  ...['rails', 'planes'].map((kind) => `topology ${kind}`),
  ...['bound', 'spray', 'least-queue'].map((kind) => `ports ${kind}`),
  ...['poisson', 'incast', 'permutation', 'closed-loop', 'tor-pairs', 'trace'].map((kind) => `workload ${kind}`),
  ...['bernoulli', 'every-nth', 'ip-id', 'gilbert-elliott', 'corruption', 'link-down', 'link-flap', 'switch-down'].map(
    (kind) => `fault ${kind}`,
  ),
  ...['server-down', 'broadcast', 'pause-storm'].map((kind) => `fault ${kind}`),
  ...['generic', 'broadcom', 'nvidia', 'teralynx', 'cisco', 'paper'].map((kind) => `watchdog ${kind}`),
  ...['NIC', 'VLAN', 'no MAC entry', 'flooded, wrong host', 'host down', 'frame too long', 'watchdog'].map(
    (reason) => `drop ${reason}`,
  ),
  'workload boot',
  'status server went down',
  ...['buffer full', 'WRED', 'link loss', 'FCS error', 'link down', 'no route', 'trimmed', 'switch down'].map(
    (reason) => `drop ${reason}`,
  ),
  ...[
    'last packet lost',
    'last ACK lost',
    'NAK lost',
    'packet lost twice',
    'READ request lost',
    'other loss',
    'no loss',
  ].map((cause) => `timeout ${cause}`),
  ...['finished', 'retry limit reached', 'still sending at the stop'].map((status) => `status ${status}`),
  'told',
  ...['irn', 'go-back-n'].map((kind) => `trimmed ${kind}`),
]

/** Queue pairs never give up, and never get an RNR NAK. */
const patient = (qp: Scenario['qp']): Scenario['qp'] => ({
  ...qp,
  ackTimeout: null,
  receiveQueue: null,
  retryLimit: null,
})

test(
  'where nothing is lost everything is finished, without any timeout',
  () => {
    let quiet = 0
    const failures: string[] = []
    for (let seed = FIRST; seed < FIRST + CASES; seed++) {
      const { scenario } = caseOf(seed)
      // Links of a graph may lose packets, and its rings may lock.
      if (scenario.topology.kind === 'graph') continue
      // CNMs in a class that is paused may lock two switches.
      const { classes, pfc } = scenario
      const hasQcn = schemeSets(scenario).some((set) => set.scenario.congestion.kind === 'qcn')
      if (hasQcn && pfc.classes.includes(classes.cnpAtSwitch)) continue
      const simulation = createSimulation({
        ...scenario,
        // Nothing arrives out of order either.
        balance: { kind: 'ecmp', seed: 'node', seeds: [] },
        nic: { ...scenario.nic, portChoice: 'bound' },
        // TCP has timeouts all the same, too short ones among them: it may not give up for those.
        qp: patient(scenario.qp),
        workload: scenario.workload.map((source) => ({
          ...source,
          qp: source.qp === null ? null : patient(source.qp),
        })),
        faults: [],
        measure: { ...scenario.measure, end: 'drain', stop: null },
      })
      while (simulation.progress().drops === 0 && simulation.advance(5000));
      // A buffer that was too small: lost packets stay lost.
      const isLossy = simulation.progress().drops > 0
      const result = simulation.result(false)
      simulation.close()
      // So do trimmed packets, for ever where the buffer has no room for a whole packet.
      if (isLossy || result.counters.trimmed > 0) continue
      quiet++
      const open = textsOf(result.flows, 'status').find((status) => status !== 'finished')
      if (open !== undefined) failures.push(`swarm case ${seed} without faults, timeouts and stop: ${open}`)
    }
    expect(failures.slice(0, REPORTED).join('\n'), `${failures.length} cases failed`).toBe('')
    expect(quiet).toBeGreaterThan(CASES / 10)
  },
  TIMEOUT_MS,
)

test('the same seed gives the same case', () => {
  for (let seed = FIRST; seed < FIRST + 20; seed++) {
    const [first, second] = [runCase(seed), runCase(seed)]
    expect(drawCase(seed).scenario).toEqual(first.scenario)
    expect(second.result.digest).toBe(first.result.digest)
  }
})

describe('a planted bug is caught', () => {
  /** Messages of the cases that fail while `method` of a prototype is replaced. */
  function failuresWith<P extends object, K extends keyof P>(
    prototype: P,
    method: K,
    bad: (sound: P[K]) => P[K],
    runSeed: (seed: number) => unknown = runCase,
  ): string[] {
    const sound = prototype[method]
    const failures: string[] = []
    try {
      prototype[method] = bad(sound)
      for (let seed = FIRST; seed < FIRST + 100; seed++) {
        try {
          runSeed(seed)
        } catch (error) {
          failures.push(String(error))
        }
      }
    } finally {
      prototype[method] = sound
    }
    return failures
  }

  /** The same while `spoil` is done to one trimmed packet in ten. */
  function failuresWithTrims(spoil: (fabric: Fabric, packet: number) => void): string[] {
    let count = 0
    const failures = failuresWith(
      Fabric.prototype,
      'trim',
      (sound) =>
        function trim(this: Fabric, packet, sizeBytes, codepoint) {
          sound.call(this, packet, sizeBytes, codepoint)
          if (++count % 10 === 0) spoil(this, packet)
        },
    )
    expect(count).toBeGreaterThan(100)
    return failures
  }

  test.each([
    ['an input-queued buffer', InputQueuedBuffer],
    ['a shared buffer', SharedBuffer],
  ])('%s that forgets one byte in a thousand releases', (_what, { prototype }) => {
    let count = 0
    const failures = failuresWith(
      prototype,
      'release',
      (sound) =>
        function release(this: never, port, trafficClass, out, sizeBytes) {
          sound.call(this, port, trafficClass, out, ++count % 1000 === 0 ? sizeBytes - 1 : sizeBytes)
        },
    )
    expect(count).toBeGreaterThan(1000)
    expect(failures.length).toBeGreaterThan(0)
    expect(failures[0]).toMatch(/broken law.*bytes charged/)
    expect(failures[0]).toMatch(/swarm case \d+[\s\S]*name: swarm-\d+/)
  })

  test('a receiver that delivers one packet in a thousand twice', () => {
    let count = 0
    // accept() is private.
    const prototype = Receiver.prototype as unknown as { accept(nowPs: number, psn: number, segment: Segment): void }
    const failures = failuresWith(
      prototype,
      'accept',
      (sound) =>
        function accept(this: never, nowPs, psn, segment) {
          sound.call(this, nowPs, psn, segment)
          if (++count % 1000 === 0) sound.call(this, nowPs, psn, segment)
        },
    )
    expect(count).toBeGreaterThan(1000)
    expect(failures.length).toBeGreaterThan(0)
    expect(failures[0]).toMatch(/broken law.*bytes delivered/)
  })

  test('a message of a switch that is received twice', () => {
    const scenario = parseScenario(
      '{name: cnms, topology: {kind: star, hosts: 4}, congestion: qcn, workload: [{kind: incast, senders: 3, receiver: 3, total: 2MB}]}',
    )
    const reported = (seed: number): number => run({ ...scenario, seed }, { check: true }).counters.cnms
    expect(reported(FIRST)).toBeGreaterThan(0)
    const failures = failuresWith(
      Sender.prototype,
      'onSegment',
      (sound) =>
        function onSegment(this: Sender, nowPs, segment) {
          sound.call(this, nowPs, segment)
          if (segment.kind === CNM) sound.call(this, nowPs, segment)
        },
      reported,
    )
    expect(failures.length).toBeGreaterThan(90)
    expect(failures[0]).toMatch(/broken law.*messages of switches received/)
  })

  test('one trimmed packet in ten of which a byte more is cut off than is counted', () => {
    const failures = failuresWithTrims((fabric) => {
      fabric.counters.trimmedBytes--
    })
    expect(failures[0]).toMatch(/broken law.*\d+ bytes cut off, \d+ are missing/)
  })

  test('one header of a trimmed packet in ten that goes on as a packet without payload', () => {
    const failures = failuresWithTrims((_fabric, packet) => {
      INTS[packet | KIND] = DATA
    })
    expect(failures[0]).toMatch(/broken law.*packets trimmed, \d+ in flight|broken law.*bytes delivered/)
  })

  test('one header in ten that is dropped at a receiver that ignores it, and not counted', () => {
    const scenario = parseScenario(
      '{name: ignored, topology: {kind: star, hosts: 4}, pfc: {classes: []}, switch: {buffer: {kind: shared-buffer, size: 60KB}, trimming: {of: lossy}}, qp: {ackTimeout: 50us}, workload: [{kind: incast, senders: 3, receiver: 3, total: 200KB}]}',
    )
    const trimmed = (seed: number): number => run({ ...scenario, seed }, { check: true }).counters.trimmed
    expect(trimmed(FIRST)).toBeGreaterThan(10)
    let count = 0
    const failures = failuresWith(
      Fabric.prototype,
      'acceptTrimmed',
      (sound) =>
        function acceptTrimmed(this: Fabric, packet, node, hearsTrimmed) {
          const isHeard = sound.call(this, packet, node, hearsTrimmed)
          if (!isHeard && ++count % 10 === 0) this.counters.trimmedEnded--
          return isHeard
        },
      trimmed,
    )
    expect(failures.length).toBeGreaterThan(90)
    expect(failures[0]).toMatch(/broken law.*packets trimmed, \d+ in flight/)
  })

  test('one timeout in ten that is given no cause', () => {
    let count = 0
    const failures = failuresWith(
      TimeoutCauses.prototype,
      'onTimeout',
      (sound) =>
        function onTimeout(this: TimeoutCauses, pair, isReader) {
          if (++count % 10 !== 0) sound.call(this, pair, isReader)
        },
    )
    expect(count).toBeGreaterThan(100)
    expect(failures[0]).toMatch(/broken law.*\d+ timeouts, \d+ with a cause/)
  })

  test('a packet in a thousand that is never freed', () => {
    let count = 0
    const failures = failuresWith(
      Packets.prototype,
      'free',
      (sound) =>
        function free(this: Packets, packet) {
          if (++count % 1000 !== 0) sound.call(this, packet)
        },
    )
    expect(failures.length).toBeGreaterThan(0)
    expect(failures[0]).toMatch(/broken law.*packets made/)
  })
})
