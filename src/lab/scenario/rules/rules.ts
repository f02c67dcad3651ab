/**
 * Rules over several values of a scenario, each of which is allowed by itself.
 * Only a combination that cannot be intended is a mistake; an unusual choice is not. Conditions on the built network (does
 * a link exist, does the buffer hold all headrooms) are checked in lab/, which builds it.
 */
import { hasControls, hasControlsInLines } from '../../../core/base/control-characters.ts'
import { formatQuantity } from '../../../core/base/units.ts'
import { readSeeds } from '../../../core/fabric/balance/index.ts'
import { graph } from '../../../core/topology/index.ts'
import { createSizes } from '../../../core/workload/index.ts'
import { parseAddress, readAddresses } from './addresses.ts'
import { familyFormula, inputBuffer, managedBuffer, sharedBuffer } from './buffer-rules.ts'
import { changeRule } from './change-rules.ts'
import { classAlphas, classSets, codepoints, dscpMap, pauseTimes, schedulerWeights } from './class-rules.ts'
import { faults } from './fault-rules.ts'
import { layer2Rules } from './layer2-rules.ts'
import { readLinkRates } from './link-rates.ts'
import type { Rule, RuleIssue } from '../text/parse-tree.ts'
import { issue, repeated, SOUND, thrown } from './rule-issue.ts'
import type { Scenario } from '../scenario.ts'
import { recoveriesOf } from '../schemes.ts'
import { schemeNeeds } from './scheme-needs.ts'
import { quote } from '../text/wording.ts'
import { asWorkload, isMixed, schemeSets } from '../mix.ts'
import { vlanRules } from './vlan-rules.ts'
import { workRules } from './work-rules.ts'
import { hasSendCosts, watchdogRules } from '../../../core/fabric/params.ts'
import { createHostDelay } from '../../../core/transport/params.ts'

