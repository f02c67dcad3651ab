export { stepOf } from './differences.ts'
export { type Amount, byDevice, Series } from './series.ts'
