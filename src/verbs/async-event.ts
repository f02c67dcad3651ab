/**
 * Asynchronous events of a device: what happens to queue pairs and no completion tells. An application polls them.
 * Source: IBTA 11.6.3; the names in brackets are libibverbs'. Those of shared receive queues and completion queues are
 * asked of the queues (isLow, overruns).
 */

export type AsyncEventKind =
  /** A packet was taken before this end was ready to send (IBV_EVENT_COMM_EST). */
  | 'communication established'
  /** The send queue is being drained, and what had begun is done (IBV_EVENT_SQ_DRAINED). */
  | 'send queue drained'
  /** It refused a request that was none, and is in the error state (IBV_EVENT_QP_REQ_ERR). */
  | 'request error'
  /** It refused a request without the rights, and is in the error state (IBV_EVENT_QP_ACCESS_ERR). */
  | 'access error'
  /** Something else took it to the error state: no answers to its responses, a CQE lost, a Receive WQE at fault (IBV_EVENT_QP_FATAL). */
  | 'fatal'
  /** It is in the error state and takes no more from its shared receive queue (IBV_EVENT_QP_LAST_WQE_REACHED). */
  | 'last WQE reached'

export interface AsyncEvent {
  readonly kind: AsyncEventKind
  /** Number of the queue pair. */
  readonly qp: number
}
