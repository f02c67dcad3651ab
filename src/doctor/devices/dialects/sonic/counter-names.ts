/**
 * Names of SONiC's counters, in COUNTERS_DB and in the tables of its commands, and the neutral ones. All are 64 bits wide.
 * Priorities are numbers of queues and groups there: those of the classes, where no map says otherwise.
 * Sources: saiport.h, saiqueue.h, saibuffer.h; sonic-swss, orchagent (flex counters); sonic-utilities (portstat, queuestat,
 * pfcstat, watermarkstat, pg-drop, wredstat).
 */

/** A counter of COUNTERS_DB. Of several names the first one that is there counts; P is a priority. */
export interface StoredCounter {
  readonly name: string
  readonly from: readonly string[]
  /** Added, if it is there. */
  readonly plus?: string
}

export const OF_PORTS: readonly StoredCounter[] = [
  { name: 'rxBytes', from: ['SAI_PORT_STAT_IF_IN_OCTETS'] },
  { name: 'txBytes', from: ['SAI_PORT_STAT_IF_OUT_OCTETS'] },
  { name: 'rxPackets', from: ['SAI_PORT_STAT_IF_IN_UCAST_PKTS'], plus: 'SAI_PORT_STAT_IF_IN_NON_UCAST_PKTS' },
  { name: 'txPackets', from: ['SAI_PORT_STAT_IF_OUT_UCAST_PKTS'], plus: 'SAI_PORT_STAT_IF_OUT_NON_UCAST_PKTS' },
  { name: 'crcErrors', from: ['SAI_PORT_STAT_IF_IN_ERRORS'] },
  { name: 'dropInPort', from: ['SAI_PORT_STAT_IF_IN_DISCARDS'] },
  { name: 'dropOut', from: ['SAI_PORT_STAT_IF_OUT_DISCARDS'] },
]

/** SAI_PORT_STAT_PFC_P_RX_PAUSE_DURATION is not here: it is in quanta on some chips, in microseconds on others. */
export const OF_PORT_PRIORITIES: readonly StoredCounter[] = [
  { name: 'pfcRxFrames', from: ['SAI_PORT_STAT_PFC_P_RX_PKTS'] },
  { name: 'pfcTxFrames', from: ['SAI_PORT_STAT_PFC_P_TX_PKTS'] },
  {
    name: 'pauseRxUs',
    from: ['SAI_PORT_STAT_PFC_P_RX_PAUSE_DURATION_US', 'EST_PORT_STAT_PFC_P_RX_PAUSE_DURATION_US'],
  },
  { name: 'pauseTxUs', from: ['SAI_PORT_STAT_PFC_P_TX_PAUSE_DURATION_US'] },
  {
    name: 'pauseRxTransitions',
    from: ['SAI_PORT_STAT_PFC_P_ON2OFF_RX_PKTS', 'EST_PORT_STAT_PFC_P_ON2OFF_RX_PKTS'],
  },
]

export const OF_QUEUES: readonly StoredCounter[] = [
  { name: 'txPackets', from: ['SAI_QUEUE_STAT_PACKETS'] },
  { name: 'txBytes', from: ['SAI_QUEUE_STAT_BYTES'] },
  { name: 'dropOut', from: ['SAI_QUEUE_STAT_DROPPED_PACKETS'] },
  { name: 'ecnMarked', from: ['SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS'] },
  { name: 'queueMax', from: ['SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES'] },
  { name: 'wdStorms', from: ['PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED'] },
  { name: 'wdRestores', from: ['PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED'] },
]

export const OF_GROUPS: readonly StoredCounter[] = [
  { name: 'rxPackets', from: ['SAI_INGRESS_PRIORITY_GROUP_STAT_PACKETS'] },
  { name: 'rxBytes', from: ['SAI_INGRESS_PRIORITY_GROUP_STAT_BYTES'] },
  { name: 'dropIn', from: ['SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS'] },
  { name: 'sharedMax', from: ['SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES'] },
  { name: 'headroomMax', from: ['SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES'] },
]

/** A table of a command with a row for each port and a column for each priority. */
export interface PriorityColumns {
  /** Name of the first column. */
  readonly first: string
  /** Begin of the line above the table; '': any. */
  readonly title: string
  /** Begin of the name of a column, before its priority. */
  readonly column: string
  readonly name: string
}

export const PRIORITY_COLUMNS: readonly PriorityColumns[] = [
  { first: 'Port Rx', title: '', column: 'PFC', name: 'pfcRxFrames' },
  { first: 'Port Tx', title: '', column: 'PFC', name: 'pfcTxFrames' },
  { first: 'Port', title: 'Ingress headroom per PG', column: 'PG', name: 'headroomMax' },
  { first: 'Port', title: 'Ingress shared pool occupancy per PG', column: 'PG', name: 'sharedMax' },
  { first: 'Port', title: 'Ingress PG dropped packets', column: 'PG', name: 'dropIn' },
  { first: 'Port', title: 'Egress shared pool occupancy per unicast queue', column: 'UC', name: 'queueMax' },
]

/** A table of a command with a row for each port, or for each priority of a port, and a column for each counter. */
export interface CounterColumns {
  readonly port: string
  /** Column of the priority, and what stands before it there; '': the counters are of ports. */
  readonly priority: string
  readonly prefix: string
  /** Neutral names by names of columns. */
  readonly columns: Readonly<Record<string, string>>
}

export const COUNTER_COLUMNS: readonly CounterColumns[] = [
  {
    port: 'IFACE',
    priority: '',
    prefix: '',
    columns: { RX_OK: 'rxPackets', RX_ERR: 'crcErrors', RX_DRP: 'dropInPort', TX_OK: 'txPackets', TX_DRP: 'dropOut' },
  },
  {
    port: 'Port',
    priority: 'TxQ',
    prefix: 'UC',
    columns: {
      'Counter/pkts': 'txPackets',
      'Counter/bytes': 'txBytes',
      'Drop/pkts': 'dropOut',
      'WredDrp/pkts': 'dropOut',
      'EcnMarked/pkts': 'ecnMarked',
    },
  },
  {
    port: 'Port',
    priority: 'Priority',
    prefix: 'PFC',
    columns: { 'RX Pause Transitions': 'pauseRxTransitions', 'Total RX Pause Time US': 'pauseRxUs' },
  },
]
