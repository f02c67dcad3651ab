import { expect, test } from 'vitest'
import { toObjects } from '../../core/results/table.ts'
import { EventLog } from './event-log.ts'

test('a full log keeps the first events and counts the others in its last row', () => {
  const log = new EventLog('events', [{ name: 'timePs', type: 'integer' }], 3)
  expect(log.table().rowCount).toBe(0)
  for (let timePs = 1; timePs <= 3; timePs++) log.add(timePs)
  expect(toObjects(log.table()).map((row) => row['leftOut'])).toEqual([0, 0, 0])
  log.add(4)
  log.add(5)
  expect(toObjects(log.table())).toEqual([
    { timePs: 1, leftOut: 0 },
    { timePs: 2, leftOut: 0 },
    { timePs: 3, leftOut: 2 },
  ])
})
