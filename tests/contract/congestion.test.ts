/**
 * The contract of congestion control: a rate above 0 and at most line rate at every instant, whatever marks, losses and
 * round-trip times occur; line rate if nothing is wrong; less under the signals that the scheme needs; and no effect on
 * the data delivered. Checked for each registered control with each registered recovery.
 */
import { describe, expect, test } from 'vitest'
import { GBPS, NEVER_PS, SECOND, US } from '../../src/core/base/params.ts'
import type { RandomStream } from '../../src/core/base/random.ts'
import {
  CongestionControl,
  type CongestionContext,
  defineCongestion,
  type CongestionDefinition,
} from '../../src/core/transport/congestion/congestion.ts'
import { congestions } from '../../src/core/transport/congestion/index.ts'
import { goBackN } from '../../src/core/transport/recovery/go-back-n.ts'
import { recoveries } from '../../src/core/transport/recovery/index.ts'
import type { Needs, SchemeDefinition } from '../../src/core/transport/scheme.ts'
import {
  BUDGET,
  FIRST_SEED,
  fit,
  pick,
  runCases,
  type CaseOptions,
  type Exceptions,
  type Faults,
} from '../support/pair-cases.ts'
import { CNM } from '../../src/core/transport/segment.ts'
import { FIRST_CONGESTION_TIMER } from '../../src/core/transport/timers.ts'
import { holdWhere, markWhere, report } from '../support/pair-pipe.ts'
import { Pair, scheme, type PairOptions } from '../support/pair.ts'

const CASES = 300 * BUDGET
const LINE_BPS = 40 * GBPS

/** Handlers that a control must not override unless it declares the need. */
const HEARD = { onCnp: 'cnp', onCnm: 'qcn', onRttResponse: 'rttProbes' } as const

/** Controls whose timers never stop. */
const RESTLESS: Readonly<Record<string, string>> = {
  'dcqcn-connectx4': 'the decrease check of the windowed machine is a clock of the NIC',
  'dcqcn-hpcc': 'the same clock',
}

/** Controls that do not begin at line rate. */
const SLOW_STARTERS: Readonly<Record<string, string>> = {
  newreno: 'slow start from ten packets (RFC 5681 3.1)',
  cubic: 'the same (RFC 9438 4.10)',
}

const isSlowStarter = ({ name }: { readonly name: string }): boolean => SLOW_STARTERS[name] !== undefined

/** Exemptions of recoveries that need not end, or may discard packets. */
const EXCEPTIONS: Readonly<Record<string, Exceptions>> = {
  'go-back-0': { mayLivelock: 'any loss restarts the whole message', mayForget: 'with each NAK' },
}

const needsOf = (definition: SchemeDefinition): Needs => definition.needs

function someMarks(random: RandomStream, isReordered: boolean): Faults {
  return {
    lossForward: pick(random, 0, 0, 0.01),
    lossBackward: pick(random, 0, 0, 0.01),
    doubled: pick(random, 0, 0, 0.02),
    marked: pick(random, 0, 0.02, 0.2, 1),
    // If packets must not overtake, all of them are held back.
    late: isReordered ? 0.05 : pick(random, 0, 1),
    latePs: pick(random, 20, 100, 600) * US,
  }
}

const optionsFor = (recovery: string): CaseOptions => ({
  exceptions: EXCEPTIONS[recovery] ?? {},
  faults: someMarks,
  mostPackets: EXCEPTIONS[recovery] === undefined ? 200 : 12,
  mostFindings: 10,
})

const pairWith = (congestion: CongestionDefinition, options: PairOptions = {}): Pair =>
  new Pair({
    recovery: scheme([goBackN, ...recoveries].find((recovery) => fit(recovery, congestion))!),
    congestion: scheme(congestion),
    qp: { ackInterval: 1, ecnEcho: needsOf(congestion).cnp === true ? 'cnp' : 'ack' },
    lineRateBps: LINE_BPS,
    isLogging: false,
    ...options,
  })

/** Bits per second of wire bytes that rate and window allow in an empty network. */
function speedBps({ sender: { congestion } }: Pair, rttPs = 2 * US): number {
  return Math.min(congestion.rateBps, (congestion.windowPackets * 1106 * 8e12) / rttPs)
}

const isOverridden = (control: CongestionControl, name: keyof typeof HEARD): boolean =>
  control[name] !== CongestionControl.prototype[name]

