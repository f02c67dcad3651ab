/**
 * Alarms as lines of text, for a person who watches a run.
 */
import { NS } from '../../../core/base/params.ts'
import { escapeControls } from '../../../core/base/control-characters.ts'
import { humanDuration, humanNumber, humanShare } from '../../../core/base/format.ts'
import { ALL_PRIORITIES } from '../../../core/device-model/index.ts'
import type { Alarm } from './watch.ts'

/** "2.00 ms  begins  leaf 2 port 2 class 3  stopped: 100 %". */
export function alarmText({ rule, device, port, priority, value, toNs }: Alarm, isBegun: boolean): string {
  const at = `${device}${port === '' ? '' : ` port ${port}`}${priority === ALL_PRIORITIES ? '' : ` class ${priority}`}`
  const amount = rule.measure === 'events' ? humanNumber(value) : humanShare(value)
  const time = humanDuration(toNs * NS).padStart(8)
  return `${time}  ${isBegun ? 'begins' : 'ends  '}  ${escapeControls(at)}  ${rule.id}: ${amount}`
}
