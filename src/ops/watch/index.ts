export { ALARM_RULES, type AlarmRule } from './rules.ts'
export { type Alarm, type AlarmChanges, CounterWatch } from './watch.ts'
