/**
 * Event codes: what the numbers in the event queue mean to the fabric. Kind in the low bits, target above. The lowest bit
 * says whether the queue keeps the event (engine/event-queue.ts) or its target does, which has one at a time: a packet, of
 * whose handle these bits are 0, or a port.
 */

export const KIND_BITS = 3
export const KIND_MASK = (1 << KIND_BITS) - 1
/** Target: packet. It arrives at the port in its AT. */
export const EVENT_ARRIVAL = 0
/** Target: port. Its transmission ends. */
export const EVENT_PORT_END = 2
/** Target: packet. Leaves the switch's pipeline for its OUT, or the stack of a host; or a PFC frame takes effect. */
export const EVENT_FORWARD = 4
/** Target: packet. In a cut-through switch: it looks whether it may go on, or its last bit is in. */
export const EVENT_CUT_THROUGH = 6
/** Target: host position. Its NIC looks for something to send. */
export const EVENT_NIC_WAKE = 1
/** Target: queue pair * 2 + half. A deadline of that half. */
export const EVENT_TIMER = 3
/** Target: port * 16 + class (pause expires), + 8 (pause is sent again). */
export const EVENT_PFC = 5
/** Target: actor. */
export const EVENT_ACTOR = 7
