/**
 * Findings on loss recoveries and congestion controls in places where they do not work as intended.
 */
import { humanDuration } from '../../base/format.ts'
import { defineFinding, type NoValues } from '../finding.ts'
import { classText } from '../words.ts'

export const lossWithoutTimeout = defineFinding<{
  causes: readonly string[]
  classesWithoutPfc: readonly number[]
  droppedClasses: readonly number[]
  faultsAt: string | null
  lossyLinks: number
  lossyLink: string | null
  overtakenUnder: readonly string[]
  recovery: string
}>({
  id: 'loss-without-timeout',
  severity: 'warning',
  meaning:
    'Packets may be lost and there is no timeout: a flow that loses its last packet, or a retransmission, stalls for ever.',
  source: 'InfiniBand Architecture volume 1, 9.7.6.1.3',
  remedy: 'set qp.ackTimeout',
  text: (values) => {
    const { recovery, faultsAt, lossyLinks, lossyLink } = values
    const why: Readonly<Record<string, () => string | readonly string[]>> = {
      'no-pfc': () => `${classText(values.classesWithoutPfc)} has no PFC`,
      wred: () => `WRED drops in ${classText(values.droppedClasses)}`,
      faults: () => `links have faults${faultsAt === null ? '' : ` (${faultsAt})`}`,
      'lossy-links': () =>
        lossyLinks === 1 ? `link ${lossyLink} loses packets` : `${lossyLinks} links lose packets, such as ${lossyLink}`,
      'pause-storms': () => 'watchdogs and power cycles end pause storms by drops',
      overtaking: () =>
        values.overtakenUnder.map(
          (by) => `packets overtake each other under ${by}, which ${recovery} takes for losses`,
        ),
    }
    const causes = values.causes.flatMap((cause) => why[cause]!())
    return `packets may be lost (${causes.join('; ')}) and there is no timeout: flows may stall`
  },
})

export const trimmingIgnored = defineFinding<{ recovery: string; canUse: boolean }>({
  id: 'trimming-ignored',
  severity: 'warning',
  meaning: 'Switches trim packets, and the recovery does not use the headers that are left as notifications of losses.',
  source: '[NDP] section 3',
  remedy: 'set recovery.trimmed where the recovery has it, or turn trimming off',
  text: ({ recovery }) =>
    `switches trim packets, and ${recovery} ignores their headers, so that each is recovered like any loss`,
  advice: ({ canUse }) => (canUse ? 'set recovery.trimmed to use them as loss notifications' : ''),
})

export const targetBelowIdleRtt = defineFinding<{ targetPs: number; longestRttPs: number; congestion: string }>({
  id: 'target-below-idle-rtt',
  severity: 'warning',
  meaning: 'A congestion control slows down above an RTT that the longest path takes even when it is idle.',
  formula: 'longest RTT of the idle network > target',
  source: '[TIMELY] section 4.2',
  remedy: 'raise the target of the congestion control',
  text: ({ targetPs, longestRttPs, congestion }) =>
    `${congestion} slows down above an RTT of ${humanDuration(targetPs)}, and the longest path takes ${humanDuration(longestRttPs)} ` +
    'when idle: its flows may come to a standstill',
  advice: (_, { path }) => `raise ${path}`,
})

export const reorderingTakenForLoss = defineFinding<{ recovery: string; under: string; consequence: string }>({
  id: 'reordering-taken-for-loss',
  severity: 'warning',
  meaning: 'Packets of a flow take paths of different delay, and the recovery treats those that overtake as losses.',
  source: '[IRN] section 3; [Survey] section V',
  remedy: 'use a recovery that tolerates reordering, or one path for each flow',
  text: ({ recovery, under, consequence }) =>
    `packets of a flow overtake each other under ${under}, and ${recovery} ${consequence}`,
})

export const timeoutBelowRtt = defineFinding<{ timeoutPs: number; longestRttPs: number }>({
  id: 'timeout-below-rtt',
  severity: 'error',
  meaning: 'The timeout sends every packet twice and soon exhausts the retries of the queue pair.',
  formula: 'qp.ackTimeout < longest RTT of the idle network',
  source: 'InfiniBand Architecture volume 1, 9.7.6.1.3',
  remedy: 'raise qp.ackTimeout',
  text: ({ timeoutPs, longestRttPs }) =>
    `the retransmission timeout of ${humanDuration(timeoutPs)} expires before an ACK can arrive: the longest path takes ` +
    `${humanDuration(longestRttPs)} when idle`,
})

export const delayedAckBeyondTimeout = defineFinding<{ delayPs: number; leastPs: number }>({
  id: 'delayed-ack-beyond-timeout',
  severity: 'warning',
  meaning: 'Receivers may hold back an ACK for longer than senders wait for it.',
  formula: 'delayed ACK >= least timeout',
  source: 'RFC 1122, 4.2.3.2; RFC 6298',
  remedy: 'lower recovery.delayedAck or raise recovery.rtoMin',
  text: ({ delayPs, leastPs }) =>
    `receivers delay ACKs by ${humanDuration(delayPs)} and senders wait as little as ${humanDuration(leastPs)} for one: ` +
    'a single last packet times out and is sent again',
})

export const startWindowBeyondReceiveWindow = defineFinding<{
  initialPackets: number
  receivePackets: number
  congestion: string
}>({
  id: 'start-window-beyond-receive-window',
  severity: 'warning',
  meaning: 'A TCP sender begins with all that the receiver takes: a burst of a whole window, and no slow start.',
  formula: 'initial window >= receive window',
  source: 'RFC 6928',
  remedy: 'set congestion.initialWindow=10, as Linux has it',
  text: ({ initialPackets, receivePackets, congestion }) =>
    `${congestion} begins with a window of ${initialPackets} packets and the receive window is ${receivePackets}: flows start with ` +
    'a burst of a whole receive window, and nothing is left to grow',
  advice: () => 'Linux begins with 10, set congestion.initialWindow=10',
})

/** Congestion signals, and what switches do not do in a class that is not listed for them. */
const MISSING: Readonly<Record<string, string>> = {
  ecn: 'mark nothing',
  qcn: 'have no congestion point',
  wred: 'drop nothing early',
}

export const classWithoutSignal = defineFinding<{
  signal: string
  congestion: string
  listedClasses: readonly number[]
}>({
  id: 'class-without-signal',
  severity: 'error',
  meaning: 'Data are in a class without the signal that their congestion control needs: its senders never slow down.',
  source: '[DCQCN] section 3; 802.1Qau',
  remedy: 'add the class to the list of the signal: switch.ecn.classes, switch.qcn.classes or switch.wred.classes',
  text: ({ signal, congestion }, { trafficClass }) =>
    `switches ${MISSING[signal]} in class ${trafficClass}, which has data: ${congestion} gets no signal from it`,
  advice: (_, { path }) => `add it to ${path}`,
})

export const notificationsInLosslessClass = defineFinding<NoValues>({
  id: 'notifications-in-lossless-class',
  severity: 'warning',
  meaning:
    'Messages of QCN travel against the data in a class with PFC, so that two switches may pause each other for ever.',
  source: '802.1Qau',
  remedy: 'set classes.cnpAtSwitch to a class without PFC',
  text: (_, { trafficClass }) =>
    `qcn messages are sent back by switches in class ${trafficClass}, which is paused by PFC: two switches may deadlock`,
})
