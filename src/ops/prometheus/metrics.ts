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

interface Names {
  readonly hosts?: string
  readonly switches?: string
}

/** By neutral name. P is the priority; what follows a brace is labels. */
const NAMES: Readonly<Record<string, Names>> = {
  rateBps: { hosts: 'node_infiniband_rate_bytes_per_second', switches: 'sonic_interface_speed_bytes' },
  rxBytes: { hosts: 'node_ethtool_received_prioP_bytes', switches: 'sonic_priority_group_bytes_total{priority=P}' },
  txBytes: { hosts: 'node_ethtool_transmitted_prioP_bytes', switches: 'sonic_queue_bytes_total{queue=P}' },
  rxPackets: {
    hosts: 'node_ethtool_received_prioP_packets',
    switches: 'sonic_priority_group_packets_total{priority=P}',
  },
  txPackets: { hosts: 'node_ethtool_transmitted_prioP_packets', switches: 'sonic_queue_packets_total{queue=P}' },
  pfcRxFrames: {
    hosts: 'node_ethtool_received_prioP_pause',
    switches: 'sonic_pfc_received_frames_total{priority=P}',
  },
  pfcTxFrames: {
    hosts: 'node_ethtool_transmitted_prioP_pause',
    switches: 'sonic_pfc_transmitted_frames_total{priority=P}',
  },
  pauseRxUs: {
    hosts: 'node_ethtool_received_prioP_pause_duration',
    switches: 'sonic_pfc_received_pause_microseconds_total{priority=P}',
  },
  pauseTxUs: {
    hosts: 'node_ethtool_transmitted_prioP_pause_duration',
    switches: 'sonic_pfc_transmitted_pause_microseconds_total{priority=P}',
  },
  pauseRxTransitions: {
    hosts: 'node_ethtool_received_prioP_pause_transition',
    switches: 'sonic_pfc_received_pause_transitions_total{priority=P}',
  },
  dropIn: {
    hosts: 'node_ethtool_received_prioP_discards',
    switches: 'sonic_priority_group_dropped_packets_total{priority=P}',
  },
  dropOut: { switches: 'sonic_queue_dropped_packets_total{queue=P}' },
  crcErrors: {
    hosts: 'node_ethtool_received_crc_errors_phy',
    switches: 'sonic_interface_receive_errs{type=error}',
  },
  dropInPort: {
    hosts: 'node_ethtool_received_discards_phy',
    switches: 'sonic_interface_receive_errs{type=discard}',
  },
  linkDowns: { hosts: 'node_ethtool_link_down_events_phy', switches: 'sonic_interface_link_down_total' },
  ecnMarked: { switches: 'sonic_queue_ecn_marked_packets_total{queue=P}' },
  sharedMax: { switches: 'sonic_priority_group_shared_watermark_bytes{priority=P}' },
  headroomMax: { switches: 'sonic_priority_group_headroom_watermark_bytes{priority=P}' },
  queueMax: { switches: 'sonic_queue_watermark_bytes_total{queue=P,type=periodic,watermark=shared}' },
  wdStorms: { switches: 'sonic_pfcwd_storms_total{queue=P}' },
  wdRestores: { switches: 'sonic_pfcwd_restores_total{queue=P}' },
  rxBufferHigh: { hosts: 'node_ethtool_received_buffer_passed_thres_phy' },
  stormCutOff: { hosts: 'node_ethtool_transmitted_pause_storm_error_events' },
  ecnSeen: { hosts: 'node_infiniband_np_ecn_marked_roce_packets_received_total' },
  cnpSent: { hosts: 'node_infiniband_np_cnp_packets_sent_total' },
  cnpHandled: { hosts: 'node_infiniband_rp_cnp_packets_handled_total' },
  cnpIgnored: { hosts: 'node_infiniband_rp_cnp_ignored_packets_received_total' },
  outOfSequence: { hosts: 'node_infiniband_out_of_sequence_packets_received_total' },
  seqNaks: { hosts: 'node_infiniband_packet_sequence_errors_total' },
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
  const [name = '', labels = ''] = form.replace('prioP', `prio${priority}`).replace('}', '').split('{')
  const pairs = labels === '' ? [] : labels.split(',').map((label) => label.replace('=P', `=${priority}`).split('='))
  return {
    name,
    // The ethtool collector does not know what a driver counts.
    type: name.startsWith('node_ethtool_') ? 'untyped' : counter.kind === 'sum' ? 'counter' : 'gauge',
    help: counter.help,
    labels: Object.fromEntries(pairs as [string, string][]),
    divisor: DIVISORS[counter.name] ?? 1,
  }
}
