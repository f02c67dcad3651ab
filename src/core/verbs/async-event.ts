/**
 * Asynchronous events of a device: changes of a queue pair that no completion reports. An application polls them.
 * Source: IBTA 11.6.3; the names in brackets are libibverbs'. Shared receive queues and completion queues report theirs
 * themselves (isLow, overruns).
 */

export type AsyncEventKind =
  /** A request arrived and was accepted before this end was ready to send (IBV_EVENT_COMM_EST). */
  | 'communication established'
  /** The send queue is in the drain state and all requests that had started are complete (IBV_EVENT_SQ_DRAINED). */
  | 'send queue drained'
  /** The responder refused an invalid request; the queue pair is in the error state (IBV_EVENT_QP_REQ_ERR). */
  | 'request error'
  /**
   * The responder refused a request without access rights; the queue pair is in the error state
   * (IBV_EVENT_QP_ACCESS_ERR).
   */
  | 'access error'
  /**
   * Another cause of the error state: responses never acknowledged, a CQE lost, a Receive WQE at fault
   * (IBV_EVENT_QP_FATAL).
   */
  | 'fatal'
  /**
   * The queue pair is in the error state and takes no more WQEs from its shared receive queue
   * (IBV_EVENT_QP_LAST_WQE_REACHED).
   */
  | 'last WQE reached'

export interface AsyncEvent {
  readonly kind: AsyncEventKind
  /** Number of the queue pair. */
  readonly qp: number
}
