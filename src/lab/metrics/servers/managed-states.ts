/**
 * Managed states: what a management system holds of each server, by whether it is available.
 *     H healthy     F failing      it has not been available for `failAfter`
 *     P probation   its repair is over, `repair` after it failed, and it is available; after `probation` it is healthy again
 * The system only looks on: a server whose fault lasts, or which is held back by others, stays failing after its repair; one
 * that was repaired in vain fails again. Source: [MS-Scale 6.2], figure 9(a), which names the states and gives no times; in
 * 4.3 a repair "takes tens of minutes". The rules are ours.
 */
export const MANAGED_STATES = ['healthy', 'failing', 'probation'] as const
type ManagedState = (typeof MANAGED_STATES)[number]

/** Times of the system. */
interface ManagedTimes {
  readonly failAfter: number
  readonly repair: number
  readonly probation: number
}

interface Server {
  state: ManagedState
  sincePs: number
  /** The end of the last interval in which it was available. */
  availablePs: number
}

export class ManagedStates {
  readonly #times: ManagedTimes
  readonly #servers: readonly Server[]

  constructor(count: number, times: ManagedTimes) {
    this.#times = times
    this.#servers = Array.from({ length: count }, () => ({ state: 'healthy', sincePs: 0, availablePs: 0 }))
  }

  /** The state of a server at the end of an interval; intervals come in order. */
  next(server: number, isAvailable: boolean, toPs: number): ManagedState {
    const own = this.#servers[server]!
    const { failAfter, repair, probation } = this.#times
    if (isAvailable) own.availablePs = toPs
    const isFor = (ps: number): boolean => toPs - own.sincePs >= ps
    const change = (state: ManagedState): ManagedState => {
      own.state = state
      own.sincePs = toPs
      return state
    }
    if (own.state === 'failing') return isAvailable && isFor(repair) ? change('probation') : 'failing'
    if (toPs - own.availablePs >= failAfter) return change('failing')
    return own.state === 'probation' && isFor(probation) ? change('healthy') : own.state
  }
}
