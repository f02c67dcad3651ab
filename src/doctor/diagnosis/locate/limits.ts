/**
 * Limits of the localiser: shares of an interval or of a rate, so that intervals of 1 ms and of 5 minutes are judged alike.
 * Sources: docs/models/localiser.md.
 */

/** A port is held: share of the interval; below it is healthy noise. */
export const HELD_SHARE = 0.01
/** The same where only frames are counted, which bound the time from above. */
export const HELD_SHARE_BY_FRAMES = 0.05
/** A port is held without end. */
export const STOPPED_SHARE = 0.95
/** Frames of this share of the rate that holds a port hold it without end. */
export const STOPPED_SHARE_BY_FRAMES = 0.9
/** An egress is full: share of its rate. */
export const FULL_SHARE = 0.9
/** Nothing to speak of is sent or received: share of the rate. */
export const SILENT_SHARE = 0.01
/** Longest time that one PFC frame holds a port: bits at the rate of the port (IEEE 802.1Qbb: 65,535 quanta of 512 bits). */
export const FRAME_HOLD_BITS = 65_535 * 512
/** Preamble, delimiter and gap of each frame on the link (IEEE 802.3). */
export const FRAME_GAP_BYTES = 20
/** Ends of a link agree: share of the larger number, and frames that one of them counts before its poll and the other behind. */
export const AGREE_SHARE = 0.05
export const AGREE_FRAMES = 2
/** Readings that cover less of an interval count half. */
export const COVERED_SHARE = 0.7
/** A full egress whose switch pauses less than this share of the most paused port is background. */
export const BACKGROUND_SHARE = 0.2
/** A switch is noise whose most held victim was held for less than HELD_SHARE of all intervals, of at most this many. */
export const NOISE_INTERVALS = 16
/** Frames that hold a port for this share of the longest time each refresh one pause, and do not end it. */
export const REFRESH_SHARE = 0.25
/** Origins are named until this share of all blame is. */
export const NAMED_SHARE = 0.9
/** An end with less of the blame is possible, and not named. */
export const MINOR_SHARE = 0.1
/** Queues of this share of the longest of a switch are among its causes. */
export const QUEUE_SHARE = 0.2
/** Bit errors above this share of frames are no noise. */
export const ERROR_SHARE = 1e-8
/** A receiver has as many errors as came in elsewhere: they were forwarded by a cut-through switch. */
export const FORWARDED_SHARE = 0.5
/** Packets out of sequence above this share are no noise. */
export const OUT_OF_SEQUENCE_SHARE = 1e-6
/** Ports are full of packets that are sent again: share of packets out of sequence at their receivers. */
export const RESENT_SHARE = 0.02
/** A threshold is small beside that of peers: times by which theirs is at least larger. */
export const THRESHOLD_TIMES = 2
/** Alphas differ. */
export const ALPHA_TIMES = 2
/** A sender is loud: share of the time in which it sends or is held; CNPs that it gets, times those of the median host. */
export const LOUD_USE = 0.9
export const LOUD_TIMES = 1.25
/** A full egress is full of it: its bytes, as a share of those of the egress. */
export const LOUD_SHARE = 0.5
/** Drops at egress queues above this share of what passes are more than a signal to senders. */
export const DROP_SHARE = 1e-3
/** Share of packets lost on a link that stops its flows about as much as a pause of the whole interval. */
export const LOSS_LIKE_STOP = 1e-3
