/**
 * Rules over several values of a scenario: what each value allows and their combination does not.
 * Only what cannot be meant is a mistake; an unusual choice is not. What depends on the built network (does a link
 * exist, does the buffer hold all headrooms) is left to the room that builds it.
 */
import { hasControls, hasControlsInLines } from '../base/control-characters.ts'
import { InputError } from '../base/issue.ts'
import { formatQuantity } from '../base/units.ts'
import { readSeeds } from '../fabric/balance/index.ts'
import { graph } from '../topology/index.ts'
import { createSizes } from '../workload/index.ts'
import { parseAddress, readAddresses } from './addresses.ts'
import { inputBuffer, sharedBuffer } from './buffer-rules.ts'
import { classTable, unmapped } from './class-map.ts'
import { parseLinkPatterns } from './link-pattern.ts'
import type { Rule, RuleIssue } from './parse-tree.ts'
import { issue, SOUND } from './rule-issue.ts'
import type { Scenario } from './scenario.ts'
import { isClassSound, schemeNeeds } from './scheme-needs.ts'
import { quote } from './wording.ts'
import { workRules } from './work-rules.ts'

const bytes = (value: number): string => formatQuantity('size', value)
const time = (value: number): string => formatQuantity('duration', value)

/** Names are shown on terminals, which would obey a control character. */
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

/** RED's ramp goes up. Equal thresholds are a step. */
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

/** TIMELY's bands stand in order. */
const roundTripBands: Rule<Scenario> = {
  reads: ['congestion'],
  check: ({ congestion }) => {
    if (congestion.kind !== 'timely' && congestion.kind !== 'patched-timely') return SOUND
    const { tLow, tHigh } = congestion
    return tHigh >= tLow
      ? SOUND
      : [issue('congestion.tHigh', `at least tLow, ${time(tLow)}`, time(tHigh), 'between them the gradient decides')]
  },
}

/** One row of thresholds a rate. */
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

/** One pause time a class. */
const pauseTimes: Rule<Scenario> = {
  reads: ['pfc.byClass'],
  check: ({ pfc: { byClass } }) =>
    repeated(byClass.map((row) => row.class)).map((i) =>
      issue(`pfc.byClass.${i}.class`, 'each class once', `${byClass[i]?.class ?? ''} again`),
    ),
}

/** One pair of alphas a class. */
const classAlphas: Rule<Scenario> = {
  reads: ['switch.buffer'],
  check: ({ switch: { buffer } }) =>
    buffer.kind !== 'shared-buffer'
      ? []
      : repeated(buffer.byClass.map((row) => row.class)).map((i) =>
          issue(`switch.buffer.byClass.${i}.class`, 'each class once', `${buffer.byClass[i]?.class ?? ''} again`),
        ),
}

/** Lists of classes are sets. */
const classSets: readonly Rule<Scenario>[] = [
  plainNames,
  classSet('pfc.classes', ({ pfc }) => pfc.classes),
  classSet('switch.ecn.classes', (scenario) => scenario.switch.ecn.classes),
  classSet('switch.wred.classes', (scenario) => scenario.switch.wred.classes),
  classSet('switch.qcn.classes', (scenario) => scenario.switch.qcn.classes),
  classSet('switch.strictClasses', (scenario) => scenario.switch.strictClasses),
]

function classSet(path: string, classesOf: (scenario: Scenario) => readonly number[]): Rule<Scenario> {
  return {
    reads: [],
    partsOf: [path],
    check: (scenario, isSound) => {
      const classes = classesOf(scenario)
      const sound = repeated(classes).filter((i) => isSound(`${path}.${i}`))
      return sound.map((i) => issue(`${path}.${i}`, 'each class once', `${classes[i] ?? ''} again`))
    },
  }
}

const schedulerWeights: Rule<Scenario> = {
  reads: ['switch.weights'],
  check: ({ switch: { weights } }) =>
    weights.length === 8 ? SOUND : [issue('switch.weights', '8 weights, one for each class', `${weights.length}`)],
}

/** The issues that `make` throws, with paths below `path`. */
function thrown(path: string, make: () => unknown): readonly RuleIssue[] {
  try {
    make()
    return SOUND
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map((found) =>
      issue(path === '' ? found.path : `${path}.${found.path}`, found.expected, found.received, found.hint),
    )
  }
}

/** A network given as lists of texts is read by its topology. */
const graphTexts: Rule<Scenario> = {
  reads: ['topology'],
  check: ({ topology }) => (topology.kind === 'graph' ? thrown('topology', () => graph.build(topology)) : SOUND),
}

/** Points of a distribution are read by the distribution. */
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

/** A workload without an end is ended by the measurement. */
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

const dscpMap: Rule<Scenario> = {
  reads: ['classes.dscpMap'],
  check: ({ classes }) => thrown('', () => classTable({ classify: 'dscp', dscpMap: classes.dscpMap })),
}

