/** Common to findings in captures: they are counted, and the first place has its values. */
import type { Value, Values } from '../../finding.ts'
import { timesText } from '../../words.ts'

/** Values of a finding that may be seen more than once in a connection. */
export type Seen<V extends Values = Values> = V & {
  readonly count: number
  /** Number of the first packet. */
  readonly frame: number
  /** Six digits; null: it is not about a PSN. */
  readonly psn: string | null
  /** The first places: frame, timePs, psn. */
  readonly sights: readonly Value[]
}

/** "PSN 0a1b2c" or "PSN 0a1b2c, the first of 12". */
export function firstOf({ count, psn }: Seen): string {
  const what = psn === null ? 'here' : `PSN ${psn}`
  return count === 1 ? what : `${what}, the first of ${count}`
}

/** "once" or "12 times". */
export const times = ({ count }: Seen): string => timesText(count)

export const IBTA = 'IBTA volume 1'
