import { expect, test } from 'vitest'
import { contextOf } from '../../../../tests/support/control-world.ts'
import { defaultsOf, GBPS, MBPS, US } from '../../base/params.ts'
import { FIRST_CONGESTION_TIMER, Timers } from '../timers.ts'
import { Dcqcn, dcqcnHpcc } from './dcqcn.ts'

test('with the stage tested before it is counted, as many fast steps by the byte counter as by the timer', () => {
  const targets = (step: (control: Dcqcn) => void): number[] => {
    const timers = new Timers({ draw: () => 1 })
    const values = { ...defaultsOf(dcqcnHpcc.params), fastRecovery: 3, byteCounter: 1000 }
    const control = new Dcqcn(values, contextOf({ timers }))
    control.onCnp(0, 0)
    control.targetBps = 20 * GBPS
    control.rateBps = 10 * GBPS
    return Array.from({ length: 5 }, () => {
      step(control)
      return control.targetBps / MBPS
    })
  }
  const byTimer = targets((control) => control.onTimer(10 * US, FIRST_CONGESTION_TIMER))
  expect(byTimer).toEqual([20_000, 20_000, 20_000, byTimer[3], byTimer[4]])
  expect(byTimer[3]).toBeGreaterThan(20_000)
  expect(targets((control) => control.onSent(0, 1000)).slice(0, 4)).toEqual(byTimer.slice(0, 4))
})
