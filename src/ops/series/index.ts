export { stepOf } from './differences.ts'
export { type Amount, Series } from './series.ts'
