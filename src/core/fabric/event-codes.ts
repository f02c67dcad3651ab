/**
 * Event codes: meaning of the codes in the event queue. Kind in the low bits, target above. The lowest bit is set where
 * the event has a slot of the queue (engine/event-queue.ts), and clear where its target, a packet or a port, holds it in
 * its own record. The low bits of a packet's handle are 0.
 */

export const KIND_BITS = 3
export const KIND_MASK = (1 << KIND_BITS) - 1
/** Target: packet. It arrives at the port in its AT. */
export const EVENT_ARRIVAL = 0
/** Target: port. Its transmission ends. */
export const EVENT_PORT_END = 2
/** Target: packet. Leaves the switch's pipeline for its OUT, or the stack of a host; or a PFC frame takes effect or is sent. */
export const EVENT_FORWARD = 4
/** Target: packet. In a cut-through switch: checks whether the frame may go on, or its last bit has arrived. */
export const EVENT_CUT_THROUGH = 6
/** Target: host position. Wake-up of its NIC. */
export const EVENT_NIC_WAKE = 1
/** Target: queue pair * 2 + half. A deadline of that half. */
export const EVENT_TIMER = 3
/** Target: port * 16 + class (pause expires), + 8 (pause is sent again). */
export const EVENT_PFC = 5
/** Target: actor. */
export const EVENT_ACTOR = 7
