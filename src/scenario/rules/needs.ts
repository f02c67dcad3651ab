/**
 * Needs: what loss recoveries and congestion controls may declare to need, who meets it, and what is missing in a
 * scenario that does not.
 * Each need is asked on its own, so that a new one is a field of Needs and an entry here.
 */
import type { AnyValues } from '../../base/params.ts'
import { formatQuantity } from '../../base/units.ts'
import type { Needs, Offers, SchemeDefinition } from '../../transport/scheme.ts'
import { dataClasses } from '../class-map.ts'
import type { Scenario } from '../scenario.ts'

/** Of a recovery also whether it acknowledges READ responses of itself, and how long its ACKs wait. */
type AskedRecovery = SchemeDefinition & {
  readonly acknowledgesReads?: boolean
  delayedAckPs?(values: AnyValues): number | null
}

/** The two schemes of a QP. */
export interface SchemePair {
  readonly recovery: AskedRecovery
  readonly congestion: SchemeDefinition
}

/** Their names in messages. */
export const KINDS: Readonly<Record<keyof SchemePair, string>> = {
  recovery: 'recovery',
  congestion: 'congestion control',
}

/** What is missing for a need; the words begin with what is expected. */
interface Missing {
  readonly path: string
  readonly expected: string
  readonly received: string
  readonly setting?: string
  readonly hint?: string
}

export interface Asked {
  readonly scenario: Scenario
  readonly scheme: SchemeDefinition
  /** The other one, and which of the two it is. */
  readonly other: SchemeDefinition
  readonly otherKind: keyof SchemePair
  /** Data that nobody acknowledges: the responses of READs, unless the QP or its recovery says otherwise. */
  readonly hasUnacknowledgedReads: boolean
  /** How long ACKs wait for a second packet, where the other one is a recovery that has them wait; null: not at all. */
  readonly delayedAckPs: number | null
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
        ...(needs.cnp !== true && needs.perPacketAck !== true
          ? unacknowledgedReads(asked, 'ECN and reads marks in ACKs')
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
        : unacknowledgedReads(asked, 'CNPs, which ACKs stand for')
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
        ...unacknowledgedReads(asked, 'per-packet ACKs'),
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
    metBy: 'receivers that hold no ACK back (qp.ackCoalescing; of TCP recovery.delayedAck)',
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
    metBy: 'receivers, which hold no ACK of a marked packet back',
    missing: () => [],
  },
  cwr: {
    name: 'CWR',
    metBy: 'TCP receivers, which echo a mark until its sender has slowed down; others echo each mark once',
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
    ...unacknowledgedReads(asked, what),
  ]
}

/** Where the data of READs are not acknowledged, a control that goes by answers hears nothing of them. */
function unacknowledgedReads({ hasUnacknowledgedReads, scheme: { name } }: Asked, what: string): Missing[] {
  return hasUnacknowledgedReads
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
