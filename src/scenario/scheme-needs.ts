/**
 * Scheme needs: whether a scenario gives its loss recovery and its congestion control what they declare to need.
 * A refusal names the scheme and the need, and says what to do: a setting that meets it, or another scheme beside it.
 * Each need is asked on its own, so that a new one is a field of Needs and an entry here.
 */
import { congestions } from '../transport/congestion/index.ts'
import { recoveries } from '../transport/recovery/index.ts'
import { type Needs, neededBy, type Offers, type SchemeDefinition } from '../transport/scheme.ts'
import { dataClasses } from './class-map.ts'
import type { Rule, RuleIssue } from './parse-tree.ts'
import { hasReads } from './operations.ts'
import type { Scenario } from './scenario.ts'

/** The two schemes of a QP. */
export interface SchemePair {
  /** With whether it acknowledges READ responses of itself. */
  readonly recovery: SchemeDefinition & { readonly acknowledgesReads?: boolean }
  readonly congestion: SchemeDefinition
}

/** A need that is not met. */
export interface Refusal extends RuleIssue {
  readonly scheme: string
  readonly need: keyof Needs
  /** What meets it, as for --set: "qp.ackInterval=1"; null: no setting does. */
  readonly setting: string | null
}

/** What is missing for a need; the words begin with what is expected. */
interface Missing {
  readonly path: string
  readonly expected: string
  readonly received: string
  readonly setting?: string
  readonly hint?: string
}

interface Asked {
  readonly scenario: Scenario
  readonly scheme: SchemeDefinition
  /** The other one, and which of the two it is. */
  readonly other: SchemeDefinition
  readonly otherKind: keyof SchemePair
  /** Data that nobody acknowledges: the responses of READs, unless the QP or its recovery says otherwise. */
  readonly hasDeafReads: boolean
}

interface Need {
  readonly name: string
  /** Who meets it, and by which setting. */
  readonly metBy: string
  readonly missing: (asked: Asked) => readonly Missing[]
}

/** All needs, in the order in which their refusals stand. */
export const NEEDS: Readonly<Record<keyof Needs, Need>> = {
  ecn: {
    name: 'ECN',
    metBy:
      'switches that mark the class of the data (switch.ecn.classes), and marks that come back in CNPs or ACKs (qp.ecnEcho)',
    missing: (asked) => {
      const { scenario, scheme } = asked
      const { name, needs } = scheme
      return [
        ...unmarkedClasses(scenario, name),
        ...(needs.cnp !== true && needs.perPacketAck !== true ? deafReads(asked, 'ECN and reads marks in ACKs') : []),
        ...(needs.cnp !== true && scenario.qp.ecnEcho !== 'ack'
          ? [
              {
                path: 'qp.ecnEcho',
                expected: `ack, as ${name} needs ECN and reads marks in ACKs`,
                received: scenario.qp.ecnEcho,
                setting: 'qp.ecnEcho=ack',
              },
            ]
          : []),
      ]
    },
  },
  cnp: {
    name: 'CNP',
    metBy: 'receivers that answer marks with CNPs, or with ACKs that carry them (qp.ecnEcho; of READs qp.readAcks)',
    missing: (asked) => {
      const {
        scenario: { qp },
        scheme: { name },
      } = asked
      if (qp.ecnEcho === 'cnp') return []
      return qp.ackInterval === 0
        ? [
            {
              path: 'qp.ecnEcho',
              expected: `cnp where there are no ACKs, as ${name} needs CNPs`,
              received: 'ack',
              setting: 'qp.ecnEcho=cnp',
            },
          ]
        : deafReads(asked, 'CNPs, which ACKs stand for')
    },
  },
  perPacketAck: {
    name: 'per-packet ACK',
    metBy: 'receivers that acknowledge every packet (qp.ackInterval; of READs qp.readAcks)',
    missing: (asked) => {
      const {
        scenario: { qp },
        scheme: { name },
      } = asked
      return [
        ...(qp.ackInterval === 1
          ? []
          : [
              {
                path: 'qp.ackInterval',
                expected: `1, as ${name} needs per-packet ACKs`,
                received: `${qp.ackInterval}`,
                setting: 'qp.ackInterval=1',
              },
            ]),
        ...deafReads(asked, 'per-packet ACKs'),
      ]
    },
  },
  timestamps: {
    name: 'timestamps',
    metBy: 'ACKs, which bring back when their packet was sent (of READs qp.readAcks)',
    missing: (asked) => missingAcks(asked, 'timestamps, which ACKs bring back'),
  },
  telemetry: {
    name: 'telemetry',
    metBy: 'switches that write into data packets what they see, and ACKs, which bring it back (of READs qp.readAcks)',
    missing: (asked) => missingAcks(asked, 'telemetry, which ACKs bring back'),
  },
  qcn: {
    name: 'QCN',
    metBy: 'congestion points in switches for the class of the data (switch.qcn.classes)',
    missing: ({ scenario, scheme: { name } }) => unsampledClasses(scenario, name),
  },
  alwaysReady: {
    name: 'Receive WQEs without end',
    metBy: 'receivers that have a Receive WQE for every SEND (qp.receiveQueue)',
    missing: ({ scenario: { qp }, scheme: { name } }) =>
      qp.receiveQueue === null
        ? []
        : [
            {
              path: 'qp.receiveQueue',
              expected: `off, as ${name} has no RNR NAK`,
              received: `${qp.receiveQueue}`,
              setting: 'qp.receiveQueue=off',
            },
          ],
  },
  soleAcks: {
    name: 'ACKs of single packets',
    metBy: 'receivers that hold no ACK back (qp.ackCoalescing)',
    missing: ({ scenario: { qp }, scheme: { name } }) =>
      qp.ackCoalescing === 1
        ? []
        : [
            {
              path: 'qp.ackCoalescing',
              expected: `1, as ${name} reads what each ACK says`,
              received: `${qp.ackCoalescing}`,
              setting: 'qp.ackCoalescing=1',
            },
          ],
  },
  marksAtOnce: {
    name: 'marks at once',
    metBy: 'receivers, which hold no ACK of a marked packet back',
    missing: () => [],
  },
  wred: {
    name: 'WRED',
    metBy: 'switches that drop what cannot be marked early, in the class of the data (switch.wred.classes)',
    missing: ({ scenario, scheme: { name } }) => undroppedClasses(scenario, name),
  },
  rttProbes: {
    name: 'RTT probes',
    metBy: 'the two ends of any QP',
    missing: () => [],
  },
  multipath: {
    name: 'multipath',
    metBy: 'the other scheme of the QP',
    missing: (asked) => missingOffer(asked, 'multipath', 'that deals with packets on several paths'),
  },
  soleControl: {
    name: 'sole control',
    metBy: 'the other scheme of the QP',
    missing: (asked) => missingOffer(asked, 'soleControl', 'that leaves rate and window alone'),
  },
}

