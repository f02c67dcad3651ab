export * from './counters.ts'
export * from './device-config.ts'
export * from './edges.ts'
export * from './unknown.ts'
