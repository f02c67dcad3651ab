/**
 * Slurm's codes in words: why a task waits, is held, or how it ended. The code stands behind the words in parentheses, for
 * Slurm's manual and the cluster's administrators.
 * Source: squeue(1), JOB REASON CODES and JOB STATE CODES, and the codes that Slurm 22.05 prints.
 */

/** A pattern of codes with its words. The first that matches counts. */
type Words = readonly (readonly [RegExp, string])[]

const HELD: Words = [
  [/^launch.failed.requeued.held/, 'held, as it could not be started on its node'],
  [/^JobHeldUser$/, 'held by its user'],
  [/^JobHeldAdmin$/, 'held by an administrator, or by its user with their rights'],
  [/^JobHoldMaxRequeue$/, 'held, as it was requeued too many times'],
  [/^job.requeued.in.held.state/, 'requeued and held'],
  [/^user.env.retrieval.failed.requeued.held/, "held, as its user's environment could not be read on its node"],
  [/held/i, 'held'],
]

const WAITING: Words = [
  [/^None$/, 'waiting for the scheduler to look at it'],
  [/^WaitingForScheduling$/, 'waiting for the scheduler to look at it'],
  [/^Resources$/, 'waiting for a free node'],
  [/^Priority$/, 'waiting behind jobs of higher priority'],
  [/^JobArrayTaskLimit$/, 'waiting, as enough tasks of its array run'],
  [/^BeginTime$/, 'waiting for its earliest start; requeued tasks have one about two minutes after'],
  [/^Dependency$/, 'waiting for the end of another job'],
  [/^DependencyNeverSatisfied$/, 'waiting for ever: the job that it depends on has failed'],
  [/^Prolog$/, "waiting for its node's preparation"],
  [/^Cleaning$/, 'requeued; its earlier run is being cleaned up'],
  [/^ReqNodeNotAvail/, 'waiting for nodes that are down, drained or reserved'],
  [/^Nodes.required.for.job.are.DOWN/, 'waiting, as all suitable nodes are down, drained or reserved'],
  [/^NodeDown$/, 'waiting, as a node that it needs is down'],
  [/^Reservation$/, 'waiting for its reservation to begin'],
  [/^ReservationDeleted$/, 'waiting, as its reservation was deleted'],
  [/^Licenses$/, 'waiting for a licence'],
  [/^PartitionTimeLimit$/, 'waiting for ever: it asks for more time than its partition allows'],
  [/^PartitionNodeLimit$/, 'waiting: it asks for more nodes than its partition allows or has in service'],
  [/^PartitionConfig$/, 'waiting: it asks for more than its partition has'],
  [/^PartitionDown$/, 'waiting, as its partition is down'],
  [/^PartitionInactive$/, 'waiting, as its partition starts no jobs'],
  [/^BadConstraints$/, 'waiting for ever: no node has all that it asks for'],
  [/^AccountNotAllowed$/, 'waiting: its account may not use this partition'],
  [/^(InvalidAccount|InvalidQOS|QOSNotAllowed)$/, 'waiting: its account or QOS does not exist or may not be used'],
  [/^QOSMaxJobsPerUserLimit$/, 'waiting, as its user has as many jobs running as the QOS allows'],
  [/^AssocMaxJobsLimit$/, 'waiting, as its user has as many jobs running as the account allows'],
  [/^(Assoc|QOS)Grp\w*Minutes/, 'waiting, as its account or QOS has used up its share of computing time'],
  [/^(Assoc|QOS)Grp/, 'waiting, as its account or QOS uses all that its users may use together'],
  [/^(Assoc|QOS)Max\w*SubmitJob/, 'waiting, as its user has as many jobs submitted as allowed'],
  [/^(Assoc|QOS)Max\w*Per(Job|Node)/, 'waiting for ever: it asks for more than its account or QOS allows a job'],
  [/^(Assoc|QOS|Max)\w*/, 'waiting at a limit of its account or QOS'],
]

const ENDED: Words = [
  [/^COMPLETED$/, 'ended without an error'],
  [/^FAILED$/, 'ended with an error'],
  [/^CANCELLED$/, 'cancelled'],
  [/^TIMEOUT$/, 'stopped at its time limit'],
  [/^DEADLINE$/, 'stopped at its deadline'],
  [/^NODE_FAIL$/, 'lost with its node'],
  [/^BOOT_FAIL$/, 'lost, as its node did not boot'],
  [/^OUT_OF_MEMORY$/, 'stopped, as it used more memory than it had asked for'],
  [/^PREEMPTED$/, 'stopped in favour of a job of higher priority'],
  [/^REVOKED$/, 'taken over by another cluster'],
]

/** Whether a task that does not run is held, by its reason. */
export function isHeldReason(reason: string): boolean {
  return HELD.some(([code]) => code.test(reason))
}

/** Why a task is held. */
export function heldWords(reason: string): string {
  return `${wordsFor(HELD, reason) ?? 'held'} (${reason})`
}

/** Why a task waits; a reason that is not in the table stands for itself. */
export function waitingWords(reason: string): string {
  return `${wordsFor(WAITING, reason) ?? 'waiting'} (${reason})`
}

/** How a task ended, from its state; undefined if the state is none of an ended task. */
export function endedWords(state: string): string | undefined {
  const words = wordsFor(ENDED, state)
  return words === undefined ? undefined : `${words} (${state})`
}

function wordsFor(table: Words, code: string): string | undefined {
  return table.find(([pattern]) => pattern.test(code))?.[1]
}
