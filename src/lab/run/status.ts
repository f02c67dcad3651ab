/**
 * Status: how a flow ended, in the words of results. docs/models/results.md says when each holds.
 */
export const STATUS = {
  finished: 'finished',
  failed: 'retry limit reached',
  interrupted: 'interrupted',
  /** At LAST_PS. */
  clock: 'open when simulated time ended',
  livelock: 'livelock: sending without progress',
  linkDown: 'link down',
  /** At an end of the queue pair, now or before. */
  serverDown: 'server went down',
  paused: 'stalled: its class is paused for good',
  readUnanswered: 'stalled: READ requests without an answer',
  noRoute: 'stalled: no route',
  lost: 'stalled: packets lost and no timeout set',
  stalled: 'stalled',
  unacknowledged: 'received, not yet acknowledged at the stop',
  behind: 'waiting behind other messages at the stop',
  sending: 'still sending at the stop',
  /** For messages that no workload has posted: their time has not come. */
  notDue: 'not yet due at the end of the run',
} as const
