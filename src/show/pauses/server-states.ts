/**
 * Servers over time, from the observer `server-state`: its table, and the rows that count all servers.
 */
import { numbersOf, type Table } from '../../core/results/index.ts'

/** States of a server, as the table's columns name it; what is available first. */
export const SERVER_STATES = ['working', 'idle', 'waiting', 'paused'] as const

const ALL_HOSTS = -1

/** Rows of all servers together, one for each interval. */
export function allServers(table: Table): number[] {
  const hosts = numbersOf(table, 'host')
  return [...hosts.keys()].filter((row) => hosts[row] === ALL_HOSTS)
}