/** What the two schemes of a scenario need and do not get; `known`: schemes that could be named as a way out. */
export function refusalsOf(
  scenario: Scenario,
  pair: SchemePair,
  known: Readonly<Record<keyof SchemePair, readonly SchemeDefinition[]>> = {
    recovery: recoveries,
    congestion: congestions,
  },
): Refusal[] {
  const hasDeafReads = !scenario.qp.readAcks && pair.recovery.acknowledgesReads !== true && hasReads(scenario)
  const asked: readonly Asked[] = [
    {
      scenario,
      scheme: withNeeds(pair.congestion, scenario.congestion),
      other: pair.recovery,
      otherKind: 'recovery',
      hasDeafReads,
    },
    {
      scenario,
      scheme: withNeeds(pair.recovery, scenario.recovery),
      other: pair.congestion,
      otherKind: 'congestion',
      hasDeafReads,
    },
  ]
  return asked.flatMap((each) =>
    needsOf(each.scheme).flatMap((need) =>
      NEEDS[need].missing(each).map(({ path, expected, received, setting, hint }) => ({
        scheme: each.scheme.name,
        need,
        path: path.split('.'),
        because: [each.otherKind === 'recovery' ? 'congestion' : 'recovery'],
        expected,
        received,
        setting: setting ?? null,
        hint: hint ?? (setting === undefined ? otherSchemes(need, known[each.otherKind], each) : `set ${setting}`),
      })),
    ),
  )
}

/** What the chosen schemes declare to need, as far as what they look at can be read. */
export const schemeNeeds: Rule<Scenario> = {
  reads: ['congestion', 'recovery', 'classes.data', 'switch.ecn.classes', 'switch.qcn.classes', 'switch.wred.classes'],
  partsOf: ['qp', 'workload'],
  check: (scenario, isSound) => {
    const recovery = named(recoveries, scenario.recovery.kind)
    const congestion = named(congestions, scenario.congestion.kind)
    if (recovery === undefined || congestion === undefined) return []
    const workload = scenario.workload.filter((_, i) => isClassSound(i, isSound))
    const isWhole = workload.length === scenario.workload.length
    return refusalsOf({ ...scenario, workload }, { recovery, congestion }).filter(
      ({ path }) => isSound(path.join('.')) && (isWhole || path[0] !== 'switch'),
    )
  },
}

