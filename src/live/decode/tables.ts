/** A decoded capture as tables: a row for each direction of a connection, and for each finding. */
import type { Finding } from '../../core/findings/index.ts'
import { type Column, createTable, type Table } from '../../core/results/index.ts'
import type { Decoded, DirectionFacts } from './decoded.ts'

export function connectionsTable({ connections }: Decoded): Table {
  const rows = connections.flatMap((connection) =>
    connection.directions.map((direction) => ({ connection, direction })),
  )
  type Row = (typeof rows)[number]
  const text = (name: string, of: (row: Row) => string): Column => ({ name, type: 'text', data: rows.map(of) })
  const number = (name: string, of: (row: Row) => number | null): Column => ({
    name,
    type: 'number',
    data: Float64Array.from(rows, (row) => of(row) ?? NaN),
  })
  const counts = [
    'sourcePort',
    'dscp',
    'packets',
    'wireBytes',
    'payloadBytes',
    'goodputBytes',
    'requests',
    'requestsAgain',
    'responses',
    'responsesAgain',
    'acks',
    'cnps',
    'ectPackets',
    'cePackets',
    'badIcrc',
    'outstandingMax',
  ] as const satisfies readonly (keyof DirectionFacts)[]
  return createTable('connections', [
    number('connection', ({ connection }) => connection.number),
    text('service', ({ connection }) => connection.service),
    text('joinedBy', ({ connection }) => connection.joinedBy ?? ''),
    text('source', ({ direction }) => direction.source),
    text('destination', ({ direction }) => direction.destination),
    number('destinationQp', ({ direction }) => direction.destinationQp),
    number('mtuBytes', ({ connection }) => connection.mtuBytes),
    number('startPs', ({ connection }) => connection.startPs),
    number('endPs', ({ connection }) => connection.endPs),
    ...counts.map((name) => number(name, ({ direction }) => direction[name])),
    number('rttP50Ps', ({ direction }) => direction.roundTrips?.p50Ps ?? null),
    number('rttP99Ps', ({ direction }) => direction.roundTrips?.p99Ps ?? null),
  ])
}

/** @param sentences a text for each finding */
export function findingsTable(findings: readonly Finding[], sentences: readonly string[]): Table {
  const numbers = (name: string, of: (one: Finding) => number | undefined): Column => ({
    name,
    type: 'number',
    data: Float64Array.from(findings, (one) => of(one) ?? NaN),
  })
  const psnOf = ({ values }: Finding): string => (typeof values['psn'] === 'string' ? values['psn'] : '')
  return createTable('findings', [
    { name: 'severity', type: 'text', data: findings.map(({ severity }) => severity) },
    { name: 'id', type: 'text', data: findings.map(({ id }) => id) },
    { name: 'where', type: 'text', data: findings.map(({ subject }) => subject.device ?? '') },
    numbers('queuePair', ({ subject }) => subject.queuePair),
    numbers('timePs', ({ subject }) => subject.atPs),
    numbers('frame', ({ subject }) => subject.frame),
    { name: 'psn', type: 'text', data: findings.map(psnOf) },
    { name: 'text', type: 'text', data: sentences },
  ])
}
