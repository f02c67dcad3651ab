/**
 * The buffer of a ToR with 24 servers and 4 leaves, or 28 servers: dynamic sharing and static reservation that differ by
 * the limit of a port alone. Source: [MS-Scale] 4.4 and 6.2; parts of equal size are ours.
 */

/**
 * The rule of 6.2 to the byte, without reserves. Headroom is ample for the longest cable, 300 m, as a pause by this buffer
 * may end while headroom is in use.
 */
export const BUFFER = 'kind: memory-manager, size: 9MB, cell: 1B, reserve: 0B, headroom: 40KB'

/** Static reservation: each of 28 ports may hold an equal part of what 9 MB leave beside headroom. */
export const STATIC_PART = '281KB'
