/**
 * Needs that loss recoveries and congestion controls may declare: who meets each, and what a scenario lacks that does not
 * meet it.
 * Each need is checked independently, so that a new one is a field of Needs and an entry here.
 */
import type { AnyValues } from '../../../core/base/params.ts'
import { formatQuantity } from '../../../core/base/units.ts'
import type { Needs, Offers, SchemeDefinition } from '../../../core/transport/scheme.ts'
import { dataClasses } from '../class-map.ts'
import type { Scenario } from '../scenario.ts'

/** A recovery, with whether it acknowledges READ responses by itself and how long its ACKs are delayed. */
type CheckedRecovery = SchemeDefinition & {
  readonly acknowledgesReads?: boolean
  delayedAckPs?(values: AnyValues): number | null
}

/** The two schemes of a QP. */
export interface SchemePair {
  readonly recovery: CheckedRecovery
  readonly congestion: SchemeDefinition
}

/** Their names in messages. */
export const KINDS: Readonly<Record<keyof SchemePair, string>> = {
  recovery: 'recovery',
  congestion: 'congestion control',
}

/** Something that a need lacks. `setting` would meet it, as for --set. */
interface Missing {
  readonly path: string
  readonly expected: string
  readonly received: string
  readonly setting?: string
  readonly hint?: string
}

export interface NeedCheck {
  readonly scenario: Scenario
  readonly scheme: SchemeDefinition
  /** The other scheme of the QP, and which of the two it is. */
  readonly other: SchemeDefinition
  readonly otherKind: keyof SchemePair
  /** The scenario has READs whose responses are not acknowledged, neither by qp.readAcks nor by the recovery itself. */
  readonly hasUnacknowledgedReads: boolean
  /** How long the other scheme, if a recovery, delays ACKs for a second packet; null: not at all. */
  readonly delayedAckPs: number | null
}

interface Need {
  readonly name: string
  /** Who meets it, and by which setting. */
  readonly metBy: string
  readonly missing: (checked: NeedCheck) => readonly Missing[]
}

/** All needs, in the order in which their refusals are reported. */
export const NEEDS: Readonly<Record<keyof Needs, Need>> = {
  ecn: {
    name: 'ECN',
    metBy:
      'switches that mark the class of the data (switch.ecn.classes), and receivers that echo marks in CNPs or ACKs (qp.ecnEcho)',
    missing: (checked) => {
      const { scenario, scheme } = checked
      const { name, needs } = scheme
      return [
        ...unmarkedClasses(scenario, name),
        ...(needs.cnp !== true && needs.perPacketAck !== true
          ? unacknowledgedReads(checked, 'ECN and reads marks in ACKs')
          : []),
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
    metBy: 'receivers that echo marks in CNPs, or in ACKs (qp.ecnEcho; for READs qp.readAcks)',
    missing: (checked) => {
      const {
        scenario: { qp },
        scheme: { name },
      } = checked
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
        : unacknowledgedReads(checked, 'CNPs, which ACKs replace')
    },
  },
  perPacketAck: {
    name: 'per-packet ACK',
    metBy: 'receivers that acknowledge every packet (qp.ackInterval; for READs qp.readAcks)',
    missing: (checked) => {
      const {
        scenario: { qp },
        scheme: { name },
      } = checked
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
        ...unacknowledgedReads(checked, 'per-packet ACKs'),
      ]
    },
  },
  timestamps: {
    name: 'timestamps',
    metBy: 'ACKs, which return the time when their packet was sent (for READs qp.readAcks)',
    missing: (checked) => missingAcks(checked, 'timestamps, which ACKs return'),
  },
  telemetry: {
    name: 'telemetry',
    metBy: 'switches that write telemetry into data packets, and ACKs, which return it (for READs qp.readAcks)',
    missing: (checked) => missingAcks(checked, 'telemetry, which ACKs return'),
  },
  qcn: {
    name: 'QCN',
    metBy: 'congestion points in switches for the class of the data (switch.qcn.classes)',
    missing: ({ scenario, scheme: { name } }) => unsampledClasses(scenario, name),
  },
  alwaysReady: {
    name: 'unlimited Receive WQEs',
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
    metBy: 'receivers that delay no ACK (qp.ackCoalescing; for TCP recovery.delayedAck)',
    missing: ({ scenario: { qp }, scheme: { name }, delayedAckPs }) => [
      ...(qp.ackCoalescing === 1
        ? []
        : [
            {
              path: 'qp.ackCoalescing',
              expected: `1, as ${name} needs ACKs of single packets`,
              received: `${qp.ackCoalescing}`,
              setting: 'qp.ackCoalescing=1',
            },
          ]),
      ...(delayedAckPs === null
        ? []
        : [
            {
              path: 'recovery.delayedAck',
              expected: `off, as ${name} needs ACKs of single packets`,
              received: formatQuantity('duration', delayedAckPs),
              setting: 'recovery.delayedAck=off',
            },
          ]),
    ],
  },
  marksAtOnce: {
    name: 'marks at once',
    metBy: 'receivers, which never delay the ACK of a marked packet',
    missing: () => [],
  },
  cwr: {
    name: 'CWR',
    metBy: 'TCP receivers, which echo a mark until its sender has slowed down; others echo each mark once',
    missing: () => [],
  },
  wred: {
    name: 'WRED',
    metBy: 'switches that drop unmarkable packets early, in the class of the data (switch.wred.classes)',
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
    missing: (checked) => missingOffer(checked, 'multipath', 'that supports packets on several paths'),
  },
  soleControl: {
    name: 'sole control',
    metBy: 'the other scheme of the QP',
    missing: (checked) => missingOffer(checked, 'soleControl', 'that sets neither rate nor window'),
  },
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
  const why = `${name} needs WRED, the early drop of packets that cannot be marked`
  return missingClasses(scenario, 'switch.wred.classes', wred.classes, why)
}

/** One class of the data has to be in `chosen`. For the others `check` prints a note, as they may be left out on purpose. */
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

/** Requires some ACKs. A scheme that needs one per packet is already checked for that. */
function missingAcks(checked: NeedCheck, feature: string): Missing[] {
  const {
    scenario: { qp },
    scheme: { name, needs },
  } = checked
  if (needs.perPacketAck === true) return []
  return [
    ...(qp.ackInterval > 0
      ? []
      : [
          {
            path: 'qp.ackInterval',
            expected: `at least 1, as ${name} needs ${feature}`,
            received: '0',
            setting: 'qp.ackInterval=1',
          },
        ]),
    ...unacknowledgedReads(checked, feature),
  ]
}

/** A control that depends on ACKs gets no feedback on READ responses that nobody acknowledges. */
function unacknowledgedReads({ hasUnacknowledgedReads, scheme: { name } }: NeedCheck, feature: string): Missing[] {
  return hasUnacknowledgedReads
    ? [
        {
          path: 'qp.readAcks',
          expected: `true where there are READs, as ${name} needs ${feature}`,
          received: 'false',
          setting: 'qp.readAcks=true',
        },
      ]
    : []
}

function missingOffer({ scheme, other, otherKind }: NeedCheck, need: keyof Offers, feature: string): Missing[] {
  const kind = KINDS[otherKind]
  return other.offers?.[need] === true
    ? []
    : [
        {
          path: otherKind,
          expected: `a ${kind} ${feature}, as ${scheme.name} needs ${NEEDS[need].name}`,
          received: other.name,
        },
      ]
}