/** Whether the class of a workload's data, or the lines of a trace that name it, can be read. */
export function isClassSound(i: number, isSound: (path: string) => boolean): boolean {
  return ['trafficClass', 'flows'].every((key) => isSound(`workload.${i}.${key}`))
}

function named(schemes: readonly SchemeDefinition[], name: string): SchemeDefinition | undefined {
  return schemes.find((scheme) => scheme.name === name)
}

/** A scheme with what it needs with its values, if they are its own. */
function withNeeds(scheme: SchemeDefinition, values: { readonly kind: string }): SchemeDefinition {
  return values.kind === scheme.name ? { ...scheme, needs: neededBy(scheme, values) } : scheme
}

/** In the order of NEEDS. */
function needsOf({ needs }: SchemeDefinition): (keyof Needs)[] {
  return (Object.keys(NEEDS) as (keyof Needs)[]).filter((need) => needs[need] === true)
}

function unmarkedClasses(scenario: Scenario, name: string): Missing[] {
  const { classes } = scenario.switch.ecn
  return missingClasses(scenario, 'switch.ecn.classes', classes, `${name} needs ECN`)
}

function unsampledClasses(scenario: Scenario, name: string): Missing[] {
  const { classes } = scenario.switch.qcn
  return missingClasses(scenario, 'switch.qcn.classes', classes, `${name} needs congestion points in switches`)
}

function undroppedClasses(scenario: Scenario, name: string): Missing[] {
  const { wred } = scenario.switch
  const why = `${name} needs WRED, the early drop of what cannot be marked`
  return missingClasses(scenario, 'switch.wred.classes', wred.classes, why)
}

/** One of the classes of data is to be among `chosen`; of the others `check` has a note, as they may be meant so. */
function missingClasses(scenario: Scenario, path: string, chosen: readonly number[], why: string): Missing[] {
  const ofData = dataClasses(scenario)
  if (ofData.some((each) => chosen.includes(each))) return []
  return [
    {
      path,
      expected: `a class of data such as ${ofData.join(' or ')}, as ${why}`,
      received: listed(chosen),
      setting: `${path}=[${[...chosen, ...ofData].join(', ')}]`,
    },
  ]
}

function listed(classes: readonly number[]): string {
  return classes.length === 0 ? 'an empty list' : `[${classes.join(', ')}]`
}

/** Some ACKs; who needs one for every packet has said so already. */
function missingAcks(asked: Asked, what: string): Missing[] {
  const {
    scenario: { qp },
    scheme: { name, needs },
  } = asked
  if (needs.perPacketAck === true) return []
  return [
    ...(qp.ackInterval > 0
      ? []
      : [
          {
            path: 'qp.ackInterval',
            expected: `at least 1, as ${name} needs ${what}`,
            received: '0',
            setting: 'qp.ackInterval=1',
          },
        ]),
    ...deafReads(asked, what),
  ]
}

/** Where the data of READs are not acknowledged, a control that goes by answers hears nothing of them. */
function deafReads({ hasDeafReads, scheme: { name } }: Asked, what: string): Missing[] {
  return hasDeafReads
    ? [
        {
          path: 'qp.readAcks',
          expected: `true where there are READs, as ${name} needs ${what}`,
          received: 'false',
          setting: 'qp.readAcks=true',
        },
      ]
    : []
}

function missingOffer({ scheme, other, otherKind }: Asked, need: keyof Offers, what: string): Missing[] {
  const kind = KINDS[otherKind]
  return other.offers?.[need] === true
    ? []
    : [
        {
          path: otherKind,
          expected: `a ${kind} ${what}, as ${scheme.name} needs ${NEEDS[need].name}`,
          received: other.name,
        },
      ]
}

const KINDS: Readonly<Record<keyof SchemePair, string>> = { recovery: 'recovery', congestion: 'congestion control' }

/** "set recovery=a or b", or that there is none. */
function otherSchemes(need: keyof Needs, among: readonly SchemeDefinition[], { otherKind }: Asked): string {
  const names = among.filter(({ offers }) => offers?.[need as keyof Offers] === true).map(({ name }) => name)
  return names.length === 0 ? `no ${KINDS[otherKind]} here does` : `set ${otherKind}=${names.join(' or ')}`
}
