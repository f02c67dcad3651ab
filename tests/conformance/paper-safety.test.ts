/**
 * Conformance of the remedies against deadlock.
 * Source of the cases and their pass criteria: sonic-mgmt, tests/snappi_tests, deadlock by packets that are bounced back.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { asGiven, failsWith, passes } from '../support/planted.ts'

const ring = readFileSync(path.join(import.meta.dirname, '../../scenarios/deadlock-ring.yaml'), 'utf8')
const FLOWS = '[0 2 10MB 0us, 1 3 10MB 0us, 2 0 10MB 0us, 3 1 10MB 0us]'

/** The ring of switches with these flows and two lossless classes. */
function endings(flows: string): {
  readonly circle: boolean
  readonly statuses: ReadonlySet<string>
  readonly drops: object
} {
  expect(ring).toContain(FLOWS)
  const {
    pauseCircle,
    flows: rows,
    counters,
  } = run(parseScenario(`${ring.replace(FLOWS, flows)}\npfc: {classes: [3, 4]}`))
  return { circle: pauseCircle !== null, statuses: new Set(textsOf(rows, 'status')), drops: counters.drops }
}

function d2Locks(flows: string): void {
  const { circle, statuses } = endings(flows)
  expect(circle).toBe(true)
  expect(statuses.has('finished')).toBe(false)
}
passes('D2 packets that close a circle of buffers in one lossless class lock it for good', () => d2Locks(FLOWS))
failsWith('D2', 'one of the four does not send, so that nothing closes the circle', asGiven, () =>
  d2Locks(FLOWS.replace(', 3 1 10MB 0us', '')),
)

function d2Parts(trafficClass: number): void {
  const own = ['2 0 10MB 0us', '3 1 10MB 0us'].reduce(
    (flows, flow) => flows.replace(flow, `${flow} class=${trafficClass}`),
    FLOWS,
  )
  expect(endings(own)).toEqual({ circle: false, statuses: new Set(['finished']), drops: {} })
}
passes(
  'D2 with the packets that would close the circle in a lossless class of their own nothing locks and nothing is lost',
  () => d2Parts(4),
)
failsWith('D2', 'they are in the class of the others', asGiven, () => d2Parts(3))
