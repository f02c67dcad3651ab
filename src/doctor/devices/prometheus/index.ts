export { EXPOSITION_TYPE, expositionOf } from './exposition.ts'
export { metricOf } from './metrics.ts'
