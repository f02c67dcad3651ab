export { readReadings } from './counters.ts'
export { readEdges } from './edges.ts'
