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
const PRIORITY = '#'

/** A name, and its labels if it has any. */
type Form = string | readonly [string, Readonly<Record<string, string>>]

const ofGroup = (name: string): Form => [`sonic_priority_group_${name}`, { priority: PRIORITY }]
const ofQueue = (name: string): Form => [`sonic_queue_${name}`, { queue: PRIORITY }]
const ofPfc = (name: string): Form => [`sonic_pfc_${name}`, { priority: PRIORITY }]

/** Names at switches, by neutral name. */
const SWITCHES: Readonly<Record<string, Form>> = {
  rateBps: 'sonic_interface_speed_bytes',
  rxBytes: ofGroup('bytes_total'),
  txBytes: ofQueue('bytes_total'),
  rxPackets: ofGroup('packets_total'),
  txPackets: ofQueue('packets_total'),
  pfcRxFrames: ofPfc('received_frames_total'),
  pfcTxFrames: ofPfc('transmitted_frames_total'),
  pauseRxUs: ofPfc('received_pause_microseconds_total'),
  pauseTxUs: ofPfc('transmitted_pause_microseconds_total'),
  pauseRxTransitions: ofPfc('received_pause_transitions_total'),
  dropIn: ofGroup('dropped_packets_total'),
  dropOut: ofQueue('dropped_packets_total'),
  crcErrors: ['sonic_interface_receive_errs', { type: 'error' }],
  dropInPort: ['sonic_interface_receive_errs', { type: 'discard' }],
  linkDowns: 'sonic_interface_link_down_total',
  ecnMarked: ofQueue('ecn_marked_packets_total'),
  sharedMax: ofGroup('shared_watermark_bytes'),
  headroomMax: ofGroup('headroom_watermark_bytes'),
  queueMax: ['sonic_queue_watermark_bytes_total', { queue: PRIORITY, type: 'periodic', watermark: 'shared' }],
  wdStorms: ['sonic_pfcwd_storms_total', { queue: PRIORITY }],
  wdRestores: ['sonic_pfcwd_restores_total', { queue: PRIORITY }],
}

/** Names of the infiniband collector, behind "node_infiniband_". */
const INFINIBAND = {
  rateBps: 'rate_bytes_per_second',
  rdmaRxBytes: 'port_data_received_bytes_total',
  rdmaTxBytes: 'port_data_transmitted_bytes_total',
  ecnSeen: 'np_ecn_marked_roce_packets_received_total',
  cnpSent: 'np_cnp_packets_sent_total',
  cnpHandled: 'rp_cnp_packets_handled_total',
  cnpIgnored: 'rp_cnp_ignored_packets_received_total',
  outOfSequence: 'out_of_sequence_packets_received_total',
  seqNaks: 'packet_sequence_errors_total',
  impliedNaks: 'implied_nak_seq_errors_total',
  ackTimeouts: 'local_ack_timeout_errors_total',
  adaptiveRetries: 'roce_adp_retransmits_total',
  slowRestarts: 'roce_slow_restart_cnps_total',
  duplicates: 'duplicate_requests_packets_total',
  rnrNaks: 'rnr_nak_retry_packets_received_total',
  outOfBuffer: 'out_of_buffer_drops_total',
  retryExceeded: 'req_transport_retries_exceeded_total',
}

/** Names of the ethtool collector, behind "node_ethtool_": as mlx5 has them, with rx and tx written out. */
const ETHTOOL = {
  rxBytes: 'received_prio#_bytes',
  txBytes: 'transmitted_prio#_bytes',
  rxPackets: 'received_prio#_packets',
  txPackets: 'transmitted_prio#_packets',
  pfcRxFrames: 'received_prio#_pause',
  pfcTxFrames: 'transmitted_prio#_pause',
  pauseRxUs: 'received_prio#_pause_duration',
  pauseTxUs: 'transmitted_prio#_pause_duration',
  pauseRxTransitions: 'received_prio#_pause_transition',
  globalPauseRxFrames: 'received_global_pause',
  globalPauseTxFrames: 'transmitted_global_pause',
  globalPauseRxUs: 'received_global_pause_duration',
  globalPauseTxUs: 'transmitted_global_pause_duration',
  dropIn: 'received_prio#_discards',
  crcErrors: 'received_crc_errors_phy',
  symbolErrors: 'received_pcs_symbol_err_phy',
  dropInPort: 'received_discards_phy',
  linkDowns: 'link_down_events_phy',
  rxBufferHigh: 'received_buffer_passed_thres_phy',
  pcieWriteStallPercent: 'outbound_pci_stalled_wr',
  pcieWriteStallSeconds: 'outbound_pci_stalled_wr_events',
  stormWarnings: 'transmitted_pause_storm_warning_events',
  stormCutOff: 'transmitted_pause_storm_error_events',
}

const prefixed = (prefix: string, names: Readonly<Record<string, string>>): [string, Form][] =>
  Object.entries(names).map(([name, metric]) => [name, `${prefix}${metric}`])
const HOSTS: Readonly<Record<string, Form>> = Object.fromEntries([
  ...prefixed('node_ethtool_', ETHTOOL),
  ...prefixed('node_infiniband_', INFINIBAND),
])

/** Counters that are divided by this, as exporters give bytes where devices give bits. */
const DIVISORS: Readonly<Record<string, number>> = { rateBps: 8 }

/** The metric of a counter of a host or a switch; undefined: exporters have none. */
export function metricOf(
  counter: { readonly name: string; readonly kind: string; readonly help: string },
  kind: 'hosts' | 'switches',
  priority: number,
): Metric | undefined {
  const form = (kind === 'hosts' ? HOSTS : SWITCHES)[counter.name]
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
