/**
 * Names: counters of hosts as their drivers name them, for reading and for writing.
 * A vendor has what is here and nothing else. Left out are
 * - all 802.3x and PFC frames together (rx_pause_ctrl_phy), and PFC frames of all priorities where they are counted by
 *   priority, too (rx_pfc_frames): they would be counted twice;
 * - rx_out_of_buffer of ethtool: packets of the kernel's queues, not of queue pairs. The RDMA device has its own;
 * - counters by hardware queue (rx_bytes_cos0), which only the map of queues assigns to priorities; drops are summed up;
 * - tx_discards_phy, rx_roce_discards, corrected bits, frames that are too long, PCIe reads, ends of pauses that were sent:
 *   nothing is concluded from them;
 * - names of mlx5 in Broadcom's own driver, but for CNPs and marks: they do not count what they count at mlx5;
 * - port_xmit_wait, and errors in `counters` of sysfs: they stop at their highest value, and ethtool has them whole;
 * - counters of one queue ("[0]: rx_bytes", "rxq0: rx_bytes"), which are never those of the port;
 * - cc_rx_cnp_pkts and its like, rx_vport_rdma_unicast_bytes: the same as other counters here.
 * Sources: Linux, mlx5 counters.rst, mlx5_ib counters.c, bnxt_ethtool.c, bnxt_re hw_counters.c, ionic_stats.c, ice_ethtool.c,
 * irdma verbs.c, mana counters.c, rxe_hw_counters.c, i40e_ethtool.c, be_ethtool.c, bnx2x_ethtool.c; AMD's ionic RDMA driver; NVIDIA Cumulus Linux User Guide, "ethtool Counter Definitions".
 */

/** Stands for the priority. */
export const PRIORITY_SIGN = '#'

/** One counter of a driver. */
export interface VendorCounter {
  /** As in COUNTERS (model/counters.ts). */
  readonly name: string
  /** As the driver names it. Several: they are added up, and only if all are there. */
  readonly vendor: readonly string[]
  /** It starts again at 0 after 2 to this power. */
  readonly bits: number
  /** Value in neutral units of 1 in the driver's. */
  readonly factor: number
}

export interface Driver {
  readonly name: string
  /** That it counts for; hosts where nothing is said. */
  readonly devices?: 'switch'
  /** A name that no other driver has. */
  readonly sign: RegExp
  /** Where two have one neutral name, the first that is there counts. */
  readonly counters: readonly VendorCounter[]
  /** Whether it stands for drivers that are not known, of which some names are certain: the others are not understood. */
  readonly isAny?: true
  /** A name near its end, without which a list is not whole. */
  readonly end?: { readonly sign: RegExp; readonly name: string }
}

const of = (name: string, ...vendor: readonly string[]): VendorCounter => ({ name, vendor, bits: 64, factor: 1 })
const narrow = (bits: number, name: string, vendor: string): VendorCounter => ({ ...of(name, vendor), bits })
const words = (name: string, vendor: string): VendorCounter => ({ ...of(name, vendor), factor: 4 })

