/**
 * Metrics: observers that turn a run into tables.
 */
import { drops } from './drops.ts'

/** Every metric a scenario can name. */
export const metrics = [drops] as const

export { defineMetric, type MetricContext, type MetricDefinition, type Observer } from './metric.ts'
export { drops }