/** Whatever is sent can be sent as the class it is meant to be. */
const codepoints: Rule<Scenario> = {
  reads: ['classes.dscpMap', 'classes.classify'],
  partsOf: ['classes', 'workload'],
  check: (scenario, isSound) => {
    if (dscpMap.check(scenario, isSound).length > 0) return SOUND
    const { classes, workload } = scenario
    const known = new Set(classTable(classes))
    if (known.size === 8) return SOUND
    const data = workload.flatMap((source, i) => (isClassSound(i, isSound) ? dataClasses(source, i) : []))
    return [
      ...(data.some(([, c]) => c === null) ? [['classes.data', classes.data] as const] : []),
      ['classes.ackAtSwitch', classes.ackAtSwitch] as const,
      ['classes.cnpAtSwitch', classes.cnpAtSwitch] as const,
      ...data,
    ].flatMap(([path, c]) => {
      if (c === null || known.has(c) || !isSound(path)) return SOUND
      const { expected, received, hint } = unmapped(c, path)
      return [issue(path, expected, received, hint)]
    })
  },
}

/** Where a workload says which classes its data have; null: the scenario's. */
function dataClasses(source: Scenario['workload'][number], i: number): (readonly [path: string, c: number | null])[] {
  if ('trafficClass' in source) return [[`workload.${i}.trafficClass`, source.trafficClass]]
  return source.flows.map((line, k) => {
    const given = /\sclass=([0-7])(?:\s|$)/.exec(line)?.[1]
    return [`workload.${i}.flows.${k}`, given === undefined ? null : Number(given)]
  })
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

const hashSeeds: Rule<Scenario> = {
  reads: ['balance'],
  check: ({ balance }) => ('seeds' in balance ? thrown('balance', () => readSeeds(balance.seeds)) : SOUND),
}

/** A window that closes before the sender asks for an ACK never opens again. */
const window: Rule<Scenario> = {
  reads: ['qp.window', 'qp.windowVariable', 'qp.ackInterval', 'frames.payload'],
  check: ({ qp, frames }) => {
    if (qp.window === null) {
      return qp.windowVariable
        ? [issue('qp.windowVariable', 'a window to vary', 'true with window: off', 'set qp.window')]
        : SOUND
    }
    if (qp.ackInterval === 0)
      return [issue('qp.window', 'off where there are no ACKs', bytes(qp.window), 'qp.ackInterval is 0')]
    const least = (qp.ackInterval - 1) * frames.payload + 1
    if (qp.window >= least) return SOUND
    const hint = `an ACK is asked for every ${qp.ackInterval} packets of ${bytes(frames.payload)}; a smaller window waits for it forever`
    return [issue('qp.window', `at least ${bytes(least)}`, bytes(qp.window), hint)]
  },
}

/** Without ACKs nothing tells the sender that a message is finished. */
const senderCompletion: Rule<Scenario> = {
  reads: ['qp.ackInterval', 'measure.completion'],
  check: ({ qp, measure }) =>
    qp.ackInterval === 0 && measure.completion === 'sender'
      ? [issue('measure.completion', 'receiver where there are no ACKs', 'sender', 'qp.ackInterval is 0')]
      : SOUND,
}

/** Something is measured, and it is measured before the run ends. */
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

/** `end: stop` says when. */
const stopTime: Rule<Scenario> = {
  reads: ['measure.end', 'measure.stop', 'measure.generate'],
  check: ({ measure: { end, stop, generate } }) =>
    end === 'stop' && stop === null && generate === null
      ? [issue('measure.stop', 'a time, as end is stop', 'off', 'or give measure.generate')]
      : SOUND,
}

const faults: Rule<Scenario> = {
  reads: [],
  partsOf: ['faults'],
  check: (scenario, isSound) =>
    scenario.faults.flatMap((fault, i) => {
      const at = `faults.${i}`
      const links = isSound(`${at}.links`) ? linksOf(fault, `${at}.links`) : SOUND
      if (!isSound(`${at}.up`) || !isSound(`${at}.down`) || fault.kind !== 'link-down') return links
      return fault.up === null || fault.up > fault.down
        ? links
        : [...links, issue(`${at}.up`, `later than down, ${time(fault.down)}, or off`, time(fault.up))]
    }),
}

/** A link that is down is so in both directions. */
function linksOf({ kind, links }: Scenario['faults'][number], path: string): readonly RuleIssue[] {
  const patterns = parseLinkPatterns(links)
  if (kind === 'link-down') {
    return patterns !== null && !patterns.some(({ isOneWay }) => isOneWay)
      ? SOUND
      : [issue(path, '"A-B" or "A", nodes by number or name, comma separated', quote(links))]
  }
  return patterns !== null || /^\s*(?:all|hosts|fabric)\s*$/.test(links)
    ? SOUND
    : [issue(path, 'all, hosts, fabric, or "A-B", "A>B" or "A", nodes by number or name', quote(links))]
}

/** All rules, in the order in which their messages stand where the text gives none. */
export const scenarioRules: readonly Rule<Scenario>[] = [
  ecnThresholds,
  ecnRates,
  roundTripBands,
  pauseTimes,
  classAlphas,
  ...classSets,
  schedulerWeights,
  inputBuffer,
  sharedBuffer,
  graphTexts,
  sizeDistributions,
  endless,
  dscpMap,
  codepoints,
  firstAddress,
  addresses,
  hashSeeds,
  window,
  senderCompletion,
  schemeNeeds,
  ...workRules,
  measuring,
  stopTime,
  faults,
]

/** What breaks the rules in a scenario made by other means than parsing; empty when it is sound. */
export function checkScenario(scenario: Scenario): RuleIssue[] {
  return scenarioRules.flatMap((rule) => rule.check(scenario, () => true))
}

/** Indexes of items that stood before. */
function repeated(items: readonly number[]): number[] {
  return items.flatMap((item, i) => (items.indexOf(item) < i ? [i] : []))
}
