/** Findings in captures of real packets, in the order in which they are shown. */
import type { FindingKind } from '../../finding.ts'
import * as answers from './answers.ts'
import * as congestion from './congestion.ts'
import * as connections from './connections.ts'
import * as losses from './losses.ts'
import * as sequence from './sequence.ts'

export type { Seen } from './seen.ts'
export { answers, congestion, connections, losses, sequence }

export const CAPTURE: readonly FindingKind[] = [
  answers.atomicAnsweredTwice,
  losses.peerSilent,
  answers.nakInvalidRequest,
  answers.nakRemoteAccess,
  answers.nakRemoteOperation,
  answers.rnrLast,
  connections.rejected,
  losses.retransmissionTimeout,
  losses.retransmissionNak,
  losses.retransmissionRnr,
  losses.retransmissionAnswered,
  losses.lossBefore,
  losses.lossAfter,
  losses.reordered,
  answers.readRepeated,
  answers.responsesMissing,
  answers.atomicRepeated,
  answers.receiverNotReady,
  answers.syndromeReserved,
  sequence.icrcWrong,
  sequence.opcodeOrder,
  sequence.lengthWrong,
  sequence.msnBack,
  sequence.ackUnsent,
  sequence.responseOutsideRead,
  losses.unreliableGap,
  congestion.markedWithoutCnp,
  congestion.pausedToEnd,
  connections.readyLost,
  connections.managementRepeated,
  connections.managementUnanswered,
  connections.captureDamaged,
  losses.stall,
  congestion.marked,
  congestion.notified,
  congestion.notifiedWithoutMark,
  congestion.paused,
  answers.atomicAnsweredAgain,
  losses.duplicated,
  losses.packetsMissing,
  sequence.icrcAllWrong,
  sequence.opcodeUnknown,
  connections.mtuSmall,
  connections.dscpZero,
  connections.notEct,
  connections.sourcePortConstant,
  connections.classesDiffer,
  connections.captureLostFrames,
  connections.copiesJoined,
  connections.connectionsUnlisted,
  connections.findingsUnlisted,
]
