/**
 * UDP source ports of packets between connected queue pairs.
 * Source: Linux, rdma_flow_label_to_udp_sport(); the port of MADs as sent by its soft RoCE.
 */

/** Source port of MADs: any is taken; this is the one that Linux derives from queue pair 1. */
export const MAD_PORT = 0xd872

/** Source port by a flow label of 20 bits; both ends use that of the REQ. */
export function portOfFlowLabel(label: number): number {
  return 0xc000 | ((label & 0x3fff) ^ (label >> 14))
}
