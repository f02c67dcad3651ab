/**
 * SONiC: its configuration, its counters, and the tables of its commands.
 */
import type { Dialect } from '../dialect.ts'
import { sonicConfigDb } from './config-db.ts'
import { sonicCountersDb } from './counters-db.ts'
import { sonicHeadroomTable } from './headroom-table.ts'
import { sonicShown } from './shown.ts'
import { sonicTestParameters } from './test-parameters.ts'

export const SONIC: readonly Dialect[] = [
  sonicConfigDb,
  sonicCountersDb,
  sonicHeadroomTable,
  sonicTestParameters,
  ...sonicShown,
]
