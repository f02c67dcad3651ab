/** Forms of logs, in the order in which they are tried. A file may hold several. */
import type { Log } from '../readings.ts'
import { readCounters } from './counters.ts'
import { readFio } from './fio.ts'
import { readNcclTests } from './nccl-tests.ts'
import { readPerftest } from './perftest.ts'
import { readRoundTrips } from './round-trips.ts'

const FORMS = [readNcclTests, readPerftest, readFio, readRoundTrips, readCounters]
export const FORM_NAMES = 'nccl-tests or rccl-tests, perftest (text or JSON), fio --output-format=json, ping, counters'

/** All that a log says; nothing where no form knows it. */
export function readLog(file: string, text: string): Log {
  const logs = FORMS.flatMap((read) => read(file, text) ?? [])
  return {
    file,
    readings: logs.flatMap(({ readings }) => readings),
    unread: logs.flatMap(({ unread }) => unread),
    untested: logs.flatMap(({ untested }) => untested),
  }
}
