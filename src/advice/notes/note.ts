/**
 * Note: a setting that is valid but perhaps not intended, with its place, its numbers and a remedy. Ids are stable; the
 * wording is not.
 */
import { humanDuration } from '../../report/index.ts'

/** All notes, in the order in which they are shown. */
export const NOTE_IDS = [
  'hosts-unreachable',
  'pfc-class-without-data',
  'pfc-at-one-end',
  'headroom-for-another-cable',
  'mtu-below-frames',
  'vlan-tag-not-taken',
  'nic-trusts-missing-tag',
  'class-map-differs',
  'alpha-differs-in-role',
  'marking-differs-in-role',
  'watchdog-missing',
  'watchdog-differs-in-role',
  'loss-without-timeout',
  'headroom-below-need',
  'headroom-below-family',
  'headroom-of-family-unknown',
  'marks-after-pauses',
  'xon-above-xoff',
  'lossless-without-signal',
  'one-headroom-for-all-links',
  'reserves-beyond-buffer',
  'pauses-expire',
  'watchdog-without-pfc',
  'watchdog-time-unusual',
  'watchdog-without-restoration',
  'watchdog-only-alerts',
  'trimmed-headers-fill-link',
  'trimming-ignored',
  'silent-host-unreachable',
  'deadlock-possible',
  'target-below-idle-rtt',
  'reordering-taken-for-loss',
  'timeout-below-rtt',
  'delayed-ack-beyond-timeout',
  'start-window-beyond-receive-window',
  'class-without-signal',
  'notifications-in-lossless-class',
] as const
export type NoteId = (typeof NOTE_IDS)[number]

/** Where and from when a note holds, as far as that is not everywhere and always. */
export interface NoteSubject {
  /** Name of a node: "leaf 1". */
  readonly device?: string
  /** Name of the node at the other end of its link. */
  readonly port?: string
  /** Tags of workloads with schemes of their own, "a, b". */
  readonly workload?: string
  readonly trafficClass?: number
  /** Parameter that sets it. */
  readonly path?: string
  /** From a time after the start, picoseconds. */
  readonly atPs?: number
}

export type NoteValues = Readonly<Record<string, number | string | null | readonly (number | string)[]>>

export interface Note {
  readonly id: NoteId
  readonly subject: NoteSubject
  /** Units are the last part of the names. */
  readonly values: NoteValues
  /** Further devices and ports of which the same could be said, beyond those that have a note. */
  readonly others: number
  /** A sentence, with the place. */
  readonly text: string
}

/** A note without the sentence's beginning, which names the place. */
export type Finding = Omit<Note, 'others'>

/** "leaf 1, port to host 5, from 1.00 ms: " */
export function locationText({ device, port, workload, atPs }: NoteSubject): string {
  const parts = [
    ...(device === undefined ? [] : [device]),
    ...(port === undefined ? [] : [`port to ${port}`]),
    ...(workload === undefined ? [] : [workload]),
    ...(atPs === undefined ? [] : [`from ${humanDuration(atPs)}`]),
  ]
  return parts.length === 0 ? '' : `${parts.join(', ')}: `
}