describe.each(congestions)('$name', (congestion) => {
  test.each(recoveries.filter((recovery) => fit(recovery, congestion)))(
    `with $name: ${CASES} cases from seed ${FIRST_SEED}`,
    (recovery) => {
      const { broken, cases, faulty, finished } = runCases(CASES, recovery, congestion, optionsFor(recovery.name))
      expect(broken).toEqual([])
      expect(cases).toBe(CASES)
      expect(faulty / cases, 'share of cases in which something was wrong').toBeGreaterThan(0.3)
      expect(finished / cases, 'share that finished').toBeGreaterThan(0.9)
    },
  )

  test.each([congestion].filter(isSlowStarter))('an undisturbed flow keeps the line busy after slow start', () => {
    const pair = pairWith(congestion, { delayPs: 10 * US })
    pair.postPackets(20_000, 'send')
    // 91 packets fill the line: from 10 on four doublings, or as many growths by half, of a round trip each.
    pair.runUntil(10 * 22 * US)
    const before = pair.sender.packetsSent
    pair.runUntil(20 * 22 * US)
    expect(pair.sender.packetsSent - before).toBeCloseTo((10 * 22 * US) / (1106 * 200), -0.5)
  })

  test.each([congestion].filter((control) => !isSlowStarter(control)))(
    'an undisturbed flow keeps the line busy from its first packet to its last',
    () => {
      // Long enough that whole packets of payload fill the line: they are counted without the gap between frames.
      const pair = pairWith(congestion, { delayPs: 10 * US })
      pair.postPackets(3000, 'send')
      pair.runUntilSent(3000)
      const linePs = 2999 * 1106 * 200
      expect(pair.nowPs).toBe(linePs)
      expect(pair.run()).toBe('finished')
    },
  )

  test('it declares a need for every signal whose handler it overrides', () => {
    const { congestion: control } = pairWith(congestion).sender
    const ignores = Object.entries(HEARD).filter(([, need]) => needsOf(congestion)[need] !== true)
    expect(ignores.filter(([name]) => isOverridden(control, name as keyof typeof HEARD))).toEqual([])
  })

  test.each(['none', 'bps'] as const)(
    'when all is delivered its timers stop, except free-running clocks; rounding %s',
    (rateRounding) => {
      const ecnEcho = needsOf(congestion).cnp === true ? 'cnp' : 'ack'
      const pair = pairWith(congestion, { qp: { ackInterval: 1, ecnEcho, rateRounding } })
      pair.forward.rule(markWhere(() => true))
      pair.forward.rule(holdWhere(300 * US, ({ startPs }) => startPs > 20 * US))
      pair.postPackets(300, 'send')
      pair.runUntil(100 * US)
      if (needsOf(congestion).qcn === true) pair.answer({ kind: CNM, syndrome: 63 })
      pair.forward.forgetRules()
      expect(pair.run()).toBe('finished')
      pair.runUntil(pair.nowPs + 10 * SECOND)
      expect(pair.sender.nextTimeoutPs === NEVER_PS).toBe(RESTLESS[congestion.name] === undefined)
    },
  )

  test('two runs of one seed are equal', () => {
    const story = (): unknown[] => {
      const pair = pairWith(congestion, { isLogging: true })
      pair.forward.rule(markWhere(({ count }) => count % 7 < 3))
      pair.postPackets(400)
      pair.runUntil(2000 * US)
      return [pair.log, pair.sender.congestion.rateBps]
    }
    expect(story()).toEqual(story())
  })
})

const hearingMarks = congestions.filter((congestion) => needsOf(congestion).ecn === true)
const withoutEcn = congestions.filter((congestion) => needsOf(congestion).ecn !== true)
const timing = congestions.filter((congestion) => needsOf(congestion).timestamps === true)
const reading = congestions.filter((congestion) => needsOf(congestion).telemetry === true)
const notifiedBySwitches = congestions.filter((congestion) => needsOf(congestion).qcn === true)

test('there are controls of each kind', () => {
  const kinds = [hearingMarks, withoutEcn, timing, reading, notifiedBySwitches]
  expect(kinds.every(({ length }) => length > 0)).toBe(true)
})

test('QCN samples only packets that cannot be marked, so no control needs both ECN and QCN', () => {
  expect(notifiedBySwitches.filter((congestion) => hearingMarks.includes(congestion))).toEqual([])
})

test.each(hearingMarks)(
  '$name: marks on everything bring the rate down, and it rises again without them',
  (congestion) => {
    const pair = pairWith(congestion)
    pair.forward.rule(markWhere(() => true))
    pair.postPackets(2000, 'send')
    pair.runUntil(300 * US)
    const lowBps = speedBps(pair)
    expect(lowBps).toBeLessThan(LINE_BPS / 4)
    pair.forward.forgetRules()
    // A window may shrink again when there is nothing left to send.
    let highBps = 0
    for (let i = 0; i < 200; i++) {
      pair.runUntil(pair.nowPs + 50 * US)
      highBps = Math.max(highBps, speedBps(pair))
    }
    expect(highBps).toBeGreaterThan(lowBps)
  },
)