/** ethtool -S. */
export const PORT_DRIVERS: readonly Driver[] = [
  {
    name: 'mlx5',
    sign: /_phy$|^[rt]x_prio\d_|^[rt]x_vport_/,
    end: { sign: /^module_/, name: 'module_bus_stuck' },
    counters: [
      of('rxBytes', 'rx_prio#_bytes'),
      of('txBytes', 'tx_prio#_bytes'),
      of('rxPackets', 'rx_prio#_packets'),
      of('txPackets', 'tx_prio#_packets'),
      of('pfcRxFrames', 'rx_prio#_pause'),
      of('pfcTxFrames', 'tx_prio#_pause'),
      of('pauseRxUs', 'rx_prio#_pause_duration'),
      of('pauseTxUs', 'tx_prio#_pause_duration'),
      of('pauseRxTransitions', 'rx_prio#_pause_transition'),
      of('dropIn', 'rx_prio#_discards'),
      of('globalPauseRxFrames', 'rx_global_pause'),
      of('globalPauseTxFrames', 'tx_global_pause'),
      of('globalPauseRxUs', 'rx_global_pause_duration'),
      of('globalPauseTxUs', 'tx_global_pause_duration'),
      of('crcErrors', 'rx_crc_errors_phy'),
      of('symbolErrors', 'rx_pcs_symbol_err_phy'),
      of('symbolErrors', 'rx_symbol_err_phy'),
      of('dropInPort', 'rx_discards_phy'),
      of('linkDowns', 'link_down_events_phy'),
      of('rxBufferHigh', 'rx_buffer_passed_thres_phy'),
      of('pcieWriteStallPercent', 'outbound_pci_stalled_wr'),
      of('pcieWriteStallSeconds', 'outbound_pci_stalled_wr_events'),
      of('stormWarnings', 'tx_pause_storm_warning_events'),
      of('stormCutOff', 'tx_pause_storm_error_events'),
    ],
  },
  {
    name: 'bnxt',
    sign: /^[rt]x_pfc_ena_frames_|^pfc_pri\d_|^[rt]x_(?:bytes|packets)_(?:pri|cos)\d$|^rx_good_frames$/,
    counters: [
      of('rxBytes', 'rx_bytes_pri#'),
      of('txBytes', 'tx_bytes_pri#'),
      of('rxPackets', 'rx_packets_pri#'),
      of('txPackets', 'tx_packets_pri#'),
      of('pfcRxFrames', 'rx_pfc_ena_frames_pri#'),
      of('pfcTxFrames', 'tx_pfc_ena_frames_pri#'),
      of('pauseRxUs', 'pfc_pri#_rx_duration_us'),
      of('pauseTxUs', 'pfc_pri#_tx_duration_us'),
      of('pauseRxTransitions', 'pfc_pri#_rx_transitions'),
      of('globalPauseRxFrames', 'rx_pause_frames'),
      of('globalPauseTxFrames', 'tx_pause_frames'),
      of('crcErrors', 'rx_fcs_err_frames'),
      of('symbolErrors', 'rx_pcs_symbol_err'),
      of('dropInPort', ...Array.from({ length: 8 }, (_, queue) => `rx_discard_packets_cos${queue}`)),
      of('linkDowns', 'link_down_events'),
      of('rxBufferHigh', 'rx_buffer_passed_threshold'),
      of('stormWarnings', 'continuous_roce_pause_events', 'continuous_pause_events'),
    ],
  },
  {
    name: 'ionic',
    sign: /^frames_[rt]x_|^[rt]x_pripause_\d_/,
    counters: [
      of('rxPackets', 'frames_rx_pri_#'),
      of('txPackets', 'frames_tx_pri_#'),
      of('pauseRxUs', 'rx_pripause_#_1us_count'),
      of('pauseTxUs', 'tx_pripause_#_1us_count'),
      of('portRxBytes', 'octets_rx_ok'),
      of('portTxBytes', 'octets_tx_ok'),
      of('portPfcRxFrames', 'frames_rx_pripause'),
      of('portPfcTxFrames', 'frames_tx_pripause'),
      of('globalPauseRxFrames', 'frames_rx_pause'),
      of('globalPauseTxFrames', 'frames_tx_pause'),
      of('globalPauseRxUs', 'rx_pause_1us_count'),
      of('crcErrors', 'frames_rx_bad_fcs'),
      of('stompedFrames', 'frames_rx_stomped_crc'),
      of('dropInPort', 'frames_rx_dropped'),
    ],
  },
  {
    name: 'ice',
    sign: /\.nic$/,
    counters: [
      of('pfcRxFrames', 'rx_priority_#_xoff.nic', 'rx_priority_#_xon.nic'),
      of('pfcTxFrames', 'tx_priority_#_xoff.nic', 'tx_priority_#_xon.nic'),
      of('portRxBytes', 'rx_bytes.nic'),
      of('portTxBytes', 'tx_bytes.nic'),
      of('globalPauseRxFrames', 'link_xoff_rx.nic', 'link_xon_rx.nic'),
      of('globalPauseTxFrames', 'link_xoff_tx.nic', 'link_xon_tx.nic'),
      of('crcErrors', 'rx_crc_errors.nic'),
      of('dropInPort', 'rx_dropped.nic'),
    ],
  },
  {
    name: 'cumulus',
    devices: 'switch',
    sign: /^HwIf(?:In|Out)/,
    counters: [
      of('pfcRxFrames', 'HwIfInPfc#Pkt'),
      of('pfcTxFrames', 'HwIfOutPfc#Pkt'),
      of('portRxBytes', 'HwIfInOctets'),
      of('portTxBytes', 'HwIfOutOctets'),
      of('globalPauseRxFrames', 'HwIfInPausePkt'),
      of('globalPauseTxFrames', 'HwIfOutPausePkt'),
      of('crcErrors', 'HwIfInErrors'),
      of('dropInPort', 'HwIfInDiscards'),
    ],
  },
  {
    name: 'i40e',
    sign: /^port\.(?:[rt]x_priority_\d_x|rx_crc_errors$)/,
    counters: [
      of('pfcRxFrames', 'port.rx_priority_#_xoff', 'port.rx_priority_#_xon'),
      of('pfcTxFrames', 'port.tx_priority_#_xoff', 'port.tx_priority_#_xon'),
      of('portRxBytes', 'port.rx_bytes'),
      of('portTxBytes', 'port.tx_bytes'),
      of('globalPauseRxFrames', 'port.link_xoff_rx', 'port.link_xon_rx'),
      of('globalPauseTxFrames', 'port.link_xoff_tx', 'port.link_xon_tx'),
      of('crcErrors', 'port.rx_crc_errors'),
    ],
  },
  {
    // be2net, bnx2x and others: names that mean the same wherever they are.
    name: 'any',
    isAny: true,
    sign: /^(?:rx_crc_errors|[rt]x_pause_?frames)$/,
    counters: [
      of('globalPauseRxFrames', 'rx_pause_frames'),
      of('globalPauseTxFrames', 'tx_pause_frames'),
      of('globalPauseTxFrames', 'tx_pauseframes'),
      of('crcErrors', 'rx_crc_errors'),
      of('portPfcRxFrames', 'pfc_frames_received'),
      of('portPfcRxFrames', 'rx_priority_pause_frames'),
      of('portPfcTxFrames', 'pfc_frames_sent'),
      of('portPfcTxFrames', 'tx_priority_pauseframes'),
    ],
  },
]

