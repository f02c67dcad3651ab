/**
 * Rows of [Survey]'s Tables I to III as printed in the paper, cell by cell; "-" stands for the dash of a scheme that is
 * available in products. A cell of Table I's first column spans the rows below it.
 * Source: [Survey] section VI, Tables I, II and III.
 */
import type { Survey, SurveyRow } from '../../src/papers/survey/schemes.ts'

export interface PrintedRow {
  readonly detection: readonly [category: string, method: string, location: string]
  readonly notification: readonly [signaling: string, location: string]
  readonly adjustment: readonly [unit: string, increase: string, decrease: string, location: string]
  readonly performance: readonly [granularity: string, quickStart: boolean]
  readonly components: readonly [implementation: string, resource: string, pfcDependency: boolean]
}

export const PRINTED_ROWS: Readonly<Record<SurveyRow, PrintedRow>> = {
  RoCE: {
    detection: ['Traditional RDMA', 'PFC', 'NIC'],
    notification: ['Pause', 'Switch, NIC'],
    adjustment: ['Sending rate', 'RESUME frame', 'PAUSE frame', 'NIC'],
    performance: ['Per-queue', true],
    components: ['-', 'NIC', true],
  },
  iWARP: {
    detection: ['Traditional RDMA', 'Packet loss', 'NIC'],
    notification: ['ACK', 'NIC'],
    adjustment: ['Congestion window', 'Congestion window+1', 'Congestion window/2', 'NIC'],
    performance: ['Per-flow', false],
    components: ['-', 'NIC', false],
  },
  DCTCP: {
    detection: ['Traditional DCN', 'ECN, packet loss', 'Kernel'],
    notification: ['ECN-marked ACK', 'Kernel'],
    adjustment: ['Congestion window', 'Congestion window+1', 'Congestion severity α', 'Kernel'],
    performance: ['Per-flow', false],
    components: ['ECN-enabled Switch, Kernel', 'Kernel', false],
  },
  TIMELY: {
    detection: ['Traditional DCN', 'RTT gradient, PFC', 'Application'],
    notification: ['PFC', 'Switch, NIC'],
    adjustment: [
      'Sending rate',
      'additive increase, gradient-based decrease, multiplicative increase',
      'gradient-based decrease, multiplicative decrease',
      'Application',
    ],
    performance: ['Per-flow', true],
    components: ['Application, NIC, Switch', 'Application, NIC', true],
  },
  DCQCN: {
    detection: ['RDMA-enabled DCN', 'ECN, PFC', 'NIC'],
    notification: ['CNP, PFC', 'Switch, NIC'],
    adjustment: ['Sending rate', 'QCN', 'Congestion severity α', 'NIC'],
    performance: ['Per-flow', true],
    components: ['ECN-enabled Switch, NIC', 'NIC', true],
  },
  'MP-RDMA': {
    detection: ['RDMA-enabled DCN', 'ECN, PFC', 'FPGA'],
    notification: ['MP-RDMA ACK, PFC', 'NIC+FPGA, Switch, NIC'],
    adjustment: ['Congestion window', 'Congestion window+1/(Congestion window)', 'Congestion window-1/2', 'FPGA'],
    performance: ['Per-flow', true],
    components: ['ECN-enabled Switch, NIC+FPGA', 'NIC+FPGA', true],
  },
  IRN: {
    detection: ['RDMA-enabled DCN', 'Packet loss', 'FPGA'],
    notification: ['NACK', 'NIC+FPGA'],
    adjustment: ['Sending rate', 'Bounded by bandwidth-delay product', 'Bounded by bandwidth-delay product', 'FPGA'],
    performance: ['Per-flow', true],
    components: ['NIC+FPGA', 'NIC+FPGA', false],
  },
}

/** A declaration in the form of the paper's row. */
export function rowOf(survey: Survey): PrintedRow {
  const { detection, notification, adjustment } = survey
  const joined = (words: readonly string[]): string => words.join(', ')
  return {
    detection: [survey.category, joined(detection.methods), joined(detection.locations)],
    notification: [joined(notification.signals), joined(notification.locations)],
    adjustment: [
      adjustment.unit,
      joined(adjustment.increase),
      joined(adjustment.decrease),
      joined(adjustment.locations),
    ],
    performance: [survey.granularity, survey.quickStart],
    components: [joined(survey.implementation) || '-', joined(survey.resources), survey.pfcDependency],
  }
}

export const lowerCase = (row: unknown): string => JSON.stringify(row).toLowerCase()