test.each(withoutEcn)('$name: packets are not ECN-capable, and nothing can mark them', (congestion) => {
  const pair = pairWith(congestion)
  pair.forward.rule(markWhere(() => true))
  pair.postPackets(100)
  expect(pair.run()).toBe('finished')
  expect(pair.forward.faults.marked).toBe(0)
})

test.each(timing)('$name: round trips that grow long bring the rate down', (congestion) => {
  const pair = pairWith(congestion)
  pair.forward.rule(holdWhere(1000 * US, ({ startPs }) => startPs > 100 * US))
  pair.postPackets(6000)
  pair.run()
  expect(speedBps(pair)).toBeLessThan(LINE_BPS / 2)
})

/** A port at line rate on the path, used to a share since the beginning. */
const port = (share: number, queueBytes: number) =>
  report(({ startPs }) => [
    { timePs: startPs, sentBytes: (share * startPs * LINE_BPS) / 8e12, queueBytes, rateBps: LINE_BPS, port: 1 },
  ])

test.each(reading)(
  '$name: a full port with a queue brings the rate down, and it rises again when the port is idle',
  (congestion) => {
    const pair = pairWith(congestion)
    pair.forward.rule(port(1, 50_000))
    pair.postPackets(4000, 'send')
    pair.runUntil(300 * US)
    const lowBps = speedBps(pair)
    expect(lowBps).toBeLessThan(LINE_BPS / 4)
    pair.forward.forgetRules()
    pair.forward.rule(port(0.1, 0))
    pair.runUntil(pair.nowPs + 10_000 * US)
    expect(speedBps(pair)).toBeGreaterThan(LINE_BPS / 2)
  },
)

test.each(notifiedBySwitches)(
  '$name: QCN messages bring the rate down by their feedback, and it rises again without them',
  (congestion) => {
    const afterTen = [1, 20, 63].map((syndrome) => {
      const pair = pairWith(congestion)
      pair.postPackets(4000, 'send')
      for (let i = 0; i < 10; i++) {
        pair.runUntil(pair.nowPs + 10 * US)
        pair.answer({ kind: CNM, syndrome })
      }
      const lowBps = speedBps(pair)
      pair.runUntil(pair.nowPs + 100_000 * US)
      expect(speedBps(pair)).toBeGreaterThan(lowBps)
      return lowBps
    })
    expect(afterTen).toEqual(afterTen.toSorted((a, b) => b - a))
    expect(afterTen[2]).toBeLessThan(LINE_BPS / 4)
  },
)

describe('a control that breaks the contract is caught', () => {
  const defined = (create: CongestionDefinition['create']): CongestionDefinition =>
    defineCongestion({
      name: 'broken',
      help: '',
      source: '',
      needs: {},
      params: {},
      create,
      cnpIntervalPs: () => 0,
    }) as CongestionDefinition
  const broken = (rateBps: (asked: number, lineBps: number) => number): CongestionDefinition =>
    defined((_values, context) => {
      let asked = 0
      const control = new (class extends CongestionControl {})(context)
      return Object.defineProperty(control, 'rateBps', { get: () => rateBps(asked++, context.lineRateBps) })
    })
  const findings = (definition: CongestionDefinition): string =>
    runCases(20, goBackN, definition, { ...optionsFor('go-back-n'), mostFindings: 1 }).broken.join('\n')

  test('nothing is found in one at line rate', () => {
    expect(findings(broken((_asked, lineBps) => lineBps))).toBe('')
  })
  test.each([
    ['0', () => 0],
    ['not a number', () => NaN],
    ['without end', () => Infinity],
    ['negative', () => -1],
    ['a little above the line', (_asked: number, lineBps: number) => lineBps * 1.0001],
    ['0 after a while', (asked: number, lineBps: number) => (asked < 200 ? lineBps : 0)],
  ])('a rate that is %s', (_name, rateBps) => {
    expect(findings(broken(rateBps))).toMatch(/rate|no time/)
  })

  test('a fractional rate where whole rates are required', () => {
    expect(findings(broken((_asked, lineBps) => lineBps / Math.sqrt(2)))).toMatch(/rate .* is not whole/)
  })

  test('a deadline in the past', () => {
    class Late extends CongestionControl {
      private readonly context: CongestionContext
      constructor(context: CongestionContext) {
        super(context)
        this.context = context
      }
      override onAck(nowPs: number): void {
        this.context.timers.set(FIRST_CONGESTION_TIMER, nowPs - US)
      }
    }
    expect(findings(defined((_values, context) => new Late(context)))).toMatch(/a deadline of/)
  })

  test('a handler of a signal that it does not declare', () => {
    class Listening extends CongestionControl {
      override onCnp(): void {}
    }
    const { congestion: control } = pairWith(defined((_values, context) => new Listening(context))).sender
    expect(isOverridden(control, 'onCnp')).toBe(true)
    expect(isOverridden(control, 'onCnm')).toBe(false)
  })
})