/** Bytes of the RDMA device, in `counters` of sysfs whatever the driver is. */
export const DATA: readonly VendorCounter[] = [
  words('rdmaRxBytes', 'port_rcv_data'),
  words('rdmaTxBytes', 'port_xmit_data'),
]

/** hw_counters of sysfs, and rdma statistic. The driver whose names others use, too, comes last. */
export const RDMA_DRIVERS: readonly Driver[] = [
  {
    name: 'bnxt',
    sign: /^(?:oos_drop_count|seq_err_naks_rcvd|to_retransmits|max_retry_exceeded|[rt]x_cnp_pkts)$/,
    counters: [
      of('ecnSeen', 'rx_ecn_marked_pkts'),
      of('ecnSeen', 'np_ecn_marked_roce_packets'),
      of('cnpSent', 'tx_cnp_pkts'),
      of('cnpSent', 'np_cnp_sent'),
      of('cnpHandled', 'rx_cnp_pkts'),
      of('cnpHandled', 'rp_cnp_handled'),
      of('outOfSequence', 'oos_drop_count'),
      of('seqNaks', 'seq_err_naks_rcvd'),
      of('ackTimeouts', 'to_retransmits'),
      of('duplicates', 'dup_req'),
      of('rnrNaks', 'rnr_naks_rcvd'),
      of('outOfBuffer', 'rx_out_of_buffer'),
      of('retryExceeded', 'max_retry_exceeded'),
    ],
  },
  {
    name: 'ionic',
    sign: /^[rt]x_rdma_/,
    counters: [
      of('ecnSeen', 'rx_rdma_ecn_pkts'),
      of('cnpSent', 'tx_rdma_cnp_pkts'),
      of('cnpHandled', 'rx_rdma_cnp_pkts'),
      of('outOfSequence', 'resp_rx_outouf_seq'),
      of('seqNaks', 'req_rx_pkt_seq_err'),
      of('impliedNaks', 'req_rx_impl_nak_seq_err'),
      of('ackTimeouts', 'tx_rdma_ack_timeout'),
      of('retransPackets', 'tx_rdma_retx_pkts'),
      of('retryExceeded', 'req_tx_retry_excd_err'),
    ],
  },
  {
    name: 'ice',
    sign: /^(?:RxECNMrkd|RxUDP|TxUDP|cnpSent|cnpHandled|cnpIgnored)$/,
    counters: [
      narrow(48, 'ecnSeen', 'RxECNMrkd'),
      narrow(32, 'cnpSent', 'cnpSent'),
      narrow(32, 'cnpHandled', 'cnpHandled'),
      narrow(16, 'cnpIgnored', 'cnpIgnored'),
    ],
  },
  {
    name: 'mana',
    sign: /^(?:requester|responder)_/,
    counters: [
      of('cnpHandled', 'received_cnps'),
      of('outOfSequence', 'responder_oos'),
      of('seqNaks', 'requester_oos_nak'),
      of('impliedNaks', 'requester_implicit_nak'),
      of('ackTimeouts', 'requester_timeout'),
      of('duplicates', 'responder_dup_request'),
      of('rnrNaks', 'requester_rnr_nak'),
      of('retryExceeded', 'requester_retries_exceeded'),
    ],
  },
  {
    name: 'rxe',
    sign: /^(?:rcvd_pkts|completer_retry_err|out_of_seq_request)$/,
    counters: [
      of('outOfSequence', 'out_of_seq_request'),
      of('seqNaks', 'rcvd_seq_err'),
      of('duplicates', 'duplicate_request'),
      of('rnrNaks', 'rcvd_rnr_err'),
      of('retryExceeded', 'retry_exceeded_err'),
    ],
  },
  {
    name: 'mlx5',
    sign: /^(?:[nr]p_|out_of_|packet_seq_err|implied_nak_|local_ack_timeout_|duplicate_request|rnr_nak_|req_|resp_|rx_(?:write|read|atomic)_requests|roce_|rx_icrc_|lifespan)/,
    counters: [
      narrow(32, 'ecnSeen', 'np_ecn_marked_roce_packets'),
      narrow(32, 'cnpSent', 'np_cnp_sent'),
      narrow(32, 'cnpHandled', 'rp_cnp_handled'),
      narrow(32, 'cnpIgnored', 'rp_cnp_ignored'),
      narrow(32, 'outOfSequence', 'out_of_sequence'),
      narrow(32, 'seqNaks', 'packet_seq_err'),
      narrow(32, 'impliedNaks', 'implied_nak_seq_err'),
      narrow(32, 'ackTimeouts', 'local_ack_timeout_err'),
      narrow(32, 'adaptiveRetries', 'roce_adp_retrans'),
      narrow(32, 'slowRestarts', 'roce_slow_restart_cnps'),
      narrow(32, 'duplicates', 'duplicate_request'),
      narrow(32, 'rnrNaks', 'rnr_nak_retry_err'),
      narrow(32, 'outOfBuffer', 'out_of_buffer'),
      narrow(32, 'retryExceeded', 'req_transport_retries_exceeded'),
    ],
  },
]