/** Points and percentiles are read by the distribution. */
const distribution: Rule<Scenario> = {
  reads: [],
  partsOf: ['qp', 'workload'],
  check: ({ qp, workload }, isSound) => [
    ...(isSound('qp.hostDelay') ? thrown('', () => createHostDelay(qp.hostDelay, 'qp.hostDelay')) : SOUND),
    ...workload.flatMap((source, i) => {
      const at = `workload.${i}.qp.hostDelay`
      // A workload without one of its own has the scenario's, which is judged there.
      if (!isSound(`workload.${i}.qp`) || source.qp === null || isSame(source.qp.hostDelay, qp.hostDelay)) return SOUND
      return thrown('', () => createHostDelay(source.qp!.hostDelay, at))
    }),
  ],
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Two delays of the same packets would be one too many. */
const onlyOne: Rule<Scenario> = {
  reads: ['qp', 'recovery', 'workload'],
  check: (scenario) =>
    scenario.workload.flatMap((source, i) => {
      const { qp, recovery } = asWorkload(scenario, i)
      if (qp.hostDelay.kind === 'none' || recovery.kind !== 'tcp') return SOUND
      if (recovery.stackLatency === 0 && recovery.stackJitter === 0) return SOUND
      const at = isMixed(source) && source.qp !== null ? `workload.${i}.qp.hostDelay` : 'qp.hostDelay'
      const hint = "leave out recovery.stackLatency and stackJitter, or set the workload's qp.hostDelay to none"
      return [issue(at, 'none where TCP has a stackLatency or stackJitter of its own', qp.hostDelay.kind, hint)]
    }),
}

const steppedRetries: Rule<Scenario> = {
  reads: ['qp', 'recovery', 'workload'],
  check: (scenario) =>
    scenario.workload.flatMap((source, i) => {
      const { qp, recovery } = asWorkload(scenario, i)
      if (qp.retry.kind !== 'steps') return SOUND
      const at = isMixed(source) && source.qp !== null ? `workload.${i}.qp` : 'qp'
      if (recoveriesOf(scenario).find(({ name }) => name === recovery.kind)?.hasOwnWaits === true)
        return [issue(`${at}.retry`, 'a recovery that waits for qp.ackTimeout', recovery.kind, 'recovery: go-back-n')]
      return qp.ackTimeout === null ? [issue(`${at}.ackTimeout`, 'a time, as qp.retry has steps', 'off', '')] : SOUND
    }),
}

const hostDelayRules: readonly Rule<Scenario>[] = [distribution, onlyOne, steppedRetries]

const bytes = (value: number): string => formatQuantity('size', value)
const time = (value: number): string => formatQuantity('duration', value)

/** The countdowns of a PFC watchdog are in steps of its poll, and not every rule has every action. */
export const watchdogTimes: Rule<Scenario> = {
  reads: ['switch.watchdog'],
  check: ({ switch: { watchdog: w } }) => {
    if (w.kind === 'off') return SOUND
    const issues: RuleIssue[] = []
    const atLeastPoll = (key: 'detectionTime' | 'restorationTime', ps: number | null): void => {
      if (ps !== null && ps < w.pollInterval) {
        const hint = 'it is counted in polls'
        issues.push(issue(`switch.watchdog.${key}`, `at least pollInterval, ${time(w.pollInterval)}`, time(ps), hint))
      }
    }
    atLeastPoll('detectionTime', w.detectionTime)
    atLeastPoll('restorationTime', w.restorationTime)
    const { lacks } = watchdogRules.find(({ name }) => name === w.kind)!
    if (lacks.includes(w.action)) {
      const others = ['drop', 'forward', 'alert'].filter((action) => !lacks.some((lacked) => lacked === action))
      issues.push(issue('switch.watchdog.action', `${others.join(' or ')} with ${w.kind}`, w.action))
    }
    return issues
  },
}

/** Names are printed on terminals, which interpret control characters. */
const plainNames: Rule<Scenario> = {
  reads: [],
  partsOf: ['workload'],
  check: (scenario, isSound) => {
    const issues: RuleIssue[] = []
    const look = (at: string, textOf: () => string, isBad: (text: string) => boolean): void => {
      if (!isSound(at) || !isBad(textOf())) return
      issues.push(issue(at, 'text without control characters', quote(textOf()), 'leave them out'))
    }
    look('name', () => scenario.name, hasControls)
    look('description', () => scenario.description, hasControlsInLines)
    scenario.workload.forEach((source, i) => look(`workload.${i}.tag`, () => source.tag, hasControls))
    return issues
  },
}

/** Marking probability rises from kmin to kmax; equal thresholds are a step. */
const ecnThresholds: Rule<Scenario> = {
  reads: [],
  partsOf: ['switch.ecn.byRate'],
  check: ({ switch: { ecn } }, isSound) => {
    const rows = [
      { ...ecn, at: 'switch.ecn' },
      ...ecn.byRate.map((row, i) => ({ ...row, at: `switch.ecn.byRate.${i}` })),
    ]
    return rows
      .filter((row) => isSound(`${row.at}.kmin`) && isSound(`${row.at}.kmax`) && row.kmax < row.kmin)
      .map((row) =>
        issue(
          `${row.at}.kmax`,
          `at least kmin, ${bytes(row.kmin)}`,
          bytes(row.kmax),
          'marking rises from kmin to kmax',
        ),
      )
  },
}

/** TIMELY's thresholds are in order. */
const roundTripBands: Rule<Scenario> = {
  reads: ['congestion'],
  partsOf: ['workload'],
  check: ({ congestion, workload }, isSound) => [
    ...bandIssues('congestion', congestion),
    ...workload.flatMap((source, i) => {
      const at = `workload.${i}.congestion`
      return isSound(at) ? bandIssues(at, source.congestion) : SOUND
    }),
  ],
}

function bandIssues(at: string, congestion: Scenario['congestion'] | null): readonly RuleIssue[] {
  if (congestion?.kind !== 'timely' && congestion?.kind !== 'patched-timely') return SOUND
  const { tLow, tHigh } = congestion
  return tHigh >= tLow
    ? SOUND
    : [issue(`${at}.tHigh`, `at least tLow, ${time(tLow)}`, time(tHigh), 'between them the gradient decides')]
}

/** One row of thresholds per rate. */
const ecnRates: Rule<Scenario> = {
  reads: ['switch.ecn.byRate'],
  check: ({ switch: { ecn } }) =>
    repeated(ecn.byRate.map((row) => row.rate)).map((i) =>
      issue(
        `switch.ecn.byRate.${i}.rate`,
        'each rate once',
        `${formatQuantity('rate', ecn.byRate[i]?.rate ?? 0)} again`,
      ),
    ),
}

/** A network given as lists of texts is parsed by its topology. */
const graphTexts: Rule<Scenario> = {
  reads: ['topology'],
  check: ({ topology }) => (topology.kind === 'graph' ? thrown('topology', () => graph.build(topology)) : SOUND),
}

/** Rates of single links are texts; whether the links exist is checked when the network is built. */
const linkRates: Rule<Scenario> = {
  reads: ['topology'],
  check: ({ topology }) => ('rates' in topology ? thrown('', () => readLinkRates(topology.rates)) : SOUND),
}

/** Points of a distribution are parsed by the distribution. */
const sizeDistributions: Rule<Scenario> = {
  reads: [],
  partsOf: ['workload'],
  check: ({ workload }, isSound) =>
    workload.flatMap((source, i) =>
      isSound(`workload.${i}.sizes`) && 'sizes' in source
        ? thrown('', () => createSizes(source.sizes, `workload.${i}.sizes`))
        : SOUND,
    ),
}

/** A workload without an end needs a time at which generation or the run ends. */
const endless: Rule<Scenario> = {
  reads: ['measure.generate', 'measure.stop'],
  partsOf: ['workload'],
  check: ({ workload, measure: { generate, stop } }, isSound) =>
    generate !== null || stop !== null
      ? SOUND
      : workload.flatMap((source, i) => {
          if (!isSound(`workload.${i}.messages`) || !isSound(`workload.${i}.flows`)) return SOUND
          const key =
            'flows' in source && source.flows === null
              ? 'flows'
              : 'messages' in source && source.messages === null
                ? 'messages'
                : ''
          const hint = 'or give measure.generate or measure.stop'
          return key === ''
            ? SOUND
            : [issue(`workload.${i}.${key}`, 'a number, as nothing else ends the run', 'off', hint)]
        }),
}

const firstAddress: Rule<Scenario> = {
  reads: ['nic.firstAddress'],
  check: ({ nic: { firstAddress: given } }) =>
    parseAddress(given) !== undefined
      ? SOUND
      : [issue('nic.firstAddress', 'an IPv4 address such as "10.0.0.1"', quote(given))],
}

const addresses: Rule<Scenario> = {
  reads: ['nic.addresses'],
  check: ({ nic }) => thrown('', () => readAddresses(nic.addresses)),
}

/** The NIC of another simulator looks at its queue pairs by pacing deadlines alone. */
const sendCosts: Rule<Scenario> = {
  reads: ['nic.send', 'compat'],
  check: ({ nic: { send }, compat }) => [
    ...(compat !== 'none' && hasSendCosts(send)
      ? [
          issue(
            'nic.send',
            `nothing that costs time under compat=${compat}`,
            'something',
            'that simulator has no such costs',
          ),
        ]
      : SOUND),
    ...(send.readBridge !== null && send.readRate === null
      ? [issue('nic.send.readBridge', 'off without nic.send.readRate', quote(send.readBridge))]
      : SOUND),
  ],
}

const hashSeeds: Rule<Scenario> = {
  reads: ['balance'],
  check: ({ balance }) => ('seeds' in balance ? thrown('balance', () => readSeeds(balance.seeds)) : SOUND),
}

/** A window that closes before the sender requests an ACK never opens again. */
const window: Rule<Scenario> = {
  reads: ['qp.window', 'qp.windowVariable', 'qp.ackInterval', 'frames.payload'],
  partsOf: ['workload'],
  check: ({ qp, frames, workload }, isSound) => [
    ...windowIssues('qp', qp, frames.payload),
    ...workload.flatMap((source, i) =>
      !isSound(`workload.${i}.qp`) || source.qp === null
        ? SOUND
        : windowIssues(`workload.${i}.qp`, source.qp, frames.payload),
    ),
  ],
}

function windowIssues(at: string, qp: Scenario['qp'], payloadBytes: number): readonly RuleIssue[] {
  if (qp.window === null) {
    return qp.windowVariable
      ? [issue(`${at}.windowVariable`, 'a window to vary', 'true with window: off', `set ${at}.window`)]
      : SOUND
  }
  if (qp.ackInterval === 0)
    return [issue(`${at}.window`, 'off where there are no ACKs', bytes(qp.window), `${at}.ackInterval is 0`)]
  const least = (qp.ackInterval - 1) * payloadBytes + 1
  if (qp.window >= least) return SOUND
  const hint = `an ACK is requested every ${qp.ackInterval} packets of ${bytes(payloadBytes)}; a smaller window waits for it forever`
  return [issue(`${at}.window`, `at least ${bytes(least)}`, bytes(qp.window), hint)]
}

/** Without ACKs the sender does not learn that a message is finished. */
const senderCompletion: Rule<Scenario> = {
  reads: ['qp.ackInterval', 'measure.completion'],
  partsOf: ['workload'],
  check: (scenario, isSound) => {
    if (scenario.measure.completion !== 'sender') return SOUND
    const sets = schemeSets(scenario, (i) => isSound(`workload.${i}.qp`))
    const unacknowledged = sets.find((set) => set.scenario.qp.ackInterval === 0)
    if (unacknowledged === undefined) return SOUND
    const where = unacknowledged.isOwn ? `workload.${unacknowledged.workloads[0]}.qp` : 'qp'
    return [issue('measure.completion', 'receiver where there are no ACKs', 'sender', `${where}.ackInterval is 0`)]
  },
}

/** The measuring window is not empty, and opens before the run ends. */
const measuring: Rule<Scenario> = {
  reads: [],
  partsOf: ['measure'],
  check: ({ measure: { warmUp, window: length, stop, generate } }, isSound) => {
    const issues: RuleIssue[] = []
    if (length === 0) issues.push(issue('measure.window', 'more than 0, or off', time(0)))
    if (isSound('measure.stop') && isSound('measure.warmUp') && stop !== null && stop <= warmUp) {
      issues.push(
        issue('measure.stop', `later than warmUp, ${time(warmUp)}, or off`, time(stop), 'nothing would be measured'),
      )
    }
    if (isSound('measure.generate') && isSound('measure.warmUp') && generate !== null && generate <= warmUp) {
      const hint = 'nothing would be measured'
      issues.push(issue('measure.generate', `later than warmUp, ${time(warmUp)}, or off`, time(generate), hint))
    }
    return issues
  },
}

/** `end: stop` needs a time. */
const stopTime: Rule<Scenario> = {
  reads: ['measure.end', 'measure.stop', 'measure.generate'],
  check: ({ measure: { end, stop, generate } }) =>
    end === 'stop' && stop === null && generate === null
      ? [issue('measure.stop', 'a time, as end is stop', 'off', 'or give measure.generate')]
      : SOUND,
}

/** All rules but that of changes. Their order is that of messages which the text does not order. */
const unchangedRules: readonly Rule<Scenario>[] = [
  ecnThresholds,
  ecnRates,
  roundTripBands,
  pauseTimes,
  classAlphas,
  plainNames,
  ...classSets,
  schedulerWeights,
  inputBuffer,
  sharedBuffer,
  familyFormula,
  watchdogTimes,
  managedBuffer,
  graphTexts,
  linkRates,
  sizeDistributions,
  endless,
  dscpMap,
  codepoints,
  firstAddress,
  addresses,
  sendCosts,
  hashSeeds,
  window,
  senderCompletion,
  schemeNeeds,
  ...workRules,
  ...vlanRules,
  ...hostDelayRules,
  measuring,
  stopTime,
  faults,
  ...layer2Rules,
]

export const scenarioRules: readonly Rule<Scenario>[] = [...unchangedRules, changeRule(unchangedRules)]

/** Checks a scenario that was not made by parsing. Returns the broken rules; empty when it is sound. */
export function checkScenario(scenario: Scenario): RuleIssue[] {
  return scenarioRules.flatMap((rule) => rule.check(scenario, () => true))
}
