export { ALARM_RULES, type AlarmRule } from './rules.ts'
export { alarmText } from './text.ts'
export { type Alarm, type AlarmChanges, CounterWatch } from './watch.ts'
