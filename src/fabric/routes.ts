/**
 * Routes as switches read them: which ports lead to which host. Lists are shared by all pairs that have them.
 */
export interface RouteTable {
  /** [node * hostCount + host position]: list id, or -1 when there is no way. */
  readonly listOf: Int32Array
  /** Per list id: where its ports start in `ports`, and how many there are. */
  readonly listStart: Int32Array
  readonly listLength: Int32Array
  /** Local port numbers, from 1. */
  readonly ports: Int32Array
}
