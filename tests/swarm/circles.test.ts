/**
 * Ports wait for each other in a circle only where routes close one: in random scenarios whose routes close none, no such
 * circle is found at any instant, however much is paused.
 */
import { expect, test } from 'vitest'
import { createSimulation } from '../../src/lab/index.ts'
import { Dice } from './dice.ts'
import { caseOf } from './run-case.ts'

/** In one of twenty a port is paused when it is checked. */
const CASES = 300
const LOOKS = 12

test(`${CASES} scenarios, checked ${LOOKS} times each`, () => {
  let open = 0
  let paused = 0
  for (let seed = 1; seed <= CASES; seed++) {
    const { scenario } = caseOf(seed)
    // Routes change while a link is down, and CNMs turn back at switches.
    if (scenario.faults.some(({ kind }) => kind === 'link-down') || scenario.congestion.kind === 'qcn') continue
    const dice = new Dice(seed)
    const simulation = createSimulation(scenario)
    const circle = simulation.bufferCircle()
    if (circle === null) open++
    for (let look = 0; look < LOOKS && simulation.advance(dice.log(100, 5000)); look++) {
      const { pauseCircle, counters } = simulation.result(false)
      if (counters.pauseFrames > counters.resumeFrames) paused++
      expect(circle === null && pauseCircle !== null, `seed ${seed}`).toBe(false)
    }
    simulation.close()
  }
  console.log(`circles: ${open} scenarios without, ${paused} looks with pauses that hold`)
  expect(open).toBeGreaterThan(CASES / 3)
  expect(paused).toBeGreaterThan(30)
}, 300_000)
