/**
 * Bench of jobs on an idle switch: runs them, and says what their messages take by formulas that know of no simulator.
 * T1(s) is the time of a message of s bytes alone, tau(s) its time on one link.
 */
import { InputError } from '../core/base/issue.ts'
import { numbersOf, type Result, tableOfKind, textsOf } from '../core/results/index.ts'
import { parseScenario } from './scenario/index.ts'
import { run } from './index.ts'

export const RATE_BPS = 400e9
const PAYLOAD = 4096
/** Headers, preamble and gap of a packet, and what the first packet of a WRITE has more. */
const OVERHEAD = 82
const FIRST = 16
const LINKS = 2
export const MIB = 2 ** 20
/** Propagation of all links, ps. */
const DELAY_PS = 2 * 500e3
const BUFFER = 'switch.buffer={kind: shared-buffer, size: 4GiB, alpha: 128, egressAlpha: 128}'

export interface Case {
  readonly n?: number
  readonly sizeBytes: number
  readonly h?: number
  /** Packets per ACK; 0: none, and a send is done when its message is there. */
  readonly acks?: number
  readonly set?: readonly string[]
  readonly more?: string
}

/** Runs a job on one switch with n hosts, under all laws. @param job its kind and params, in YAML */
export function runJob(job: string, { n = 8, acks = 0, set = [] }: Omit<Case, 'sizeBytes' | 'more'> = {}): Result {
  const sets = [
    `topology={kind: star, hosts: ${n}, linkRate: 400Gbps, linkDelay: 500ns}`,
    `frames.payload=${PAYLOAD}B`,
    `qp.ackInterval=${acks}`,
    BUFFER,
    ...set,
  ]
  return run(parseScenario(`workload: [{${job}}]`, { sets }), { check: true })
}

/** Runs a collective. @param name of operation and algorithm: "all-reduce/ring" */
export function runCollective(name: string, { sizeBytes, h = 0, more = '', ...rest }: Case): Result {
  const [operation, algorithm] = name.split('/')
  const how = `operation: ${operation}, algorithm: ${algorithm}, size: ${sizeBytes}B, stepTime: ${h}ps`
  return runJob(`kind: collective, ${how}, ${more}`, rest)
}

/** Times of the rounds, ps. */
export function times(result: Result): number[] {
  const table = tableOfKind(result, 'collectives')!
  const [start, end] = [numbersOf(table, 'startPs'), numbersOf(table, 'donePs')]
  return Array.from({ length: table.rowCount }, (_, row) => end[row]! - start[row]!)
}

/** On one link, ps. */
export function tau(sizeBytes: number): number {
  const packets = Math.max(1, Math.ceil(sizeBytes / PAYLOAD))
  return ((sizeBytes + packets * OVERHEAD + FIRST) * 8e12) / RATE_BPS
}

export function alone(sizeBytes: number): number {
  const packets = Math.ceil(sizeBytes / PAYLOAD)
  const largest = Math.max(Math.min(sizeBytes, PAYLOAD) + FIRST, packets > 2 ? PAYLOAD : 0) + OVERHEAD
  return tau(sizeBytes) + ((LINKS - 1) * largest * 8e12) / RATE_BPS + DELAY_PS
}

/** Room of the opposite direction's ACKs on the link of a message. */
export function ackRoom(sizeBytes: number, acks: number): number {
  return acks === 0 ? 0 : (8e12 * 84 * Math.ceil(Math.ceil(sizeBytes / PAYLOAD) / acks)) / RATE_BPS
}

/** Bytes by host, as sent. */
export function sentOf({ flows }: Result, n: number): number[] {
  return sumsBy(flows, 'source', n)
}

/** Bytes by host, as received. */
export function receivedOf({ flows }: Result, n: number): number[] {
  return sumsBy(flows, 'destination', n)
}

function sumsBy(flows: Result['flows'], end: 'source' | 'destination', n: number): number[] {
  const [host, size] = [numbersOf(flows, end), numbersOf(flows, 'sizeBytes')]
  const sums = Array.from({ length: n }, () => 0)
  for (let row = 0; row < flows.rowCount; row++) sums[host[row]!]! += size[row]!
  return sums
}

/** When the last operation of the job was done, ps. */
export function lastPs(result: Result): number {
  const path = tableOfKind(result, 'critical-path')!
  return numbersOf(path, 'toPs')[path.rowCount - 1]!
}

/** A column of texts of the rounds. */
export function roundsOf(result: Result, column: string): string[] {
  const table = tableOfKind(result, 'collectives')!
  return textsOf(table, column).slice(0, table.rowCount)
}

/** Paths of the mistakes of a job with n hosts. */
export function mistakesIn(job: string, n: number): string[] {
  try {
    runJob(job, { n })
    return []
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map(({ path }) => path.replace('workload.0.', ''))
  }
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
