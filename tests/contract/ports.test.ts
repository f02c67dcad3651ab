/**
 * The contract of work requests on hosts with several ports: whatever ports there are, however they are chosen, and
 * whichever go down and come back, a work request is a message. SENDs and WRITEs of one size take the same time to the
 * picosecond as plain messages with the same frames, no run goes on for ever, and all laws hold.
 * ROCELAB_SEED is the first seed, ROCELAB_BUDGET multiplies the number of networks. A failure prints its seed and scenario.
 */
import { expect, test } from 'vitest'
import { createSimulation } from '../../src/lab/index.ts'
import { numbersOf, type Result, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { BUDGET, FIRST_SEED } from '../support/pair-cases.ts'
import { drawPortsCase, type PortsCase } from './random-ports.ts'

const NETWORKS = 40 * BUDGET
/** A run of more events than this does not end. */
const EVENTS_MAX = 20_000_000
/** Failures that are reported one by one, at most. */
const REPORTED = 3

function resultOf({ text }: PortsCase, isWork: boolean): Result {
  const scenario = parseScenario(text.replace('workload: [{', `workload: [{workRequests: ${isWork}, `))
  const simulation = createSimulation(scenario, { check: true })
  try {
    for (let events = 0; simulation.advance(1000); events += 1000)
      if (events > EVENTS_MAX) throw new Error(`no end after ${EVENTS_MAX} events`)
    return simulation.result(false)
  } finally {
    simulation.close()
  }
}

/** When and how each message ended, in the order in which messages were posted on each connection. */
function endsOf({ flows }: Result): string[] {
  const columns = ['source', 'destination', 'startPs', 'receivedPs', 'acknowledgedPs'].map((name) =>
    numbersOf(flows, name),
  )
  return textsOf(flows, 'status').map((status, row) => [...columns.map((column) => column[row]), status].join(' '))
}

test(
  `work requests on several ports are messages: ${NETWORKS} networks from seed ${FIRST_SEED}`,
  () => {
    const failures: string[] = []
    let compared = 0
    let finished = 0
    for (let seed = FIRST_SEED; seed < FIRST_SEED + NETWORKS; seed++) {
      const drawn = drawPortsCase(seed)
      try {
        const [plain, work] = [endsOf(resultOf(drawn, false)), endsOf(resultOf(drawn, true))]
        finished += work.filter((end) => end.endsWith('finished')).length
        if (!drawn.isSame) continue
        compared += work.length
        const row = work.findIndex((end, k) => end !== plain[k])
        if (row >= 0 || work.length !== plain.length)
          failures.push(`seed ${seed}, row ${row}: ${work[row]}, as a message ${plain[row]}\n${drawn.text}`)
      } catch (error) {
        failures.push(`seed ${seed}: ${(error as Error).message}\n${drawn.text}`)
      }
    }
    expect(failures.slice(0, REPORTED).join('\n'), `${failures.length} of ${NETWORKS} networks failed`).toBe('')
    expect([compared > 5 * NETWORKS, finished > 5 * NETWORKS]).toEqual([true, true])
  },
  60_000 * BUDGET,
)
