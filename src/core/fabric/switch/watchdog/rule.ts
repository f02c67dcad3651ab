/**
 * Detection rule of a PFC watchdog: the condition on a port's counters that makes a pause storm, and the one that ends it.
 * A rule looks at one poll; the countdowns over polls are the watchdog's. Rules are listed in rules.ts.
 */
import { choice, duration, durationOrOff, flag, MS, US, type Definition } from '../../../base/params.ts'

/** Counters of one class of a port at a poll; differences are since the poll before. */
export interface Readings {
  /** Frame bytes in its egress queue now. */
  readonly occupancyBytes: number
  /** Packets sent from that queue. */
  readonly txPackets: number
  /** PFC frames received, pauses and resumes. */
  readonly pfcRxPackets: number
  /** Transitions from paused to not paused. */
  readonly on2off: number
  /** Time it was paused, picoseconds. */
  readonly pausedPs: number
  /** Time since the poll before, picoseconds. */
  readonly intervalPs: number
  /** It is paused now, and was at the poll before. */
  readonly isPaused: boolean
  readonly wasPaused: boolean
  /** The last PFC frame received pauses it now, whether or not the port obeys. */
  readonly isPauseReceived: boolean
}

/** How a stormed class is treated. */
export const ACTIONS = ['drop', 'forward', 'alert'] as const
export type Action = (typeof ACTIONS)[number]

interface Times {
  readonly detection: number
  readonly restoration: number
  readonly poll: number
  readonly source: string
}

/** Parameters of every rule. */
export function watchdogFields({ detection, restoration, poll, source }: Times) {
  return {
    detectionTime: duration({
      default: detection,
      min: 1 * US,
      help: 'time for which the condition of a storm has to hold at every poll',
      source,
    }),
    restorationTime: durationOrOff({
      default: restoration,
      min: 1 * US,
      help: 'time without a PFC frame, seen at every poll, after which the class is taken into service again; off: never',
      source,
    }),
    pollInterval: duration({
      default: poll,
      min: 1 * US,
      help: 'time between two polls of the counters; the first is at a random time within it',
      source,
    }),
    action: choice(ACTIONS, {
      default: 'drop',
      help: 'treatment of a stormed class. drop: its packets to and from the port are discarded; forward: the port ignores its pauses; alert: none, the storm is only reported',
      source: 'SONiC PFC_WD',
    }),
    ports: choice(['hosts', 'fabric', 'all'], {
      default: 'hosts',
      help: 'ports that are watched, by the other end of the link',
      source: '[MS-Scale] 4.3: server-facing ports',
    }),
    countsWithoutPfc: flag({
      default: true,
      help: 'a port counts PFC frames while PFC is off in all of its classes; false: it does not, so that a storm seems to end',
      source: 'false: sonic-buildimage 29203, Tomahawk 4, 5 and 6',
    }),
    profile: choice(['port', 'switch'], {
      default: 'port',
      help: 'ports on which PFC goes off for a stormed class: the stormed port, or all of the switch',
      source: 'switch: sonic-buildimage 29221, Tomahawk 6',
    }),
  }
}

/** SONiC: pfcwd start without times. */
export const SONIC_TIMES: Times = {
  detection: 200 * MS,
  restoration: 200 * MS,
  poll: 200 * MS,
  source: 'SONiC, pfcwd: 200 ms each',
}

export type WatchdogFields = ReturnType<typeof watchdogFields>

export interface WatchdogRule<N extends string = string> extends Definition<N, WatchdogFields> {
  /** A storm of one class takes that class out of service, or all lossless classes of the port. */
  readonly scope: 'class' | 'port'
  /** Actions that it does not have. */
  readonly lacks: readonly Action[]
  /** Whether a class that is in service looks stormed at this poll. */
  holds(readings: Readings): boolean
  /** Whether the storm of a class that is out of service looks over at this poll. */
  isQuiet(readings: Readings): boolean
}

/** Gives a rule its type, and what most rules have. */
export function defineRule<const N extends string>(
  rule: Omit<WatchdogRule<N>, 'scope' | 'lacks' | 'isQuiet' | 'params'> & Partial<WatchdogRule<N>>,
): WatchdogRule<N> {
  return {
    scope: 'class',
    lacks: [],
    isQuiet: ({ pfcRxPackets }) => pfcRxPackets === 0,
    params: watchdogFields(SONIC_TIMES),
    ...rule,
  }
}
