export * from './counters.ts'
export * from './edges.ts'
