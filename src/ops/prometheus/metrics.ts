/**
 * Metrics: names under which exporters of Prometheus give counters, so that dashboards and alerts for a real fabric work on a
 * simulated one. Hosts are as node_exporter has them: its ethtool collector renames rx and tx of the driver's names, and its
 * infiniband collector has names of its own. Switches are as the SONiC exporter has them (sonic_interface_, sonic_queue_); it
 * has no PFC and no priority groups, which are named here after SONiC's own counters.
 * Sources: node_exporter's ethtool and infiniband collectors, mlx5 counters.rst; vinted/sonic-exporter, sonic-swss.
 */

export interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'untyped'
  readonly help: string
  /** Labels beside the device's and the port's. */
  readonly labels: Readonly<Record<string, string>>
  /** The value is divided by this. */
  readonly divisor: number
}

/** In place of the priority in names and labels. */
const PRIORITY = '$P'

/** A name, and its labels if it has any. */
type Form = string | readonly [string, Readonly<Record<string, string>>]

interface Names {
  readonly hosts?: Form
  readonly switches?: Form
}

/** By neutral name. */
const NAMES: Readonly<Record<string, Names>> = {
  rateBps: { hosts: 'node_infiniband_rate_bytes_per_second', switches: 'sonic_interface_speed_bytes' },
  rxBytes: {
    hosts: 'node_ethtool_received_prio$P_bytes',
    switches: ['sonic_priority_group_bytes_total', { priority: PRIORITY }],
  },
  txBytes: {
    hosts: 'node_ethtool_transmitted_prio$P_bytes',
    switches: ['sonic_queue_bytes_total', { queue: PRIORITY }],
  },
  rxPackets: {
    hosts: 'node_ethtool_received_prio$P_packets',
    switches: ['sonic_priority_group_packets_total', { priority: PRIORITY }],
  },
  txPackets: {
    hosts: 'node_ethtool_transmitted_prio$P_packets',
    switches: ['sonic_queue_packets_total', { queue: PRIORITY }],
  },
  pfcRxFrames: {
    hosts: 'node_ethtool_received_prio$P_pause',
    switches: ['sonic_pfc_received_frames_total', { priority: PRIORITY }],
  },
  pfcTxFrames: {
    hosts: 'node_ethtool_transmitted_prio$P_pause',
    switches: ['sonic_pfc_transmitted_frames_total', { priority: PRIORITY }],
  },
  pauseRxUs: {
    hosts: 'node_ethtool_received_prio$P_pause_duration',
    switches: ['sonic_pfc_received_pause_microseconds_total', { priority: PRIORITY }],
  },
  pauseTxUs: {
    hosts: 'node_ethtool_transmitted_prio$P_pause_duration',
    switches: ['sonic_pfc_transmitted_pause_microseconds_total', { priority: PRIORITY }],
  },
  pauseRxTransitions: {
    hosts: 'node_ethtool_received_prio$P_pause_transition',
    switches: ['sonic_pfc_received_pause_transitions_total', { priority: PRIORITY }],
  },
  globalPauseRxFrames: { hosts: 'node_ethtool_received_global_pause' },
  globalPauseTxFrames: { hosts: 'node_ethtool_transmitted_global_pause' },
  globalPauseRxUs: { hosts: 'node_ethtool_received_global_pause_duration' },
  globalPauseTxUs: { hosts: 'node_ethtool_transmitted_global_pause_duration' },
  dropIn: {
    hosts: 'node_ethtool_received_prio$P_discards',
    switches: ['sonic_priority_group_dropped_packets_total', { priority: PRIORITY }],
  },
  dropOut: { switches: ['sonic_queue_dropped_packets_total', { queue: PRIORITY }] },
  crcErrors: {
    hosts: 'node_ethtool_received_crc_errors_phy',
    switches: ['sonic_interface_receive_errs', { type: 'error' }],
  },
  symbolErrors: { hosts: 'node_ethtool_received_pcs_symbol_err_phy' },
  dropInPort: {
    hosts: 'node_ethtool_received_discards_phy',
    switches: ['sonic_interface_receive_errs', { type: 'discard' }],
  },
  linkDowns: { hosts: 'node_ethtool_link_down_events_phy', switches: 'sonic_interface_link_down_total' },
  ecnMarked: { switches: ['sonic_queue_ecn_marked_packets_total', { queue: PRIORITY }] },
  sharedMax: { switches: ['sonic_priority_group_shared_watermark_bytes', { priority: PRIORITY }] },
  headroomMax: { switches: ['sonic_priority_group_headroom_watermark_bytes', { priority: PRIORITY }] },
  queueMax: {
    switches: ['sonic_queue_watermark_bytes_total', { queue: PRIORITY, type: 'periodic', watermark: 'shared' }],
  },
  wdStorms: { switches: ['sonic_pfcwd_storms_total', { queue: PRIORITY }] },
  wdRestores: { switches: ['sonic_pfcwd_restores_total', { queue: PRIORITY }] },
  rxBufferHigh: { hosts: 'node_ethtool_received_buffer_passed_thres_phy' },
  pcieWriteStallPercent: { hosts: 'node_ethtool_outbound_pci_stalled_wr' },
  pcieWriteStallSeconds: { hosts: 'node_ethtool_outbound_pci_stalled_wr_events' },
  stormWarnings: { hosts: 'node_ethtool_transmitted_pause_storm_warning_events' },
  stormCutOff: { hosts: 'node_ethtool_transmitted_pause_storm_error_events' },
  rdmaRxBytes: { hosts: 'node_infiniband_port_data_received_bytes_total' },
  rdmaTxBytes: { hosts: 'node_infiniband_port_data_transmitted_bytes_total' },
  ecnSeen: { hosts: 'node_infiniband_np_ecn_marked_roce_packets_received_total' },
  cnpSent: { hosts: 'node_infiniband_np_cnp_packets_sent_total' },
  cnpHandled: { hosts: 'node_infiniband_rp_cnp_packets_handled_total' },
  cnpIgnored: { hosts: 'node_infiniband_rp_cnp_ignored_packets_received_total' },
  outOfSequence: { hosts: 'node_infiniband_out_of_sequence_packets_received_total' },
  seqNaks: { hosts: 'node_infiniband_packet_sequence_errors_total' },
  impliedNaks: { hosts: 'node_infiniband_implied_nak_seq_errors_total' },
  ackTimeouts: { hosts: 'node_infiniband_local_ack_timeout_errors_total' },
  retransPackets: { hosts: 'node_infiniband_roce_adp_retransmits_total' },
  duplicates: { hosts: 'node_infiniband_duplicate_requests_packets_total' },
  rnrNaks: { hosts: 'node_infiniband_rnr_nak_retry_packets_received_total' },
  outOfBuffer: { hosts: 'node_infiniband_out_of_buffer_drops_total' },
  retryExceeded: { hosts: 'node_infiniband_req_transport_retries_exceeded_total' },
}

/** Counters that are divided by this, as exporters give bytes where devices give bits. */
const DIVISORS: Readonly<Record<string, number>> = { rateBps: 8 }

/** The metric of a counter of a host or a switch; undefined: exporters have none. */
export function metricOf(
  counter: { readonly name: string; readonly kind: string; readonly help: string },
  kind: keyof Names,
  priority: number,
): Metric | undefined {
  const form = NAMES[counter.name]?.[kind]
  if (form === undefined) return undefined
  const [named, labels] = typeof form === 'string' ? [form, {}] : form
  const filled = (text: string): string => text.replace(PRIORITY, String(priority))
  const name = filled(named)
  return {
    name,
    // The ethtool collector does not know what a driver counts.
    type: name.startsWith('node_ethtool_') ? 'untyped' : counter.kind === 'sum' ? 'counter' : 'gauge',
    help: counter.help,
    labels: Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, filled(text)])),
    divisor: DIVISORS[counter.name] ?? 1,
  }
}
