/** Parameters of MP-RDMA's recovery, declarations only. */
import { choice, count, duration, ratio, US } from '../../base/params.ts'
import { PATHS_MAX } from './path-table.ts'

export const mpRdmaParams = {
  paths: count({
    default: 128,
    min: 1,
    max: PATHS_MAX,
    help: 'virtual paths of a QP: UDP source ports, drawn from 49152..65535',
    source: '[Survey] V-C: UDP source ports; their number is ours',
  }),
  delta: count({
    default: 32,
    help: 'most packets an ACK may lag behind the furthest one; beyond that its path is cut off',
    source: 'public re-implementations: 32, 64',
  }),
  slots: count({
    default: 64,
    min: 1,
    max: 1 << 16,
    help: "slots of the receiver's bitmap; a packet beyond is refused",
    source: '[Survey] V-C for the bitmap; 64: public re-implementations',
  }),
  probe: ratio({
    default: 0.01,
    help: 'chance, once a round trip, that the next packet takes any path',
    source: 'public re-implementations: 1 %',
  }),
  burst: count({
    default: 2,
    min: 1,
    help: 'most packets that an ACK, or the burst timer, releases',
    source: 'public re-implementations',
  }),
  burstTimer: duration({
    default: 1 * US,
    min: 1,
    help: 'delay of the next burst where an ACK leaves more room than that',
    source: 'a public re-implementation: 1us',
  }),
  synchronise: choice(['none', 'sends', 'all'], {
    default: 'none',
    help: 'messages that wait for what was sent before them, and are refused when they come before it',
    source: "public re-implementations for the flag; which messages have it is the application's affair",
  }),
  trimmed: choice(['nack', 'ignore'], {
    default: 'nack',
    help: 'the header of a packet that a switch has trimmed. nack: this packet alone is requested again; ignore: dropped',
    source: 'ours',
  }),
  synchroniseDelay: ratio({
    default: 1,
    max: 1000,
    help: 'they wait for this times delta packets: times delta * round trip / window, behind the packet before them',
    source: 'public re-implementations: 1',
  }),
}
